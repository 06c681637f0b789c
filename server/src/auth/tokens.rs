//! Static bearer tokens, in the form of kube-apiserver's token file.

use super::csv::{QuoteError, Record, Records, unix_lines};
use super::user::{MASTERS, User};
use crate::locks::{read, write};
use k8s_flowcontrol_rules::matching::AUTHENTICATED;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, RwLock};

/// A string that `Debug` does not show.
#[derive(Clone)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

pub(crate) struct Tokens {
    users: HashMap<String, User>,
    /// The tokens in the order of the file.
    order: Vec<String>,
    /// The token of the first user of `system:masters`, or else of the first user.
    main: Option<String>,
    /// Lines, and warnings about their records.
    warnings: Vec<(usize, &'static str)>,
}

/// The warnings of kube-apiserver about a token file, in the form of [`Builder::tokens`](crate::Builder::tokens): each with the line of
/// its record, counted from 1. They show no token.
///
/// A record with an empty token is skipped, and the last of several records with one token counts. None for a text that cannot be
/// read.
///
/// ```
/// let warnings = k8s_flowcontrol_server::token_warnings("secret,admin,1\n,bob,2\n");
/// assert_eq!(warnings, [(2, "the record lacks a token, so nobody can use it")]);
/// ```
pub fn token_warnings(text: &str) -> Vec<(usize, &'static str)> {
    Tokens::parse(text).map_or_else(|_| Vec::new(), |tokens| tokens.warnings)
}

/// The tokens of a server, which may be replaced while it runs. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct CurrentTokens(Arc<RwLock<Option<Arc<Tokens>>>>);

impl CurrentTokens {
    pub(crate) fn new(tokens: Option<Tokens>) -> Self {
        Self(Arc::new(RwLock::new(tokens.map(Arc::new))))
    }

    /// `None` for a server without tokens.
    pub(crate) fn get(&self) -> Option<Arc<Tokens>> {
        let tokens = read(&self.0);
        tokens.clone()
    }

    pub(crate) fn replace(&self, tokens: Tokens) {
        let mut current = write(&self.0);
        *current = Some(Arc::new(tokens));
    }
}

/// A record of a token file that cannot be used. The error shows no content of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadTokens {
    /// Counted from one.
    pub(crate) line: usize,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Columns(usize),
    Quote(QuoteError),
    NoToken,
}

impl fmt::Display for BadTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Columns(columns) => write!(
                f,
                "expected at least 3 columns (token, user name, user uid), found {columns}"
            ),
            Reason::Quote(error) => error.fmt(f),
            Reason::NoToken => f.write_str(
                "no token is usable, so nobody could use the server: write a token into the first column of a record",
            ),
        }
    }
}

impl std::error::Error for BadTokens {}

impl Tokens {
    /// Errors: [`BadTokens`] for a record with too few columns or a wrong quote.
    pub(crate) fn parse(text: &str) -> Result<Self, BadTokens> {
        let mut users: HashMap<String, User> = HashMap::new();
        let mut order = Vec::new();
        let mut warnings = Vec::new();
        let text = unix_lines(text);
        for record in Records::of(&text) {
            let bad = |line, reason| BadTokens { line, reason };
            let Record { line, fields } =
                record.map_err(|(line, error)| bad(line, Reason::Quote(error)))?;
            let [token, name, uid, rest @ ..] = &fields[..] else {
                return Err(bad(line, Reason::Columns(fields.len())));
            };
            // A real server skips it too.
            if token.is_empty() {
                warnings.push((line, "the record lacks a token, so nobody can use it"));
                continue;
            }
            let mut groups: Vec<String> = rest
                .first()
                .map(|groups| groups.split(',').map(str::to_owned).collect())
                .unwrap_or_default();
            if !groups.iter().any(|group| group == AUTHENTICATED) {
                groups.push(AUTHENTICATED.into());
            }
            let user = User {
                name: name.clone(),
                uid: uid.clone(),
                groups,
                ..User::default()
            };
            order.push(token.clone());
            if users.insert(token.clone(), user).is_some() {
                let replaced = "an earlier record has the same token; this record replaces it";
                warnings.push((line, replaced));
            }
        }
        // Of equal tokens the last one counts.
        let is_master = |token: &&String| users.get(*token).is_some_and(|user| user.is_in(MASTERS));
        let main = order.iter().find(is_master).or(order.first()).cloned();
        Ok(Self {
            users,
            order,
            main,
            warnings,
        })
    }

    /// The tokens of a server that starts. A real server has other ways to authenticate, and starts without a usable token.
    /// Errors: [`BadTokens`] as for [`parse`](Self::parse), and if no record has a token.
    pub(crate) fn parse_usable(text: &str) -> Result<Self, BadTokens> {
        let tokens = Self::parse(text)?;
        match tokens.main {
            Some(_) => Ok(tokens),
            None => Err(BadTokens {
                line: 1,
                reason: Reason::NoToken,
            }),
        }
    }

    pub(crate) fn user(&self, token: &str) -> Option<User> {
        self.users.get(token).cloned()
    }

    /// The names of the users and their tokens, in the order of the file.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&str, &str)> {
        let users = self
            .order
            .iter()
            .filter_map(|token| Some((&*self.users.get(token)?.name, &**token)));
        users.filter(|(name, _)| !name.is_empty())
    }

    /// The token for the first context of a kubeconfig.
    pub(crate) fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.users.len())
    }
}
