//! The bearer tokens that a server knows, in the form of kube-apiserver's token file.

use super::user::{AUTHENTICATED, MASTERS, User};
use std::collections::HashMap;
use std::fmt;

/// A text that nothing shows.
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
    /// The token of the first master, or of the first user.
    main: Option<String>,
}

/// Why a token file cannot be read. It tells no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadTokens {
    /// A line with too few columns, counted from one, and how many it has.
    Columns(usize, usize),
    /// A line with a quote where none may be, or one that does not end.
    Quote(usize),
}

impl fmt::Display for BadTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Columns(line, found) => write!(
                f,
                "line {line} must have at least 3 columns (token, user name, user uid), found \
                 {found}"
            ),
            Self::Quote(line) => write!(
                f,
                "line {line} has a misplaced quote; a quoted column begins and ends with one, and \
                 quotes inside it are doubled"
            ),
        }
    }
}

impl std::error::Error for BadTokens {}

impl Tokens {
    /// # Errors
    /// [`BadTokens`] when the text is not of the form.
    pub(crate) fn parse(text: &str) -> Result<Self, BadTokens> {
        let mut users = HashMap::new();
        let mut order = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.is_empty() {
                continue;
            }
            let columns = columns(line).ok_or(BadTokens::Quote(index + 1))?;
            let [token, name, uid, rest @ ..] = &columns[..] else {
                return Err(BadTokens::Columns(index + 1, columns.len()));
            };
            // As the real one, which warns of it.
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
                name: name.clone(),
                uid: uid.clone(),
                groups,
                ..User::default()
            };
            order.push((token.clone(), user.is_in(MASTERS)));
            users.insert(token.clone(), user);
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

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.users.len())
    }
}

/// The columns of a line of comma-separated values.
fn columns(line: &str) -> Option<Vec<String>> {
    let mut columns = Vec::new();
    let mut rest = line;
    loop {
        let (column, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_column(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let (column, after) = rest.split_at(end);
                if column.contains('"') {
                    return None;
                }
                (column.to_owned(), after)
            }
        };
        columns.push(column);
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None if after.is_empty() => return Some(columns),
            None => return None,
        }
    }
}

/// The text up to the closing quote, and what follows it.
fn quoted_column(mut rest: &str) -> Option<(String, &str)> {
    let mut column = String::new();
    loop {
        let (text, after) = rest.split_once('"')?;
        column.push_str(text);
        match after.strip_prefix('"') {
            Some(after) => {
                column.push('"');
                rest = after;
            }
            None => return Some((column, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_users_and_groups() {
        let text = "b-token,bob,b-uid\n\n,nobody,x\r\na-token,\"a \"\"x\"\"\",a-uid,\"system:masters,dev\"\n";
        let tokens = Tokens::parse(text).unwrap();
        let master = tokens.user("a-token").unwrap();
        assert_eq!(master.name, "a \"x\"");
        assert_eq!(
            master.groups,
            ["system:masters", "dev", "system:authenticated"]
        );
        assert_eq!(
            tokens.user("b-token").unwrap().groups,
            ["system:authenticated"]
        );
        assert_eq!(tokens.user(""), None);
        assert_eq!(tokens.main(), Some("a-token"));
        assert_eq!(format!("{tokens:?}"), "Tokens(2)");
    }

    #[test]
    fn what_is_wrong_is_told_without_the_token() {
        assert_eq!(
            Tokens::parse("\nsecret,bob").unwrap_err(),
            BadTokens::Columns(2, 2)
        );
        for text in [
            "secret,\"bob,uid",
            "secret,b\"ob,uid",
            "secret,\"bob\"x,uid",
        ] {
            assert_eq!(Tokens::parse(text).unwrap_err(), BadTokens::Quote(1));
        }
    }
}
