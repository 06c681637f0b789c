//! Rust names that typify does not make: modules, enum variants, constants; and corrections of the few
//! names of typify's that are hard to read.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use schemars::schema::{InstanceType, SchemaObject, StringValidation};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Whether a text of words between blanks has a word.
pub(crate) fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// A module's name. Rust does not look for the file of a module whose name has letters beyond ASCII.
pub(crate) fn module(text: &str) -> String {
    let name = spelled(text, |c| c.is_ascii() || !c.is_alphanumeric());
    identifier(name.to_snake_case(), "document")
}

/// The name that typify gives to the type of a schema of this name.
pub(crate) fn type_name(text: &str) -> String {
    // typify names a string only if it has limits.
    let limited = StringValidation {
        max_length: Some(1),
        ..StringValidation::default()
    };
    let string = SchemaObject {
        instance_type: Some(InstanceType::String.into()),
        string: Some(Box::new(limited)),
        ..SchemaObject::default()
    };
    let mut space = typify::TypeSpace::default();
    space
        .add_type_with_name(&string.into(), Some(letters(text).into_owned()))
        .and_then(|id| Ok(space.get_type(&id)?.name()))
        // Unreachable: a string with limits always becomes a type.
        .unwrap_or_default()
}

/// The name that stays the same when typify reads it again, as it does not `AB`: it becomes `Ab`.
pub(crate) fn stable_type_name(text: &str) -> String {
    let mut name = type_name(text);
    // Twice is enough for every name that is known.
    for _ in 0..4 {
        let next = type_name(&name);
        if next == name {
            break;
        }
        name = next;
    }
    name
}

/// The name of the runtime schema of a type.
pub(crate) fn constant(ident: &str) -> String {
    ident.to_shouty_snake_case()
}

/// Respells a field's name for typify, which splits the plural of an abbreviation: `nonResourceURLs`
/// becomes `nonResourceUrls`.
pub(crate) fn plain_plurals(name: &str) -> String {
    let name = &*letters(name);
    let chars: Vec<char> = split_version(name).chars().collect();
    let mut out = String::with_capacity(name.len());
    let mut start = 0;
    for (index, &c) in chars.iter().enumerate() {
        if !c.is_ascii_uppercase() {
            start = index + 1;
        }
        let plural = chars.get(index + 1) == Some(&'s')
            && chars
                .get(index + 2)
                .is_none_or(|next| next.is_ascii_uppercase());
        if c.is_ascii_uppercase() && index > start && plural {
            // All letters of the abbreviation except the first.
            out.truncate(out.len() - (index - start - 1));
            out.extend(
                chars[start + 1..=index]
                    .iter()
                    .map(char::to_ascii_lowercase),
            );
        } else {
            out.push(c);
        }
    }
    out
}

pub(crate) fn singular(word: &str) -> String {
    const WHOLE: [&str; 7] = ["ss", "us", "is", "dns", "tls", "sls", "kubernetes"];
    let end = |suffix: &str| word.strip_suffix(suffix).filter(|stem| stem.len() > 1);
    if word.len() < 4 || WHOLE.iter().any(|whole| word.ends_with(whole)) {
        return word.to_owned();
    }
    if let Some(stem) = end("ies") {
        return format!("{stem}y");
    }
    for hissing in ["sses", "xes", "ches", "shes", "zes", "iases", "tuses"] {
        if word.ends_with(hissing) {
            return word[..word.len() - 2].to_owned();
        }
    }
    end("s").unwrap_or(word).to_owned()
}

/// Separates an abbreviation from the version that follows: `openAPIV3Schema` becomes `openApiV3Schema`.
fn split_version(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (index, c) in name.char_indices() {
        let mut rest = name[index..].chars().skip(1);
        let number = rest.next().is_some_and(|c| c.is_ascii_digit());
        let abbreviation = out.len() - out.trim_end_matches(|c: char| c.is_ascii_uppercase()).len();
        if c == 'V' && number && abbreviation > 1 {
            let lower = out
                .split_off(out.len() - abbreviation + 1)
                .to_ascii_lowercase();
            out.push_str(&lower);
        }
        out.push(c);
    }
    out
}

/// A different Rust name for each field of a struct, from the names on the wire and typify's. Where several become one,
/// the field that is spelled so on the wire has the plain name, and the others get numbers.
pub(crate) fn fields(wire: &[&str], typify: &[&str]) -> Vec<String> {
    let is_plain = |index: &usize| {
        let (wire, rust) = (wire[*index], typify[*index]);
        rust.strip_suffix('_').unwrap_or(rust) == wire.trim_end_matches('_')
    };
    let (plain, others): (Vec<usize>, Vec<usize>) = (0..wire.len()).partition(is_plain);
    let mut taken: HashSet<String> = HashSet::new();
    let given: HashSet<&str> = typify.iter().copied().collect();
    // The number with which the search of the next free name begins.
    let mut next: HashMap<&str, u32> = HashMap::new();
    let mut names = vec![String::new(); wire.len()];
    for index in plain.into_iter().chain(others) {
        let word = typify[index];
        let base = word.trim_end_matches('_');
        let next = next.entry(base).or_insert(2);
        let numbered = std::iter::from_fn(|| {
            *next += 1;
            Some(format!("{base}_{}", *next - 1))
        });
        // A number must not take the name that another field has from typify.
        let own = field(word);
        let name = std::iter::once(own.clone())
            .chain(numbered)
            .find(|name| !taken.contains(name) && (*name == own || !given.contains(&**name)));
        // Numbers do not run out.
        let name = name.unwrap_or_default();
        taken.insert(name.clone());
        names[index] = name;
    }
    names
}

/// A field's Rust name from typify's: keywords become raw identifiers, and `unknown` stays free for the
/// generator's own field.
fn field(typify: &str) -> String {
    match typify.strip_suffix('_') {
        Some(word)
            if is_keyword(word) && !["self", "super", "crate", "Self", ""].contains(&word) =>
        {
            format!("r#{word}")
        }
        _ if typify == "unknown" => "unknown_".to_owned(),
        _ => typify.to_owned(),
    }
}

/// A different variant name for each value of the enum `ident`.
pub(crate) fn variants(ident: &str, values: &[String]) -> Vec<String> {
    let short: Vec<String> = values
        .iter()
        .map(|value| variant(ident, value, false))
        .collect();
    let is_unique =
        |names: &[String], name: &String| names.iter().filter(|n| *n == name).count() == 1;
    let mut names: Vec<String> = values
        .iter()
        .zip(&short)
        .map(|(value, name)| {
            if is_unique(&short, name) {
                name.clone()
            } else {
                variant(ident, value, true)
            }
        })
        .collect();
    // `debug` and `DEBUG` become one name: numbers for all but the value that is spelled so, or else the first.
    for index in 0..names.len() {
        let has_name = |&other: &usize| names[other] == names[index];
        let same: Vec<usize> = (0..names.len()).filter(has_name).collect();
        let plain = same.iter().find(|&&other| values[other] == names[other]);
        if plain.or(same.first()) != Some(&index) {
            let numbered = (2..).map(|number| format!("{}{number}", names[index]));
            if let Some(name) = numbered.into_iter().find(|name| !names.contains(name)) {
                names[index] = name;
            }
        }
    }
    names
}

/// The variant's name for a value; `spell` writes its punctuation out.
fn variant(ident: &str, value: &str, spell: bool) -> String {
    match value {
        "" => return "Empty".to_owned(),
        "*" => return "All".to_owned(),
        _ => {}
    }
    let value = &*letters(value);
    let mut name = value.to_upper_camel_case();
    if spell || name.is_empty() {
        let spelled: String = value
            .chars()
            .map(|c| spelling(c).unwrap_or_else(|| c.to_string()))
            .collect();
        name = spelled.to_upper_camel_case();
    }
    let name = identifier(name, "Value");
    match name.as_str() {
        // The runtime's variant for unknown values has this name.
        "Unknown" => {
            let words = ident.to_snake_case();
            let last = words
                .rsplit('_')
                .next()
                .unwrap_or("value")
                .to_upper_camel_case();
            format!("Unknown{last}")
        }
        "Self_" => "SelfValue".to_owned(),
        _ => name,
    }
}

fn spelling(c: char) -> Option<String> {
    let word = match c {
        '-' => " Dash ",
        '+' => " Plus ",
        '.' => " Dot ",
        '/' => " Slash ",
        '_' => " Underscore ",
        ':' => " Colon ",
        '*' => " Star ",
        '=' => " Equal ",
        '<' => " Less ",
        '>' => " Greater ",
        '!' => " Not ",
        ' ' => " Space ",
        c if c.is_alphanumeric() => return None,
        c => return Some(format!(" U{:04x} ", u32::from(c))),
    };
    Some(word.to_owned())
}

/// Spells out the letters that Rust warns about in identifiers: letters that look like others, and letters that are not
/// normalized. ASCII stays, and so do the letters of Western European languages.
fn letters(text: &str) -> Cow<'_, str> {
    // `æ` looks like `ae`.
    let stays = |c: char| {
        c.is_ascii()
            || !c.is_alphanumeric()
            || matches!(c, '\u{c0}'..='\u{ff}') && !matches!(c, 'æ' | 'Æ')
    };
    spelled(text, stays)
}

/// Writes the number of each letter that does not stay.
fn spelled(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&stays) {
        return Cow::Borrowed(text);
    }
    let spelled = text.chars().map(|c| match stays(c) {
        true => c.to_string(),
        false => format!(" u{:04x} ", u32::from(c)),
    });
    Cow::Owned(spelled.collect())
}

/// Makes a Rust identifier of a word in the right case.
fn identifier(word: String, empty: &str) -> String {
    let word: String = word
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let word = match word.chars().next() {
        None => empty.to_owned(),
        Some(c) if c.is_alphabetic() || c == '_' => word,
        Some(_) if empty.starts_with(char::is_uppercase) => format!("{empty}{word}"),
        Some(_) => format!("{empty}_{word}"),
    };
    match syn::parse_str::<syn::Ident>(&word) {
        Ok(_) => word,
        Err(_) if is_keyword(&word) => format!("{word}_"),
        Err(_) => empty.to_owned(),
    }
}

fn is_keyword(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphabetic())
        && (syn::parse_str::<syn::Ident>(word).is_err() || word == "gen")
}
