//! DNS names, which the prefixes of label keys are.

/// The server's message for a name that is not a DNS-1123 subdomain.
pub(crate) const SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case \
    alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const LONGEST: usize = 253;

/// Whether `name` is a DNS-1123 subdomain.
pub(crate) fn is_subdomain(name: &str) -> bool {
    name.len() <= LONGEST && has_subdomain_form(name)
}

fn has_subdomain_form(name: &str) -> bool {
    name.split('.').all(|label| {
        let edge = |c: Option<&u8>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let bytes = label.as_bytes();
        edge(bytes.first())
            && edge(bytes.last())
            && bytes
                .iter()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == b'-')
    })
}
