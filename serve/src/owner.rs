//! The user whose process opened a connection on this machine.
//!
//! Linux lists the sockets of a machine with their owners in `/proc/net/tcp` and `/proc/net/tcp6`.
//! So the server can distinguish a loopback connection of another user from one of this user's
//! browser.

use std::net::{IpAddr, SocketAddr};

/// The state of an open connection in the tables.
const ESTABLISHED: &str = "01";

/// Returns true if the process that opened the connection belongs to the user who runs the server.
/// Returns false if the owner is unknown, as on systems without `/proc/net/tcp`.
pub(super) fn is_own_connection(peer: SocketAddr, server: SocketAddr) -> bool {
    let own = rustix::process::getuid().as_raw();
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let texts = tables.iter().filter_map(|table| std::fs::read_to_string(table).ok());
    let found: Vec<u32> = texts.filter_map(|text| owner(&text, peer, server)).collect();
    found == [own]
}

/// Returns the user id of the socket with the local address `local` that is connected to `remote`,
/// from the text of a table. Linux shows user 0 for a socket that its process has closed, so only
/// sockets count that are established and have an inode.
fn owner(table: &str, local: SocketAddr, remote: SocketAddr) -> Option<u32> {
    table.lines().skip(1).find_map(|line| {
        // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …
        let fields: Vec<&str> = line.split_ascii_whitespace().take(10).collect();
        let [_, from, to, state, _, _, _, user, _, inode] = fields[..] else { return None };
        if state != ESTABLISHED || inode == "0" {
            return None;
        }
        let is_meant = address(from)? == canonical(local) && address(to)? == canonical(remote);
        is_meant.then(|| user.parse().ok()).flatten()
    })
}

/// Parses an address of a table, such as `0100007F:1F90`. Each group of eight digits is a word in
/// the byte order of the machine.
fn address(text: &str) -> Option<(IpAddr, u16)> {
    let (digits, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut bytes = Vec::new();
    for at in (0..digits.len()).step_by(8) {
        let word = u32::from_str_radix(digits.get(at..at + 8)?, 16).ok()?;
        bytes.extend(word.to_ne_bytes());
    }
    let ip = match bytes.len() {
        4 => IpAddr::from(<[u8; 4]>::try_from(bytes).ok()?),
        16 => IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?),
        _ => return None,
    };
    Some(canonical(SocketAddr::new(ip, port)))
}

/// Returns the address with IPv4 addresses in IPv6 form (`::ffff:127.0.0.1`) as IPv4.
fn canonical(address: SocketAddr) -> (IpAddr, u16) {
    (address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_owner_of_a_connection_is_found() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let client = std::net::TcpStream::connect(server.local_addr().unwrap()).unwrap();
        let peer = client.local_addr().unwrap();
        assert!(is_own_connection(peer, server.local_addr().unwrap()));
        let other = SocketAddr::new(peer.ip(), peer.port() ^ 1);
        assert!(!is_own_connection(other, server.local_addr().unwrap()));
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn tables_are_read() {
        let table = |state: &str, inode: &str| {
            format!(
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  \
                 timeout inode\n   0: 0100007F:9C40 0100007F:20E1 {state} 00000000:00000000 \
                 00:00000000 00000000  1000        0 {inode} 1\n"
            )
        };
        let [local, remote] = ["127.0.0.1:40000", "127.0.0.1:8417"].map(|it| it.parse().unwrap());
        assert_eq!(owner(&table("01", "7"), local, remote), Some(1000));
        assert_eq!(owner(&table("01", "7"), remote, local), None);
        // The process has closed its socket.
        assert_eq!(owner(&table("01", "0"), local, remote), None);
        assert_eq!(owner(&table("04", "7"), local, remote), None);
        assert_eq!(owner(&table("06", "0"), local, remote), None);
        assert_eq!(address("junk"), None);
    }
}
