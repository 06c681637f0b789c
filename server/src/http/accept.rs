//! Which representation a client gets. For now there is one: JSON.

use crate::status::{Details, Failure, failure};

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

/// In which form a client wants what it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As it is.
    Plain,
    /// As something else, such as a table, which is not to be had for now.
    Transformed,
}

impl Form {
    /// # Errors
    /// 406 for a form that is not to be had.
    pub(crate) fn check(self) -> Result<(), Failure> {
        if self == Self::Plain {
            return Ok(());
        }
        let message = format!("only the following media types are accepted: {OBJECTS}");
        Err(failure(406, "NotAcceptable", message))
    }
}

/// Chooses among the accepted types.
///
/// # Errors
/// 406 when none of them is JSON.
pub(crate) fn negotiate(accept: Option<&str>, offer: Offer) -> Result<Form, Failure> {
    let accept = accept.unwrap_or_default();
    let mut forms = accept
        .split(',')
        .map(str::trim)
        .filter(|clause| !clause.is_empty())
        .map(form)
        .peekable();
    if forms.peek().is_none() {
        return Ok(Form::Plain);
    }
    let forms: Vec<_> = forms.flatten().collect();
    if forms.contains(&Form::Plain) {
        return Ok(Form::Plain);
    }
    if !forms.is_empty() || offer == Offer::Discovery {
        return Ok(Form::Transformed);
    }
    let streams = if offer == Offer::Collection {
        format!(", {STREAMS}")
    } else {
        String::new()
    };
    let message = format!("406: Not Acceptable\n\nAvailable representations: {OBJECTS}{streams}");
    Err(failure(406, "NotAcceptable", message).with_details(Details::default()))
}

fn form(clause: &str) -> Option<Form> {
    let mut parts = clause.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    if !matches!(media_type.as_str(), "application/json" | "*/*") {
        return None;
    }
    let transformed = parts.any(|parameter| parameter.starts_with("as="));
    Some(if transformed {
        Form::Transformed
    } else {
        Form::Plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_had_by_those_who_take_it() {
        let accepts =
            |text| negotiate(Some(text), Offer::Object).is_ok_and(|form| form == Form::Plain);
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
