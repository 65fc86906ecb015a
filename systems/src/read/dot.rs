//! Parser for systems in the RERS form of the Graphviz language.
//!
//! ```text
//! digraph G {
//!   subgraph component0 {
//! 0 [label="0" fillcolor="#6699FF" style=filled];
//! 1->1 [label="work" color=black ];
//! 0->1 [label="" color=black ];
//!   }
//! }
//! ```
//!
//! Each subgraph is a component. An edge with the empty label leads from its root to a start state;
//! several such edges lead to several start states. No other edge may touch the root. A component
//! without such an edge starts in its only state without incoming edge. Each state belongs to one
//! component. The label of a state is its display title; other attributes are ignored.

use super::error::ReadError;
use super::tokens::{SystemToken, tokens};
use crate::builder::{ComponentBuilder, system};
use crate::system::System;
use std::collections::HashMap;

/// Parses a system.
///
/// # Errors
/// Returns the position of an error. A later error may be found before an earlier one.
pub fn dot(text: &str, name: &str) -> Result<System, ReadError> {
    let reader =
        DotReader { text, tokens: tokens(text)?, position: 0, component_of: HashMap::new() };
    reader.system(name)
}

/// An edge as written in the file, with its offset.
struct ParsedEdge {
    /// The name of the source state, or of the root.
    source: String,
    /// The name of the target state.
    target: String,
    label: String,
    offset: usize,
}

struct DotReader<'t> {
    text: &'t str,
    tokens: Vec<(SystemToken, usize)>,
    /// The index of the next token.
    position: usize,
    /// The component of each state, to reject states of two components.
    component_of: HashMap<String, usize>,
}

impl DotReader<'_> {
    /// Parses the whole graph.
    fn system(mut self, name: &str) -> Result<System, ReadError> {
        self.keyword("digraph")?;
        if let Some(SystemToken::Word(_)) = self.peek() {
            self.position += 1;
        }
        self.sign('{', "`{` after `digraph`")?;
        let mut components = Vec::new();
        loop {
            match self.peek().cloned() {
                Some(SystemToken::Sign('}')) => break,
                Some(SystemToken::Sign(';')) => self.position += 1,
                Some(SystemToken::Word(word)) if word == "subgraph" => {
                    self.position += 1;
                    components.push(self.component(components.len())?);
                }
                Some(SystemToken::Word(word))
                    if ["graph", "node", "edge"].contains(&word.as_str()) =>
                {
                    self.position += 1;
                    self.attributes()?;
                }
                Some(SystemToken::Word(_))
                    if self.tokens.get(self.position + 1).map(|it| &it.0)
                        == Some(&SystemToken::Sign('=')) =>
                {
                    self.position += 2;
                    self.word("a value after `=`")?;
                }
                _ => return Err(self.expected("`subgraph NAME {`, a component, or `}`")),
            }
        }
        let end = self.offset();
        self.position += 1;
        if self.peek().is_some() {
            return Err(self.expected("the end of the file after the graph"));
        }
        system(name, components).map_err(|error| {
            ReadError::at(self.text, end, "a component before this line", error.to_string())
        })
    }

    /// Parses a subgraph after its keyword. `number` is the number of the component, from 0.
    fn component(&mut self, number: usize) -> Result<ComponentBuilder, ReadError> {
        let begin = self.offset();
        let name = match self.peek() {
            Some(SystemToken::Word(name)) => {
                let name = name.clone();
                self.position += 1;
                name
            }
            _ => format!("component{number}"),
        };
        self.sign('{', "`{` after `subgraph NAME`")?;
        let mut nodes: Vec<String> = Vec::new();
        let mut titles: Vec<(String, String)> = Vec::new();
        let mut edges: Vec<ParsedEdge> = Vec::new();
        loop {
            let offset = self.offset();
            let word = match self.peek().cloned() {
                Some(SystemToken::Sign('}')) => break,
                Some(SystemToken::Sign(';')) => {
                    self.position += 1;
                    continue;
                }
                Some(SystemToken::Word(word)) => word,
                _ => return Err(self.expected("a state such as `1`, an edge `1->2`, or `}`")),
            };
            self.position += 1;
            match self.peek() {
                Some(SystemToken::Arrow) => {
                    self.position += 1;
                    let target = self.offset();
                    let to = self.word("the target state of the edge")?;
                    let label = self.attributes()?.ok_or_else(|| {
                        self.expected("a label of the edge, as in `[label=\"a\"]`")
                    })?;
                    self.check_component_of_state(&word, number, offset)?;
                    self.check_component_of_state(&to, number, target)?;
                    nodes.extend([word.clone(), to.clone()]);
                    edges.push(ParsedEdge { source: word, target: to, label, offset });
                }
                Some(SystemToken::Sign('=')) => {
                    self.position += 1;
                    self.word("a value after `=`")?;
                }
                _ => {
                    let title = self.attributes()?;
                    if !["graph", "node", "edge"].contains(&word.as_str()) {
                        self.check_component_of_state(&word, number, offset)?;
                        titles.extend(title.map(|title| (word.clone(), title)));
                        nodes.push(word);
                    }
                }
            }
        }
        self.position += 1;
        let mut component = self.build_component(&name, nodes, &edges, begin)?;
        for (state, title) in titles {
            // The root is not a state, so it has no title.
            if component.root.as_ref() != Some(&state) && !title.is_empty() {
                let state = component.state(&state);
                component.set_title(state, &title);
            }
        }
        Ok(component)
    }

    /// Checks that a state belongs to only one component.
    fn check_component_of_state(
        &mut self,
        state: &str,
        number: usize,
        offset: usize,
    ) -> Result<(), ReadError> {
        let first_component = *self.component_of.entry(state.to_owned()).or_insert(number);
        if first_component == number {
            return Ok(());
        }
        let expected = "a state of this component";
        let found = format!("`{state}`, a state of component {first_component} (from 0)");
        Err(ReadError::at(self.text, offset, expected, found))
    }

    /// Builds the component of these states and edges. The root, if there is one, does not become a
    /// state.
    fn build_component(
        &self,
        name: &str,
        nodes: Vec<String>,
        edges: &[ParsedEdge],
        begin: usize,
    ) -> Result<ComponentBuilder, ReadError> {
        let mut component = ComponentBuilder::new(name);
        let root = edges.iter().find(|edge| edge.label.is_empty()).map(|edge| edge.source.clone());
        for edge in edges {
            let is_root = |state: &String| Some(state) == root.as_ref();
            let violated_rule =
                match (is_root(&edge.source), is_root(&edge.target), edge.label.is_empty()) {
                    (_, true, _) => {
                        Some("no edge back to the root, which has the edges with an empty label")
                    }
                    (true, _, false) => Some("only edges with an empty label from the root"),
                    (false, _, true) => Some("an empty label only on edges from one root"),
                    _ => None,
                };
            if let Some(expected) = violated_rule {
                let found = format!("`{}->{}`", edge.source, edge.target);
                return Err(ReadError::at(self.text, edge.offset, expected, found));
            }
        }
        for node in nodes.iter().filter(|node| Some(*node) != root.as_ref()) {
            component.state(node);
        }
        for edge in edges {
            if edge.label.is_empty() {
                let to = component.state(&edge.target);
                component.start(to);
            } else {
                let (from, to) = (component.state(&edge.source), component.state(&edge.target));
                component.edge(from, &edge.label, to);
            }
        }
        match root {
            Some(root) => component.set_root(&root),
            None => {
                let is_target = |node: &&String| !edges.iter().any(|edge| edge.target == **node);
                let mut source_states: Vec<&String> = nodes.iter().filter(is_target).collect();
                source_states.dedup();
                source_states.sort_unstable();
                source_states.dedup();
                let &[start] = &source_states[..] else {
                    let expected = "an edge with an empty label to the start state of the \
                                    component, or exactly one state without incoming edges";
                    let found = format!("{} such states", source_states.len());
                    return Err(ReadError::at(self.text, begin, expected, found));
                };
                let start = component.state(start);
                component.start(start);
            }
        }
        Ok(component)
    }

    /// Parses optional attributes in brackets, and returns the label if there is one.
    fn attributes(&mut self) -> Result<Option<String>, ReadError> {
        let mut label = None;
        while self.peek() == Some(&SystemToken::Sign('[')) {
            self.position += 1;
            while self.peek() != Some(&SystemToken::Sign(']')) {
                let key = self.word("an attribute such as `label=\"a\"`, or `]`")?;
                self.sign('=', "`=` after the name of an attribute")?;
                let value = self.word("the value of the attribute")?;
                if key == "label" {
                    label = Some(value);
                }
                if let Some(SystemToken::Sign(',' | ';')) = self.peek() {
                    self.position += 1;
                }
            }
            self.position += 1;
        }
        Ok(label)
    }

    fn peek(&self) -> Option<&SystemToken> {
        self.tokens.get(self.position).map(|(token, _)| token)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.position).map_or(self.text.len(), |(_, offset)| *offset)
    }

    fn expected(&self, expected: &str) -> ReadError {
        let found = self.peek().map_or("the end of the file".to_owned(), SystemToken::description);
        ReadError::at(self.text, self.offset(), expected, found)
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), ReadError> {
        match self.peek() {
            Some(SystemToken::Word(word)) if word == keyword => {
                self.position += 1;
                Ok(())
            }
            _ => Err(self.expected(&format!("`{keyword}`"))),
        }
    }

    fn sign(&mut self, sign: char, expected: &str) -> Result<(), ReadError> {
        match self.peek() {
            Some(SystemToken::Sign(found)) if *found == sign => {
                self.position += 1;
                Ok(())
            }
            _ => Err(self.expected(expected)),
        }
    }

    fn word(&mut self, expected: &str) -> Result<String, ReadError> {
        match self.peek().cloned() {
            Some(SystemToken::Word(word)) => {
                self.position += 1;
                Ok(word)
            }
            _ => Err(self.expected(expected)),
        }
    }
}
