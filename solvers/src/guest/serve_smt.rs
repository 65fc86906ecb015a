//! The server side of Z3: reads SMT-LIB 2 and writes Z3's answers until the client is gone.
//!
//! Z3 reads the text itself, command by command, and keeps its state. The client uses the same
//! protocol as for any other solver command.

use super::watch;
use crate::smt_lib::reader::Commands;
use crate::smt_z3::converse;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;

/// Serves a client that writes to `from` and reads from `to`. Does not return: the process ends
/// with the client, or when Z3 cannot continue.
pub fn serve_smt(from: OwnedFd, to: OwnedFd) -> ! {
    watch::start_watchdog(&from);
    let (mut from, mut to) = (File::from(from), File::from(to));
    let (mut commands, mut bytes) = (Commands::default(), vec![0; 1 << 16]);
    loop {
        let count = match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let Some(text) = commands.complete_commands(&bytes[..count]) else { continue };
        let Some(answer) = converse(&text) else { break };
        if to.write_all(answer.as_bytes()).is_err() {
            break;
        }
    }
    std::process::exit(0)
}
