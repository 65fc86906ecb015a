//! Labellings: markings with the subformulas that hold there, as evidence about the tree of runs.

use crate::audit::account::Account;
use crate::audit::desk::Desk;
use crate::audit::homes::HomeAccount;
use crate::tree::NamedLabelling;

/// Checks a labelling. Its premises become proof obligations.
pub(super) fn weigh<'n>(
    desk: &mut Desk<'n>,
    account: &mut Account<'n>,
    id: &str,
) -> Result<(), String> {
    if account.trees.is_empty() {
        return Err("the question is not about the computation tree".to_owned());
    }
    let labelling: NamedLabelling = desk.shelf.take(id)?;
    let labelling = labelling.resolve(desk.net)?;
    let Account { trees, refuted, home, sightings, .. } = account;
    let mut homes = Vec::new();
    for wanted in &labelling.given.stays {
        let home = home.get_or_insert_with(|| HomeAccount::of(Vec::new()));
        homes.push(home.premise(wanted, sightings));
    }
    trees.weigh(desk.net, (&labelling, homes), refuted, &desk.watch)
}
