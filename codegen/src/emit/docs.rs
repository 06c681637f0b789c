//! From a document's descriptions to rustdoc that renders without warnings.

mod markdown;

use crate::plan::{Item, ListAlias, Origin, Place, PlannedField, Struct};
use proc_macro2::TokenStream;
use quote::quote;

/// Attributes that make up a documentation comment.
pub(super) fn lines(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|l| {
        if l.is_empty() {
            String::new()
        } else {
            format!(" {l}")
        }
    });
    quote!(#(#[doc = #lines])*)
}

pub(super) fn of_type(item: &Item) -> Vec<String> {
    if !item.description.trim().is_empty() {
        return markdown::render(&item.description);
    }
    match &item.origin {
        Origin::Schema(key) if is_quotable(&key.to_string()) => {
            vec![format!("`{key}`, which the document does not describe.")]
        }
        Origin::Schema(_) => vec!["A schema that the document does not describe.".to_owned()],
        Origin::Inline(places) => vec![format!("The value of {}.", field_names(places))],
    }
}

/// The type's description, and the names of the fields that are not fields of the Rust struct.
pub(super) fn of_struct(item: &Item, body: &Struct) -> Vec<String> {
    let mut lines = of_type(item);
    let kept: Vec<String> = body
        .fields
        .iter()
        .filter(|field| field.is_kept_unknown)
        .map(|field| match is_quotable(&field.name) {
            true => format!("`{}`", field.name),
            false => "another one".to_owned(),
        })
        .collect();
    if !kept.is_empty() {
        lines.push(String::new());
        lines.extend(markdown::render(&format!(
            "`unknown` also holds fields of the document: {}.",
            kept.join(", ")
        )));
    }
    lines
}

/// An enum without its own name has the description of its field, and so begins with that field's name.
pub(super) fn of_enum(item: &Item, owner: Option<&str>) -> Vec<String> {
    let Origin::Inline(places) = &item.origin else {
        return of_type(item);
    };
    let of = format!("The values of {}", field_names(places));
    let mut lines = match owner {
        Some(owner) => vec![format!("{of} in {}.", link(owner))],
        None => markdown::render(&format!("{of}.")),
    };
    if !item.description.trim().is_empty() {
        lines.push(String::new());
        lines.extend(markdown::render(&item.description));
    }
    lines
}

/// The field's description, and its default, bounds and allowed values.
pub(super) fn of_field(field: &PlannedField, owner: &str) -> Vec<String> {
    let mut lines = if !field.description.trim().is_empty() {
        markdown::render(&field.description)
    } else if is_quotable(&field.name) {
        vec![format!("The field `{}` of `{owner}`.", field.name)]
    } else {
        vec![format!("A field of `{owner}`.")]
    };
    if !field.limits.is_empty() {
        lines.push(String::new());
        lines.extend(markdown::render(&field.limits));
    }
    lines
}

pub(super) fn of_list(list: &ListAlias, item: &str) -> Vec<String> {
    if list.description.trim().is_empty() {
        return vec![format!("A list of {}.", link(item))];
    }
    markdown::render(&list.description)
}

/// The description of a value, which Kubernetes lists under `Possible enum values:` in the description of the enum, or
/// else the value itself.
pub(super) fn of_value(item: &Item, value: &str) -> Vec<String> {
    let described = item.description.lines().find_map(|line| {
        let line = line.trim().strip_prefix("- ")?.strip_prefix('`')?;
        let line = line.strip_prefix('"').unwrap_or(line).strip_prefix(value)?;
        let text = line
            .strip_prefix("\"`")
            .or_else(|| line.strip_prefix('`'))?
            .trim();
        (!text.is_empty()).then(|| format!("`{value}` {text}"))
    });
    match described {
        Some(text) => markdown::render(&text),
        None if value.is_empty() => vec!["The empty value.".to_owned()],
        None if !is_quotable(value) => vec!["A value of this set.".to_owned()],
        None => vec![format!("The value `{value}`.")],
    }
}

/// A link to a struct, marked as such where a derive macro of the prelude has the same name.
fn link(ident: &str) -> String {
    const DERIVES: [&str; 9] = [
        "Clone",
        "Copy",
        "Debug",
        "Default",
        "Eq",
        "Hash",
        "Ord",
        "PartialEq",
        "PartialOrd",
    ];
    match DERIVES.contains(&ident) {
        true => format!("[`{ident}`](struct@{ident})"),
        false => format!("[`{ident}`]"),
    }
}

/// The names of the fields that have an inline schema.
fn field_names(places: &[Place]) -> String {
    let mut names: Vec<&str> = places.iter().map(Place::field).collect();
    names.sort_unstable();
    names.dedup();
    if names.iter().any(|name| !is_quotable(name)) {
        return "a field".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "a field".to_owned(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// Text that stays on the line of its comment.
pub(super) fn on_one_line(text: &str) -> String {
    text.replace(markdown::is_hidden, " ")
}

/// Whether text can stand between backticks on one line.
fn is_quotable(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c == '`' || markdown::is_hidden(c))
}
