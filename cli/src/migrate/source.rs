//! A file's text and the documents in it.

use super::template::{self, Action};
use k8s_flowcontrol_text::{Document, Span, SyntaxError, parse_json_values, parse_yaml_documents};
use std::path::Path;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// YAML, one document or several.
    Yaml,
    /// JSON: one value, one per line, or one after the other.
    Json,
    /// YAML with the actions of a Go template in it.
    Template,
}

/// A file's text without its byte order mark.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    /// The length of the byte order mark.
    pub(super) mark: usize,
}

/// The documents of a text, read in one way.
pub(super) struct Parsed {
    pub(super) form: Form,
    pub(super) documents: Vec<Document>,
    /// The actions of a template.
    pub(super) actions: Vec<Action>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        Self {
            text: rest,
            mark: text.len() - rest.len(),
        }
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The line break that the text uses.
    pub(super) fn line_break(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// Where the line of a byte begins.
    pub(super) fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Where the line of a byte ends, before its line break.
    pub(super) fn line_end(&self, offset: usize) -> usize {
        let end = self.text[offset..]
            .find('\n')
            .map_or(self.text.len(), |at| offset + at);
        let line = &self.text[offset..end];
        end - usize::from(line.ends_with('\r'))
    }
}

/// The way in which a file is probably written, by its name.
pub(super) fn likely_form(path: &Path) -> Form {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("json" | "jsonl" | "ndjson") => Form::Json,
        Some("tpl" | "tmpl" | "gotmpl") => Form::Template,
        _ => Form::Yaml,
    }
}

/// Reads a text in the likely way, or else in another one that it may be written in.
///
/// # Errors
/// What is wrong with the text, read in the likely way.
pub(super) fn parse(text: &str, likely: Form) -> Result<Parsed, SyntaxError> {
    let (first, second) = match likely {
        Form::Json => (Form::Json, Form::Yaml),
        _ => (Form::Yaml, Form::Template),
    };
    // A file may be called YAML and hold JSON, which is then changed as JSON.
    if first == Form::Yaml
        && text.trim_start().starts_with(['{', '['])
        && let Ok(parsed) = parse_as(text, Form::Json)
    {
        return Ok(parsed);
    }
    parse_as(text, first).or_else(|error| parse_as(text, second).map_err(|_| error))
}

/// Reads a text in one way.
pub(super) fn parse_as(text: &str, form: Form) -> Result<Parsed, SyntaxError> {
    let (read, actions) = match form {
        Form::Json => (parse_json_values(text.as_bytes()), Vec::new()),
        Form::Yaml => {
            let actions = template::actions(text).unwrap_or_default();
            (parse_yaml_documents(text.as_bytes()), actions)
        }
        Form::Template => match template::mask(text) {
            Some(masked) => (parse_yaml_documents(masked.text.as_bytes()), masked.actions),
            None => return parse_as(text, Form::Yaml),
        },
    };
    match read.error {
        Some(error) => Err(error),
        None => Ok(Parsed {
            form,
            documents: read.documents,
            actions,
        }),
    }
}
