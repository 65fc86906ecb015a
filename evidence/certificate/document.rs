//! A certificate of any kind, and what it proves.
//!
//! Checking goes in two parts: the steps of a document, once, and then any number of claims. The claims
//! that stand in the document are for readers, and [`Document::check`] is for files by themselves; who
//! has a question asks for the claim that answers it.

use super::bounds::{Bounds, BoundsFlaw, Known};
use super::claim::Claim;
use super::linear::{Flaw, LinearCertificate};
use super::markings::{Markings, MarkingsFlaw, Visited};
use super::reduced::{Reduced, ReducedFlaw};
use crate::reduction::{CheckedReduction, LogError};
use parikh_net::Net;

/// A certificate of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Document {
    /// Sums of inequalities.
    Linear(LinearCertificate),
    /// Bounds on tokens.
    Bounds(Bounds),
    /// All markings.
    Markings(Markings),
    /// A reduced net.
    Reduced(Reduced),
}

/// Why a certificate is refused.
#[derive(Debug, thiserror::Error)]
pub enum DocumentFlaw {
    /// Of sums of inequalities.
    #[error(transparent)]
    Linear(Flaw),
    /// Of bounds.
    #[error(transparent)]
    Bounds(#[from] BoundsFlaw),
    /// Of all markings.
    #[error(transparent)]
    Markings(MarkingsFlaw),
    /// Of a reduction.
    #[error(transparent)]
    Reduced(#[from] ReducedFlaw),
    /// Of what is said of the reduced net.
    #[error("the certificate about the reduced net: {0}")]
    Inner(Box<DocumentFlaw>),
    /// The steps hold, but the claim does not follow.
    #[error("the claim does not follow")]
    DoesNotFollow,
    /// Told to stop.
    #[error("not checked to the end")]
    Stopped,
}

/// A document whose steps hold.
#[derive(Debug)]
pub struct Checked<'a> {
    net: &'a Net,
    document: &'a Document,
    steps: Steps,
}

/// What the steps of a document come to.
#[derive(Debug)]
enum Steps {
    /// The clauses of the lemmas.
    Linear(Vec<Vec<i32>>),
    Bounds(Known),
    Markings(Visited),
    Reduced(Box<Inside>),
}

/// A checked reduction with what is said of the reduced net.
#[derive(Debug)]
struct Inside {
    reduction: CheckedReduction,
    document: Document,
    steps: Steps,
}

impl Document {
    /// What it lists as proved.
    pub fn claims(&self) -> Vec<&Claim> {
        match self {
            Document::Linear(certificate) => vec![&certificate.claim],
            Document::Bounds(Bounds { claims, .. })
            | Document::Markings(Markings { claims, .. })
            | Document::Reduced(Reduced { claims, .. }) => claims.iter().collect(),
        }
    }

    /// Whether it takes for granted that the model's units are safe (NUPN).
    pub fn assumes_units(&self) -> bool {
        match self {
            Document::Linear(certificate) => certificate.assumes_units,
            Document::Bounds(bounds) => bounds.assumes_units,
            Document::Markings(_) | Document::Reduced(_) => false,
        }
    }

    /// Accepts it if it proves all the claims that it lists about `net`.
    ///
    /// # Errors
    /// The first flaw found; it says nothing about the claims.
    pub fn check(&self, net: &Net) -> Result<(), DocumentFlaw> {
        let goes_on = &mut || true;
        let checked = self.check_steps(net, goes_on)?;
        self.claims().into_iter().try_for_each(|claim| checked.proves(claim, goes_on))
    }

    /// Goes through the steps, which may be about anything, and asks now and then whether to go on.
    ///
    /// # Errors
    /// The first flaw found, or [`DocumentFlaw::Stopped`].
    pub fn check_steps<'a>(
        &'a self,
        net: &'a Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Checked<'a>, DocumentFlaw> {
        Ok(Checked { net, document: self, steps: self.steps(net, goes_on)? })
    }

    /// Accepts it if it proves `claim` about `net`, whether it lists it or not.
    ///
    /// # Errors
    /// The first flaw found, which says nothing about the claim; or [`DocumentFlaw::Stopped`].
    pub fn proves(
        &self,
        net: &Net,
        claim: &Claim,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), DocumentFlaw> {
        self.check_steps(net, goes_on)?.proves(claim, goes_on)
    }

    fn steps(&self, net: &Net, goes_on: &mut dyn FnMut() -> bool) -> Result<Steps, DocumentFlaw> {
        Ok(match self {
            Document::Linear(certificate) => Steps::Linear(certificate.check_lemmas(net, goes_on)?),
            Document::Bounds(bounds) => Steps::Bounds(bounds.check_steps(net)?),
            Document::Markings(markings) => Steps::Markings(markings.check_steps(net, goes_on)?),
            Document::Reduced(Reduced { log, inner, .. }) => {
                let reduction = CheckedReduction::of_file(net, log, goes_on)?;
                let inner = Document::parse(reduction.net(), &inner.to_string());
                let (document, _) = inner.map_err(ReducedFlaw::File)?;
                if document.assumes_units() || matches!(document, Document::Reduced(_)) {
                    return Err(ReducedFlaw::NotHere.into());
                }
                let steps = document.steps(reduction.net(), goes_on).map_err(inside)?;
                Steps::Reduced(Box::new(Inside { reduction, document, steps }))
            }
        })
    }
}

impl Checked<'_> {
    /// Accepts `claim` if it follows from the steps.
    ///
    /// # Errors
    /// [`DocumentFlaw::DoesNotFollow`] or another flaw, which say nothing about the claim; or
    /// [`DocumentFlaw::Stopped`].
    pub fn proves(
        &self,
        claim: &Claim,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), DocumentFlaw> {
        self.steps.prove(self.document, self.net, claim, goes_on)
    }
}

impl Steps {
    /// That `claim` follows; these are the steps of `document` about `net`.
    fn prove(
        &self,
        document: &Document,
        net: &Net,
        claim: &Claim,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), DocumentFlaw> {
        let follows = match (self, document) {
            (Steps::Linear(lemmas), Document::Linear(certificate)) => {
                claim.check_names(net).map_err(Flaw::Name)?;
                certificate.refutes(net, lemmas, claim, goes_on)?;
                true
            }
            (Steps::Bounds(known), _) => known.proves(net, claim)?,
            (Steps::Markings(visited), _) => visited.proves(net, claim, goes_on)?,
            (Steps::Reduced(within), _) => {
                let Inside { reduction, document, steps } = &**within;
                claim.check_names(net).map_err(Flaw::Name)?;
                let claim = reduction.translate(net, claim).ok_or(ReducedFlaw::NotTranslated)?;
                steps.prove(document, reduction.net(), &claim, goes_on).map_err(inside)?;
                true
            }
            // No document has steps of another kind.
            (Steps::Linear(_), _) => false,
        };
        if follows { Ok(()) } else { Err(DocumentFlaw::DoesNotFollow) }
    }
}

/// A flaw of what is said of a reduced net.
fn inside(flaw: DocumentFlaw) -> DocumentFlaw {
    match flaw {
        DocumentFlaw::Stopped => DocumentFlaw::Stopped,
        flaw => DocumentFlaw::Inner(Box::new(flaw)),
    }
}

impl From<LogError> for DocumentFlaw {
    fn from(error: LogError) -> DocumentFlaw {
        match error {
            LogError::Stopped => DocumentFlaw::Stopped,
            error => DocumentFlaw::Reduced(ReducedFlaw::Log(error)),
        }
    }
}

impl From<Flaw> for DocumentFlaw {
    fn from(flaw: Flaw) -> DocumentFlaw {
        match flaw {
            Flaw::Stopped => DocumentFlaw::Stopped,
            flaw => DocumentFlaw::Linear(flaw),
        }
    }
}

impl From<MarkingsFlaw> for DocumentFlaw {
    fn from(flaw: MarkingsFlaw) -> DocumentFlaw {
        match flaw {
            MarkingsFlaw::Stopped => DocumentFlaw::Stopped,
            flaw => DocumentFlaw::Markings(flaw),
        }
    }
}
