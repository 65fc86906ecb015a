//! The game: a net, the firings so far, and the effect of each command. This module does not use
//! the terminal.

use super::super::trace_file::quote;
use super::course::FollowedTrace;
use super::names::{self, quoted_name};
use fastrand::Rng;
use parikh_net::printable::counted;
use parikh_net::{ExtendedNet, Marking, Predicate, TransitionId, marking_text};
use std::collections::BTreeMap;

/// The largest number of enabled transitions listed.
const MAX_LISTED: usize = 40;

/// The largest number of firings that can be typed in a command.
const MAX_FIRINGS: usize = 1_000_000;

/// The response to a command.
pub(super) struct CommandResponse {
    /// The lines to print.
    pub(super) lines: Vec<String>,
    /// True if the command succeeded.
    pub(super) has_succeeded: bool,
    /// True if the game is over.
    pub(super) ends_game: bool,
}

impl CommandResponse {
    fn succeeded(lines: Vec<String>) -> Self {
        CommandResponse { lines, has_succeeded: true, ends_game: false }
    }

    /// Returns the response to a command that is not possible.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        CommandResponse {
            lines: vec![format!("no: {}", why.into())],
            has_succeeded: false,
            ends_game: false,
        }
    }
}

/// A firing of the game.
struct FiredStep {
    transition: TransitionId,
    /// The marking before the firing.
    marking_before: Marking,
    /// The position in the followed trace before the firing.
    followed_before: usize,
}

/// A bookmarked marking, stored as the firings that lead to it.
#[derive(Clone)]
struct Bookmark {
    /// The firings, each with the position in the followed trace before it.
    firings: Vec<(TransitionId, usize)>,
    /// The position in the followed trace.
    followed: usize,
}

/// A game on a net.
pub(super) struct TokenGame<'n> {
    net: &'n ExtendedNet,
    /// The initial marking of the game.
    start: Marking,
    /// The current marking.
    marking: Marking,
    /// The firings so far.
    firings: Vec<FiredStep>,
    /// The conditions shown after every move, with their names.
    goals: Vec<(String, Predicate)>,
    /// The trace that `next` follows. `None` if no trace is given.
    followed_trace: Option<FollowedTrace>,
    /// The bookmarked markings, by the name of the bookmark.
    bookmarks: BTreeMap<String, Bookmark>,
    rng: Rng,
}

impl<'n> TokenGame<'n> {
    pub(super) fn new(net: &'n ExtendedNet, seed: u64) -> Self {
        TokenGame {
            net,
            start: net.core().initial().clone(),
            marking: net.core().initial().clone(),
            firings: Vec::new(),
            goals: Vec::new(),
            followed_trace: None,
            bookmarks: BTreeMap::new(),
            rng: Rng::with_seed(seed),
        }
    }

    /// Adds a condition whose truth is shown after every move.
    pub(super) fn add_goal(&mut self, name: String, goal: Predicate) {
        self.goals.push((name, goal));
    }

    /// Starts the game in the marking `start`, and makes `next` follow a trace from there.
    pub(super) fn follow(&mut self, start: Marking, trace: FollowedTrace) {
        self.marking.clone_from(&start);
        self.start = start;
        self.followed_trace = Some(trace);
    }

    /// Returns the lines shown at the beginning.
    pub(super) fn begin(&self) -> Vec<String> {
        let core = self.net.core();
        let name = if core.name().is_empty() { "a net" } else { core.name() };
        let mut lines = vec![format!(
            "{name}: {}, {}; `help` lists commands",
            counted(core.place_count(), "place"),
            counted(core.transition_count(), "transition")
        )];
        if self.start != *core.initial() {
            let start = marking_text::print(core, &self.start);
            lines.push(format!(
                "starting from {start}, the marking that the trace states, not from the initial \
                 marking of the model"
            ));
        }
        lines.extend(self.status_lines());
        lines
    }

    /// Executes a command line.
    pub(super) fn command(&mut self, line: &str) -> CommandResponse {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" => CommandResponse::succeeded(Vec::new()),
            // Scripts may have comments.
            _ if line.starts_with('#') => CommandResponse::succeeded(Vec::new()),
            "quit" | "q" | "exit" => {
                CommandResponse { lines: Vec::new(), has_succeeded: true, ends_game: true }
            }
            "help" | "?" => {
                CommandResponse::succeeded(super::COMMANDS.lines().map(str::to_owned).collect())
            }
            "show" | "s" => CommandResponse::succeeded(self.status_lines()),
            "fire" => self.fire(rest, 1),
            "undo" | "u" => self.repeat(rest, Self::undo),
            "random" | "r" => self.repeat(rest, Self::random),
            "next" | "n" if rest == "all" => self.next(
                self.followed_trace.as_ref().map_or(0, FollowedTrace::remaining_firings).max(1),
            ),
            "next" | "n" => self.repeat(rest, Self::next),
            "restart" => self.undo(self.firings.len()),
            "why" => self.explain_disabled(rest),
            "mark" | "go" if rest.is_empty() => {
                CommandResponse::refused(format!("expected `{word} NAME`"))
            }
            "mark" => {
                let firings = self.firings.iter();
                let firings = firings.map(|step| (step.transition, step.followed_before)).collect();
                let bookmark = Bookmark { firings, followed: self.followed() };
                self.bookmarks.insert(rest.to_owned(), bookmark);
                CommandResponse::succeeded(vec![format!(
                    "this marking now has the name {}",
                    quote(rest)
                )])
            }
            "go" => self.go_to_bookmark(rest),
            "marks" => {
                let line = |(name, bookmark): (&String, &Bookmark)| {
                    format!("{}: after {}", quote(name), counted(bookmark.firings.len(), "firing"))
                };
                CommandResponse::succeeded(self.bookmarks.iter().map(line).collect())
            }
            "trace" => CommandResponse::succeeded(self.trace_lines()),
            _ => self.execute_move(line),
        }
    }

    /// Executes a move: the name of a transition, or a number in the list of enabled transitions,
    /// counted from 1. A name that is a number comes first. A name may be followed by the number of
    /// firings.
    fn execute_move(&mut self, line: &str) -> CommandResponse {
        let core = self.net.core();
        if let Ok(t) = names::find(core, line) {
            return self.fire_all(&[t]);
        }
        if let Ok(number) = line.parse::<usize>() {
            let enabled = self.enabled();
            return match number.checked_sub(1).and_then(|at| enabled.get(at)) {
                Some(&t) => self.fire_all(&[t]),
                None if enabled.is_empty() => CommandResponse::refused("no transition is enabled"),
                None => CommandResponse::refused(format!(
                    "expected a number from 1 to {}",
                    enabled.len()
                )),
            };
        }
        match names::with_times(line) {
            Some((name, times)) if times <= MAX_FIRINGS => self.fire(name, times),
            _ if !line.contains(char::is_whitespace) => self.fire(line, 1),
            _ => match names::find(core, line) {
                Err(why) if line.starts_with('"') || line.contains(char::is_control) => {
                    CommandResponse::refused(why)
                }
                _ => CommandResponse::refused(
                    "expected a command, or the name of a transition; `help` lists them",
                ),
            },
        }
    }

    /// Fires the transition with this name `times` times in a row.
    fn fire(&mut self, name: &str, times: usize) -> CommandResponse {
        match names::find(self.net.core(), name) {
            Ok(t) => self.fire_all(&vec![t; times]),
            Err(why) => CommandResponse::refused(why),
        }
    }

    /// Fires the transitions one after the other, up to the first that is disabled or would exceed
    /// the largest number of tokens on a place.
    fn fire_all(&mut self, sequence: &[TransitionId]) -> CommandResponse {
        for (index, &t) in sequence.iter().enumerate() {
            if !self.fire_once(t) {
                let mut response = self.why_not(t);
                response.has_succeeded = false;
                if index > 0 {
                    response.lines.insert(0, format!("fired {index} of {}", sequence.len()));
                }
                response.lines.extend(if index > 0 { self.status_lines() } else { Vec::new() });
                return response;
            }
        }
        CommandResponse::succeeded(self.status_lines())
    }

    /// Fires a transition. Returns false if it is disabled or would exceed the largest number of
    /// tokens on a place.
    fn fire_once(&mut self, transition: TransitionId) -> bool {
        let marking_before = self.marking.clone();
        let has_fired = self.net.fire(&mut self.marking, transition).is_ok();
        if has_fired {
            let followed_before = self.followed();
            self.firings.push(FiredStep { transition, marking_before, followed_before });
        }
        has_fired
    }

    /// Returns the position in the followed trace. Returns 0 if no trace is given.
    fn followed(&self) -> usize {
        self.followed_trace.as_ref().map_or(0, FollowedTrace::followed)
    }

    /// Sets the position in the followed trace, if a trace is given.
    fn set_followed(&mut self, firings: usize) {
        if let Some(course) = &mut self.followed_trace {
            course.set_followed(firings);
        }
    }

    /// Performs an action as often as `number` says, or once if `number` is empty.
    fn repeat(
        &mut self,
        number: &str,
        action: impl FnOnce(&mut Self, usize) -> CommandResponse,
    ) -> CommandResponse {
        match number.parse() {
            _ if number.is_empty() => action(self, 1),
            Ok(times) if times <= MAX_FIRINGS => action(self, times),
            _ => CommandResponse::refused(format!("expected a number up to {MAX_FIRINGS}")),
        }
    }

    /// Takes back the last firings. The position in the trace goes back, too, if the firings before
    /// a firing are as many as its position in the trace, and the trace has the transition there.
    fn undo(&mut self, times: usize) -> CommandResponse {
        if self.firings.is_empty() && times > 0 {
            return CommandResponse::refused("nothing was fired");
        }
        for _ in 0..times {
            let Some(step) = self.firings.pop() else { break };
            self.marking = step.marking_before;
            self.set_followed(step.followed_before);
        }
        CommandResponse::succeeded(self.status_lines())
    }

    /// Fires enabled transitions chosen at random.
    fn random(&mut self, times: usize) -> CommandResponse {
        for fired_count in 0..times {
            let enabled = self.enabled();
            if enabled.is_empty() {
                let mut lines = vec![format!(
                    "stopped after {}: no transition is enabled",
                    counted(fired_count, "firing")
                )];
                lines.extend(self.status_lines());
                return CommandResponse { lines, has_succeeded: fired_count > 0, ends_game: false };
            }
            let t = enabled[self.rng.usize(0..enabled.len())];
            let response = self.fire_all(&[t]);
            if !response.has_succeeded {
                return response;
            }
        }
        CommandResponse::succeeded(self.status_lines())
    }

    /// Fires the next transitions of the trace.
    fn next(&mut self, times: usize) -> CommandResponse {
        let Some(trace) = &self.followed_trace else {
            return CommandResponse::refused(
                "there is no trace: start `parikh play` with --trace \
                                             FILE",
            );
        };
        let steps = trace.next(times);
        if steps.is_empty() && times > 0 {
            return CommandResponse::refused("the trace has ended");
        }
        let (fired_before, followed_before) = (self.firings.len(), self.followed());
        let mut response = self.fire_all(&steps);
        let fired = &mut self.firings[fired_before..];
        for (step, position) in fired.iter_mut().zip(followed_before..) {
            step.followed_before = position;
        }
        let followed = followed_before + fired.len();
        self.set_followed(followed);
        if let Some(course) = &self.followed_trace {
            response.lines.push(course.progress_text(|t| quoted_name(self.net.core(), t)));
        }
        response
    }

    /// Goes back to a bookmarked marking: fires the stored sequence from the initial marking of the
    /// game, and restores the position in the trace.
    fn go_to_bookmark(&mut self, name: &str) -> CommandResponse {
        let Some(Bookmark { firings, followed }) = self.bookmarks.get(name).cloned() else {
            let name = quote(name);
            return CommandResponse::refused(format!(
                "no marking has the name {name}; `marks` lists the names"
            ));
        };
        self.marking.clone_from(&self.start);
        self.firings.clear();
        for (transition, followed_before) in firings {
            self.set_followed(followed_before);
            self.fire_once(transition);
        }
        self.set_followed(followed);
        CommandResponse::succeeded(self.status_lines())
    }

    /// Explains why the transition with this name is disabled.
    fn explain_disabled(&self, name: &str) -> CommandResponse {
        match names::find(self.net.core(), name) {
            Ok(t) => self.why_not(t),
            Err(why) => CommandResponse::refused(why),
        }
    }

    /// Explains why a transition is disabled, or says that it is enabled.
    fn why_not(&self, t: TransitionId) -> CommandResponse {
        let core = self.net.core();
        let tokens_on = |place| (self.marking[place], quote(core.place_name(place)));
        let mut reasons = Vec::new();
        for arc in core.pre(t) {
            let (tokens, place) = tokens_on(arc.place);
            if tokens < arc.weight {
                reasons.push(format!(
                    "{place} holds {tokens}, and the transition takes {}",
                    arc.weight
                ));
            }
        }
        for arc in self.net.inhibitors(t) {
            let (tokens, place) = tokens_on(arc.place);
            if tokens >= arc.weight {
                let bound = arc.weight;
                reasons.push(format!("{place} holds {tokens}, and must hold fewer than {bound}"));
            }
        }
        let name = quoted_name(core, t);
        match reasons.is_empty() {
            true => CommandResponse::succeeded(vec![format!("{name} is enabled")]),
            false => CommandResponse::succeeded(vec![format!(
                "no: {name} is not enabled: {}",
                reasons.join("; ")
            )]),
        }
    }

    /// Returns the enabled transitions, in the order of the net.
    fn enabled(&self) -> Vec<TransitionId> {
        let all = self.net.core().transitions();
        all.filter(|&t| self.net.is_enabled(&self.marking, t)).collect()
    }

    /// Returns the marking, the enabled transitions and the conditions.
    fn status_lines(&self) -> Vec<String> {
        let core = self.net.core();
        let marking = match self.marking.total() {
            0 => "no tokens".to_owned(),
            _ => marking_text::print(core, &self.marking),
        };
        let mut lines = vec![format!("after {}: {marking}", counted(self.firings.len(), "firing"))];
        let enabled = self.enabled();
        for (number, &t) in (1..).zip(enabled.iter().take(MAX_LISTED)) {
            let label = core.transition_label(t).map(|label| format!("  ({label})"));
            let name = quoted_name(core, t);
            lines.push(format!("  {number:>2}  {name}{}", label.unwrap_or_default()));
        }
        match enabled.len() {
            0 => lines.push("  no transition is enabled: a deadlock".to_owned()),
            all if all > MAX_LISTED => lines.push(format!("  and {} more", all - MAX_LISTED)),
            _ => {}
        }
        for (name, goal) in &self.goals {
            let sign = if self.holds(goal) { "[*]" } else { "[ ]" };
            lines.push(format!("  {sign} {name}"));
        }
        lines
    }

    /// Returns true if the condition holds. Enabledness takes inhibitor arcs into account.
    fn holds(&self, goal: &Predicate) -> bool {
        match goal {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::Atom(atom) => atom.holds(&self.marking),
            Predicate::Enabled(t) => self.net.is_enabled(&self.marking, *t),
            Predicate::Disabled(t) => !self.net.is_enabled(&self.marking, *t),
            Predicate::Dead => self.net.is_dead(&self.marking),
            Predicate::NotDead => !self.net.is_dead(&self.marking),
            Predicate::And(parts) => parts.iter().all(|part| self.holds(part)),
            Predicate::Or(parts) => parts.iter().any(|part| self.holds(part)),
        }
    }

    /// Returns the firings so far, one per line. If the game does not start in the initial marking
    /// of the net, a first line states the marking in which it starts.
    fn trace_lines(&self) -> Vec<String> {
        let core = self.net.core();
        let start_note = (self.start != *core.initial())
            .then(|| format!("# from: {}", marking_text::print(core, &self.start)));
        start_note
            .into_iter()
            .chain(self.firings.iter().map(|step| quoted_name(core, step.transition)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::ExtendedBuilder;

    /// A buffer of at most 2 tokens, and a transition that empties it.
    fn net() -> ExtendedNet {
        let mut net = ExtendedBuilder::new("buffer");
        let buffer = net.core.place("buffer", 0).unwrap();
        let put = net.core.transition("put").unwrap();
        net.core.put(put, buffer, 1).unwrap();
        net.inhibit(put, buffer, 2).unwrap();
        let empty = net.core.transition("empty").unwrap();
        net.reset(empty, buffer);
        net.read(empty, buffer, 1).unwrap();
        net.build().unwrap()
    }

    #[test]
    fn moves_are_made_and_undone() {
        let net = net();
        let mut game = TokenGame::new(&net, 1);
        let full = Predicate::at_least(parikh_net::PlaceId::new(0), 2);
        game.add_goal("full".to_owned(), full);
        assert_eq!(
            game.command("put").lines,
            ["after 1 firing: buffer", "   1  put", "   2  empty", "  [ ] full"]
        );
        assert_eq!(
            game.command("1").lines,
            ["after 2 firings: 2*buffer", "   1  empty", "  [*] full"]
        );
        let refused = game.command("put");
        assert_eq!(
            refused.lines,
            ["no: put is not enabled: buffer holds 2, and must hold fewer than 2"]
        );
        assert!(!refused.has_succeeded);
        game.command("mark here");
        assert_eq!(game.command("empty").lines[0], "after 3 firings: no tokens");
        assert_eq!(game.command("trace").lines, ["put", "put", "empty"]);
        assert!(game.command("undo 2").lines[0].starts_with("after 1 firing"));
        assert!(game.command("go here").lines[0].starts_with("after 2 firings"));
        assert_eq!(game.command("marks").lines, ["here: after 2 firings"]);
        assert_eq!(
            game.command("pat").lines,
            ["no: the net has no transition pat; did you mean \
                                                put?"]
        );
        assert!(game.command("quit").ends_game);
    }

    /// Undoing a firing moves the position in the trace only if `next` fired it.
    #[test]
    fn undo_restores_the_position_in_the_trace() {
        let net = net();
        let [put, empty] = [0, 1].map(TransitionId::new);
        let trace = || FollowedTrace::new(vec![put, empty], Vec::new());
        let mut game = TokenGame::new(&net, 1);
        game.follow(net.core().initial().clone(), trace());
        let mut last =
            |command: &str| game.command(command).lines.last().expect("a line").to_owned();
        // The third firing of the game is the first of the trace.
        last("put");
        last("empty");
        assert_eq!(last("next"), "trace 1 of 2, next: empty");
        last("mark here");
        last("undo");
        assert_eq!(last("next"), "trace 1 of 2, next: empty");
        // An own firing of the same transition at the same position.
        last("restart");
        last("next");
        last("empty");
        last("undo");
        assert_eq!(last("next"), "end of the trace, after 2 firings");
        // The same positions belong to the firings of a bookmark.
        last("go here");
        last("undo");
        assert_eq!(last("next"), "trace 1 of 2, next: empty");
    }

    #[test]
    fn traces_are_followed_and_random_moves_stop_in_dead_markings() {
        let net = net();
        let put = TransitionId::new(0);
        let mut game = TokenGame::new(&net, 1);
        game.follow(net.core().initial().clone(), FollowedTrace::new(vec![put, put], Vec::new()));
        assert_eq!(game.command("next").lines.last().unwrap(), "trace 1 of 2, next: put");
        let end = game.command("next all");
        assert_eq!(end.lines.last().unwrap(), "end of the trace, after 2 firings");
        assert!(!game.command("next").has_succeeded);
        game.command("undo");
        assert!(game.command("next").has_succeeded);
        assert!(game.command("random 5").has_succeeded);
    }
}
