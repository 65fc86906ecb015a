//! Animated pictures of firing sequences: tokens move and transitions light up, firing by firing,
//! in an endless repetition. The pictures use SVG animation without scripts, so they move in every
//! program that supports it.

use super::net::{box_texts, tokens};
use super::svg::{SceneDrawing, highlighted_name, write_centred};
use super::{DrawnPart, Highlight, net};
use parikh_net::printable::counted;
use parikh_net::{FireError, FiringSequence, Net};
use parikh_solvers::Budget;
use std::fmt::Write as _;

/// The largest number of firings in an animation.
pub const MAX_FIRINGS: u128 = 400;

/// The duration in seconds of a beat, that is, of one firing of the animation.
const BEAT: f64 = 0.9;

/// The number of additional beats for which the last marking is shown before the animation
/// restarts. A beat has the duration of a firing.
const BEATS_AT_END: usize = 3;

/// Draws the nodes of `part` while `sequence` fires. The caller ensures that the sequence has at
/// most [`MAX_FIRINGS`] firings, because every firing is executed and drawn.
///
/// # Errors
/// The sequence cannot fire.
pub fn animated(
    drawn_net: &Net,
    part: &DrawnPart,
    sequence: &FiringSequence,
    budget: &Budget,
) -> Result<String, FireError> {
    let mut marking = drawn_net.initial().clone();
    let mut markings = vec![marking.clone()];
    let mut fired = Vec::new();
    for step in sequence.steps() {
        for _ in 0..step.count {
            drawn_net.fire(&mut marking, step.transition)?;
            markings.push(marking.clone());
            fired.push(step.transition);
        }
    }
    let caption = counted(fired.len(), "firing");
    let scene = net(drawn_net, part, &Highlight { caption, ..Highlight::default() });
    let drawing = SceneDrawing::new(&scene, budget);
    let beats = markings.len() + BEATS_AT_END;
    let places: Vec<_> = part.places.iter().copied().collect();
    let transitions: Vec<_> = part.transitions.iter().copied().collect();
    let names = box_texts(drawn_net);
    let picture = drawing.print(|at| {
        let mut text = String::new();
        if let Some(&place) = places.get(at) {
            let counts: Vec<u64> = markings.iter().map(|marking| marking[place]).collect();
            let mut distinct_counts: Vec<u64> = counts.clone();
            distinct_counts.sort_unstable();
            distinct_counts.dedup();
            if distinct_counts.len() == 1 {
                return None;
            }
            for count in distinct_counts {
                let is_shown: Vec<bool> =
                    counts.iter().map(|&token_count| token_count == count).collect();
                let first = if is_shown[0] { "visible" } else { "hidden" };
                let _ = writeln!(text, "<g visibility=\"{first}\">");
                write_centred(&tokens(count), 0.0, &mut text);
                animate(&mut text, "visibility", &is_shown, ["hidden", "visible"], beats);
                text.push_str("</g>\n");
            }
        } else {
            let t = *transitions.get(at - places.len())?;
            let is_fired: Vec<bool> =
                std::iter::once(false).chain(fired.iter().map(|&it| it == t)).collect();
            if !is_fired.contains(&true) {
                return None;
            }
            let mut light = String::new();
            animate(&mut light, "visibility", &is_fired, ["hidden", "visible"], beats);
            text = highlighted_name(&names[t.index()], " visibility=\"hidden\"", &light);
        }
        Some(text)
    });
    Ok(picture)
}

/// Appends an SVG animation of the attribute `name`. `values` has one entry per marking: the first
/// for the beat before all firings, and one for the beat of each firing. `words` has the
/// attribute's texts for false and true. The last value stays until the animation restarts after
/// `beats` beats.
fn animate(text: &mut String, name: &str, values: &[bool], words: [&str; 2], beats: usize) {
    let (mut list, mut times) = (String::new(), String::new());
    let mut last_value = None;
    for (beat, &value) in values.iter().enumerate() {
        if last_value == Some(value) {
            continue;
        }
        last_value = Some(value);
        let separator = if list.is_empty() { "" } else { ";" };
        let _ = write!(list, "{separator}{}", words[usize::from(value)]);
        let _ = write!(times, "{separator}{:.4}", beat as f64 / beats as f64);
    }
    let duration = BEAT * beats as f64;
    let _ = writeln!(
        text,
        "<animate attributeName=\"{name}\" calcMode=\"discrete\" values=\"{list}\" keyTimes=\"{times}\" \
         dur=\"{duration:.1}s\" repeatCount=\"indefinite\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn tokens_appear_and_disappear() {
        let of =
            text::parse("place p 1\nplace q\nplace r\ntransition t: p -> q\ntransition u: r -> r");
        let of = of.unwrap();
        let t = of.transition_named("t").unwrap();
        let sequence: FiringSequence = [t].into_iter().collect();
        let budget = Budget::unlimited();
        let picture = animated(&of, &DrawnPart::whole(&of), &sequence, &budget).unwrap();
        // Five animations: with and without a token for two places, and the transition that fires.
        assert_eq!(picture.matches("<animate").count(), 5);
        assert!(
            picture.contains("values=\"visible;hidden\" keyTimes=\"0.0000;0.2000\""),
            "{picture}"
        );
        let twice: FiringSequence = [t, t].into_iter().collect();
        assert!(animated(&of, &DrawnPart::whole(&of), &twice, &budget).is_err());
    }
}
