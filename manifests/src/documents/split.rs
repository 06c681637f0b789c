//! Splitting a text into documents.

use super::form::Form;
use crate::lines::without_mark;
use k8s_flowcontrol_text::{Span, parse_json};
use std::ops::Range;

/// The ranges of the documents in the text. A text of one document stays whole: it is the body that a server would get.
pub(super) fn split(text: &[u8], form: Form) -> Vec<Range<usize>> {
    match form {
        Form::Json | Form::JsonLines => json(text, form),
        Form::Yaml => yaml(text, false),
        Form::Template => yaml(text, true),
    }
}

fn json(text: &[u8], form: Form) -> Vec<Range<usize>> {
    let whole = || match text.trim_ascii().is_empty() {
        true => Vec::new(),
        false => Vec::from([whole_of(text)]),
    };
    let lines = || lines(text).filter(|line| !text[line.clone()].trim_ascii().is_empty());
    if form == Form::JsonLines {
        return lines().collect();
    }
    // Most texts are one value.
    if parse_json(without_mark(text)).is_ok() {
        return whole();
    }
    // If the first two lines are a value each, a broken line is one broken document, and not a broken file.
    let is_value = |line: &Range<usize>| parse_json(&text[line.clone()]).is_ok();
    if lines().take(2).filter(is_value).count() == 2 {
        return lines().collect();
    }
    let values = values(text);
    let is_object = |range: &Range<usize>| text[range.clone()].trim_ascii_start()[0] == b'{';
    match values.len() > 1 && values.iter().all(is_object) {
        true => values,
        false => whole(),
    }
}

fn whole_of(text: &[u8]) -> Range<usize> {
    0..text.len()
}

/// Values that each start on a new line, as `jq` prints them.
fn values(text: &[u8]) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let (mut start, mut depth, mut in_string, mut escaped) = (0, 0_usize, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'\n' if depth == 0 => {
                values.push(start..at + 1);
                start = at + 1;
            }
            _ => {}
        }
    }
    values.push(start..text.len());
    values.retain(|range| !text[range.clone()].trim_ascii().is_empty());
    values
}

/// Documents between lines that start with `---`. Comments and directives before the first one belong to it.
///
/// kubectl also separates documents at `---#` and at `---` with white space beyond ASCII, where YAML reads text; but the first line after
/// a separator it passes to YAML. Helm separates templates at each `---`.
fn yaml(text: &[u8], is_template: bool) -> Vec<Range<usize>> {
    let mut documents = Vec::new();
    let mut start = 0;
    let (mut has_content, mut has_marker) = (false, false);
    let mut follows_a_line = false;
    for line in lines(text) {
        let bytes = &text[line.clone()];
        let is_separator = bytes.starts_with(b"---");
        let has_glued_comment = is_separator
            && (is_template || follows_a_line)
            && !is_marker(bytes, b"---")
            && is_comment_for_kubectl(&bytes[3..]);
        follows_a_line = !(follows_a_line && is_separator);
        if has_glued_comment || is_marker(bytes, b"---") {
            let content_follows = !is_comment_for_kubectl(&bytes[3..]);
            if has_content {
                documents.push(start..line.start);
                // A marker with content in the same line belongs to the document.
                has_marker = content_follows;
                start = if content_follows {
                    line.start
                } else {
                    line.end
                };
            } else if has_glued_comment {
                start = line.end;
            } else {
                if has_marker {
                    // The document before this marker is empty.
                    start = line.start;
                }
                has_marker = true;
            }
            has_content = content_follows;
        } else if is_marker(bytes, b"...") {
            if has_content {
                documents.push(start..line.end);
            }
            start = line.end;
            (has_content, has_marker) = (false, false);
        } else if !is_empty(bytes) && !bytes.starts_with(b"%") {
            has_content = true;
        }
    }
    if has_content {
        documents.push(start..text.len());
    }
    documents
}

/// The texts after `---` in lines that start with it, except for comments. kubectl separates documents at each such line, and fails
/// at such a text.
pub(super) fn text_after_separators(text: &[u8]) -> Vec<Span> {
    let after = lines(text).filter_map(|line| {
        let after = without_mark(&text[line.clone()]).strip_prefix(b"---")?;
        let start = line.end - after.trim_ascii_start().len();
        let span = || Span::new(start, start + after.trim_ascii().len());
        (!is_comment_for_kubectl(after)).then(span)
    });
    after.collect()
}

/// The lines that kubectl reads otherwise than YAML: those before a document at which it fails, and the first lines of documents that it ignores.
///
/// It separates parts at lines that start with `---`, keeps such a line only where a part is empty so far, and reads the first document of each part:
/// it ignores what comes after `...`, and in a part without `---`, a directive is an error, and so is `...` before the document.
pub(super) fn unread_by_kubectl(text: &[u8]) -> (Vec<Span>, Vec<Span>) {
    let (mut before_documents, mut ignored) = (Vec::new(), Vec::new());
    let (mut is_begun, mut has_document, mut has_ended) = (false, false, false);
    for line in lines(text) {
        let bytes = without_mark(&text[line.clone()]);
        let start = line.end - bytes.len();
        let span = Span::new(start, start + bytes.trim_ascii_end().len());
        let is_separator = bytes.starts_with(b"---");
        let is_kept = is_separator && !is_begun;
        if is_separator {
            (has_document, has_ended) = (is_kept, false);
        } else if is_marker(bytes, b"...") {
            if !has_document {
                before_documents.push(span);
            }
            has_ended = has_document;
        } else if bytes.starts_with(b"%") && (!has_document || has_ended) {
            if !has_document {
                before_documents.push(span);
            }
        } else if !is_empty(bytes) {
            if has_ended {
                ignored.push(span);
            }
            (has_document, has_ended) = (true, false);
        }
        is_begun = is_kept || !is_separator;
    }
    (before_documents, ignored)
}

/// Whether kubectl finds nothing but a comment after `---`. It also skips white space beyond ASCII.
fn is_comment_for_kubectl(after: &[u8]) -> bool {
    let after = String::from_utf8_lossy(after);
    let after = after.trim_start();
    after.is_empty() || after.starts_with('#')
}

/// The number of bytes before the content of a YAML document: comments, directives, markers and white space.
pub(super) fn before_content(text: &[u8]) -> usize {
    let content = lines(text).find_map(|line| {
        let bytes = &text[line.clone()];
        let is_content = !is_empty(bytes) && !bytes.starts_with(b"%") && !is_marker(bytes, b"---");
        is_content.then(|| line.end - without_mark(bytes).trim_ascii_start().len())
    });
    content.unwrap_or_default()
}

/// Whether a line has only white space and a comment.
fn is_empty(line: &[u8]) -> bool {
    let line = without_mark(line).trim_ascii_start();
    line.is_empty() || line[0] == b'#'
}

fn is_marker(line: &[u8], marker: &[u8]) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive(|byte| *byte == b'\n')
        .map(move |line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
}
