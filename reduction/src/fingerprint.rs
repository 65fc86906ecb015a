//! Fingerprints of nets. The log of a reduction contains the fingerprints of the original and the
//! reduced net, so that it is not used with other nets by mistake.
//!
//! The digest does not protect against forgery and need not: every user of a log checks each step
//! on the net itself.

use parikh_net::{Arc, Net};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Name, sizes and digest of a net. Two fingerprints are equal if sizes and digests are equal;
/// names are ignored.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The name of the net.
    pub name: String,
    /// Number of places.
    pub places: usize,
    /// Number of transitions.
    pub transitions: usize,
    /// Number of arcs, in both directions.
    pub arcs: usize,
    /// A digest of 16 hexadecimal digits over ids, tokens and arcs, in the order of the net. Labels
    /// and units are ignored.
    pub digest: String,
}

impl PartialEq for Fingerprint {
    fn eq(&self, other: &Self) -> bool {
        let sizes = |f: &Self| (f.places, f.transitions, f.arcs);
        sizes(self) == sizes(other) && self.digest == other.digest
    }
}

impl Fingerprint {
    /// Returns the fingerprint of `net`.
    pub fn of(net: &Net) -> Fingerprint {
        let mut digest = Digest::default();
        for p in net.places() {
            digest.text(net.place_name(p));
            digest.number(net.initial()[p]);
        }
        for t in net.transitions() {
            digest.text(net.transition_name(t));
            digest.arcs(net.pre(t));
            digest.arcs(net.post(t));
        }
        Fingerprint {
            name: net.name().to_owned(),
            places: net.place_count(),
            transitions: net.transition_count(),
            arcs: net.arc_count(),
            digest: format!("{:016x}", digest.0),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` of {} places, {} transitions and {} arcs, digest {}",
            self.name, self.places, self.transitions, self.arcs, self.digest
        )
    }
}

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo; RFC 9923).
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds bytes to the digest.
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    /// Adds a text, preceded by its length. Otherwise `ab`, `c` and `a`, `bc` would have the same
    /// digest.
    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    /// Adds a list of arcs, preceded by its length, as for texts.
    fn arcs(&mut self, arcs_of_node: &[Arc]) {
        self.number(arcs_of_node.len() as u64);
        for arc in arcs_of_node {
            self.number(arc.place.index() as u64);
            self.number(arc.weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn digests_distinguish_nets_but_ignore_their_names() {
        let of = |source: &str| Fingerprint::of(&text::parse(source).unwrap());
        let net = "place p 1\nplace q\ntransition t: p -> q";
        assert_eq!(of(net), of(&format!("net other\n{net}")));
        for other in [
            "place p 2\nplace q\ntransition t: p -> q",
            "place q 1\nplace p\ntransition t: q -> p",
            "place p 1\nplace q\ntransition u: p -> q",
            "place p 1\nplace q\ntransition t: q -> p",
            "place p 1\nplace q\ntransition t: p -> 2*q",
            "place p 1\nplace q\ntransition t: p + q ->",
        ] {
            assert_ne!(of(net), of(other), "{other}");
        }
    }
}
