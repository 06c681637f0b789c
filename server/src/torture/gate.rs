//! Who may send requests: the users of a token file, and the holder of a token that expires.

use crate::auth::{Tokens, authenticate};
use crate::ids;
use crate::locks::lock;
use crate::status::{Failure, failure};
use hyper::header::{self, HeaderMap};
use k8s_flowcontrol_rules::matching::ANONYMOUS;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The requests after which the token expires.
const REQUESTS: u32 = 12;

#[derive(Debug)]
pub(super) struct Gate {
    users: Option<Tokens>,
    expiring: Option<Expiring>,
}

#[derive(Debug)]
struct Expiring {
    file: PathBuf,
    token: Mutex<Token>,
}

struct Token {
    text: String,
    requests: u32,
}

impl Gate {
    /// Errors: the first token cannot be written to the file.
    pub(super) fn new(users: Option<Tokens>, file: Option<PathBuf>) -> io::Result<Self> {
        let expiring = match file {
            None => None,
            Some(file) => {
                let token = Token::random();
                write(&file, &token.text)?;
                let token = Mutex::new(token);
                Some(Expiring { file, token })
            }
        };
        Ok(Self { users, expiring })
    }

    pub(super) fn is_open(&self) -> bool {
        self.users.is_none() && self.expiring.is_none()
    }

    pub(super) fn users(&self) -> Option<&Tokens> {
        self.users.as_ref()
    }

    pub(super) fn token_file(&self) -> Option<&Path> {
        self.expiring.as_ref().map(|expiring| &*expiring.file)
    }

    /// Checks the token of a request and removes it, so that it does not reach the server behind. Returns whether the expiring token was replaced.
    /// Errors: 401 without a valid token.
    pub(super) fn pass(&self, headers: &mut HeaderMap) -> Result<bool, Failure> {
        if self.is_open() {
            return Ok(false);
        }
        let value = headers.remove(header::AUTHORIZATION);
        let value = value.as_ref().and_then(|value| value.to_str().ok());
        if let Some(expiring) = &self.expiring
            && let Some(has_expired) = expiring.pass(value)
        {
            return Ok(has_expired);
        }
        let user = match (&self.users, value) {
            (Some(users), Some(_)) => authenticate(Some(users), value).ok(),
            _ => None,
        };
        match user {
            Some(user) if user.name != ANONYMOUS => Ok(false),
            _ => Err(failure(401, "Unauthorized", "Unauthorized")),
        }
    }
}

impl Expiring {
    /// Whether the token was replaced after this request; `None` for another token.
    fn pass(&self, authorization: Option<&str>) -> Option<bool> {
        let mut token = lock(&self.token);
        let given = authorization?.strip_prefix("Bearer ")?;
        if given != token.text {
            return None;
        }
        token.requests += 1;
        if token.requests < REQUESTS {
            return Some(false);
        }
        let next = Token::random();
        // With a file that cannot be written the old token stays valid.
        let is_written = write(&self.file, &next.text).is_ok();
        if is_written {
            *token = next;
        }
        Some(is_written)
    }
}

impl Token {
    fn random() -> Self {
        Self {
            text: format!("torture-{:016x}{:016x}", ids::random(), ids::random()),
            requests: 0,
        }
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token")
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}

/// Replaces the file at once, so that no client reads a part of the token. Only the user can read it.
fn write(file: &Path, token: &str) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".next");
    let next = file.with_file_name(name);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(&next)?.write_all(token.as_bytes())?;
    fs::rename(&next, file).inspect_err(|_| {
        // The first error says what is wrong.
        let _left = fs::remove_file(&next);
    })
}
