//! Reading a text as the trees of its documents.

use super::form::Form;
use super::split::split;
use super::template::{self, Action};
use crate::lines::without_mark;
use k8s_flowcontrol_text::{
    Content, Document, Span, SyntaxError, parse_json, parse_json_values, parse_yaml,
};
use std::ops::Range;

/// A part of a text that holds one document, or a document with a syntax error.
pub(crate) struct Part {
    /// The bytes of the part, a byte order mark included.
    pub(crate) range: Range<usize>,
    /// The document; spans and offsets count from the start of the whole text.
    pub(crate) parsed: Result<Document, SyntaxError>,
}

/// Reads each document of a text by itself: an error in one document does not affect the others.
pub(crate) fn parse_each(text: &[u8], form: Form) -> Vec<Part> {
    let parts = split(text, form).into_iter();
    parts
        .map(|range| Part {
            parsed: parse_part(text, range.clone(), form),
            range,
        })
        .collect()
}

/// Reads one document at `range` of a text.
pub(crate) fn parse_part(
    text: &[u8],
    range: Range<usize>,
    form: Form,
) -> Result<Document, SyntaxError> {
    let body = &text[range.clone()];
    let rest = match form {
        Form::Json | Form::JsonLines => without_mark(body),
        // The YAML reader skips the mark itself.
        Form::Yaml | Form::Template => body,
    };
    let start = range.end - rest.len();
    let parsed = match form {
        Form::Json | Form::JsonLines => parse_json(rest).map(|tree| (tree, Vec::new())),
        Form::Yaml | Form::Template => parse_yaml(rest).map(|yaml| (yaml.tree, yaml.duplicates)),
    };
    match parsed {
        Ok((tree, mut duplicates)) => {
            let tree = tree.shifted(start);
            for duplicate in &mut duplicates {
                let Span { start: from, end } = duplicate.span;
                duplicate.span = Span::new(start + from, start + end);
            }
            Ok(Document {
                span: tree.root().span(),
                tree,
                duplicates,
            })
        }
        Err(error) => Err(SyntaxError::new(
            error.message().to_owned(),
            start + error.offset(),
        )),
    }
}

pub(crate) struct Parsed {
    pub(crate) form: Form,
    pub(crate) documents: Vec<Document>,
    /// The part of the text that holds each document. By itself, it reads as the same document.
    pub(crate) parts: Vec<Range<usize>>,
    /// The actions of a template, in order.
    pub(crate) actions: Vec<Action>,
}

/// Reads a text in the likely form, or else in another form that it may have.
/// Errors: the syntax error of the likely form.
pub(crate) fn parse_all(text: &str, likely: Form) -> Result<Parsed, SyntaxError> {
    let (first, second) = match likely {
        Form::Json | Form::JsonLines => (Form::Json, Form::Yaml),
        Form::Yaml | Form::Template if template::is_ytt(text) => (Form::Template, Form::Yaml),
        Form::Yaml | Form::Template => (Form::Yaml, Form::Template),
    };
    // A file named .yaml may contain JSON, and is then edited as JSON.
    if first == Form::Yaml
        && text.trim_start().starts_with(['{', '['])
        && let Ok(parsed) = parse_as(text, Form::Json)
    {
        return Ok(parsed);
    }
    parse_as(text, first).or_else(|error| parse_as(text, second).map_err(|_| error))
}

/// Reads a text in one form.
/// Errors: the first syntax error.
pub(crate) fn parse_as(text: &str, form: Form) -> Result<Parsed, SyntaxError> {
    parse_part_as(text, form, 0)
}

/// Reads a part of a text in one form, like the whole text in which a number of template actions come before the part.
/// Errors: the first syntax error.
pub(crate) fn parse_part_as(
    text: &str,
    form: Form,
    actions_before: usize,
) -> Result<Parsed, SyntaxError> {
    let ((documents, parts), actions) = match form {
        Form::Json | Form::JsonLines => {
            let read = parse_json_values(text.as_bytes());
            match read.error {
                Some(error) => return Err(error),
                None => {
                    let parts = read.documents.iter().map(|document| document.span.range());
                    let parts = parts.collect();
                    ((read.documents, parts), Vec::new())
                }
            }
        }
        Form::Yaml => (
            yaml_documents(text)?,
            template::actions(text).unwrap_or_default(),
        ),
        Form::Template => match template::mask(text, actions_before) {
            Some(masked) => (yaml_documents(&masked.text)?, masked.actions),
            None => return parse_part_as(text, Form::Yaml, actions_before),
        },
    };
    Ok(Parsed {
        form,
        documents,
        parts,
        actions,
    })
}

type Documents = (Vec<Document>, Vec<Range<usize>>);

fn yaml_documents(text: &str) -> Result<Documents, SyntaxError> {
    let (mut documents, mut parts) = Documents::default();
    for part in parse_each(text.as_bytes(), Form::Yaml) {
        let document = part.parsed?;
        if !matches!(document.tree.root().content(), Content::Null) {
            documents.push(document);
            parts.push(part.range);
        }
    }
    Ok((documents, parts))
}
