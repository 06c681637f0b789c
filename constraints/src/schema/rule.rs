//! A rule of a schema.

use crate::violation::Reason;
use cel::Program;

/// A rule. It is compiled after the whole schema is read.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The expression, without the spaces around it.
    pub(crate) text: String,
    message: String,
    pub(crate) message_expression: String,
    pub(crate) reason: Reason,
    /// The steps to the field that the rule names.
    pub(crate) field_path: Vec<String>,
    pub(crate) optional_old: bool,
    pub(crate) compiled: Compiled,
    pub(crate) compiled_message: Compiled,
}

#[derive(Debug, Default)]
pub(crate) enum Compiled {
    /// Not given.
    #[default]
    Empty,
    /// It can be evaluated.
    Program(Box<Program>),
    /// It cannot be evaluated, with the reason.
    NotChecked(String),
}

impl Rule {
    pub(crate) fn new(
        text: String,
        message: String,
        message_expression: String,
        reason: String,
        field_path: String,
        optional_old: bool,
    ) -> Self {
        Self {
            text: text.trim().to_owned(),
            message: message.trim().to_owned(),
            message_expression,
            reason: match reason.as_str() {
                "FieldValueForbidden" => Reason::Forbidden,
                "FieldValueRequired" => Reason::Required,
                "FieldValueDuplicate" => Reason::Duplicate,
                _ => Reason::Invalid,
            },
            field_path: steps(&field_path),
            optional_old,
            compiled: Compiled::Empty,
            compiled_message: Compiled::Empty,
        }
    }

    pub(crate) fn not_checked(&self) -> Option<&str> {
        match &self.compiled {
            Compiled::NotChecked(reason) => Some(reason),
            _ => None,
        }
    }

    /// The message, or else the rule, as a server names it in messages.
    pub(crate) fn name(&self) -> &str {
        match self.message.is_empty() {
            true => &self.text,
            false => &self.message,
        }
    }

    pub(crate) fn message(&self) -> String {
        match self.message.is_empty() {
            true => format!("failed rule: {}", self.text),
            false => self.message.clone(),
        }
    }

    /// Whether the rule compares with the old value.
    pub(crate) fn is_transition(&self) -> bool {
        match &self.compiled {
            Compiled::Program(program) => program.references().has_variable("oldSelf"),
            _ => false,
        }
    }
}

/// The steps of a JSON path: `.a['b']` has `a` and `b`.
fn steps(path: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("['") {
            let end = quoted.find("']").unwrap_or(quoted.len());
            parts.push(quoted[..end].replace("\\'", "'").replace("\\\\", "\\"));
            rest = quoted.get(end + 2..).unwrap_or_default();
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            parts.push(name[..end].to_owned());
            // A bracket without a quote is not a path.
            rest = match name[end..].starts_with("['") || name[end..].starts_with('.') {
                true => &name[end..],
                false => "",
            };
        }
    }
    parts
}
