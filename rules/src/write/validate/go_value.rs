//! Go values as they appear in messages: as JSON, or, from servers up to 1.33, as Go source.
//!
//! Messages of recorded servers are compared with ours in full, so that a user who searches for a message finds it. Go
//! source stays for that reason; the addresses in it are random and have one placeholder.

use k8s_flowcontrol_text::go::{json_quote, quote};

/// A placeholder for the addresses in Go source, which differ between servers.
const ADDRESS: &str = "0xc000000000";

/// A value with the types and names that either form prints.
pub(super) enum GoValue {
    Text(String),
    Integer(i64),
    Bool(bool),
    /// A struct: the name of its type, and its fields.
    Struct(&'static str, Vec<Field>),
    /// A slice: the type of its elements, and the elements; `None` is nil.
    Slice(&'static str, Option<Vec<GoValue>>),
    /// A pointer: the type that it points to, and the value; `None` is nil.
    Pointer(&'static str, Option<Box<GoValue>>),
}

pub(super) struct Field {
    name: &'static str,
    /// The field's name in JSON.
    json: &'static str,
    /// Whether JSON omits the field if it is nil.
    omits_nil: bool,
    value: GoValue,
}

impl Field {
    /// A field of an internal type: it has the same name in JSON, and JSON never omits it.
    pub(super) fn internal(name: &'static str, value: GoValue) -> Self {
        Self {
            name,
            json: name,
            omits_nil: false,
            value,
        }
    }

    /// A field of a versioned type, which JSON omits if it is nil.
    pub(super) fn versioned(name: &'static str, json: &'static str, value: GoValue) -> Self {
        Self {
            name,
            json,
            omits_nil: true,
            value,
        }
    }
}

impl GoValue {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub(super) fn texts(texts: Option<&[String]>) -> Self {
        let texts = texts.map(|texts| texts.iter().map(|text| Self::text(text)).collect());
        Self::Slice("string", texts)
    }

    pub(super) fn pointer(to: &'static str, value: Option<Self>) -> Self {
        Self::Pointer(to, value.map(Box::new))
    }

    /// The value as Go's JSON encoder writes it.
    pub(super) fn json(&self) -> String {
        match self {
            Self::Text(text) => json_quote(text),
            Self::Integer(number) => number.to_string(),
            Self::Bool(set) => set.to_string(),
            Self::Struct(_, fields) => {
                let fields = fields
                    .iter()
                    .filter(|field| !(field.omits_nil && field.value.is_nil()))
                    .map(|field| format!("\"{}\":{}", field.json, field.value.json()));
                format!("{{{}}}", join(fields, ","))
            }
            Self::Slice(_, Some(elements)) => {
                format!("[{}]", join(elements.iter().map(Self::json), ","))
            }
            Self::Pointer(_, Some(value)) => value.json(),
            Self::Slice(_, None) | Self::Pointer(_, None) => "null".to_owned(),
        }
    }

    /// The value as `%#v` writes it, which prints addresses instead of the targets of pointers.
    pub(super) fn source(&self) -> String {
        match self {
            Self::Text(text) => quote(text),
            Self::Integer(number) => number.to_string(),
            Self::Bool(set) => set.to_string(),
            Self::Struct(name, fields) => {
                let fields = fields
                    .iter()
                    .map(|field| format!("{}:{}", field.name, field.value.source()));
                format!("{name}{{{}}}", join(fields, ", "))
            }
            Self::Slice(element, Some(elements)) => {
                let elements = elements.iter().map(Self::source);
                format!("[]{element}{{{}}}", join(elements, ", "))
            }
            Self::Slice(element, None) => format!("[]{element}(nil)"),
            Self::Pointer(to, Some(_)) => format!("(*{to})({ADDRESS})"),
            Self::Pointer(to, None) => format!("(*{to})(nil)"),
        }
    }

    fn is_nil(&self) -> bool {
        matches!(self, Self::Slice(_, None) | Self::Pointer(_, None))
    }
}

fn join(parts: impl Iterator<Item = String>, separator: &str) -> String {
    parts.collect::<Vec<_>>().join(separator)
}
