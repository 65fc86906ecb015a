//! Parser for the Promela files of RERS, limited to the form that its generator writes.
//!
//! ```text
//! active proctype Proc0()
//! {
//!   int state = 0;
//!   do
//!   :: state == 0 ->
//!     atomic {
//!       if
//!       :: p0 ? nop ->            from the environment: the empty label
//!         state = 4;
//!       :: p1_0 ? a ->            with another process, which writes p1_0 ! a
//!         act ! a;
//!         state = 5;
//! …
//! #define pa  (lastAction == a)
//! ltl p1 { (!pa W pb) }
//! ```
//!
//! A process is a component. Each message that it sends or receives is a label, except for messages
//! to the listener (`act`). Lines that are the same in every process, and all lines outside of
//! processes, are skipped. Any other Promela in a process is rejected.

use super::error::ReadError;
use crate::builder::{ComponentBuilder, system};
use crate::system::System;

/// A component under construction.
struct Process {
    /// The component, without the edges collected so far.
    component: ComponentBuilder,
    /// Offset of the process in the file.
    offset: usize,
    /// The initial state, empty before its line. It is a root if an empty label leads from it.
    first: String,
    /// Edges: source, label, target, and byte offset in the file.
    edges: Vec<(String, String, String, usize)>,
    /// The state whose edges are being read; `None` before the first state.
    state: Option<String>,
    /// The label whose target state is not read yet, and the offset of its message in the file;
    /// `None` if there is no such label.
    label: Option<(String, usize)>,
}

/// Parses a system.
///
/// # Errors
/// Returns the position of an error. Invalid lines are found first, then edges that violate the
/// rules for the empty label.
pub fn promela(text: &str, name: &str) -> Result<System, ReadError> {
    let mut processes: Vec<Process> = Vec::new();
    let mut open_process: Option<Process> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let begin = offset + (line.len() - line.trim_start().len());
        offset += line.len();
        let line = line.trim();
        let unexpected_line = |expected: &str| {
            let found = format!("`{}`", line.chars().take(40).collect::<String>());
            ReadError::at(text, begin, expected, found)
        };
        if let Some(after_prefix) = line.strip_prefix("active proctype Proc") {
            processes.extend(open_process.take());
            let number = after_prefix.trim_end_matches(['(', ')', '{', ' ']);
            open_process = Some(Process {
                component: ComponentBuilder::new(&format!("component{number}")),
                offset: begin,
                first: String::new(),
                edges: Vec::new(),
                state: None,
                label: None,
            });
            continue;
        }
        let Some(process) = &mut open_process else { continue };
        if line.starts_with("#define") || line.starts_with("ltl ") {
            processes.extend(open_process.take());
            continue;
        }
        if let Some(first) = line.strip_prefix("int state =") {
            process.first = first.trim().trim_end_matches(';').to_owned();
        } else if let Some(after_prefix) = line.strip_prefix(":: state ==") {
            process.check_last_message(text)?;
            let state = after_prefix.trim_end_matches("->").trim();
            process.state = Some(state.to_owned());
        } else if let Some(after_prefix) = line.strip_prefix("::") {
            process.check_last_message(text)?;
            let message = after_prefix.trim_end_matches("->").split_once(['?', '!']);
            let (_, label) =
                message.ok_or_else(|| unexpected_line("`:: CHANNEL ? LABEL ->` or with `!`"))?;
            process.label = Some((label.trim().to_owned(), begin));
        } else if let Some(after_prefix) = line.strip_prefix("state =") {
            let to = after_prefix.trim().trim_end_matches(';').to_owned();
            let from = process
                .state
                .clone()
                .ok_or_else(|| unexpected_line("`:: state == N ->` before this"))?;
            let label = process.label.take();
            let (label, _) =
                label.ok_or_else(|| unexpected_line("a message before the next state"))?;
            process.edges.push((from, label, to, begin));
        } else if !is_structural(line) {
            return Err(unexpected_line("a line of a process in the format of RERS"));
        }
    }
    processes.extend(open_process);
    if processes.is_empty() {
        let expected = "a process `active proctype Proc0()`, in the format of RERS";
        return Err(ReadError::at(text, text.len(), expected, "none in the file"));
    }
    let mut components = Vec::new();
    for process in processes {
        components.push(process.into_component(text)?);
    }
    system(name, components).map_err(|error| {
        ReadError::at(text, text.len(), "processes in the format of RERS", error.to_string())
    })
}

/// Returns true for lines of a process without states or labels: empty lines, keywords, braces,
/// messages to the listener `act`, and comments.
fn is_structural(line: &str) -> bool {
    let structural_lines =
        ["", "{", "}", "do", "od", "if", "fi", "fi;", "od;", "atomic {", "skip;"];
    structural_lines.contains(&line)
        || line.starts_with("act !")
        || line.starts_with("/*")
        || line.starts_with("//")
}

impl Process {
    /// Checks that a target state follows the last message. Without it, Promela stays in the state.
    fn check_last_message(&self, text: &str) -> Result<(), ReadError> {
        match &self.label {
            None => Ok(()),
            Some((_, offset)) => {
                Err(ReadError::at(text, *offset, "`state = N;` after this message", "none"))
            }
        }
    }

    /// Adds the edges to the component and determines its start states.
    fn into_component(self, text: &str) -> Result<ComponentBuilder, ReadError> {
        self.check_last_message(text)?;
        let Process { mut component, first, edges, offset, .. } = self;
        if first.is_empty() {
            return Err(ReadError::at(text, offset, "`int state = N;` in this process", "none"));
        }
        let is_empty_label = |label: &str| label == "nop";
        let has_root = edges.iter().any(|edge| edge.0 == first && is_empty_label(&edge.1));
        for (from, label, to, offset) in edges {
            if has_root && from == first {
                if !is_empty_label(&label) {
                    let expected = "only the message `nop` in the first state";
                    return Err(ReadError::at(text, offset, expected, format!("`{label}`")));
                }
                let to = component.state(&to);
                component.start(to);
            } else if is_empty_label(&label) || (has_root && to == first) {
                let expected = "the message `nop` only in the first state, and no transition back \
                                to this state";
                return Err(ReadError::at(text, offset, expected, format!("`{label}`")));
            } else {
                let (from, to) = (component.state(&from), component.state(&to));
                component.edge(from, &label, to);
            }
        }
        match has_root {
            true => component.set_root(&first),
            false => {
                let first = component.state(&first);
                component.start(first);
            }
        }
        Ok(component)
    }
}
