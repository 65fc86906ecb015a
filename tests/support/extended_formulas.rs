//! Formulas about nets with inhibitor, read and reset arcs. They are evaluated by naive fixpoints
//! over the positions of runs. A position is a marking with the next firing, or a dead marking that
//! repeats.

use super::extended::{NetTable, TableSpace};
use fastrand::Rng;

/// A condition on a position.
#[derive(Clone, Debug)]
pub(crate) enum PositionCondition {
    /// The place with this index has at least this many tokens.
    AtLeast(usize, u64),
    /// The transition with this index is enabled.
    Fireable(usize),
    /// The next firing is of the transition with this index.
    Fires(usize),
    Deadlock,
    Not(Box<PositionCondition>),
}

/// A formula of a common shape.
#[derive(Clone, Debug)]
pub(crate) enum FormulaShape {
    /// EF φ: the condition is reachable.
    Reached(PositionCondition),
    /// AG EF φ: the condition stays reachable.
    Home(PositionCondition),
    /// E G φ: on some run the condition always holds.
    SomeAlways(PositionCondition),
    /// E(φ U ψ): on some run the second condition holds eventually, and the first until then.
    SomeUntil(PositionCondition, PositionCondition),
    /// A GF φ: on all runs the condition holds infinitely often.
    AllAgain(PositionCondition),
    /// A FG φ: on all runs the condition holds from some position on.
    AllInTheEnd(PositionCondition),
    /// A G(φ → F ψ): on all runs the second condition follows whenever the first holds.
    AllFollow(PositionCondition, PositionCondition),
}

impl PositionCondition {
    /// Returns a random condition. It mentions firings only if `firings` is true.
    fn random(rng: &mut Rng, table: &NetTable, firings: bool) -> PositionCondition {
        let t = rng.usize(..table.transitions());
        let p = rng.usize(..table.tokens.len());
        match rng.u8(0..8) {
            0 | 1 => PositionCondition::AtLeast(p, rng.u64(1..4)),
            2 | 3 => PositionCondition::Fireable(t),
            4 | 5 if firings => PositionCondition::Fires(t),
            6 => PositionCondition::Not(Box::new(PositionCondition::random(rng, table, firings))),
            _ => PositionCondition::Deadlock,
        }
    }

    /// Returns the condition in the language of `--formula`.
    fn text(&self) -> String {
        match self {
            PositionCondition::AtLeast(p, n) => format!("(p{p} >= {n})"),
            PositionCondition::Fireable(t) => format!("fireable(t{t})"),
            PositionCondition::Fires(t) => format!("fires(t{t})"),
            PositionCondition::Deadlock => "deadlock".to_owned(),
            PositionCondition::Not(part) => format!("!{}", part.text()),
        }
    }

    /// Returns the condition in the language of query files.
    fn xml(&self) -> String {
        match self {
            PositionCondition::AtLeast(p, n) => format!(
                "<integer-le><integer-constant>{n}</integer-constant>\
                 <tokens-count><place>p{p}</place></tokens-count></integer-le>"
            ),
            PositionCondition::Fireable(t) => {
                format!("<is-fireable><transition>t{t}</transition></is-fireable>")
            }
            PositionCondition::Fires(t) => format!("<fires><transition>t{t}</transition></fires>"),
            PositionCondition::Deadlock => "<deadlock/>".to_owned(),
            PositionCondition::Not(part) => format!("<negation>{}</negation>", part.xml()),
        }
    }

    /// Returns true if the condition holds at the position of marking `at` with next firing
    /// `fires`.
    fn holds(&self, space: &TableSpace, (at, fires): (usize, Option<usize>)) -> bool {
        match self {
            PositionCondition::AtLeast(p, n) => space.markings[at][*p] >= *n,
            PositionCondition::Fireable(t) => space.firings[at].iter().any(|(fired, _)| fired == t),
            PositionCondition::Fires(t) => fires == Some(*t),
            PositionCondition::Deadlock => space.firings[at].is_empty(),
            PositionCondition::Not(part) => !part.holds(space, (at, fires)),
        }
    }
}

impl FormulaShape {
    pub(crate) fn random(rng: &mut Rng, table: &NetTable) -> FormulaShape {
        let mut some = |firings| PositionCondition::random(rng, table, firings);
        let locals = [some(false), some(false), some(true), some(true)];
        let [a, b, c, d] = locals;
        match rng.u8(0..7) {
            0 => FormulaShape::Reached(a),
            1 => FormulaShape::Home(a),
            2 => FormulaShape::SomeAlways(a),
            3 => FormulaShape::SomeUntil(a, b),
            4 => FormulaShape::AllAgain(c),
            5 => FormulaShape::AllInTheEnd(c),
            _ => FormulaShape::AllFollow(c, d),
        }
    }

    /// Returns the formula in the language of `--formula`.
    pub(crate) fn text(&self) -> String {
        match self {
            FormulaShape::Reached(a) => format!("EF {}", a.text()),
            FormulaShape::Home(a) => format!("AG EF {}", a.text()),
            FormulaShape::SomeAlways(a) => format!("EG {}", a.text()),
            FormulaShape::SomeUntil(a, b) => format!("E ({} U {})", a.text(), b.text()),
            FormulaShape::AllAgain(a) => format!("A G F {}", a.text()),
            FormulaShape::AllInTheEnd(a) => format!("A F G {}", a.text()),
            FormulaShape::AllFollow(a, b) => format!("A G ({} -> F {})", a.text(), b.text()),
        }
    }

    /// Returns the formula in the language of query files.
    pub(crate) fn xml(&self) -> String {
        let g = |inside: &str| format!("<globally>{inside}</globally>");
        let f = |inside: &str| format!("<finally>{inside}</finally>");
        let a = |inside: &str| format!("<all-paths>{inside}</all-paths>");
        let e = |inside: &str| format!("<exists-path>{inside}</exists-path>");
        match self {
            FormulaShape::Reached(it) => e(&f(&it.xml())),
            FormulaShape::Home(it) => a(&g(&e(&f(&it.xml())))),
            FormulaShape::SomeAlways(it) => e(&g(&it.xml())),
            FormulaShape::SomeUntil(before, it) => e(&format!(
                "<until><before>{}</before><reach>{}</reach></until>",
                before.xml(),
                it.xml()
            )),
            FormulaShape::AllAgain(it) => a(&g(&f(&it.xml()))),
            FormulaShape::AllInTheEnd(it) => a(&f(&g(&it.xml()))),
            FormulaShape::AllFollow(it, then) => {
                let then = f(&then.xml());
                a(&g(&format!("<implication>{}{then}</implication>", it.xml())))
            }
        }
    }
}

/// The positions of a net's runs, with their successors.
pub(crate) struct RunPositions<'s> {
    space: &'s TableSpace,
    /// The index of each position's marking, and the transition that fires next: `None` if the
    /// marking is dead.
    all: Vec<(usize, Option<usize>)>,
    /// The indices of the positions that may follow each position.
    next: Vec<Vec<usize>>,
}

impl<'s> RunPositions<'s> {
    pub(crate) fn new(space: &'s TableSpace) -> Self {
        // `of` lists the positions of each marking; `leads` gives the next marking of each
        // position.
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
        RunPositions { space, all, next }
    }

    fn values(&self, local: &PositionCondition) -> Vec<bool> {
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
    /// EF, AG EF and E U depend on finite prefixes only. Every finite prefix continues to a weakly
    /// fair run, so fairness is ignored for these formulas.
    pub(crate) fn holds(&self, shape: &FormulaShape, fair: &[usize]) -> bool {
        let everywhere = vec![true; self.all.len()];
        let not = |values: &[bool]| values.iter().map(|it| !it).collect::<Vec<bool>>();
        let fair: Vec<Vec<bool>> = fair
            .iter()
            .map(|&t| {
                let (fires, fireable) =
                    (PositionCondition::Fires(t), PositionCondition::Fireable(t));
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
            FormulaShape::Reached(a) => reached(&self.values(a)),
            FormulaShape::Home(a) => !reached(&not(&self.until(&everywhere, &self.values(a)))),
            FormulaShape::SomeAlways(a) => initially(&self.always(&self.values(a), &fair)),
            FormulaShape::SomeUntil(a, b) => {
                initially(&self.until(&self.values(a), &self.values(b)))
            }
            FormulaShape::AllAgain(a) => !reached(&self.always(&not(&self.values(a)), &fair)),
            FormulaShape::AllInTheEnd(a) => {
                let mut again = fair.clone();
                again.push(not(&self.values(a)));
                !reached(&self.always(&everywhere, &again))
            }
            FormulaShape::AllFollow(a, b) => {
                let never = self.always(&not(&self.values(b)), &fair);
                let lost = never.into_iter().zip(self.values(a)).map(|(never, a)| never && a);
                !reached(&lost.collect::<Vec<bool>>())
            }
        }
    }
}
