//! The guest's side of Z3: SMT-LIB 2 in, Z3's answers out, until the host is gone.
//!
//! Z3 reads the text itself, command by command as they come in, and keeps its state in between.
//! The host speaks with this process as it does with any other solver that is a command.

use super::watch;
use crate::smt_lib::reader::Commands;
use crate::smt_z3::converse;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;

/// Serves a host that is heard at one end and told at the other, and does not come back: the
/// process ends with the host.
pub fn serve_smt(from: OwnedFd, to: OwnedFd) -> ! {
    watch::begin(&from);
    let (mut from, mut to) = (File::from(from), File::from(to));
    let (mut commands, mut bytes) = (Commands::default(), vec![0; 1 << 16]);
    loop {
        let count = match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let Some(text) = commands.whole(&bytes[..count]) else { continue };
        let Some(answer) = converse(&text) else { break };
        if to.write_all(answer.as_bytes()).is_err() {
            break;
        }
    }
    std::process::exit(0)
}
