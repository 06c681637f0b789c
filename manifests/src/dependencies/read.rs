//! Finding the libraries of the table in a file with dependencies.

use crate::cut::leading;

use super::formats::{Format, format};
use super::table::{Ecosystem, LIBRARIES, Library};
use super::toml::{entry, feature, is_table, version_in_table};

/// The number of lines after a name in which its version stands.
const NEAR: usize = 12;

/// A library that a program depends on.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) library: &'static Library,
    /// The version, or the lowest of a range, as in the file.
    pub(crate) version: String,
    /// The byte offset of the version.
    pub(crate) offset: usize,
    /// The number of its line, from 1.
    pub(crate) line: usize,
    /// Whether only another dependency needs the library.
    pub(crate) is_indirect: bool,
    /// Whether the version is in use, and not only allowed.
    pub(crate) is_locked: bool,
    /// The feature that selects a Kubernetes release, and its byte offset: `v1_28`.
    pub(crate) feature: Option<(u32, usize)>,
}

/// The libraries of the table in a file, by the name of the file. A file with another name has none.
pub(crate) fn dependencies(text: &str, name: &str) -> Vec<Dependency> {
    let Some((ecosystem, format, is_locked)) = format(name) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for library in LIBRARIES.iter().filter(|row| row.ecosystem == ecosystem) {
        let name = short_name(library);
        if !contains(text, name, ecosystem) {
            continue;
        }
        let mut versions = Vec::new();
        for (start, line) in lines(text) {
            let version = at_line(text, start, line, library, format);
            // A replacement in go.mod is the version in use, or a folder.
            if format == Format::GoMod && is_replaced(line, library.name) {
                versions.clear();
            }
            let has_feature = format == Format::Toml && library.has_features();
            versions.extend(version.map(|at| {
                let feature = has_feature.then(|| feature(text, start)).flatten();
                (at, line, feature)
            }));
        }
        let same = |((start, end), _, feature): &((usize, usize), _, Option<(u32, _)>)| {
            (&text[*start..*end], feature.map(|(minor, _)| minor))
        };
        versions.dedup_by(|right, left| same(right) == same(left));
        for ((start, end), line, feature) in versions {
            found.push(Dependency {
                library,
                version: text[start..end].to_owned(),
                offset: start,
                line: text[..start].matches('\n').count() + 1,
                is_indirect: line.contains("// indirect"),
                is_locked,
                feature,
            });
        }
    }
    found
}

/// Whether a line of go.mod replaces a library.
fn is_replaced(line: &str, name: &str) -> bool {
    let line = line.trim();
    let mut words = line
        .strip_prefix("replace ")
        .unwrap_or(line)
        .split_whitespace();
    words.next() == Some(name) && words.any(|word| word == "=>")
}

/// The last part of the name, which files write alone: the artifact of Maven.
fn short_name(library: &Library) -> &'static str {
    match library.ecosystem {
        Ecosystem::Java => library.name.rsplit(':').next().unwrap_or(library.name),
        _ => library.name,
    }
}

fn contains(text: &str, name: &str, ecosystem: Ecosystem) -> bool {
    match ecosystem {
        // Names of PyPI and NuGet do not have a case, and `_` and `-` are one letter.
        Ecosystem::Python | Ecosystem::DotNet => {
            let text = normal(text);
            text.contains(&normal(name))
        }
        _ => text.contains(name),
    }
}

pub(super) fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}

/// The lines of a text with their offsets.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = start;
        start += line.len();
        (begin, line.trim_end_matches(['\r', '\n']))
    })
}

/// The place of the version of a library that a line declares.
fn at_line(
    text: &str,
    start: usize,
    line: &str,
    library: &Library,
    format: Format,
) -> Option<(usize, usize)> {
    let name = library.name;
    let place = |word: &str| {
        // The word is a part of the line.
        let at = start + (word.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
        (!word.is_empty()).then_some((at, at + word.len()))
    };
    let trimmed = line.trim();
    match format {
        Format::GoMod => {
            let rest = trimmed.strip_prefix("require ").unwrap_or(trimmed);
            let rest = rest.strip_prefix("replace ").unwrap_or(rest);
            let mut words = rest.split_whitespace();
            if words.next() != Some(name) {
                return None;
            }
            let version = words.rfind(|word| is_version(word))?;
            place(version)
        }
        Format::TomlLock => {
            let value = trimmed
                .strip_prefix("name")?
                .trim_start()
                .strip_prefix('=')?;
            if normal(unquoted(value)) != normal(name) {
                return None;
            }
            let (next, line) = lines(&text[start..]).nth(1)?;
            let value = line
                .trim()
                .strip_prefix("version")?
                .trim_start()
                .strip_prefix('=')?;
            within(start + next, line, unquoted(value))
        }
        Format::Toml => match is_table(trimmed, name) {
            true => version_in_table(text, start),
            false => entry(trimmed, name).and_then(place),
        },
        Format::JsonLock => {
            let key = trimmed.strip_prefix('"')?;
            let (key, rest) = key.split_once('"')?;
            let key = key
                .rsplit_once("node_modules/")
                .map_or(key, |(_, name)| name);
            let is_object = rest.trim_start().starts_with(':') && rest.trim_end().ends_with('{');
            if !is_object || normal(key) != normal(name) {
                return None;
            }
            lines(&text[start..])
                .skip(1)
                .take(NEAR)
                .find_map(|(next, line)| {
                    let field = line.trim().strip_prefix('"')?;
                    let (field, value) = field.split_once("\":")?;
                    let value = unquoted(value.trim_end_matches(','));
                    let is_field = matches!(field, "version" | "resolved") && is_version(value);
                    is_field
                        .then(|| within(start + next, line, value))
                        .flatten()
                })
        }
        Format::PackageJson => {
            let (key, value) = trimmed.strip_prefix('"')?.split_once("\":")?;
            let value = unquoted(value.trim_end_matches(','));
            (key == name && is_version(value)).then(|| place(value))?
        }
        Format::Yarn => {
            let key = line.trim_start_matches('"').strip_prefix(name)?;
            if !key.starts_with('@') || !line.ends_with(':') {
                return None;
            }
            lines(&text[start..])
                .skip(1)
                .take(2)
                .find_map(|(next, line)| {
                    let value = line.trim().strip_prefix("version")?;
                    let value = unquoted(value.trim_start_matches(':'));
                    within(start + next, line, value)
                })
        }
        Format::Pnpm => {
            let key = trimmed
                .trim_start_matches(['\'', '"', '/'])
                .strip_prefix(name)?;
            let version = key.strip_prefix(['@', '/'])?;
            let end = version.find([':', '(', '\'', '"', '_'])?;
            is_version(&version[..end]).then(|| place(&version[..end]))?
        }
        Format::Requirements => {
            let word = trimmed.trim_start_matches(['"', '\'']);
            requirement(word, name).and_then(place)
        }
        Format::Pom => pom(text, start, trimmed, library),
        Format::Coordinates => coordinates(line, library).and_then(place),
        Format::DotNet => {
            let attribute = |name: &str| {
                let at = line.find(&format!("{name}=\""))? + name.len() + 2;
                line[at..].split('"').next()
            };
            let reference = attribute("Include").or_else(|| attribute("id"))?;
            let version = attribute("Version").or_else(|| attribute("version"))?;
            (normal(reference) == normal(name) && is_version(version)).then(|| place(version))?
        }
        Format::Cdk8s => {
            let value = unquoted(trimmed.strip_prefix('-')?);
            place(value.strip_prefix("k8s@")?)
        }
    }
}

/// The version of `name==1.0`, `name[extra]>=1.0,<2` or `name ~= 1.0`.
pub(super) fn requirement<'a>(word: &'a str, name: &str) -> Option<&'a str> {
    let rest = word.get(name.len()..)?;
    if normal(&word[..name.len()]) != normal(name) {
        return None;
    }
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1,
        None => rest,
    };
    let rest = rest.trim_start();
    let version = ["==", ">=", "~="]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))?;
    let version = version.trim_start_matches('=').trim_start();
    let version = leading(version, |mark| mark.is_ascii_alphanumeric() || mark == '.');
    is_version(version).then_some(version)
}

/// The version of a dependency in a POM: the artifact, with the group in a line before it, and the version or its property after it.
fn pom(text: &str, start: usize, line: &str, library: &Library) -> Option<(usize, usize)> {
    let (group, artifact) = library.name.split_once(':')?;
    if element(line, "artifactId")? != artifact {
        return None;
    }
    let before = text[..start]
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())?;
    if element(before, "groupId")? != group {
        return None;
    }
    let after = lines(&text[start..]).skip(1).take(NEAR);
    let mut after = after.take_while(|(_, line)| !line.contains("</dependency>"));
    let (next, line, version) = after.find_map(|(next, line)| {
        let version = element(line, "version")?;
        Some((next, line, version))
    })?;
    let Some(property) = version
        .strip_prefix("${")
        .and_then(|name| name.strip_suffix('}'))
    else {
        return is_version(version).then(|| within(start + next, line, version))?;
    };
    lines(text).find_map(|(at, line)| {
        let value = element(line, property)?;
        is_version(value).then(|| within(at, line, value))?
    })
}

/// The text of an XML element that a line has.
fn element<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim().strip_prefix(&format!("<{name}>"))?;
    Some(rest.split('<').next()?.trim())
}

/// The version of `group:artifact:1.0`, of sbt's `"group" % "artifact" % "1.0"`, or of a catalogue's `module = "group:artifact", version = "1.0"`.
fn coordinates<'a>(line: &'a str, library: &Library) -> Option<&'a str> {
    let (group, artifact) = library.name.split_once(':')?;
    let at = line.find(library.name).map(|at| at + library.name.len());
    let rest = match at {
        Some(at) => &line[at..],
        None => {
            let sbt = line.split_once(group)?.1;
            let (between, rest) = sbt.split_once(artifact)?;
            between.contains('%').then_some(rest)?
        }
    };
    // A longer name is another artifact: `kubernetes-client-api`.
    if rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-') {
        return None;
    }
    let from = rest.find(|digit: char| digit.is_ascii_digit())?;
    let is_near = rest[..from].chars().all(|mark| !mark.is_ascii_alphabetic())
        || rest[..from].contains("version");
    let is_part = |mark: char| mark.is_ascii_alphanumeric() || matches!(mark, '.' | '-');
    is_near.then(|| leading(&rest[from..], is_part))
}

/// The place of a word in a line at an offset.
pub(super) fn within(start: usize, line: &str, word: &str) -> Option<(usize, usize)> {
    let at = line.find(word).filter(|_| !word.is_empty())?;
    Some((start + at, start + at + word.len()))
}

pub(super) fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(['"', '\''])
}

/// Whether a word is a version, or a range that begins with one.
pub(super) fn is_version(word: &str) -> bool {
    super::version::compare(word, "0").is_some()
}
