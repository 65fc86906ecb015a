//! Whether a cycle that adds tokens can repeat for ever with the same letters.
//!
//! Let the cycle lead from m to m + d with d ≥ 0. What fires once can fire again with more tokens,
//! so it repeats for ever, and in round k a marking m' of the cycle is m' + k·d. The letters are
//! the same in all rounds if every atom is *settled* at every marking of the cycle: its value at
//! m' + k·d is the same for all k ≥ 0. This is seen leaf by leaf:
//!
//! - Σ a·m ≤ b changes by Σ a·d in each round. It is settled if this is 0, if it is positive and
//!   the comparison is false, or if it is negative and the comparison is true.
//! - A transition that is enabled stays so. One that is disabled is settled if it lacks tokens on a
//!   place p with d(p) = 0.
//! - No marking of the cycle is dead, as something fires there.
//! - A conjunction is settled if all its parts are, or one part is settled and false. A disjunction
//!   is settled if all its parts are, or one part is settled and true.

use super::LassoFlaw;
use crate::replay::Replayer;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Atom, FiringSequence, Marking, Net, Predicate, Step, TransitionId};

/// Accepts that what fired from `begin` to `end` can repeat for ever with the same letters.
pub(super) fn check(
    net: &Net,
    property: &RunProperty,
    cycle: &FiringSequence,
    (begin, end): (&Marking, &Marking),
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), LassoFlaw> {
    let not_back = |place| LassoFlaw::NotBack(net.place_name(place).to_owned());
    if let Some(place) = net.places().find(|&place| begin[place] > end[place]) {
        return Err(not_back(place));
    }
    let read = property.read_places(net);
    let Some(grown) = read.into_iter().find(|&place| begin[place] != end[place]) else {
        return Ok(());
    };
    let growth = Growth { net, begin, end };
    let mut replayer = Replayer::at(net, begin.clone());
    let mut looked_at = 0u64;
    for step in cycle.steps() {
        for _ in 0..step.count {
            looked_at += 1;
            if looked_at.is_multiple_of(1024) && !goes_on() {
                return Err(LassoFlaw::Stopped);
            }
            let settled = |atom: &RunAtom| match atom {
                RunAtom::Holds(it) => growth.settled(replayer.marking(), it).is_some(),
                RunAtom::Fires(_) => true,
            };
            if !property.atoms().iter().all(settled) {
                return Err(not_back(grown));
            }
            replayer.fire(Step { count: 1, ..*step })?;
        }
    }
    Ok(())
}

/// What a round of the cycle adds: the difference of two markings.
struct Growth<'a> {
    net: &'a Net,
    begin: &'a Marking,
    end: &'a Marking,
}

impl Growth<'_> {
    /// The value of a predicate at `marking` in all rounds; `None` if it may differ.
    fn settled(&self, marking: &Marking, predicate: &Predicate) -> Option<bool> {
        match predicate {
            Predicate::True | Predicate::NotDead => Some(true),
            Predicate::False | Predicate::Dead => Some(false),
            Predicate::And(parts) => self.settled_parts(marking, parts, false),
            Predicate::Or(parts) => self.settled_parts(marking, parts, true),
            Predicate::Enabled(t) => self.enabled(marking, *t),
            Predicate::Disabled(t) => self.enabled(marking, *t).map(|enabled| !enabled),
            Predicate::Atom(atom) => self.compared(marking, atom),
        }
    }

    /// The value of a junction, which one part decides that has the value `deciding`.
    fn settled_parts(
        &self,
        marking: &Marking,
        parts: &[Predicate],
        deciding: bool,
    ) -> Option<bool> {
        let mut all = Some(!deciding);
        for part in parts {
            match self.settled(marking, part) {
                Some(value) if value == deciding => return Some(deciding),
                Some(_) => {}
                None => all = None,
            }
        }
        all
    }

    fn enabled(&self, marking: &Marking, t: TransitionId) -> Option<bool> {
        let mut lacking = self.net.pre(t).iter().filter(|arc| marking[arc.place] < arc.weight);
        let Some(first) = lacking.next() else { return Some(true) };
        let stays = |place| self.begin[place] == self.end[place];
        let stays_disabled = stays(first.place) || lacking.any(|arc| stays(arc.place));
        stays_disabled.then_some(false)
    }

    /// The value of a comparison, unless its numbers exceed 128 bits.
    fn compared(&self, marking: &Marking, Atom { sum, bound }: &Atom) -> Option<bool> {
        let (mut value, mut change) = (0i128, 0i128);
        for &(place, factor) in sum.terms() {
            let factor = i128::from(factor);
            let gained = i128::from(self.end[place]) - i128::from(self.begin[place]);
            value = value.checked_add(factor.checked_mul(marking[place].into())?)?;
            change = change.checked_add(factor.checked_mul(gained)?)?;
        }
        let holds = value <= i128::from(*bound);
        let settled = change == 0 || (change > 0) != holds;
        settled.then_some(holds)
    }
}
