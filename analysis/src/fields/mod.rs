//! The fields of files that people write, with their positions: intents and loads.

mod problem;

pub(crate) use problem::Problems;
pub use problem::{InvalidFile, Problem};

use crate::evidence::go_duration;
use k8s_flowcontrol_text::{Content, Fields, Node};
use std::str::FromStr;
use std::time::Duration;

/// A mapping of a file.
#[derive(Clone)]
pub(crate) struct Mapping<'t> {
    pub(crate) path: String,
    /// The byte offset of the mapping.
    pub(crate) offset: usize,
    fields: Fields<'t>,
}

impl<'t> Mapping<'t> {
    /// The mapping of a value, whose fields all must be `known`.
    pub(crate) fn read(
        node: Node<'t>,
        path: &str,
        known: &[&str],
        problems: &mut Problems<'_>,
    ) -> Option<Self> {
        let offset = node.span().start;
        let Content::Object(fields) = node.content() else {
            let expected = format!("expected a mapping of {}, not {}", list(known), kind(node));
            problems.add(offset, path, expected);
            return None;
        };
        // Another kind of file, such as an audit log.
        let is_other = |field: &str| near(field, known).is_none();
        if fields.iter().count() > 1 && fields.iter().all(|field| is_other(field.name)) {
            let names: Vec<_> = fields.iter().map(|field| field.name).take(3).collect();
            let expected = format!("expected the fields {}, not {}", list(known), list(&names));
            problems.add(offset, path, expected);
            return None;
        }
        for field in fields.iter() {
            if !known.contains(&field.name) {
                let near = nearest(field.name, known);
                let text = format!("unknown field {:?}; {near}", field.name);
                problems.add(field.name_span.start, path, text);
            }
        }
        let path = path.to_owned();
        Some(Self {
            path,
            offset,
            fields,
        })
    }

    /// The path of a field.
    pub(crate) fn path_of(&self, name: &str) -> String {
        match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        }
    }

    /// The value of a field; none if it is absent or null.
    pub(crate) fn get(&self, name: &str) -> Option<Node<'t>> {
        let node = self.fields.get(name)?;
        (!matches!(node.content(), Content::Null)).then_some(node)
    }

    /// Names of fields with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'t str, Node<'t>)> {
        self.fields.iter().map(|field| (field.name, field.value))
    }

    /// Reads a field with a function that returns a message if the value is wrong.
    pub(crate) fn read_with<T>(
        &self,
        name: &str,
        problems: &mut Problems<'_>,
        read: impl FnOnce(Node<'t>) -> Result<T, String>,
    ) -> Option<T> {
        let node = self.get(name)?;
        read(node)
            .map_err(|message| problems.add(node.span().start, &self.path_of(name), message))
            .ok()
    }

    pub(crate) fn text(&self, name: &str, problems: &mut Problems<'_>) -> Option<String> {
        self.read_with(name, problems, text)
    }

    /// A whole number within a range.
    pub(crate) fn whole(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<u32>,
        problems: &mut Problems<'_>,
    ) -> Option<u32> {
        self.read_with(name, problems, |node| whole(node, &range))
    }

    /// A whole number of any size.
    pub(crate) fn whole_64(&self, name: &str, problems: &mut Problems<'_>) -> Option<u64> {
        self.read_with(name, problems, |node| {
            parsed(node).ok_or_else(|| format!("expected a whole number, not {}", shown(node)))
        })
    }

    /// A number above `above` and at most `most`.
    pub(crate) fn number(
        &self,
        name: &str,
        (above, most): (f64, f64),
        problems: &mut Problems<'_>,
    ) -> Option<f64> {
        self.read_with(name, problems, |node| {
            let found = number(node);
            found
                .filter(|number| *number > above && *number <= most)
                .ok_or_else(|| {
                    let found = shown(node);
                    format!("expected a number above {above} and at most {most}, not {found}")
                })
        })
    }

    pub(crate) fn time(&self, name: &str, problems: &mut Problems<'_>) -> Option<Duration> {
        self.read_with(name, problems, time)
    }

    pub(crate) fn flag(&self, name: &str, problems: &mut Problems<'_>) -> Option<bool> {
        self.read_with(name, problems, |node| match node.content() {
            Content::Bool(flag) => Ok(flag),
            _ => Err(format!("expected true or false, not {}", shown(node))),
        })
    }
}

pub(crate) fn text(node: Node<'_>) -> Result<String, String> {
    match node.as_str() {
        Some("") => Err("expected a text that is not empty".into()),
        Some(text) => Ok(text.to_owned()),
        None => Err(format!("expected a text, not {}", shown(node))),
    }
}

pub(crate) fn time(node: Node<'_>) -> Result<Duration, String> {
    let expected = || format!("{} is not a time such as 250ms, 1.5s or 2m", shown(node));
    let text = node.as_str().ok_or_else(expected)?;
    go_duration(text).ok_or_else(expected)
}

pub(crate) fn number(node: Node<'_>) -> Option<f64> {
    parsed(node).filter(|number: &f64| number.is_finite())
}

fn parsed<T: FromStr>(node: Node<'_>) -> Option<T> {
    match node.content() {
        Content::Number(text) => text.parse().ok(),
        _ => None,
    }
}

fn whole(node: Node<'_>, range: &std::ops::RangeInclusive<u32>) -> Result<u32, String> {
    parsed(node)
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            format!(
                "expected a whole number from {least} to {most}, not {}",
                shown(node)
            )
        })
}

/// A value in a message.
pub(crate) fn shown(node: Node<'_>) -> String {
    match node.content() {
        Content::Number(text) => text.to_owned(),
        Content::String(text) => format!("{text:?}"),
        Content::Bool(flag) => flag.to_string(),
        _ => kind(node).to_owned(),
    }
}

fn kind(node: Node<'_>) -> &'static str {
    match node.content() {
        Content::Null => "nothing",
        Content::Bool(_) => "a boolean",
        Content::Number(_) => "a number",
        Content::String(_) => "a text",
        Content::Array(_) => "a list",
        Content::Object(_) => "a mapping",
    }
}

/// The most similar known name, if one is similar.
fn near<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let similarity = |known: &str| strsim::jaro_winkler(name, known);
    let known = known.iter().copied();
    known
        .max_by(|left, right| similarity(left).total_cmp(&similarity(right)))
        .filter(|known| similarity(known) > 0.8)
}

fn nearest(name: &str, known: &[&str]) -> String {
    match near(name, known) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("known are {}", list(known)),
    }
}

fn list(names: &[&str]) -> String {
    names.join(", ")
}
