//! Who a request is from and what they may do: decisions on names, headers and paths, without I/O.

mod authorize;
mod impersonate;
mod tokens;
mod user;

pub(crate) use authorize::authorize;
pub(crate) use impersonate::{Refusal, impersonate};
pub(crate) use tokens::{BadTokens, Secret, Tokens};
pub(crate) use user::User;

use crate::status::{Failure, failure};

/// Whom a request with this `Authorization` header is from. Without tokens everybody is a master.
///
/// # Errors
/// 401 for a token that is not known. A request without one is anonymous, and so is one with
/// credentials of another kind.
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

fn bearer(header: &str) -> Option<&str> {
    let mut words = header.trim().split(' ');
    let scheme = words.next()?;
    let token = words.next().filter(|token| !token.is_empty())?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_follows_the_scheme() {
        assert_eq!(bearer("Bearer x"), Some("x"));
        assert_eq!(bearer(" bEARER x y "), Some("x"));
        assert_eq!(bearer("Bearer "), None);
        assert_eq!(bearer("Bearer  x"), None);
        assert_eq!(bearer("Basic x"), None);
    }
}
