//! Decides which requests are accepted.
//!
//! Three headers count:
//!
//! - `Host` must name this server. Otherwise a foreign page whose name was made to resolve to this
//!   machine (DNS rebinding) could read answers.
//! - `Origin` must be the server's own, or one that the user named. Browsers set it; so no other
//!   page can make a browser change anything here.
//! - `Authorization` must have the token. There is no cookie, because browsers send cookies to
//!   every port of a host, so also to servers of other users of the machine.
//!
//! Only the MCC-server protocol accepts requests without the token: from a named origin, on a
//! loopback address, from a process of the same user ([`owner`](super::owner)).

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use std::net::IpAddr;

/// The rules for requests.
#[derive(Debug)]
pub(super) struct AccessPolicy {
    pub(super) token: String,
    /// The address that the server listens on.
    pub(super) address: IpAddr,
    pub(super) port: u16,
    pub(super) allowed_origins: Vec<String>,
    /// Names, each with an optional port (`nets.example:8080`), under which browsers may address
    /// the server. Without a port, each port is accepted: it may be forwarded.
    pub(super) host_names: Vec<String>,
}

/// The origin of a request that passed the checks of `Host` and `Origin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequestOrigin {
    /// A page of this server, or a program that names no origin.
    Own,
    /// A page of an origin that the user named.
    Named(String),
}

/// The reason why a request is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error(
        "expected a Host header that names this server, got `{0}`: use the printed address, \
         or name it with `parikh serve --host-name`"
    )]
    Host(String),
    #[error(
        "requests from the origin `{0}` are refused: name it with `parikh serve --allow-origin`"
    )]
    Origin(String),
    #[error(
        "expected the token in `Authorization: Bearer TOKEN`: open the address that `parikh serve` \
         printed"
    )]
    Token,
    #[error("the origin `{0}` may use only /tools/descriptions and /mcc/…")]
    OnlyContest(String),
}

impl AccessPolicy {
    /// Returns the origin of a request if the headers `Host` and `Origin` are acceptable.
    pub(super) fn origin(&self, headers: &HeaderMap) -> Result<RequestOrigin, Refusal> {
        let host = single(headers, HOST).ok_or_else(|| Refusal::Host("no single host".into()))?;
        if !self.is_own_host(host) {
            return Err(Refusal::Host(host.to_owned()));
        }
        if headers.get(ORIGIN).is_none() {
            return Ok(RequestOrigin::Own);
        }
        let origin = single(headers, ORIGIN).ok_or_else(|| Refusal::Origin("several".into()))?;
        if origin.strip_prefix("http://").is_some_and(|own| own.eq_ignore_ascii_case(host)) {
            return Ok(RequestOrigin::Own);
        }
        match self.allowed_origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            true => Ok(RequestOrigin::Named(origin.to_owned())),
            false => Err(Refusal::Origin(origin.to_owned())),
        }
    }

    /// Returns true if the request presents the token.
    pub(super) fn has_token(&self, headers: &HeaderMap) -> bool {
        let given = single(headers, AUTHORIZATION).and_then(|it| it.split_once(' '));
        let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer"));
        given.is_some_and(|(_, given)| {
            equal_in_constant_time(given.as_bytes(), self.token.as_bytes())
        })
    }

    /// Returns true if the MCC-server protocol is open to named origins without a token.
    pub(super) fn opens_contest(&self) -> bool {
        self.address.is_loopback() && !self.allowed_origins.is_empty()
    }

    /// Returns true if a `Host` header names this server. The port may be another one, because it
    /// may be forwarded, as by `ssh -L 9000:localhost:8417`. The name is what keeps out foreign
    /// pages whose names were made to resolve to this machine: a name server can make neither an
    /// address nor `localhost` the name of such a page.
    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse::<u16>().ok()),
            _ => (host, Some(80)),
        };
        if port.is_none() {
            return false;
        }
        let is_named =
            |own: &String| own.eq_ignore_ascii_case(name) || own.eq_ignore_ascii_case(host);
        if self.host_names.iter().any(is_named) {
            return true;
        }
        let bare = name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(name);
        match bare.parse::<IpAddr>() {
            // A loopback address with another port is a forwarded port.
            Ok(address) => {
                address.is_loopback() || !self.address.is_loopback() && port == Some(self.port)
            }
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }
}

/// Returns the value of a header that occurs once.
fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then(|| first.to_str().ok()).flatten()
}

/// Compares two texts in a time that depends only on their lengths.
fn equal_in_constant_time(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Returns a random token of 32 hexadecimal digits.
///
/// # Errors
/// The operating system has no random numbers.
pub(super) fn random_token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, Ipv6Addr};

    fn policy(address: IpAddr) -> AccessPolicy {
        AccessPolicy {
            token: "secret".into(),
            address,
            port: 8417,
            allowed_origins: vec!["http://localhost:1665".into()],
            host_names: vec!["nets.example".into(), "other.example:80".into()],
        }
    }

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        pairs.collect()
    }

    #[test]
    fn only_names_of_this_server_are_accepted_as_host() {
        let policy = policy(Ipv4Addr::LOCALHOST.into());
        for host in [
            "127.0.0.1:8417",
            "localhost:8417",
            "LOCALHOST:9000",
            "[::1]:8417",
            "127.0.0.1",
            "nets.example:1",
            "other.example:80",
        ] {
            assert_eq!(policy.origin(&headers(&[(HOST, host)])), Ok(RequestOrigin::Own), "{host}");
        }
        for host in [
            "evil.example:8417",
            "localhost.evil.example:8417",
            "127.0.0.1.evil.example",
            "127.0.0.1:x",
            "other.example:81",
            "10.0.0.1:8417",
            "",
        ] {
            let refused = policy.origin(&headers(&[(HOST, host)]));
            assert_eq!(refused, Err(Refusal::Host(host.into())), "{host}");
        }
        assert!(policy.origin(&HeaderMap::new()).is_err());
    }

    #[test]
    fn an_open_address_accepts_addresses_and_named_hosts() {
        let policy = policy(Ipv6Addr::UNSPECIFIED.into());
        assert!(policy.is_own_host("10.0.0.1:8417"));
        assert!(policy.is_own_host("nets.example:8417"));
        assert!(policy.is_own_host("localhost:8417"));
        assert!(!policy.is_own_host("10.0.0.1:8418"));
        assert!(!policy.is_own_host("localhost.example:8417"));
        assert!(!policy.opens_contest());
    }

    #[test]
    fn other_origins_are_refused() {
        let policy = policy(Ipv4Addr::LOCALHOST.into());
        let origin =
            |origin: &str| policy.origin(&headers(&[(HOST, "localhost:8417"), (ORIGIN, origin)]));
        assert_eq!(origin("http://localhost:8417"), Ok(RequestOrigin::Own));
        let named = "http://localhost:1665";
        assert_eq!(origin(named), Ok(RequestOrigin::Named(named.into())));
        for other in ["null", "http://127.0.0.1:8417", "https://localhost:8417", "http://evil"] {
            assert_eq!(origin(other), Err(Refusal::Origin(other.into())), "{other}");
        }
    }

    #[test]
    fn the_token_is_compared_whole() {
        let policy = policy(Ipv4Addr::LOCALHOST.into());
        let with = |value: &str| policy.has_token(&headers(&[(AUTHORIZATION, value)]));
        assert!(with("Bearer secret"));
        assert!(with("bearer secret"));
        for wrong in ["Bearer secre", "Bearer secrett", "secret", "Basic secret", "Bearer "] {
            assert!(!with(wrong), "{wrong}");
        }
        assert!(!policy.has_token(&HeaderMap::new()));
        assert_ne!(random_token().unwrap(), random_token().unwrap());
    }
}
