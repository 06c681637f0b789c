//! Reading templates.

use super::{Node, Operand, Operator, Path, Slice, Step};
use serde_json::Value;

pub(super) fn parse(template: &str) -> Result<Vec<Node>, String> {
    let mut text = Cursor(template);
    let nodes = nodes(&mut text, false)?;
    Ok(nodes)
}

/// The rest of a template.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn skips(&mut self, text: &str) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn blanks(&mut self) {
        self.0 = self.0.trim_start();
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        self.blanks();
        match self.skips(text) {
            true => Ok(()),
            false => Err(format!("expected `{text}` before `{}`", self.0)),
        }
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c| !is_part(c)).unwrap_or(self.0.len());
        let (part, rest) = self.0.split_at(end);
        self.0 = rest;
        part
    }
}

/// The parts up to the end, or up to `{end}` in a range.
fn nodes(text: &mut Cursor<'_>, is_range: bool) -> Result<Vec<Node>, String> {
    let mut nodes = Vec::new();
    while !text.0.is_empty() {
        if !text.skips("{") {
            nodes.push(Node::Text(text.take_while(|c| c != '{').to_owned()));
            continue;
        }
        loop {
            text.blanks();
            if text.skips("}") {
                break;
            } else if let Some(quoted) = quoted(text)? {
                nodes.push(Node::Text(quoted));
            } else if text.skips("range") {
                let over = path(text)?;
                text.expect("}")?;
                nodes.push(Node::Range(over, self::nodes(text, true)?));
                break;
            } else if text.skips("end") {
                text.expect("}")?;
                return match is_range {
                    true => Ok(nodes),
                    false => Err("`end` without `range`".to_owned()),
                };
            } else {
                nodes.push(Node::Path(path(text)?));
            }
        }
    }
    match is_range {
        true => Err("`range` without `end`".to_owned()),
        false => Ok(nodes),
    }
}

/// A quoted text, if there is one.
fn quoted(text: &mut Cursor<'_>) -> Result<Option<String>, String> {
    let Some(quote) = text.0.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return Ok(None);
    };
    let mut value = String::new();
    let mut characters = text.0[1..].chars();
    while let Some(c) = characters.next() {
        match c {
            c if c == quote => {
                text.0 = characters.as_str();
                return Ok(Some(value));
            }
            '\\' => value.push(match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => break,
            }),
            c => value.push(c),
        }
    }
    Err("a quoted text has no end".to_owned())
}

fn path(text: &mut Cursor<'_>) -> Result<Path, String> {
    text.blanks();
    let is_absolute = text.skips("$");
    let is_relative = !is_absolute && text.skips("@");
    let mut steps = Vec::new();
    loop {
        if text.skips("..") {
            steps.push(Step::Descendants);
            if !text.0.starts_with('[') {
                steps.push(field(text)?);
            }
        } else if text.skips(".") {
            // A single dot is the current value.
            if !text.0.starts_with(['}', ')', '[', ' ']) {
                steps.push(field(text)?);
            }
        } else if text.skips("[") {
            steps.push(bracket(text)?);
            text.expect("]")?;
        } else if steps.is_empty() && !is_absolute && !is_relative {
            return Err(match text.0.is_empty() {
                true => "a brace is not closed".to_owned(),
                false => format!("expected a path before `{}`", text.0),
            });
        } else {
            return Ok(Path { is_absolute, steps });
        }
        if text.0.is_empty() {
            return Err("a brace is not closed".to_owned());
        }
    }
}

/// A field after a dot; a backslash quotes the next character.
fn field(text: &mut Cursor<'_>) -> Result<Step, String> {
    if text.skips("*") {
        return Ok(Step::All);
    }
    let mut name = String::new();
    loop {
        name.push_str(text.take_while(|c| !" \t.[]{}()=!<>,'\"\\@$".contains(c)));
        if !text.skips("\\") {
            break;
        }
        let quoted = text.0.chars().next().unwrap_or_default();
        name.push(quoted);
        text.0 = &text.0[quoted.len_utf8().min(text.0.len())..];
    }
    match name.is_empty() {
        true => Err(format!("expected a field before `{}`", text.0)),
        false => Ok(Step::Fields(vec![name])),
    }
}

/// The inside of brackets.
fn bracket(text: &mut Cursor<'_>) -> Result<Step, String> {
    text.blanks();
    if text.skips("*") {
        return Ok(Step::All);
    }
    if text.skips("?") {
        text.expect("(")?;
        let left = operand(text)?;
        text.blanks();
        let operators = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let operator = operators.into_iter().find(|(sign, _)| text.skips(sign));
        let right = match operator {
            Some((_, operator)) => Some((operator, operand(text)?)),
            None => None,
        };
        text.expect(")")?;
        return Ok(Step::Filter(left, right));
    }
    let mut names = Vec::new();
    let mut slices = Vec::new();
    loop {
        text.blanks();
        match quoted(text)? {
            Some(name) => names.push(name),
            None => slices.push(slice(text)?),
        }
        text.blanks();
        if !text.skips(",") {
            break;
        }
    }
    match (names.is_empty(), slices.is_empty()) {
        (false, true) => Ok(Step::Fields(names)),
        (true, false) => Ok(Step::Elements(slices)),
        _ => Err("names and numbers cannot be mixed in brackets".to_owned()),
    }
}

fn slice(text: &mut Cursor<'_>) -> Result<Slice, String> {
    let written = text.take_while(|c| c.is_ascii_digit() || matches!(c, '-' | ':'));
    let invalid = || format!("expected a number before `{}`", text.0);
    let number = |part: &str| match part {
        "" => Ok(None),
        part => part.parse::<i64>().map(Some).map_err(|_| invalid()),
    };
    let parts = written
        .split(':')
        .map(number)
        .collect::<Result<Vec<_>, _>>()?;
    match *parts.as_slice() {
        [Some(at)] => Ok(Slice::At(at)),
        [start, end] => Ok(Slice::Range {
            start,
            end,
            step: 1,
        }),
        [start, end, step] if step.unwrap_or(1) > 0 => Ok(Slice::Range {
            start,
            end,
            step: step.unwrap_or(1),
        }),
        _ => Err(invalid()),
    }
}

fn operand(text: &mut Cursor<'_>) -> Result<Operand, String> {
    text.blanks();
    if let Some(quoted) = quoted(text)? {
        return Ok(Operand::Literal(quoted.into()));
    }
    if text.0.starts_with(['@', '$', '.']) {
        return Ok(Operand::Path(path(text)?));
    }
    let word = text.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let literal = serde_json::from_str::<Value>(word)
        .ok()
        .filter(|value| !value.is_array());
    literal
        .map(Operand::Literal)
        .ok_or_else(|| format!("`{word}` is no value to compare with"))
}
