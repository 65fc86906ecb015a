//! A firing sequence as a picture that moves: tokens come and go, and what fires lights up, firing
//! by firing, over and over. SVG's own animation, so that it moves wherever SVG is shown, without
//! scripts.

use super::net::{called, tokens};
use super::svg::{Drawing, lit, written};
use super::{Highlight, Part, net};
use parikh_net::printable::counted;
use parikh_net::{FireError, FiringSequence, Net};
use parikh_solvers::Budget;
use std::fmt::Write as _;

/// Longer sequences are no picture any more.
pub const MOST_FIRINGS: u128 = 400;

/// Seconds of a firing.
const BEAT: f64 = 0.9;

/// Beats at the end, before it begins again.
const REST: usize = 3;

/// The nodes of `part` while `sequence` fires.
///
/// # Errors
/// When it does not fire.
pub fn animated(
    of: &Net,
    part: &Part,
    sequence: &FiringSequence,
    budget: &Budget,
) -> Result<String, FireError> {
    let mut marking = of.initial().clone();
    let mut markings = vec![marking.clone()];
    let mut fired = Vec::new();
    for step in sequence.steps() {
        for _ in 0..step.count {
            of.fire(&mut marking, step.transition)?;
            markings.push(marking.clone());
            fired.push(step.transition);
        }
    }
    let caption = counted(fired.len(), "firing");
    let scene = net(of, part, &Highlight { caption, ..Highlight::default() });
    let drawing = Drawing::new(&scene, budget);
    let beats = markings.len() + REST;
    let places: Vec<_> = part.places.iter().copied().collect();
    let transitions: Vec<_> = part.transitions.iter().copied().collect();
    let picture = drawing.print(|at| {
        let mut text = String::new();
        if let Some(&place) = places.get(at) {
            let counts: Vec<u64> = markings.iter().map(|marking| marking[place]).collect();
            let mut seen: Vec<u64> = counts.clone();
            seen.sort_unstable();
            seen.dedup();
            if seen.len() == 1 {
                return None;
            }
            for count in seen {
                let shown: Vec<bool> = counts.iter().map(|&now| now == count).collect();
                let first = if shown[0] { "visible" } else { "hidden" };
                let _ = writeln!(text, "<g visibility=\"{first}\">");
                written(&tokens(count), 0.0, &mut text);
                animate(&mut text, "visibility", &shown, ["hidden", "visible"], beats);
                text.push_str("</g>\n");
            }
        } else {
            let t = *transitions.get(at - places.len())?;
            let now: Vec<bool> =
                std::iter::once(false).chain(fired.iter().map(|&it| it == t)).collect();
            if !now.contains(&true) {
                return None;
            }
            let mut light = String::new();
            animate(&mut light, "visibility", &now, ["hidden", "visible"], beats);
            text = lit(&called(of, t), " visibility=\"hidden\"", &light);
        }
        Some(text)
    });
    Ok(picture)
}

/// An attribute that takes one of two values, beat by beat; the last one stays for the rest.
fn animate(text: &mut String, name: &str, values: &[bool], words: [&str; 2], beats: usize) {
    let (mut list, mut times) = (String::new(), String::new());
    let mut last = None;
    for (at, &value) in values.iter().enumerate() {
        if last == Some(value) {
            continue;
        }
        last = Some(value);
        let separator = if list.is_empty() { "" } else { ";" };
        let _ = write!(list, "{separator}{}", words[usize::from(value)]);
        let _ = write!(times, "{separator}{:.4}", at as f64 / beats as f64);
    }
    let lasts = BEAT * beats as f64;
    let _ = writeln!(
        text,
        "<animate attributeName=\"{name}\" calcMode=\"discrete\" values=\"{list}\" keyTimes=\"{times}\" \
         dur=\"{lasts:.1}s\" repeatCount=\"indefinite\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn tokens_come_and_go() {
        let of =
            text::parse("place p 1\nplace q\nplace r\ntransition t: p -> q\ntransition u: r -> r");
        let of = of.unwrap();
        let t = of.transition_named("t").unwrap();
        let sequence: FiringSequence = [t].into_iter().collect();
        let budget = Budget::unlimited();
        let picture = animated(&of, &Part::whole(&of), &sequence, &budget).unwrap();
        // With and without token, of two places, and the transition that fires.
        assert_eq!(picture.matches("<animate").count(), 5);
        assert!(
            picture.contains("values=\"visible;hidden\" keyTimes=\"0.0000;0.2000\""),
            "{picture}"
        );
        let twice: FiringSequence = [t, t].into_iter().collect();
        assert!(animated(&of, &Part::whole(&of), &twice, &budget).is_err());
    }
}
