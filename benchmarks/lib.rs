//! The contest harness of Parikh: runs any tool that speaks the contest's protocol (BenchKit) on
//! contest instances, time-stamps its answers, scores them against known ones and compares runs.
//!
//! The way of one run: an [`instance`] is unpacked to a directory of its own, a [`run`] is made
//! there under limits, its [`answer`]s are judged ([`verdict`]) against the [`oracle`], and each
//! becomes a [`row`] of the result file; [`contest`] drives this over a list and continues where it
//! was stopped, [`table`] sums up a result file, and [`compare`] puts two beside each other.
//! [`structure`] measures the structural algorithms in process, against the model [`form`]s, and
//! [`structure_table`] sums that up; [`reductions`] and [`reductions_table`] do so for the
//! structural reductions, with [`memory`] counted. [`evidence`] counts what an auditor confirms.
//! [`encodings`] compares encodings and solvers ([`backends`]) on the goals of instances
//! ([`goals`]), [`encodings_table`] and [`cactus`] show it; [`lp`] compares the solvers of linear
//! programs. [`symbolic`] compares orders of places for decision diagrams. [`readers`] holds the
//! prover's reader of models against the auditor's. [`summary`] makes a page of result files
//! ([`html`], [`scatter`], [`reasons`]); [`shard`] splits a contest for many machines and puts it
//! together, [`benchexec`] hands it to BenchExec and takes its results. [`teams`] compares choices
//! of engines on goals, and what is lost without one. [`terminal`] prints it all. [`generate`]
//! writes nets of known answers for the command line to chew on.

pub mod answer;
pub mod backends;
pub mod benchexec;
pub mod cactus;
pub mod compare;
pub mod contest;
pub mod encodings;
pub mod encodings_table;
pub mod error;
pub mod evidence;
pub mod exam;
pub mod form;
pub mod generate;
pub mod goals;
pub mod html;
pub mod instance;
pub mod lp;
pub mod memory;
pub mod oracle;
mod progress;
pub mod readers;
pub mod reasons;
pub mod reductions;
pub mod reductions_table;
pub mod row;
pub mod run;
pub mod scatter;
pub mod shard;
pub mod signals;
pub mod store;
pub mod structure;
pub mod structure_table;
pub mod summary;
pub mod symbolic;
pub mod table;
pub mod teams;
pub mod terminal;
pub mod verdict;

pub use error::Error;
