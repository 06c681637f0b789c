//! The modes, by name.

use k8s_flowcontrol_types::__named as named;
use std::fmt;
use std::str::FromStr;

named! {
    /// A way in which a real server or its network troubles clients, see [`Torture`](crate::Torture).
    ///
    /// Its text is its name, such as `compressed-watches`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Mode {
        /// Watches are compressed, and flushed after each event, for clients that accept gzip; as in Kubernetes 1.37.
        CompressedWatches = "compressed-watches",
        /// Watches send many bookmarks, hold events back, and end. A watch that continues from a version before its last bookmark gets 410.
        Bookmarks = "bookmarks",
        /// Watches with `sendInitialEvents` are rejected with 422, or end before the bookmark that completes the initial events.
        WatchLists = "watch-lists",
        /// Connections break: without a response, before or after the request took effect, and in the middle of a body.
        Resets = "resets",
        /// Connections end after some requests: with GOAWAY, `Connection: close`, or at once.
        Goaway = "goaway",
        /// A continue token expires between two pages: 410.
        ExpiredPages = "expired-pages",
        /// Storms of 429 with `Retry-After`, as from API Priority and Fairness.
        Throttling = "throttling",
        /// Bodies arrive in small pieces, with pauses.
        Slow = "slow",
        /// Two API servers behind one address: the older one does not serve the newest version of a group that has several.
        RollingUpgrade = "rolling-upgrade",
        /// Lists that allow old data (`resourceVersion=0`) return an earlier state.
        StaleReads = "stale-reads",
        /// The clock of the server is hours off.
        ClockSkew = "clock-skew",
        /// Each connection has a new certificate of the same authority. Needs TLS.
        Certificates = "certificates",
        /// The token changes after some requests; the new one is in the token file. Needs TLS.
        Tokens = "tokens",
        /// The names of HTTP/1.1 headers have odd case. Connections use HTTP/1.1.
        HeaderCase = "header-case",
        /// Some connections offer HTTP/2, some only HTTP/1.1. Needs TLS.
        Protocols = "protocols",
    }
    /// The name.
    pub fn as_str;
    /// All modes.
    pub const ALL;
}

impl Mode {
    /// Whether the mode needs TLS.
    pub fn needs_tls(self) -> bool {
        matches!(self, Self::Certificates | Self::Tokens | Self::Protocols)
    }
}

/// The error of a text that is not the name of a [`Mode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        let mut all = Self::ALL.iter().copied();
        let found = all.find(|mode| mode.as_str() == text);
        found.ok_or_else(|| UnknownMode(text.to_owned()))
    }
}

impl fmt::Display for UnknownMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Mode::ALL.iter().map(|mode| mode.as_str()).collect();
        let (text, names) = (self.0.escape_debug(), names.join(", "));
        write!(f, "`{text}` is not a mode; the modes are {names}")
    }
}

impl std::error::Error for UnknownMode {}
