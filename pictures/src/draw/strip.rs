//! A firing sequence as a strip of pictures, one per marking, for paper and programs without
//! animation. The first picture shows the initial marking. Each further picture shows the marking
//! after a firing, with the fired transition highlighted and named above. Beyond [`MAX_PICTURES`]
//! markings, some in the middle have no picture. The pictures fill a page in rows, and every node
//! has the same position in all pictures.

use super::net::{box_texts, tokens};
use super::svg::{self, SceneDrawing, highlighted_name, write_centred};
use super::{DrawnPart, Highlight, net};
use crate::names::clipped;
use parikh_evidence::{ReplayError, replay};
use parikh_net::printable::EscapedXml;
use parikh_net::{FiringSequence, Marking, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::fmt::Write as _;

/// The largest number of pictures. For a longer sequence, the strip shows the beginning and a
/// longer part of the end, because the last marking is the purpose of the sequence.
pub const MAX_PICTURES: usize = 60;

/// The number of pictures for the beginning of a longer sequence.
const PICTURES_OF_BEGINNING: usize = 20;

/// The width in pixels of the page, which the pictures fill row by row.
const PAGE: f64 = 1400.0;

/// The distance between two pictures in pixels.
const GAP: f64 = 24.0;

/// The height in pixels of the line above a picture.
const TITLE: f64 = 20.0;

/// A strip of pictures.
pub struct Strip {
    /// The strip as SVG.
    pub svg: String,
    /// The number of markings along the sequence that have no picture.
    pub left_out: u128,
}

/// A picture in a strip.
struct StripFrame {
    /// The number of firings before the marking.
    firings: u128,
    /// The last transition fired before the marking. `None` for the initial marking.
    fired: Option<TransitionId>,
    marking: Marking,
}

/// The places and the transitions of a scene. The nodes of the scene are these places in order,
/// followed by these transitions.
type PartNodes = (Vec<PlaceId>, Vec<TransitionId>);

/// Draws the nodes of `part` in all markings along `sequence`.
///
/// # Errors
/// The sequence cannot fire.
pub fn strip(
    drawn_net: &Net,
    part: &DrawnPart,
    sequence: &FiringSequence,
    budget: &Budget,
) -> Result<Strip, ReplayError> {
    let (frames, left_out) = frames(drawn_net, sequence)?;
    let scene = net(drawn_net, part, &Highlight::default());
    let drawing = SceneDrawing::new(&scene, budget);
    let nodes: PartNodes =
        (part.places.iter().copied().collect(), part.transitions.iter().copied().collect());
    let names = box_texts(drawn_net);
    let titles: Vec<String> = frames.iter().map(|frame| title(&names, frame)).collect();
    let longest = titles.iter().map(|title| title.chars().count()).max().unwrap_or(0);
    let size = drawing.size();
    let (cell_width, cell_height) =
        (size.width.max(svg::CAPTION_LETTER * longest as f64), size.height + TITLE);
    let columns = (((PAGE + GAP) / (cell_width + GAP)).floor().max(1.0) as usize).min(frames.len());
    let gap_cells = usize::from(left_out > 0);
    let rows = (frames.len() + gap_cells).div_ceil(columns);
    let cells = |count: usize, length: f64| count as f64 * (length + GAP) - GAP;
    let mut text =
        svg::head(drawn_net.title(), cells(columns, cell_width), cells(rows, cell_height));
    let mut draw = |cell: usize, title: &str, frame: Option<&StripFrame>| {
        let x = (cell % columns) as f64 * (cell_width + GAP);
        let y = (cell / columns) as f64 * (cell_height + GAP);
        let title = EscapedXml(title);
        let _ = writeln!(
            text,
            "<g transform=\"translate({x:.1} {y:.1})\">\n<text class=\"caption\" y=\"10\">{title}</text>"
        );
        if let Some(frame) = frame {
            let _ = writeln!(text, "<g transform=\"translate(0 {TITLE})\">");
            drawing.body(|index| node_content(&names, &nodes, frame, index), &mut text);
            text.push_str("</g>\n");
        }
        text.push_str("</g>\n");
    };
    for (index, (frame, title)) in frames.iter().zip(&titles).enumerate() {
        let is_behind_gap = index >= PICTURES_OF_BEGINNING;
        if gap_cells == 1 && index == PICTURES_OF_BEGINNING {
            draw(index, &format!("… {left_out} more"), None);
        }
        draw(index + usize::from(is_behind_gap) * gap_cells, title, Some(frame));
    }
    text.push_str(svg::FOOT);
    Ok(Strip { svg: text, left_out })
}

/// Returns the pictures to draw, and the number of markings along the sequence that have no
/// picture.
fn frames(
    drawn_net: &Net,
    sequence: &FiringSequence,
) -> Result<(Vec<StripFrame>, u128), ReplayError> {
    let firings = sequence.firings();
    let left_out = (firings + 1).saturating_sub(MAX_PICTURES as u128);
    let is_drawn = |after: u128| {
        left_out == 0
            || after < PICTURES_OF_BEGINNING as u128
            || after >= PICTURES_OF_BEGINNING as u128 + left_out
    };
    let mut frames =
        vec![StripFrame { firings: 0, fired: None, marking: drawn_net.initial().clone() }];
    // Firings that lead to drawn markings are executed one by one, and the firings in the gap
    // together.
    let mut net = drawn_net.clone();
    let mut pending = FiringSequence::new();
    let mut after = 0u128;
    for step in sequence.steps() {
        let mut firings_left = step.count;
        while firings_left > 0 {
            let next = after + 1;
            if is_drawn(next) {
                pending.push(step.transition, 1);
                let marking = replay(&net, &pending)?;
                net = net.from_marking(marking.clone());
                pending = FiringSequence::new();
                frames.push(StripFrame { firings: next, fired: Some(step.transition), marking });
                (after, firings_left) = (next, firings_left - 1);
            } else {
                let until = PICTURES_OF_BEGINNING as u128 + left_out - 1;
                let count = u64::try_from(until - after).unwrap_or(u64::MAX).min(firings_left);
                pending.push(step.transition, count);
                (after, firings_left) = (after + u128::from(count), firings_left - count);
            }
        }
    }
    Ok((frames, left_out))
}

/// Returns the text above a picture: the number of firings so far, and the last fired transition.
/// `names` has the name of each transition.
fn title(names: &[String], frame: &StripFrame) -> String {
    match frame.fired {
        None => "0: the initial marking".to_owned(),
        Some(t) => format!("{}: {}", frame.firings, clipped(&names[t.index()])),
    }
}

/// Returns the contents of the node at this position of the scene: the tokens of a place, or the
/// highlighted name of the fired transition. Returns `None` for other transitions, which keep their
/// default contents. `names` has the name of each transition.
fn node_content(
    names: &[String],
    (places, transitions): &PartNodes,
    frame: &StripFrame,
    position: usize,
) -> Option<String> {
    let Some(&place) = places.get(position) else {
        let t = transitions[position - places.len()];
        return (frame.fired == Some(t)).then(|| highlighted_name(&names[t.index()], "", ""));
    };
    let mut text = String::new();
    write_centred(&tokens(frame.marking[place]), 0.0, &mut text);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn net() -> Net {
        text::parse("place p 1\nplace q\ntransition go: p -> q\ntransition back: q -> p").unwrap()
    }

    fn sequence(net: &Net, rounds: usize) -> FiringSequence {
        let [go, back] = ["go", "back"].map(|name| net.transition_named(name).unwrap());
        std::iter::repeat_n([go, back], rounds).flatten().collect()
    }

    fn of(net: &Net, sequence: &FiringSequence) -> Strip {
        strip(net, &DrawnPart::whole(net), sequence, &Budget::unlimited()).unwrap()
    }

    #[test]
    fn every_marking_has_its_picture() {
        let net = net();
        let Strip { svg, left_out } = of(&net, &sequence(&net, 1));
        assert_eq!(left_out, 0);
        for title in ["0: the initial marking", "1: go", "2: back"] {
            assert!(svg.contains(&format!(">{title}</text>")), "{svg}");
        }
        // Each picture has one token, never in the same place as in the picture before. Two firings
        // are highlighted.
        assert_eq!(svg.matches(">●</text>").count(), 3);
        assert_eq!(svg.matches("#5fd394").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 6);
        let wrong = sequence(&net, 1).steps()[1].transition;
        let wrong: FiringSequence = [wrong].into_iter().collect();
        assert!(strip(&net, &DrawnPart::whole(&net), &wrong, &Budget::unlimited()).is_err());
    }

    #[test]
    fn long_sequences_show_their_beginning_and_their_end() {
        let net = net();
        let full = of(&net, &sequence(&net, MAX_PICTURES / 2 - 1));
        assert_eq!((full.left_out, full.svg.matches(">●</text>").count()), (0, MAX_PICTURES - 1));
        let long = of(&net, &sequence(&net, 50));
        assert_eq!(long.left_out, 101 - MAX_PICTURES as u128);
        assert_eq!(long.svg.matches(">●</text>").count(), MAX_PICTURES);
        for title in ["19: go", "… 41 more", "61: go", "100: back"] {
            assert!(long.svg.contains(&format!(">{title}</text>")), "{title}");
        }
        assert!(!long.svg.contains(">20: back</text>") && !long.svg.contains(">60: back</text>"));
    }

    #[test]
    fn huge_repetition_counts_are_not_enumerated() {
        let grows = text::parse("place p\ntransition t: -> p").unwrap();
        let mut sequence = FiringSequence::new();
        sequence.push(grows.transition_named("t").unwrap(), 1 << 60);
        let strip = of(&grows, &sequence);
        assert_eq!(strip.left_out, (1 << 60) + 1 - MAX_PICTURES as u128);
        assert!(strip.svg.contains(">1152921504606846976</text>"), "{}", strip.svg);
    }
}
