//! The address of a server.

use super::ConfigError;
use url::Url;

/// Reads a server's address. Credentials in it are an error, because they would end up in logs.
pub(super) fn parse(text: &str) -> Result<Url, ConfigError> {
    let expected = "expected a URL such as https://10.0.0.1:6443";
    let url = Url::parse(text).map_err(|error| {
        ConfigError::new(format!("the server is not a URL: {error}; {expected}"))
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ConfigError::new(
            "the server's URL contains a user name or password; move it to the credentials",
        ));
    }
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(ConfigError::new(format!(
            "the server is `{url}`; {expected}"
        )));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(ConfigError::new(format!(
            "the server's URL has a query or fragment; {expected}"
        )));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn addresses() {
        assert!(parse("http://127.0.0.1:8080").is_ok());
        assert!(parse("https://[::1]:6443/prefix/").is_ok());
        for bad in [
            "",
            "127.0.0.1:8080",
            "ftp://a",
            "unix:/x",
            "http://a?b",
            "http://a#b",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let error = parse("http://me:planted-secret@host").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("planted-secret"));
    }
}
