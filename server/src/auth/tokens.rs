//! Static bearer tokens, in the form of kube-apiserver's token file.

use super::user::{MASTERS, User};
use k8s_flowcontrol_rules::matching::AUTHENTICATED;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// A string that `Debug` does not show.
#[derive(Clone)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// Users by their tokens.
pub(crate) struct Tokens {
    users: HashMap<String, User>,
    /// The token of the first user of `system:masters`, or else of the first user.
    main: Option<String>,
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
        let tokens = self.0.read().unwrap_or_else(PoisonError::into_inner);
        tokens.clone()
    }

    pub(crate) fn replace(&self, tokens: Tokens) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::new(tokens));
    }
}

/// A line of a token file with too few columns. The error shows no content of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadTokens {
    /// Counted from one.
    pub(crate) line: usize,
    columns: usize,
}

impl fmt::Display for BadTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns;
        write!(
            f,
            "expected at least 3 columns (token, user name, user uid), found {columns}"
        )
    }
}

impl std::error::Error for BadTokens {}

impl Tokens {
    /// # Errors
    /// [`BadTokens`] for a line with too few columns.
    pub(crate) fn parse(text: &str) -> Result<Self, BadTokens> {
        let mut users = HashMap::new();
        let mut order = Vec::new();
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        // The text is in memory, in UTF-8, and records may differ in length: no record can fail.
        for record in reader.records().filter_map(Result::ok) {
            let columns: Vec<&str> = record.iter().collect();
            let [token, name, uid, rest @ ..] = &columns[..] else {
                return Err(BadTokens {
                    line: line_of(&record, text),
                    columns: columns.len(),
                });
            };
            // A real server skips it too.
            if token.is_empty() {
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
                name: (*name).to_owned(),
                uid: (*uid).to_owned(),
                groups,
                ..User::default()
            };
            order.push(((*token).to_owned(), user.is_in(MASTERS)));
            users.insert((*token).to_owned(), user);
        }
        let main = order
            .iter()
            .find(|(_, is_master)| *is_master)
            .or(order.first())
            .map(|(token, _)| token.clone());
        Ok(Self { users, main })
    }

    pub(crate) fn user(&self, token: &str) -> Option<User> {
        self.users.get(token).cloned()
    }

    /// The token for a kubeconfig.
    pub(crate) fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }
}

/// The line of a record. The position of a record is before the empty lines above it.
fn line_of(record: &csv::StringRecord, text: &str) -> usize {
    let start = record.position().map_or(0, |position| position.byte());
    let start = usize::try_from(start).unwrap_or_default();
    let (before, rest) = text.split_at_checked(start).unwrap_or_default();
    let empty = rest
        .chars()
        .take_while(|c| matches!(c, '\r' | '\n'))
        .filter(|c| *c == '\n')
        .count();
    before.matches('\n').count() + empty + 1
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.users.len())
    }
}
