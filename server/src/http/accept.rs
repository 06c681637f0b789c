//! Which representation a client gets. For now there is one: JSON.

use crate::status::{Failure, failure};

const OBJECTS: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const STREAMS: &str =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// What can be had in general: it stands in the message to those who ask for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Object,
    /// A list, or a watch.
    Collection,
    Discovery,
}

/// # Errors
/// 406 when none of the accepted types is JSON as such.
pub(crate) fn check(accept: Option<&str>, offer: Offer) -> Result<(), Failure> {
    let accept = accept.unwrap_or_default();
    let mut clauses = accept
        .split(',')
        .map(str::trim)
        .filter(|clause| !clause.is_empty())
        .peekable();
    if clauses.peek().is_none() {
        return Ok(());
    }
    let mut transformed = false;
    for clause in clauses {
        let mut parts = clause.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
        if !matches!(media_type.as_str(), "application/json" | "*/*") {
            continue;
        }
        if parts.any(|parameter| parameter.starts_with("as=")) {
            transformed = true;
        } else {
            return Ok(());
        }
    }
    if transformed || offer == Offer::Discovery {
        let message = format!("only the following media types are accepted: {OBJECTS}");
        return Err(failure(406, "NotAcceptable", message));
    }
    let streams = if offer == Offer::Collection {
        format!(", {STREAMS}")
    } else {
        String::new()
    };
    let message = format!("406: Not Acceptable\n\nAvailable representations: {OBJECTS}{streams}");
    Err(failure(406, "NotAcceptable", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_had_by_those_who_take_it() {
        let accepts = |text| check(Some(text), Offer::Object).is_ok();
        for text in [
            "",
            "*/*",
            "application/json;q=0",
            "text/html, application/json;q=0.5",
        ] {
            assert!(accepts(text), "{text}");
        }
        for text in [
            "application/*",
            "text/html",
            "garbage",
            "application/json;as=Table;v=v1",
        ] {
            assert!(!accepts(text), "{text}");
        }
    }
}
