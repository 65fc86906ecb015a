//! What may stand in a net: the attributes and the elements that are read, or mean nothing.
//!
//! An attribute `weight` of an arc, an element `inhibitorArc` or a misspelt `initialMarkin` means
//! something to who wrote it: a net without it is another net. So whatever is not known here is
//! refused by name, and nothing is guessed. `graphics`, `toolspecific` and `name` are for others,
//! whatever is in them. Attributes with a prefix are another language's, and namespaces are
//! declared by attributes; both are passed over.

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

/// Elements that are for others, wherever they stand.
const FOR_OTHERS: [&str; 3] = ["name", "graphics", "toolspecific"];

/// Elements of a net that mean nothing: PIPE's classes of tokens (those of markings are looked at),
/// remarks and definitions.
pub(super) const OF_NET: &[&str] = &["token", "labels", "definition"];

/// Elements of a transition that mean nothing: how PIPE draws it, and TINA's second name.
pub(super) const OF_TRANSITION: &[&str] = &["orientation", "infiniteServer", "label"];

/// Elements of an arc that mean nothing: how PIPE draws it.
pub(super) const OF_ARC: &[&str] = &["arcpath"];

/// Elements that only stand in a net: outside of it they would be passed over, and are refused.
const PARTS: [&str; 3] = ["place", "transition", "arc"];

/// The parts of a net whose attributes are looked at; `finalmarkings` and `toolspecific` look at
/// their own.
pub(super) const READ: [&str; 7] =
    ["page", "place", "transition", "arc", "referencePlace", "referenceTransition", "declaration"];

/// Whether an attribute says that something is not so: that a transition of TAPAAL's waits for
/// nothing and is the controller's, which it is where there is no game; that a place of PNEditor's
/// is like any other.
fn says_no(attribute: &str, value: &str) -> bool {
    matches!(
        (attribute, value),
        ("player", "0") | ("urgent" | "isStatic", "false") | ("controllable", "true")
    )
}

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
        let is_net = self.name() == "net";
        // A namespace of its own makes an element one of another language.
        let foreign = |name: &str| is_net && name == "xmlns" || name.contains(':');
        let refused =
            |name: &str, value: &str| !is_known(name) && !foreign(name) && !says_no(name, value);
        match self.find_attribute(refused)? {
            Some(name) => Err(self.unsupported(format!("an attribute `{name}`"))),
            None => Ok(()),
        }
    }

    /// Refuses an element that is neither read nor for others nor one of these, which mean nothing.
    pub(super) fn check_passed_over(&self, nothing: &[&str]) -> Result<(), InputError> {
        match FOR_OTHERS.contains(&self.name()) || nothing.contains(&self.name()) {
            true => Ok(()),
            false if self.name().to_ascii_lowercase().ends_with("arc") => {
                Err(InputError::Unsupported {
                    at: self.at.of(self.file),
                    found: format!("an element `{}`", self.qualified_name()),
                    advice: "expected `<arc source=… target=… type=…>`, where the type is `normal`, or in nets \
                             without colours `inhibitor`, `read` or `reset`",
                })
            }
            false => Err(self.unsupported(format!("an element `{}`", self.qualified_name()))),
        }
    }

    /// Refuses an element beside the net that may mean something: a part of a net, and in a module
    /// all but names, graphics and data of tools.
    pub(super) fn check_outside(&self, is_in_module: bool) -> Result<(), InputError> {
        let name = self.name().to_ascii_lowercase();
        match () {
            () if FOR_OTHERS.contains(&self.name()) => Ok(()),
            () if is_in_module => Err(InputError::Unsupported {
                at: self.at.of(self.file),
                found: format!("an element `{}` of a `<module>`", self.qualified_name()),
                advice: "a module is read if it only holds a net: put the modules of the file \
                         together into one net, and export it as standard PNML",
            }),
            () if PARTS.iter().any(|part| name.contains(part)) => {
                Err(self.unsupported(format!("an element `{}` outside of a net", self.name())))
            }
            () => Ok(()),
        }
    }

    /// An element with another prefix than the root's.
    pub(super) fn of_another_language(&self) -> InputError {
        self.unsupported(format!("an element `{}` of another language", self.qualified_name()))
    }

    fn unsupported(&self, found: String) -> InputError {
        InputError::Unsupported {
            at: self.at.of(self.file),
            found,
            advice: "it is not known here, and not guessed: mend its name, or export the net as standard PNML",
        }
    }
}
