//! Named formats of strings: `format.dns1123Label().validate(self)`.

use super::url::Url;
use super::{Answer, Overload, STRING_TYPE, argument, overloads, text, value};
use crate::pattern::Pattern;
use crate::schema::Format;
use cel::common::types::{CelList, CelOptional, CelString};
use cel::common::value::{CowVal, Val};

value!(
    /// A format.
    Named(Kind), FORMAT, "kubernetes.NamedFormat"
);

/// A format. A prefix may end with a hyphen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Label { is_prefix: bool },
    Subdomain { is_prefix: bool },
    OldLabel { is_prefix: bool },
    QualifiedName,
    LabelValue,
    Uri,
    Uuid,
    Byte,
    Date,
    DateTime,
}

static LABEL: Pattern = Pattern::new("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
static OLD_LABEL: Pattern = Pattern::new("[a-z]([-a-z0-9]*[a-z0-9])?");
static SUBDOMAIN: Pattern =
    Pattern::new(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
const SUBDOMAIN_WORDS: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start \
                               and end with an alphanumeric character";
static NAME: Pattern = Pattern::new("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
static VALUE: Pattern = Pattern::new("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");

/// The formats by their names, with a function for each, since functions cannot have data.
macro_rules! formats {
    ($($name:literal => $kind:expr,)*) => {
        fn kind(name: &str) -> Option<Kind> {
            match ["format.", name].concat().as_str() {
                $($name => Some($kind),)*
                _ => None,
            }
        }

        pub(super) static NAMED: &[Overload] = overloads! {
            functions: $($name() => |_| Ok(CowVal::owned(Named($kind))),)*
            methods:
        };
    };
}

formats! {
    "format.dns1123Label" => Kind::Label { is_prefix: false },
    "format.dns1123LabelPrefix" => Kind::Label { is_prefix: true },
    "format.dns1123Subdomain" => Kind::Subdomain { is_prefix: false },
    "format.dns1123SubdomainPrefix" => Kind::Subdomain { is_prefix: true },
    "format.dns1035Label" => Kind::OldLabel { is_prefix: false },
    "format.dns1035LabelPrefix" => Kind::OldLabel { is_prefix: true },
    "format.qualifiedName" => Kind::QualifiedName,
    "format.labelValue" => Kind::LabelValue,
    "format.uri" => Kind::Uri,
    "format.uuid" => Kind::Uuid,
    "format.byte" => Kind::Byte,
    "format.date" => Kind::Date,
    "format.datetime" => Kind::DateTime,
}

pub(super) static OVERLOADS: &[Overload] = overloads! {
    functions:
    "format.named"(STRING_TYPE) => |args| {
        let found = kind(text(&args, 0)?);
        let found = found.map(|kind| -> Box<dyn Val> { Box::new(Named(kind)) });
        Ok(CowVal::owned(CelOptional::from(found)))
    },
    methods:
    "validate"(FORMAT, STRING_TYPE) => validate,
};

/// The faults of a text, or nothing.
fn validate<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let faults = argument::<Named>(&args, 0)?.0.faults(text(&args, 1)?);
    if faults.is_empty() {
        return Ok(CowVal::owned(CelOptional::none()));
    }
    let boxed = |fault| -> Box<dyn Val + 'v> { Box::new(CelString::from(fault)) };
    let faults: Vec<Box<dyn Val + 'v>> = faults.into_iter().map(boxed).collect();
    Ok(CowVal::owned(CelOptional::of(Box::new(CelList::from(
        faults,
    )))))
}

impl Kind {
    fn faults(self, text: &str) -> Vec<String> {
        let unless = |is_valid: bool, words: &str| match is_valid {
            true => vec![],
            false => vec![words.to_owned()],
        };
        match self {
            Self::Label { is_prefix } => {
                let words = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
                             with an alphanumeric character";
                let masked = masked(text, is_prefix);
                if SUBDOMAIN.is_match(&masked) && !LABEL.is_match(&masked) {
                    let mut faults = too_long(&masked, 63, "characters");
                    faults.push("must not contain dots".to_owned());
                    return faults;
                }
                matching(
                    &masked,
                    (63, "characters"),
                    &LABEL,
                    words,
                    &["my-name", "123-abc"],
                )
            }
            Self::Subdomain { is_prefix } => matching(
                &masked(text, is_prefix),
                (253, "characters"),
                &SUBDOMAIN,
                SUBDOMAIN_WORDS,
                &["example.com"],
            ),
            Self::OldLabel { is_prefix } => {
                let words = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, \
                             and end with an alphanumeric character";
                matching(
                    &masked(text, is_prefix),
                    (63, "characters"),
                    &OLD_LABEL,
                    words,
                    &["my-name", "abc-123"],
                )
            }
            Self::LabelValue => {
                let words = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start \
                             and end with an alphanumeric character";
                matching(
                    text,
                    (63, "bytes"),
                    &VALUE,
                    words,
                    &["MyValue", "my_value", "12345"],
                )
            }
            Self::QualifiedName => qualified_name(text),
            Self::Uri => Url::check_request(text).err().into_iter().collect(),
            Self::Uuid => unless(
                Format::Uuid("").accepts(text),
                "does not match the UUID format",
            ),
            Self::Byte => unless(Format::Byte.accepts(text), "invalid base64"),
            Self::Date => unless(Format::Date.accepts(text), "invalid date"),
            Self::DateTime => unless(Format::DateTime.accepts(text), "invalid datetime"),
        }
    }
}

/// A prefix with a letter in place of a hyphen at its end and of the letter before it.
fn masked(text: &str, is_prefix: bool) -> String {
    match text
        .strip_suffix('-')
        .filter(|rest| is_prefix && !rest.is_empty())
    {
        Some(rest) => {
            let mut masked = rest.to_owned();
            masked.pop();
            masked.push('a');
            masked
        }
        None => text.to_owned(),
    }
}

/// The length is in bytes, also where a server writes characters.
fn too_long(text: &str, most: usize, unit: &str) -> Vec<String> {
    match text.len() > most {
        true => vec![format!("must be no more than {most} {unit}")],
        false => vec![],
    }
}

fn matching(
    text: &str,
    (most, unit): (usize, &str),
    pattern: &Pattern,
    words: &str,
    examples: &[&str],
) -> Vec<String> {
    let mut faults = too_long(text, most, unit);
    if !pattern.is_match(text) {
        let examples: Vec<String> = examples.iter().map(|one| format!("'{one}'")).collect();
        let examples = examples.join(",  or ");
        let pattern = pattern.text();
        faults.push(format!(
            "{words} (e.g. {examples}, regex used for validation is '{pattern}')"
        ));
    }
    faults
}

fn qualified_name(text: &str) -> Vec<String> {
    let words = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    let examples = ["MyName", "my.name", "123-abc"];
    let mut faults = Vec::new();
    let name = match text.split_once('/') {
        Some((_, name)) if name.contains('/') => {
            let fault = matching(
                "",
                (63, "bytes"),
                &NAME,
                &format!("a valid label key {words}"),
                &examples,
            );
            let end = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return fault.into_iter().map(|fault| fault + end).collect();
        }
        Some((prefix, name)) => {
            match prefix.is_empty() {
                true => faults.push("prefix part must be non-empty".to_owned()),
                false => {
                    let found = matching(
                        prefix,
                        (253, "bytes"),
                        &SUBDOMAIN,
                        SUBDOMAIN_WORDS,
                        &["example.com"],
                    );
                    faults.extend(
                        found
                            .into_iter()
                            .map(|fault| format!("prefix part {fault}")),
                    );
                }
            }
            name
        }
        None => text,
    };
    if name.is_empty() {
        faults.push("name part must be non-empty".to_owned());
    }
    let found = matching(name, (63, "bytes"), &NAME, words, &examples);
    faults.extend(found.into_iter().map(|fault| format!("name part {fault}")));
    faults
}
