//! The contest harness of Parikh: runs any tool that speaks the contest's protocol (BenchKit) on
//! contest instances, time-stamps its answers, scores them against known answers and compares runs.
//!
//! For each run an [`instance`] is unpacked to a directory of its own and [`run`] starts the tool
//! there under limits. [`verdict`] compares each [`answer`] with the [`oracle`], and the result
//! file gets one [`row`] per question. [`contest`] does this for a list of instances and continues
//! a contest that was interrupted. [`table`] adds up a result file, and [`compare`] shows two side
//! by side.
//!
//! [`evidence`] counts the answers that the auditor confirms. [`encodings`] compares encodings and
//! solvers ([`backends`]), and engines ([`engine_rows`]), on the [`goals`] of instances;
//! [`encodings_table`] and [`cactus`] print and plot the results. [`readers`] compares the prover's
//! reader of models with the auditor's. [`orders`] compares orders of places for decision diagrams.
//! [`summary`] makes a page of result files ([`html`], [`scatter`], [`reasons`]). [`shard`] splits
//! a contest for many machines and merges the results. [`benchexec`] exports a contest to BenchExec
//! and imports its results. [`teams`] runs each engine alone, or all engines but one. [`glance`]
//! compares a run with the totals of the contest's tools ([`peers`]), and [`glance_page`] writes
//! the page with its plots ([`share_plot`]).

pub mod answer;
pub mod backends;
pub mod benchexec;
pub mod cactus;
pub mod compare;
pub mod contest;
pub mod coverage;
mod encoding_solvers;
pub mod encodings;
pub mod encodings_table;
pub mod engine_rows;
pub mod error;
pub mod evidence;
pub mod exam;
pub mod glance;
pub mod glance_page;
pub mod goals;
pub mod html;
pub mod instance;
pub mod measurement;
pub mod oracle;
pub mod orders;
pub mod peers;
mod progress;
pub mod readers;
pub mod reasons;
pub mod row;
pub mod run;
pub mod scatter;
pub mod shard;
pub mod share_plot;
pub mod signals;
pub mod store;
pub mod summary;
pub mod table;
pub mod teams;
pub mod terminal;
pub mod verdict;

pub use error::Error;
