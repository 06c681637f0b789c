//! Mentions of old versions and fields anywhere in a text.

use crate::cut::leading_word;
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::convert::{PRESERVE_ZERO_ANNOTATION, shares_name};
use k8s_flowcontrol_types::{ApiVersion, GROUP};

/// The two names of the field with the shares, which v1beta3 renamed, the older one first.
pub(in crate::migrate) const SHARES: [&str; 2] =
    ["assuredConcurrencyShares", "nominalConcurrencyShares"];

/// The name that the field has in other versions only.
pub(in crate::migrate) fn other_shares_of(version: ApiVersion) -> &'static str {
    match shares_name(version) == SHARES[0] {
        true => SHARES[1],
        false => SHARES[0],
    }
}

/// The mentioned version or field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mentioned {
    /// A version, such as `v1beta2`.
    Version(String),
    /// A field that the target version does not have.
    Field(&'static str),
    /// The annotation that keeps zero shares.
    Annotation,
}

/// A mention of a version or field that the target version does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mention {
    /// The place of the version or the name.
    pub span: Span,
    /// The mentioned version or field.
    pub what: Mentioned,
}

impl Mention {
    /// Whether the mention is within a place. The places are sorted.
    pub(in crate::migrate) fn is_within(&self, places: &[Span]) -> bool {
        let end = places.partition_point(|place| place.start <= self.span.start);
        places[..end]
            .iter()
            .rev()
            .take(3)
            .any(|place| self.span.end <= place.end)
    }

    /// The mention as text.
    pub fn describe(&self) -> String {
        match &self.what {
            Mentioned::Version(version) => format!("{GROUP}/{version}"),
            Mentioned::Field(name) => (*name).to_owned(),
            Mentioned::Annotation => PRESERVE_ZERO_ANNOTATION.to_owned(),
        }
    }
}

/// Whether a text may mention the group or its fields. This is much faster than [`mentions`].
pub fn may_mention(text: &[u8]) -> bool {
    let finders = [
        GROUP,
        "FlowSchema",
        "PriorityLevelConfiguration",
        // Client libraries.
        "/flowcontrol/",
        "FlowcontrolV1",
        "FlowcontrolApiserverV1",
        "flowcontrol_apiserver_",
        "flowcontrol::v1",
        "flowControl().v1",
        "flowcontrol.v1",
        "flowcontrol_v1",
        "ssuredConcurrencyShares",
        "assured_concurrency_shares",
        "ominalConcurrencyShares",
        "nominal_concurrency_shares",
        "Flowcontrol().V1",
        "Flowcontrol::V1",
        "FlowControl.V1",
        "PolicyRulesWithSubjects",
    ];
    finders
        .iter()
        .any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
        || may_assign(text)
}

/// Whether a text has an old version, and a name of flow control in any spelling: `flowcontrol_version = "v1beta2"`.
fn may_assign(text: &[u8]) -> bool {
    let has = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
    if !["v1beta", "v1alpha1", "V1beta", "V1Beta"]
        .iter()
        .any(|version| has(version))
    {
        return false;
    }
    let plain: Vec<u8> = text
        .iter()
        .filter(|byte| !matches!(byte, b'_' | b'-'))
        .map(u8::to_ascii_lowercase)
        .collect();
    ["flowcontrol", "flowschema", "prioritylevel", "apf"]
        .iter()
        .any(|word| memchr::memmem::find(&plain, word.as_bytes()).is_some())
}

/// The mentions of versions and fields that the version `to` does not have, in the order of the text, which need not be a
/// manifest.
pub fn mentions(text: &str, to: ApiVersion) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for (at, _) in text.match_indices(GROUP) {
        let end = at + GROUP.len();
        mentions.extend(version_behind(text, end).or_else(|| version_before(text, at)));
    }
    let old = other_shares_of(to);
    let all = |word: &'static str, what: Mentioned| {
        text.match_indices(word)
            .filter(|(at, _)| is_word(text, *at, at + word.len()))
            .map(move |(at, _)| Mention {
                span: Span::new(at, at + word.len()),
                what: what.clone(),
            })
    };
    mentions.extend(all(old, Mentioned::Field(old)));
    if to != ApiVersion::V1Beta3 {
        mentions.extend(all(PRESERVE_ZERO_ANNOTATION, Mentioned::Annotation));
    }
    mentions.retain(|mention| mention.what != Mentioned::Version(to.as_str().into()));
    mentions.sort_by_key(|mention| mention.span.start);
    mentions
}

/// `flowcontrol.apiserver.k8s.io/v1beta2`, in JSON perhaps with `\/`, or `flowcontrol.apiserver.k8s.io/FlowSchema@v1beta2` of
/// Bicep.
fn version_behind(text: &str, end: usize) -> Option<Mention> {
    let rest = &text[end..];
    let slash = if rest.starts_with("\\/") { 2 } else { 1 };
    let word = rest.get(slash..).filter(|_| rest[..slash].ends_with('/'))?;
    let length = leading_word(word).len();
    let start = end + slash;
    if let Some(version) = word[length..].strip_prefix('@') {
        let start = start + length + 1;
        return version_at(text, start, start + leading_word(version).len());
    }
    version_at(text, start, start + length)
}

/// `flowschemas.v1beta2.flowcontrol.apiserver.k8s.io`, as kubectl takes it.
fn version_before(text: &str, at: usize) -> Option<Mention> {
    let before = text[..at].strip_suffix('.')?;
    let start = before.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric());
    version_at(text, start.len(), before.len())
}

fn version_at(text: &str, start: usize, end: usize) -> Option<Mention> {
    let word = text.get(start..end)?;
    let is_version = word
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_digit()));
    is_version.then(|| Mention {
        span: Span::new(start, end),
        what: Mentioned::Version(word.into()),
    })
}

/// Whether a version is at a place of a text, and not the beginning of a longer word such as `v1beta1`.
pub(in crate::migrate) fn version_is_at(text: &str, start: usize, version: ApiVersion) -> bool {
    let rest = text
        .get(start..)
        .and_then(|rest| rest.strip_prefix(version.as_str()));
    rest.is_some_and(|rest| !rest.starts_with(|character: char| character.is_ascii_alphanumeric()))
}

fn is_word(text: &str, start: usize, end: usize) -> bool {
    let is_letter = |character: char| character.is_alphanumeric() || character == '_';
    !text[..start].ends_with(is_letter) && !text[end..].starts_with(is_letter)
}
