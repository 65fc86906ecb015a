//! The attributes and elements of a net that are read, or known to have no meaning.
//!
//! An attribute `weight` of an arc, an element `inhibitorArc` or a misspelt `initialMarkin` has a
//! meaning for its author. Without such markup, the net would be another net. So the reader refuses
//! every unknown attribute and element by name, and guesses nothing. The content of `graphics` is
//! ignored, and `name` is a label. In `toolspecific`, only nested units, times and
//! priorities are read. Attributes with a prefix belong to another language and are ignored, and so
//! is the attribute `xmlns` of the net.

use super::error::InputError;
use super::timing::is_timing_element;
use super::xml::XmlTag;

/// Attributes without meaning in any element, such as labels and positions in drawings.
const MEANINGLESS: [&str; 16] = [
    "name",
    "label",
    "displayName",
    "description",
    "comment",
    "version",
    "active",
    "visible",
    "x",
    "y",
    "positionX",
    "positionY",
    "nameOffsetX",
    "nameOffsetY",
    "angle",
    "orientation",
];

/// Elements that are allowed everywhere and do not change the meaning of the net.
const FOR_OTHERS: [&str; 3] = ["name", "graphics", "toolspecific"];

/// Elements of a net that do not change its meaning: PIPE's classes of tokens, comments and
/// definitions, and its groups of conditions on markings, which only serve its analyses. Tokens of
/// a class other than PIPE's default are refused by the reader of markings.
pub(super) const OF_NET: &[&str] = &["token", "labels", "definition", "stategroup"];

/// Elements of a place without meaning: TINA's second name, `label`.
pub(super) const OF_PLACE: &[&str] = &["label"];

/// Elements of a transition without meaning: PIPE's `orientation` and `infiniteServer`, and TINA's
/// second name, `label`.
pub(super) const OF_TRANSITION: &[&str] = &["orientation", "infiniteServer", "label"];

/// Elements of an arc without meaning: PIPE's drawing.
pub(super) const OF_ARC: &[&str] = &["arcpath"];

/// The advice for data Petri nets.
const ABOUT_DATA: &str = "it belongs to a data Petri net, as of PM4Py or ProM, whose guards compare \
                          values; the net without data and guards allows more firings: remove them \
                          to ask about that net";

/// The advice for games.
pub(super) const ABOUT_PLAYERS: &str = "it belongs to a game of TAPAAL; only games whose transitions \
                                        all have the player 0 are read as nets";

/// The elements whose attributes the reader of the net checks. The reader of `toolspecific` checks
/// its own attributes.
pub(super) const CHECKED_ELEMENTS: [&str; 8] = [
    "page",
    "place",
    "transition",
    "arc",
    "referencePlace",
    "referenceTransition",
    "declaration",
    "finalmarkings",
];

/// Returns true if an attribute has a value that does not change the meaning of the net. In TAPAAL,
/// such values mean that a transition is not urgent, or that it belongs to the controller, which
/// only matters in games. In PNEditor, they mean an ordinary place.
fn has_neutral_value(attribute: &str, value: &str) -> bool {
    matches!(
        (attribute, value),
        ("player", "0") | ("urgent" | "isStatic", "false") | ("controllable", "true")
    )
}

/// Returns the attributes that an element may have besides the meaningless ones.
fn attributes_of(element: &str) -> &'static [&'static str] {
    match element {
        "net" => &["id", "type"],
        "arc" => &["id", "source", "target", "type"],
        // TAPAAL's delay in simulations.
        "transition" => &["id", "distribution", "value"],
        "referencePlace" | "referenceTransition" => &["id", "ref"],
        // A place of a net, or of a final marking.
        "place" => &["id", "idref"],
        "type" | "arctype" => &["id", "value"],
        "variable" => &["refvariable"],
        "useroperator" | "usersort" => &["declaration"],
        "numberconstant" | "finiteintrangeconstant" | "booleanconstant" => &["value"],
        "partitionelementof" => &["refpartition"],
        "finiteintrange" => &["start", "end"],
        _ => &["id"],
    }
}

impl XmlTag<'_> {
    /// Returns an error if the tag has an attribute that may change the meaning of the net.
    pub(super) fn check_attributes(&self) -> Result<(), InputError> {
        let known = attributes_of(self.name());
        let is_known = |name: &str| known.contains(&name) || MEANINGLESS.contains(&name);
        let is_net = self.name() == "net";
        // The attribute `xmlns` and prefixed attributes declare or belong to other languages.
        let foreign = |name: &str| is_net && name == "xmlns" || name.contains(':');
        let refused = |name: &str, value: &str| {
            !is_known(name) && !foreign(name) && !has_neutral_value(name, value)
        };
        match self.find_attribute(refused)? {
            Some(name) if is_timing_element(&name) => Err(InputError::Unsupported {
                at: self.position.of(self.file),
                found: format!("an attribute `{name}`"),
                advice: "it is a time or a priority: write it as an element, or remove it",
            }),
            Some(name) => Err(self.unsupported(format!("an attribute `{name}`"), &name)),
            None => Ok(()),
        }
    }

    /// Checks an element that the caller skips. Returns an error if the element may have a meaning.
    /// Names, graphics and tool data are allowed, and so are the elements in `nothing`, which have
    /// no meaning in the current parent element.
    pub(super) fn check_passed_over(&self, nothing: &[&str]) -> Result<(), InputError> {
        match FOR_OTHERS.contains(&self.name()) || nothing.contains(&self.name()) {
            true => Ok(()),
            false if self.name().to_ascii_lowercase().ends_with("arc") => {
                Err(InputError::Unsupported {
                    at: self.position.of(self.file),
                    found: format!("an element `{}`", self.qualified_name()),
                    advice: "expected `<arc source=… target=… type=…>`, where the type is `normal`, or in nets \
                             without colours `inhibitor`, `read` or `reset`",
                })
            }
            false => {
                let found = format!("an element `{}`", self.qualified_name());
                Err(self.unsupported(found, self.name()))
            }
        }
    }

    /// Refuses every element beside the net but names, graphics and tool data, since it may have a
    /// meaning: priorities, a part of the net.
    pub(super) fn check_outside(&self, is_in_module: bool) -> Result<(), InputError> {
        let name = self.qualified_name();
        let (found, advice) = match is_in_module {
            _ if FOR_OTHERS.contains(&self.name()) => return Ok(()),
            true => (
                format!("an element `{name}` of a `<module>`"),
                "a module is supported only if it holds just a net: merge the modules of the file \
                 into one net, and export it as standard PNML",
            ),
            false => (
                format!("an element `{name}` outside of the net"),
                "move it into the `<net>`, or remove it if it has no meaning",
            ),
        };
        Err(InputError::Unsupported { at: self.position.of(self.file), found, advice })
    }

    /// Returns the error for an element with another prefix than the root element.
    pub(super) fn of_another_language(&self) -> InputError {
        let found = format!("an element `{}` of another language", self.qualified_name());
        self.unsupported(found, self.name())
    }

    /// Returns the error for an attribute or element with this name. If the name is that of a known
    /// feature, the advice says so.
    fn unsupported(&self, found: String, name: &str) -> InputError {
        let advice = match name {
            "guard" | "variables" | "readVariable" | "writeVariable" => ABOUT_DATA,
            "player" => ABOUT_PLAYERS,
            _ => "it is unknown here: correct its name, or export the net as standard PNML",
        };
        InputError::Unsupported { at: self.position.of(self.file), found, advice }
    }
}
