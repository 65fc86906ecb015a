//! The protocol of MCC-server, so that PetriVizu can use Parikh as an engine.
//!
//! ```text
//! GET  /tools/descriptions       the tools with their examinations
//! POST /mcc/PT/EXAMINATION/TOOL  a form with `model.pnml`, `model.logic` and `timeout`; the answer
//!                                streams the lines of the tool, each as `data:LINE`
//! ```
//!
//! Source: <https://github.com/yanntm/MCC-server>, `server.py`, `model_checking.py`, `status.py`.
//! One thing differs: the properties of `model.logic` are not converted to a query file. They are
//! asked as formulas, under their own names.

mod properties;
mod protocol;

pub(super) use protocol::{ask, descriptions, examinations_of, tools};
