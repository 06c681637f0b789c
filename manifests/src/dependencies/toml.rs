//! Dependencies in TOML: entries and tables of a list of dependencies.

use super::read::{is_version, lines, normal, requirement, unquoted, within};

/// The version of `name = "1.0"`, of `name = { version = "1.0" }`, or of a list with `"name==1.0"`.
pub(super) fn entry<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    if let Some(word) = line.strip_prefix(['"', '\''])
        && let Some(version) = requirement(word, name)
    {
        return Some(version);
    }
    let (key, value) = line.split_once('=')?;
    if normal(unquoted(key)) != normal(name) {
        return None;
    }
    let value = match value.split_once("version") {
        Some((_, rest)) => rest.trim_start().strip_prefix('=')?,
        None => value,
    };
    let value = value.trim_start().strip_prefix(['"', '\''])?;
    let value = &value[..value.find(['"', '\''])?];
    is_version(value).then_some(value)
}

/// Whether a line begins the table of a dependency: `[dependencies.name]`, `[target.'cfg(unix)'.dependencies.name]`.
pub(super) fn is_table(line: &str, name: &str) -> bool {
    let table = line
        .strip_prefix('[')
        .and_then(|table| table.split(']').next());
    let found = table.and_then(|table| table.rsplit_once('.'));
    found.is_some_and(|(above, last)| {
        above.ends_with("dependencies") && normal(unquoted(last)) == normal(name)
    })
}

/// The place of the field `version` in a table of TOML.
pub(super) fn version_in_table(text: &str, start: usize) -> Option<(usize, usize)> {
    let mut fields = lines(&text[start..])
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['));
    fields.find_map(|(next, line)| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().strip_prefix(['"', '\''])?;
        let value = &value[..value.find(['"', '\''])?];
        let is_field = key.trim() == "version" && is_version(value);
        is_field
            .then(|| within(start + next, line, value))
            .flatten()
    })
}

/// The feature that selects a Kubernetes release, such as `v1_28`, in the declaration that begins with a line: an entry, or a table.
pub(super) fn feature(text: &str, start: usize) -> Option<(u32, usize)> {
    let rest = &text[start..];
    let is_table = rest.starts_with('[');
    let mut end = 0;
    let mut open = 0_i32;
    for (begin, line) in lines(rest) {
        if begin > 0 && open <= 0 && (!is_table || line.starts_with('[')) {
            break;
        }
        for mark in line.chars() {
            open += i32::from("[{".contains(mark)) - i32::from("]}".contains(mark));
        }
        end = begin + line.len();
    }
    rest[..end].match_indices("\"v1_").find_map(|(at, mark)| {
        let digits = rest[at + mark.len()..end].split('"').next()?;
        Some((digits.parse().ok()?, start + at + 1))
    })
}
