//! Sums of tokens that exclude numbers of tokens, as parts of reasons.

use super::{NamedNode, ReasonText};
use num_bigint::BigInt;
use parikh_engine::board::{LemmaExplanation, LemmaSum, ProofSummary, json_number};
use parikh_net::printable::counted;
use parikh_net::{Net, PlaceId};
use parikh_structure::excluded::Exclusion;
use serde::Serialize;
use std::collections::BTreeSet;

/// Numbers of tokens that places never hold at the same time, with the sum that excludes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenExclusion {
    /// The places, each with a number of tokens.
    pub never_together: Vec<PlaceTokens>,
    /// The weighted sum of tokens; `None` if a single sum does not suffice for the exclusion.
    pub sum: Option<ExcludingSum>,
}

/// A place with a number of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceTokens {
    /// The place.
    pub place: NamedNode,
    /// The number of tokens.
    #[serde(serialize_with = "json_number")]
    pub tokens: u64,
}

/// A weighted sum of tokens that bounds the reachable markings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "relation", rename_all = "kebab-case")]
pub enum ExcludingSum {
    /// The sum never changes.
    Constant {
        /// The terms.
        terms: Vec<SumTerm>,
        /// The value in every reachable marking.
        #[serde(serialize_with = "json_number")]
        value: BigInt,
    },
    /// The sum never exceeds its initial value.
    AtMost {
        /// The terms.
        terms: Vec<SumTerm>,
        /// The initial value.
        #[serde(serialize_with = "json_number")]
        value: BigInt,
    },
    /// A sum that never exceeds its initial value, but has too many terms or too large factors to
    /// be read.
    Long {
        /// The number of places in the sum.
        places: usize,
    },
}

/// A term of a weighted sum of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SumTerm {
    /// The place.
    pub place: NamedNode,
    /// The factor; not 0.
    #[serde(serialize_with = "json_number")]
    pub factor: BigInt,
}

impl TokenExclusion {
    /// Returns the exclusion by a constant sum.
    pub fn by_invariant(net: &Net, exclusion: &Exclusion<'_>) -> TokenExclusion {
        let sum = exclusion.sum;
        let term = |(place, factor): &(PlaceId, _)| term(net, *place, factor_of(factor));
        let terms = sum.terms().iter().map(term).collect();
        let value = sum.constant(net.initial()).to_big();
        let sum = Some(ExcludingSum::Constant { terms, value });
        TokenExclusion { never_together: named(net, exclusion.required_tokens()), sum }
    }

    /// Returns the exclusion by a lemma of a certificate.
    pub(crate) fn by_lemma(net: &Net, lemma: LemmaExplanation) -> TokenExclusion {
        let sum = match lemma.sum {
            LemmaSum::Short { sum, most } => {
                let terms = sum.terms().iter().map(|&(place, a)| term(net, place, a.into()));
                Some(ExcludingSum::AtMost { terms: terms.collect(), value: most.into() })
            }
            LemmaSum::Long { places } => Some(ExcludingSum::Long { places }),
            LemmaSum::Mixed => None,
        };
        TokenExclusion { never_together: named(net, &lemma.together), sum }
    }

    /// Returns the places that the exclusion names.
    pub(crate) fn places(&self, net: &Net) -> BTreeSet<PlaceId> {
        let terms = match &self.sum {
            Some(ExcludingSum::Constant { terms, .. } | ExcludingSum::AtMost { terms, .. }) => {
                &terms[..]
            }
            Some(ExcludingSum::Long { .. }) | None => &[],
        };
        let together = self.never_together.iter().map(|it| &it.place);
        let named = together.chain(terms.iter().map(|term| &term.place));
        named.filter_map(|place| net.place_named(&place.id)).collect()
    }

    fn write(&self, text: &mut ReasonText) {
        match &self.sum {
            Some(ExcludingSum::Constant { terms, value }) => {
                write_terms(terms, text);
                text.push_words(format!(" = {value}, so "));
            }
            Some(ExcludingSum::AtMost { terms, value }) => {
                write_terms(terms, text);
                text.push_words(format!(" never exceeds {value}, so "));
            }
            Some(ExcludingSum::Long { .. }) | None => {}
        }
        self.write_never(text);
        if let Some(ExcludingSum::Long { places }) = self.sum {
            text.push_words(format!(
                ", as a weighted sum of tokens on {places} places never increases"
            ));
        }
    }

    /// Writes that the places of `never_together` never hold their numbers of tokens at the same
    /// time.
    fn write_never(&self, text: &mut ReasonText) {
        match &self.never_together[..] {
            [PlaceTokens { place, tokens: 1 }] => {
                text.node(place).push_words(" never holds a token");
            }
            [PlaceTokens { place, tokens }] => {
                text.node(place).push_words(format!(" never holds {tokens} tokens"));
            }
            all if all.iter().all(|it| it.tokens == 1) => {
                text.list(all, " and ", |text, it| {
                    text.node(&it.place);
                });
                text.push_words(" are never marked together");
            }
            all => {
                text.list(all, " and ", |text, it| {
                    text.push_words(format!("{} on ", counted(it.tokens, "token"))).node(&it.place);
                });
                text.push_words(" never occur together");
            }
        }
    }
}

fn term(net: &Net, place: PlaceId, factor: BigInt) -> SumTerm {
    SumTerm { place: NamedNode::place(net, place), factor }
}

fn factor_of(factor: &parikh_structure::integer::Integer) -> BigInt {
    factor.to_big()
}

fn named(net: &Net, together: &[(PlaceId, u64)]) -> Vec<PlaceTokens> {
    let place_tokens = |&(place, tokens): &(PlaceId, u64)| PlaceTokens {
        place: NamedNode::place(net, place),
        tokens,
    };
    together.iter().map(place_tokens).collect()
}

/// Writes a weighted sum: `p + 2·q − r`.
fn write_terms(terms: &[SumTerm], text: &mut ReasonText) {
    for (at, SumTerm { place, factor }) in terms.iter().enumerate() {
        let is_negative = *factor < BigInt::ZERO;
        text.push_words(match (at, is_negative) {
            (0, false) => "",
            (0, true) => "−",
            (_, false) => " + ",
            (_, true) => " − ",
        });
        let size = factor.magnitude();
        text.push_words(if size == BigInt::from(1).magnitude() {
            String::new()
        } else {
            format!("{size}·")
        });
        text.node(place);
    }
}

/// Writes the exclusions with the proof in parentheses, or the proof alone if there are no
/// exclusions.
pub(super) fn write(exclusions: &[TokenExclusion], proof: &ProofSummary, text: &mut ReasonText) {
    text.list(exclusions, "; ", |text, exclusion| exclusion.write(text));
    text.push_words(match exclusions {
        [] => proof.to_string(),
        _ => format!(" ({proof})"),
    });
}
