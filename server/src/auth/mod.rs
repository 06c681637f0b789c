//! Authentication, impersonation and authorization, decided on names, headers and paths, without I/O.

mod authorize;
mod csv;
mod impersonate;
mod review;
mod tokens;
mod user;

pub(crate) use authorize::authorize;
pub(crate) use impersonate::{ImpersonationError, impersonate};
pub(crate) use review::Review;
pub use tokens::token_warnings;
pub(crate) use tokens::{BadTokens, CurrentTokens, Secret, Tokens};
pub(crate) use user::User;

use crate::status::{Failure, failure};

/// The user of a request with this `Authorization` header. Without tokens every user is of `system:masters`.
/// Errors: 401 for an unknown token. A request without a bearer token is anonymous.
pub(crate) fn authenticate(
    tokens: Option<&Tokens>,
    authorization: Option<&str>,
) -> Result<User, Failure> {
    let Some(tokens) = tokens else {
        return Ok(User::master());
    };
    match authorization.and_then(bearer) {
        Some(token) => tokens
            .user(token)
            .ok_or_else(|| failure(401, "Unauthorized", "Unauthorized")),
        None => Ok(User::anonymous()),
    }
}

/// The warning about an `Authorization` header whose token the server ignores.
pub(crate) fn warning(tokens: Option<&Tokens>, authorization: Option<&str>) -> Option<String> {
    tokens?;
    let mut words = authorization?.trim().splitn(3, ' ');
    let is_ignored = words.next()?.eq_ignore_ascii_case("bearer") && words.next()?.is_empty();
    let warning = "the provided Authorization header contains extra space before the bearer token, and is ignored";
    is_ignored.then(|| warning.to_owned())
}

fn bearer(header: &str) -> Option<&str> {
    let mut words = header.trim().split(' ');
    let scheme = words.next()?;
    let token = words.next().filter(|token| !token.is_empty())?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}
