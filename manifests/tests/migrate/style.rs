//! Objects in a random style of YAML or JSON.

use serde_json::{Map, Value};

/// Choices, one after the other.
pub(super) struct Tape<'a> {
    choices: &'a [u8],
    at: usize,
}

impl<'a> Tape<'a> {
    pub(super) fn new(choices: &'a [u8]) -> Self {
        Self { choices, at: 0 }
    }

    fn choose(&mut self, among: usize) -> usize {
        let choice = self.choices[self.at % self.choices.len()];
        self.at += 1;
        usize::from(choice) % among
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.choose(many) == 0
    }
}

/// The documents as a text.
pub(super) fn render(documents: &[Value], tape: &mut Tape<'_>) -> String {
    let mut out = String::new();
    match tape.choose(8) {
        0 => {
            for document in documents {
                out.push_str(&document.to_string());
                out.push('\n');
            }
        }
        1 => {
            for document in documents {
                out.push_str(&serde_json::to_string_pretty(document).unwrap());
                out.push('\n');
            }
        }
        _ => {
            for (index, document) in documents.iter().enumerate() {
                if index > 0 || tape.one_in(3) {
                    out.push_str("---\n");
                }
                block(document.as_object().unwrap(), 0, tape, &mut out);
            }
        }
    }
    if tape.one_in(4) {
        out = out.replace('\n', "\r\n");
    }
    if tape.one_in(6) {
        out.insert(0, '\u{feff}');
    }
    if tape.one_in(5) {
        let end = out.trim_end().len();
        out.truncate(end);
    }
    out
}

fn block(members: &Map<String, Value>, indent: usize, tape: &mut Tape<'_>, out: &mut String) {
    let step = 1 + tape.choose(4);
    for (name, value) in in_some_order(members, tape) {
        if tape.one_in(7) {
            out.push_str(&format!(
                "{}# about {name}: assuredly\n",
                " ".repeat(indent)
            ));
        }
        if tape.one_in(12) {
            out.push('\n');
        }
        out.push_str(&" ".repeat(indent));
        out.push_str(&scalar(name, tape));
        out.push_str(if tape.one_in(9) { " :" } else { ":" });
        match value {
            Value::Object(inner) if !inner.is_empty() && !tape.one_in(4) => {
                comment(tape, out);
                out.push('\n');
                block(inner, indent + step, tape, out);
            }
            Value::Array(elements) if !elements.is_empty() && !tape.one_in(3) => {
                comment(tape, out);
                out.push('\n');
                for element in elements {
                    out.push_str(&" ".repeat(indent));
                    out.push_str("- ");
                    flow(element, tape, out);
                    comment(tape, out);
                    out.push('\n');
                }
            }
            value => {
                out.push(' ');
                if tape.one_in(8) {
                    out.push_str("&x");
                    out.push_str(&out.len().to_string());
                    out.push(' ');
                }
                flow(value, tape, out);
                comment(tape, out);
                out.push('\n');
            }
        }
    }
}

fn flow(value: &Value, tape: &mut Tape<'_>, out: &mut String) {
    match value {
        Value::Object(members) => {
            out.push('{');
            let space = if tape.one_in(2) { " " } else { "" };
            out.push_str(space);
            for (index, (name, value)) in in_some_order(members, tape).into_iter().enumerate() {
                if index > 0 {
                    out.push_str(if tape.one_in(3) { " , " } else { ", " });
                }
                out.push_str(&scalar(name, tape));
                out.push_str(": ");
                flow(value, tape, out);
            }
            out.push_str(space);
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                flow(element, tape, out);
            }
            out.push(']');
        }
        Value::String(text) => out.push_str(&scalar(text, tape)),
        other => out.push_str(&other.to_string()),
    }
}

fn scalar(text: &str, tape: &mut Tape<'_>) -> String {
    let is_word = matches!(
        text,
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
    );
    let is_plain = !is_word
        && text.starts_with(|character: char| character.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"./-".contains(&byte));
    match tape.choose(5) {
        0 => format!("'{}'", text.replace('\'', "''")),
        1 => Value::from(text).to_string(),
        _ if is_plain => text.to_owned(),
        _ => format!("'{}'", text.replace('\'', "''")),
    }
}

fn comment(tape: &mut Tape<'_>, out: &mut String) {
    if tape.one_in(6) {
        out.push_str(" # why: it's {so}");
    }
}

fn in_some_order<'a>(
    members: &'a Map<String, Value>,
    tape: &mut Tape<'_>,
) -> Vec<(&'a String, &'a Value)> {
    let mut members: Vec<_> = members.iter().collect();
    if !members.is_empty() {
        let by = tape.choose(members.len());
        members.rotate_left(by);
        if tape.one_in(2) {
            members.reverse();
        }
    }
    members
}
