//! Names of client libraries with a version in them: `FlowcontrolV1beta2`, `flow.v1beta3().flowSchema()`, `KubeFlowSchemaV1Beta2`.
//!
//! A version belongs to flow control if the word before it names the group, or if the word before or after it names a kind.

use crate::cut::{ceil, floor, leading};
use k8s_flowcontrol_text::Span;

/// Endings of a word that names the group, in lower case and without underscores.
const GROUP_WORDS: [&str; 4] = [
    "flowcontrol",
    "flowcontrolapiserver",
    "flowcontrolapiserverk8sio",
    "flowcontrol.apiserver.k8s.io",
];

/// The beginnings of names of the kinds and their parts, in lower case and without underscores.
const KIND_WORDS: [&str; 10] = [
    "flowschema",
    "prioritylevel",
    "limitedprioritylevel",
    "exemptprioritylevel",
    "flowdistinguisher",
    "queuingconfiguration",
    "limitresponse",
    "policyruleswithsubjects",
    "nonresourcepolicyrule",
    "resourcepolicyrule",
];

/// The endings of names of the kinds before a version.
const KIND_ENDINGS: [&str; 10] = [
    "flowschema",
    "flowschemas",
    "flowschemalist",
    "flowschemaspec",
    "flowschemastatus",
    "prioritylevelconfiguration",
    "prioritylevelconfigurations",
    "prioritylevelconfigurationlist",
    "prioritylevelconfigurationspec",
    "prioritylevelconfigurationstatus",
];

/// The maximum number of bytes between the words of a name, such as a line break and its indentation in a chain of calls.
const MAX_GAP: usize = 48;

/// The endings of names of files with objects.
const FILES: [&str; 4] = [".json", ".yaml", ".yml", ".txt"];

/// The maximum number of bytes of a word.
const MAX_WORD: usize = 80;

/// The names with versions of `versions`: the whole name and the place of the version in it.
pub(super) fn client_names(
    text: &str,
    versions: &[&'static str],
) -> Vec<(Span, usize, &'static str)> {
    let mut found = Vec::new();
    for at in memchr::memchr2_iter(b'v', b'V', text.as_bytes()) {
        let Some((length, version)) = version_at(&text[at..], versions) else {
            continue;
        };
        let (before, after) = (&text[..at], &text[at + length..]);
        let start = group_before(before).or_else(|| kind_before(before));
        let end = kind_after(after).map(|end| at + length + end);
        // A word that ends as the name of a file does: `v1beta1_flowschemas.json`.
        let is_file = |end: &usize| FILES.iter().any(|kind| text[*end..].starts_with(kind));
        if start.is_none() && end.as_ref().is_some_and(is_file) {
            continue;
        }
        if start.is_some() || end.is_some() {
            let end = end.filter(|_| start.is_none()).unwrap_or(at + length);
            let span = Span::new(start.unwrap_or(at), end);
            found.push((span, at, version));
        }
    }
    found
}

/// The version at the beginning of a text in any spelling: `v1beta2`, `V1Beta2`, `v1_beta2`.
fn version_at(text: &str, versions: &[&'static str]) -> Option<(usize, &'static str)> {
    let written = &text[..floor(text, 12)];
    versions.iter().find_map(|version| {
        let mut wanted = version.bytes();
        let mut next = wanted.next();
        let mut length = 0;
        for byte in written.bytes() {
            match next {
                Some(letter) if byte.eq_ignore_ascii_case(&letter) => next = wanted.next(),
                Some(_) if byte == b'_' && length > 1 => {}
                Some(_) => return None,
                None => break,
            }
            length += 1;
        }
        let rest = &text[length..];
        let ends = !rest
            .starts_with(|next: char| next.is_ascii_lowercase() || next.is_ascii_digit())
            || kind_after(rest).is_some();
        (next.is_none() && ends).then_some((length, *version))
    })
}

/// The start of the word before a version that names the group.
fn group_before(before: &str) -> Option<usize> {
    let word = word_before(before)?;
    let is_group = GROUP_WORDS.iter().any(|name| word.plain.ends_with(name));
    (is_group && word.joins_after_group()).then_some(word.start)
}

/// The start of the word before a version that names a kind: `KubeFlowSchemaV1Beta2`.
fn kind_before(before: &str) -> Option<usize> {
    let word = word_before(before)?;
    let is_kind = KIND_ENDINGS.iter().any(|name| word.plain.ends_with(name));
    (is_kind && word.gap.is_empty()).then_some(word.start)
}

/// The end of the word after a version that names a kind.
fn kind_after(after: &str) -> Option<usize> {
    let limit = floor(after, MAX_GAP);
    let gap = after[..limit].find(|next: char| next.is_ascii_alphanumeric())?;
    if !joins(&after[..gap]) {
        return None;
    }
    let rest = &after[gap..];
    let near = &rest[..floor(rest, MAX_WORD)];
    let word = leading(near, is_word);
    let plain = plain(word);
    let is_kind = KIND_WORDS.iter().any(|name| plain.starts_with(name));
    is_kind.then_some(gap + word.len())
}

/// The word before a version, and the marks between them.
struct Word<'a> {
    start: usize,
    /// The word in lower case, without underscores.
    plain: String,
    gap: &'a str,
}

impl Word<'_> {
    /// Whether the marks between a group and a version join them to one name.
    fn joins_after_group(&self) -> bool {
        match self.plain.contains('.') {
            // A path with a slash is a mention of the group, which other rules handle.
            true => matches!(self.gap, "@" | "." | "_" | "/v" | "::"),
            false => joins(self.gap) || matches!(self.gap, "/" | "@" | "-" | "[\"" | "['"),
        }
    }
}

fn word_before(before: &str) -> Option<Word<'_>> {
    let limit = ceil(before, before.len().saturating_sub(MAX_GAP));
    let end = limit + before[limit..].rfind(|last: char| last.is_ascii_alphanumeric())? + 1;
    let first = ceil(before, end.saturating_sub(MAX_WORD));
    let word = before[first..end].trim_end_matches(is_word);
    let start = first + word.len();
    let mut word = plain(&before[start..end]);
    let group = "flowcontrol.apiserver.k8s.io";
    if before[..end].ends_with(group) {
        word = group.to_owned();
    }
    Some(Word {
        start,
        plain: word,
        gap: before[end..].trim_start_matches('_'),
    })
}

/// Whether marks join two words to one name: `.`, `::`, `->`, `().`, perhaps at a line break.
fn joins(gap: &str) -> bool {
    let marks: String = gap.chars().filter(|mark| !mark.is_whitespace()).collect();
    let has_blank = marks.len() < gap.len();
    match marks.as_str() {
        "" | "_" | "." | "\\" => !has_blank || marks == ".",
        "::" | "->" | "()." | "()->" | "?." | "!." => true,
        _ => false,
    }
}

fn plain(word: &str) -> String {
    let letters = word.chars().filter(|letter| *letter != '_');
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
