//! Runs that never end: what they have, some run has.

use crate::audit::account::Account;
use crate::audit::desk::Desk;
use crate::first_breach;
use crate::lasso::NamedLasso;
use parikh_net::Net;
use parikh_net::lasso::LassoRun;
use parikh_net::printable::Quoted;

/// Follows a run that never ends.
pub(super) fn weigh<'n>(
    desk: &mut Desk<'n>,
    account: &mut Account<'n>,
    id: &str,
) -> Result<(), String> {
    if account.runs.is_empty() {
        return Err("nothing is asked of runs".to_owned());
    }
    let lasso: NamedLasso = desk.shelf.take(id)?;
    let run = lasso.resolve(desk.net)?;
    account.runs.follow(desk.net, &run, &desk.watch)?;
    desk.note_breach(|net| {
        breach(net, &run).map(|how| format!("along lasso {}, {how}", Quoted(id)))
    });
    Ok(())
}

/// How a run breaks the claim that units are safe: a place that gains tokens in each round has two of
/// them after two.
fn breach(net: &Net, run: &LassoRun) -> Option<String> {
    net.safe_units()?;
    first_breach(net, &run.rounds(2), u64::MAX)
}
