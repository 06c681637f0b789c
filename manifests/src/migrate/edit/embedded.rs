//! A text in a string of another text, and its edits as edits of the outer text.

use super::edits::Edit;
use super::place::content;
use crate::migrate::read::Text;
use k8s_flowcontrol_text::Span;

/// A text in a string scalar.
pub(in crate::migrate) struct Embedded {
    pub(in crate::migrate) text: String,
    /// The offset in the outer text of each byte, and of the end.
    places: Vec<usize>,
    style: Style,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Style {
    /// `"…"`, with backslashes.
    Double,
    /// `'…'`, with doubled quotes.
    Single,
    /// `|`, each line with this indentation.
    Literal { indent: String },
    /// Without quotes.
    Plain,
}

impl Embedded {
    /// The text of a string scalar at `span`; none if the offsets of its bytes are not fixed, as in a folded scalar.
    pub(in crate::migrate) fn new(source: &Text<'_>, span: Span, decoded: &str) -> Option<Self> {
        let span = content(source, span);
        let raw = source.slice(span);
        let embedded = match raw.as_bytes().first()? {
            b'"' => Self::double(span.start, raw)?,
            b'\'' => Self::single(span.start, raw),
            b'|' => Self::literal(span.start, raw)?,
            b'>' => return None,
            _ => Self {
                text: raw.to_owned(),
                places: (span.start..=span.end).collect(),
                style: Style::Plain,
            },
        };
        // Chomping may change the line breaks at the end.
        if embedded.text.trim_end() != decoded.trim_end() {
            return None;
        }
        Some(embedded)
    }

    /// An edit of the text as an edit of the outer text; none if the style does not allow it.
    pub(in crate::migrate) fn outer(&self, edit: &Edit) -> Option<Edit> {
        let start = *self.places.get(edit.span.start)?;
        let end = if edit.span.end > edit.span.start {
            // The end of the last removed byte: indentation may follow before the next byte.
            self.end_of(edit.span.end - 1)?
        } else {
            start
        };
        let text = match &self.style {
            Style::Double => {
                let quoted = serde_json::to_string(&edit.text).ok()?;
                quoted.get(1..quoted.len() - 1)?.to_owned()
            }
            Style::Single if !edit.text.contains('\n') => edit.text.replace('\'', "''"),
            Style::Literal { indent } => edit.text.replace('\n', &format!("\n{indent}")),
            Style::Plain if !edit.text.contains(['\n', '#', ':']) => edit.text.clone(),
            _ => return None,
        };
        Some(Edit::replace(Span::new(start, end), text))
    }

    /// The end of byte `index` in the outer text.
    fn end_of(&self, index: usize) -> Option<usize> {
        let (here, next) = (*self.places.get(index)?, *self.places.get(index + 1)?);
        match self.style {
            Style::Literal { .. } | Style::Plain => Some(here + 1),
            Style::Double | Style::Single => Some(next),
        }
    }

    /// `'…'` in one line.
    fn single(start: usize, raw: &str) -> Self {
        let (mut text, mut places) = (String::new(), Vec::new());
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        let mut at = 0;
        while let Some(character) = inner[at..].chars().next() {
            let length = character.len_utf8();
            text.push(character);
            places.extend((0..length).map(|byte| start + 1 + at + byte));
            at += length;
            if character == '\'' && inner[at..].starts_with('\'') {
                at += 1;
            }
        }
        places.push(start + 1 + at);
        Self {
            text,
            places,
            style: Style::Single,
        }
    }

    /// `"…"` in one line.
    fn double(start: usize, raw: &str) -> Option<Self> {
        let (mut text, mut places) = (String::new(), Vec::new());
        let inner = raw.get(1..raw.len().checked_sub(1)?)?;
        let mut at = 0;
        while let Some(character) = inner[at..].chars().next() {
            let (decoded, length) = match character {
                '\\' => escape(&inner[at..])?,
                '\n' | '\r' => return None,
                other => (other, other.len_utf8()),
            };
            text.push(decoded);
            places.extend((0..decoded.len_utf8()).map(|_| start + 1 + at));
            at += length;
        }
        // The end of the last character.
        places.push(start + 1 + at);
        Some(Self {
            text,
            places,
            style: Style::Double,
        })
    }

    /// `|` and lines behind it.
    fn literal(start: usize, raw: &str) -> Option<Self> {
        let header = raw.find('\n')?;
        if raw[..header].contains(|character: char| character.is_ascii_digit()) {
            return None;
        }
        let body = &raw[header + 1..];
        let first = body.lines().find(|line| !line.trim().is_empty())?;
        let indent = &first[..first.len() - first.trim_start_matches(' ').len()];
        let (mut text, mut places) = (String::new(), Vec::new());
        let mut at = start + header + 1;
        for line in body.split_inclusive('\n') {
            let end = line.trim_end_matches(['\r', '\n']).len();
            let skipped = if line.starts_with(indent) {
                indent.len()
            } else if line.trim().is_empty() {
                end
            } else {
                return None;
            };
            text.push_str(&line[skipped..end]);
            places.extend(at + skipped..at + end);
            if line.ends_with('\n') {
                text.push('\n');
                places.push(at + line.len() - 1);
            }
            at += line.len();
        }
        places.push(at);
        Some(Self {
            text,
            places,
            style: Style::Literal {
                indent: indent.to_owned(),
            },
        })
    }
}

/// The character of an escape, and the length of the escape. Only escapes that occur in JSON in a string.
fn escape(text: &str) -> Option<(char, usize)> {
    let character = text[1..].chars().next()?;
    let decoded = match character {
        '"' | '\\' | '/' => character,
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let code = u32::from_str_radix(text.get(2..6)?, 16).ok()?;
            return Some((char::from_u32(code)?, 6));
        }
        _ => return None,
    };
    Some((decoded, 2))
}
