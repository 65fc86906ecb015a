//! Output of nets in the languages of LoLA and TINA. PNML has a module of its own.
//!
//! Arcs and names that a language cannot express are errors. Units, final markings, assumptions and
//! the label of the net are left out. In LoLA's language, the net's name and the labels of nodes
//! are left out, too.

use crate::extended::ExtendedNet;
use crate::id::TransitionId;
use crate::net::Arc;
use std::fmt::{self, Write};

/// The reason why a net cannot be written in a language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// The language lacks a kind of arc.
    #[error("transition `{transition}` has {kind} arcs, which {language} cannot express")]
    Arcs {
        /// The first transition with an arc of this kind.
        transition: String,
        /// The kind of arc.
        kind: &'static str,
        /// The language.
        language: &'static str,
    },
    /// The language cannot spell a name.
    #[error(
        "the name `{0}` cannot be written in LoLA's language, which has no quotes: names have no \
         blanks, none of ,;:(){{}}, and are not keywords"
    )]
    Name(String),
    /// The output failed.
    #[error("the text could not be written")]
    Failed(#[from] fmt::Error),
}

/// The keywords of LoLA's language.
const LOLA_KEYWORDS: [&str; 13] = [
    "PLACE",
    "MARKING",
    "TRANSITION",
    "CONSUME",
    "PRODUCE",
    "SAFE",
    "WEAK",
    "STRONG",
    "FAIR",
    "FINAL",
    "SORT",
    "FUNCTION",
    "FORMULA",
];

/// Writes a net in LoLA's language.
///
/// # Errors
/// If the net has inhibitor or reset arcs, or a name that the language cannot spell, or if `out`
/// fails.
pub fn write_lola(net: &ExtendedNet, out: &mut dyn Write) -> Result<(), Unwritable> {
    let core = net.core();
    if let Some((t, kind)) = first_inexpressible(net, true) {
        let (transition, language) = (core.transition_name(t).to_owned(), "LoLA's language");
        return Err(Unwritable::Arcs { transition, kind, language });
    }
    let places: Vec<&str> = core.places().map(|p| core.place_name(p)).collect();
    places.iter().try_for_each(|name| check_spelling(name))?;
    writeln!(out, "PLACE")?;
    writeln!(out, "  {};\n", places.join(",\n  "))?;
    let marked = core.initial().marked().map(|(p, n)| format!("{}: {n}", core.place_name(p)));
    writeln!(out, "MARKING")?;
    writeln!(out, "  {};", marked.collect::<Vec<_>>().join(",\n  "))?;
    for t in core.transitions() {
        let name = core.transition_name(t);
        check_spelling(name)?;
        let side = |arcs: &[Arc]| {
            let term = |arc: &Arc| format!("{}: {}", core.place_name(arc.place), arc.weight);
            arcs.iter().map(term).collect::<Vec<_>>().join(", ")
        };
        writeln!(out, "\nTRANSITION {name}")?;
        writeln!(out, "  CONSUME {};", side(core.pre(t)))?;
        writeln!(out, "  PRODUCE {};", side(core.post(t)))?;
    }
    Ok(())
}

/// Checks that LoLA's language can spell a name.
fn check_spelling(name: &str) -> Result<(), Unwritable> {
    let is_foreign = |c: char| c.is_whitespace() || c.is_control() || ",;:(){}".contains(c);
    match name.contains(is_foreign)
        || name.starts_with("//")
        || name.starts_with("/*")
        || LOLA_KEYWORDS.contains(&name)
    {
        true => Err(Unwritable::Name(name.to_owned())),
        false => Ok(()),
    }
}

/// Returns the first transition that has reset arcs, or inhibitor arcs if `inhibitors_too` is true.
/// Also returns the kind of the arcs. Returns `None` if there is no such transition.
fn first_inexpressible(
    net: &ExtendedNet,
    inhibitors_too: bool,
) -> Option<(TransitionId, &'static str)> {
    let kind = |t| match () {
        () if !net.resets(t).is_empty() => Some((t, "reset")),
        () if inhibitors_too && !net.inhibitors(t).is_empty() => Some((t, "inhibitor")),
        () => None,
    };
    net.core().transitions().find_map(kind)
}

/// Writes a net in TINA's language.
///
/// # Errors
/// If the net has reset arcs, or if `out` fails.
pub fn write_tina(net: &ExtendedNet, out: &mut dyn Write) -> Result<(), Unwritable> {
    let core = net.core();
    if let Some((t, kind)) = first_inexpressible(net, false) {
        let (transition, language) = (core.transition_name(t).to_owned(), "TINA's language");
        return Err(Unwritable::Arcs { transition, kind, language });
    }
    if !core.name().is_empty() {
        writeln!(out, "net {}", BracedName(core.name()))?;
    }
    for p in core.places() {
        write!(out, "pl {}", BracedName(core.place_name(p)))?;
        if let Some(label) = core.place_label(p) {
            write!(out, " : {}", BracedName(label))?;
        }
        match core.initial()[p] {
            0 => writeln!(out)?,
            tokens => writeln!(out, " ({tokens})")?,
        }
    }
    for t in core.transitions() {
        write!(out, "tr {}", BracedName(core.transition_name(t)))?;
        if let Some(label) = core.transition_label(t) {
            write!(out, " : {}", BracedName(label))?;
        }
        for arc in core.pre(t) {
            write_term(out, core.place_name(arc.place), arc.weight)?;
        }
        for arc in net.inhibitors(t) {
            write!(out, " {}?-{}", BracedName(core.place_name(arc.place)), arc.weight)?;
        }
        write!(out, " ->")?;
        for arc in core.post(t) {
            write_term(out, core.place_name(arc.place), arc.weight)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_term(out: &mut dyn Write, place: &str, weight: u64) -> fmt::Result {
    match weight {
        1 => write!(out, " {}", BracedName(place)),
        _ => write!(out, " {}*{weight}", BracedName(place)),
    }
}

/// A name as it is, or in braces if it is empty or has characters other than ASCII letters, digits,
/// `_` and `'`.
struct BracedName<'n>(&'n str);

impl fmt::Display for BracedName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
        if !self.0.is_empty() && self.0.chars().all(is_bare) {
            return f.write_str(self.0);
        }
        f.write_char('{')?;
        for c in self.0.chars() {
            if "{}\\".contains(c) {
                f.write_char('\\')?;
            }
            f.write_char(c)?;
        }
        f.write_char('}')
    }
}
