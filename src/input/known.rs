//! What may stand in a net: the attributes that are read or mean nothing, and the elements that are
//! not skipped.
//!
//! What has no meaning is passed over, and tools write much of it. But an attribute `weight` of an
//! arc, or an element `inhibitorArc`, means something to who wrote it: a net without it is another
//! net. So attributes are refused that are not known here, and elements whose names say that they
//! may be about arcs, tokens, conditions or the order of firings. Attributes with a prefix are
//! another language's, and namespaces are declared by attributes; both are passed over. What is
//! inside of an element that is passed over is looked at in the same way.

use super::error::InputError;
use super::xml::Tag;

/// Attributes that mean nothing, whatever element has them: names for people, and where a node is
/// drawn.
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

/// Elements whose names have one of these in them, in whatever case, may change what a net means.
const MEANINGFUL: [&str; 23] = [
    "arc",
    "inhibit",
    "reset",
    "priorit",
    "capacit",
    "weight",
    "multiplic",
    "guard",
    "condition",
    "marking",
    "inscription",
    "invariant",
    "interval",
    // Of nets with time, of those whose transitions fire together, and of games.
    "delay",
    "time",
    "timing",
    "clock",
    "firing",
    "urgent",
    "uplink",
    "downlink",
    "player",
    "controllable",
];

/// Elements that have, and do not: the bends of an arc as it is drawn, and how nets are nested.
const MEANINGLESS_ELEMENTS: [&str; 2] = ["arcpath", "hierarchy"];

/// The parts of a net whose attributes are looked at; `finalmarkings` and `toolspecific` look at
/// their own.
pub(super) const READ: [&str; 7] =
    ["page", "place", "transition", "arc", "referencePlace", "referenceTransition", "declaration"];

/// The attributes that an element may have besides those that mean nothing.
fn attributes_of(element: &str) -> &'static [&'static str] {
    match element {
        "net" => &["id", "type"],
        "arc" => &["id", "source", "target", "type"],
        // How long TAPAAL waits before it fires in a simulation.
        "transition" => &["id", "distribution", "value"],
        "referencePlace" | "referenceTransition" => &["id", "ref"],
        // In a net, and in a final marking.
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

impl Tag<'_> {
    /// Refuses an attribute that might mean something.
    pub(super) fn check_attributes(&self) -> Result<(), InputError> {
        let known = attributes_of(self.name());
        let is_known = |name: &str| known.contains(&name) || MEANINGLESS.contains(&name);
        let foreign = |name: &str| name == "xmlns" || name.contains(':');
        match self.find_attribute(|name| !is_known(name) && !foreign(name))? {
            Some(name) => Err(self.unsupported(format!("an attribute `{name}`"))),
            None => Ok(()),
        }
    }

    /// Refuses an element that is to be skipped and might mean something.
    pub(super) fn check_skipped(&self) -> Result<(), InputError> {
        let name = self.name().to_ascii_lowercase();
        let may_mean = MEANINGFUL.iter().any(|word| name.contains(word));
        match may_mean && !MEANINGLESS_ELEMENTS.contains(&&*name) {
            true => Err(self.unsupported(format!("an element `{}`", self.name()))),
            false => Ok(()),
        }
    }

    fn unsupported(&self, found: String) -> InputError {
        InputError::Unsupported {
            at: self.at.of(self.file),
            found,
            advice: "this looks like a tool's own format: export the net as standard PNML",
        }
    }
}
