//! Formulas about nets with inhibitor, read and reset arcs. They are evaluated by naive fixpoints
//! over the positions of runs. A position is a marking with the next firing, or a dead marking that
//! repeats.

use super::extended::{Space, Table};
use fastrand::Rng;

/// A condition on a position.
#[derive(Clone, Debug)]
pub(crate) enum Local {
    AtLeast(usize, u64),
    Fireable(usize),
    Fires(usize),
    Deadlock,
    Not(Box<Local>),
}

/// A formula of a common shape.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// EF φ: the condition is reachable.
    Reached(Local),
    /// AG EF φ: the condition stays reachable.
    Home(Local),
    /// E G φ: on some run the condition always holds.
    SomeAlways(Local),
    /// E(φ U ψ): on some run the second condition holds eventually, and the first until then.
    SomeUntil(Local, Local),
    /// A GF φ: on all runs the condition holds infinitely often.
    AllAgain(Local),
    /// A FG φ: on all runs the condition holds from some position on.
    AllInTheEnd(Local),
    /// A G(φ → F ψ): on all runs the second condition follows whenever the first holds.
    AllFollow(Local, Local),
}

impl Local {
    /// Returns a random condition. It mentions firings only if `firings` is true.
    fn random(rng: &mut Rng, table: &Table, firings: bool) -> Local {
        let t = rng.usize(..table.transitions());
        let p = rng.usize(..table.tokens.len());
        match rng.u8(0..8) {
            0 | 1 => Local::AtLeast(p, rng.u64(1..4)),
            2 | 3 => Local::Fireable(t),
            4 | 5 if firings => Local::Fires(t),
            6 => Local::Not(Box::new(Local::random(rng, table, firings))),
            _ => Local::Deadlock,
        }
    }

    /// Returns the condition in the language of `--formula`.
    fn text(&self) -> String {
        match self {
            Local::AtLeast(p, n) => format!("(p{p} >= {n})"),
            Local::Fireable(t) => format!("fireable(t{t})"),
            Local::Fires(t) => format!("fires(t{t})"),
            Local::Deadlock => "deadlock".to_owned(),
            Local::Not(part) => format!("!{}", part.text()),
        }
    }

    /// Returns the condition in the language of query files.
    fn xml(&self) -> String {
        match self {
            Local::AtLeast(p, n) => format!(
                "<integer-le><integer-constant>{n}</integer-constant>\
                 <tokens-count><place>p{p}</place></tokens-count></integer-le>"
            ),
            Local::Fireable(t) => {
                format!("<is-fireable><transition>t{t}</transition></is-fireable>")
            }
            Local::Fires(t) => format!("<fires><transition>t{t}</transition></fires>"),
            Local::Deadlock => "<deadlock/>".to_owned(),
            Local::Not(part) => format!("<negation>{}</negation>", part.xml()),
        }
    }

    fn holds(&self, space: &Space, (at, fires): (usize, Option<usize>)) -> bool {
        match self {
            Local::AtLeast(p, n) => space.markings[at][*p] >= *n,
            Local::Fireable(t) => space.firings[at].iter().any(|(fired, _)| fired == t),
            Local::Fires(t) => fires == Some(*t),
            Local::Deadlock => space.firings[at].is_empty(),
            Local::Not(part) => !part.holds(space, (at, fires)),
        }
    }
}

impl Shape {
    pub(crate) fn random(rng: &mut Rng, table: &Table) -> Shape {
        let mut some = |firings| Local::random(rng, table, firings);
        let locals = [some(false), some(false), some(true), some(true)];
        let [a, b, c, d] = locals;
        match rng.u8(0..7) {
            0 => Shape::Reached(a),
            1 => Shape::Home(a),
            2 => Shape::SomeAlways(a),
            3 => Shape::SomeUntil(a, b),
            4 => Shape::AllAgain(c),
            5 => Shape::AllInTheEnd(c),
            _ => Shape::AllFollow(c, d),
        }
    }

    /// Returns the formula in the language of `--formula`.
    pub(crate) fn text(&self) -> String {
        match self {
            Shape::Reached(a) => format!("EF {}", a.text()),
            Shape::Home(a) => format!("AG EF {}", a.text()),
            Shape::SomeAlways(a) => format!("EG {}", a.text()),
            Shape::SomeUntil(a, b) => format!("E ({} U {})", a.text(), b.text()),
            Shape::AllAgain(a) => format!("A G F {}", a.text()),
            Shape::AllInTheEnd(a) => format!("A F G {}", a.text()),
            Shape::AllFollow(a, b) => format!("A G ({} -> F {})", a.text(), b.text()),
        }
    }

    /// Returns the formula in the language of query files.
    pub(crate) fn xml(&self) -> String {
        let g = |inside: &str| format!("<globally>{inside}</globally>");
        let f = |inside: &str| format!("<finally>{inside}</finally>");
        let a = |inside: &str| format!("<all-paths>{inside}</all-paths>");
        let e = |inside: &str| format!("<exists-path>{inside}</exists-path>");
        match self {
            Shape::Reached(it) => e(&f(&it.xml())),
            Shape::Home(it) => a(&g(&e(&f(&it.xml())))),
            Shape::SomeAlways(it) => e(&g(&it.xml())),
            Shape::SomeUntil(before, it) => e(&format!(
                "<until><before>{}</before><reach>{}</reach></until>",
                before.xml(),
                it.xml()
            )),
            Shape::AllAgain(it) => a(&g(&f(&it.xml()))),
            Shape::AllInTheEnd(it) => a(&f(&g(&it.xml()))),
            Shape::AllFollow(it, then) => {
                let then = f(&then.xml());
                a(&g(&format!("<implication>{}{then}</implication>", it.xml())))
            }
        }
    }
}

/// The positions of a net's runs, with their successors.
pub(crate) struct Positions<'s> {
    space: &'s Space,
    all: Vec<(usize, Option<usize>)>,
    next: Vec<Vec<usize>>,
}

impl<'s> Positions<'s> {
    pub(crate) fn new(space: &'s Space) -> Self {
        let (mut all, mut of) = (Vec::new(), Vec::new());
        let mut leads = Vec::new();
        for (at, row) in space.firings.iter().enumerate() {
            let first = all.len();
            for &(t, to) in row {
                all.push((at, Some(t)));
                leads.push(to);
            }
            if row.is_empty() {
                all.push((at, None));
                leads.push(at);
            }
            of.push((first..all.len()).collect::<Vec<usize>>());
        }
        let next = leads.into_iter().map(|to| of[to].clone()).collect();
        Positions { space, all, next }
    }

    fn values(&self, local: &Local) -> Vec<bool> {
        self.all.iter().map(|&position| local.holds(self.space, position)).collect()
    }

    /// Returns the positions from which some run satisfies `a` U `b`.
    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut good = b.to_vec();
        loop {
            let more = (0..good.len())
                .filter(|&at| !good[at] && a[at] && self.next[at].iter().any(|&to| good[to]));
            let more: Vec<usize> = more.collect();
            if more.is_empty() {
                return good;
            }
            more.into_iter().for_each(|at| good[at] = true);
        }
    }

    /// Returns the positions from which some run satisfies `a` always and each condition of `again`
    /// infinitely often.
    fn always(&self, a: &[bool], again: &[Vec<bool>]) -> Vec<bool> {
        let mut good = a.to_vec();
        loop {
            let before = good.clone();
            for wanted in again.iter().map(Vec::as_slice).chain([&*vec![true; a.len()]]) {
                let met: Vec<bool> = good.iter().zip(wanted).map(|(g, w)| *g && *w).collect();
                let comes = self.until(a, &met);
                for (good, next) in good.iter_mut().zip(&self.next) {
                    *good = *good && next.iter().any(|&to| comes[to]);
                }
            }
            if good == before {
                return good;
            }
        }
    }

    /// Returns true if the formula holds over the runs that are weakly fair to these transitions.
    pub(crate) fn holds(&self, shape: &Shape, fair: &[usize]) -> bool {
        let everywhere = vec![true; self.all.len()];
        let not = |values: &[bool]| values.iter().map(|it| !it).collect::<Vec<bool>>();
        let fair: Vec<Vec<bool>> = fair
            .iter()
            .map(|&t| {
                let (fires, fireable) = (Local::Fires(t), Local::Fireable(t));
                let both = self.values(&fires).into_iter().zip(self.values(&fireable));
                both.map(|(fires, fireable)| fires || !fireable).collect()
            })
            .collect();
        let initially = |values: &[bool]| {
            let initial = (0..self.all.len()).filter(|&at| self.all[at].0 == 0);
            initial.into_iter().any(|at| values[at])
        };
        let reached = |values: &[bool]| initially(&self.until(&everywhere, values));
        match shape {
            Shape::Reached(a) => reached(&self.values(a)),
            Shape::Home(a) => !reached(&not(&self.until(&everywhere, &self.values(a)))),
            Shape::SomeAlways(a) => initially(&self.always(&self.values(a), &fair)),
            Shape::SomeUntil(a, b) => initially(&self.until(&self.values(a), &self.values(b))),
            Shape::AllAgain(a) => !reached(&self.always(&not(&self.values(a)), &fair)),
            Shape::AllInTheEnd(a) => {
                let mut again = fair.clone();
                again.push(not(&self.values(a)));
                !reached(&self.always(&everywhere, &again))
            }
            Shape::AllFollow(a, b) => {
                let never = self.always(&not(&self.values(b)), &fair);
                let lost = never.into_iter().zip(self.values(a)).map(|(never, a)| never && a);
                !reached(&lost.collect::<Vec<bool>>())
            }
        }
    }
}
