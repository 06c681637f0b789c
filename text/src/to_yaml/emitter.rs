//! go-yaml's emitter: the position in a line, and its content so far, decide about spaces, folding and line breaks.

use super::plain;
use serde_json::Value;
use std::cmp::Ordering;

/// Lines are folded at the first space after this column.
const WIDTH: usize = 80;
/// Longer keys follow a question mark.
const LONGEST_SIMPLE_KEY: usize = 128;

/// A document under construction.
#[derive(Debug)]
pub(super) struct Emitter {
    text: String,
    column: usize,
    /// The indentation of the present collection; `None` outside of all.
    indent: Option<usize>,
    /// Whether the last character was white.
    whitespace: bool,
    /// Whether the line contains only indentation and indicators.
    indention: bool,
}

impl Default for Emitter {
    fn default() -> Self {
        Self {
            text: String::new(),
            column: 0,
            indent: None,
            whitespace: true,
            indention: true,
        }
    }
}

/// How a scalar is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

impl Emitter {
    pub(super) fn document(&mut self, value: &Value) {
        self.node(value, false);
        self.write_indent();
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn node(&mut self, value: &Value, in_mapping: bool) {
        match value {
            Value::Null => self.scalar("null", Style::Plain, true),
            Value::Bool(value) => self.scalar(&value.to_string(), Style::Plain, true),
            Value::Number(number) => self.scalar(&number.to_string(), Style::Plain, true),
            Value::String(text) => self.scalar(text, style(text, false), true),
            Value::Array(elements) if elements.is_empty() => self.indicator("[]", true),
            Value::Object(entries) if entries.is_empty() => self.indicator("{}", true),
            Value::Array(elements) => {
                // Below a key the dashes are not indented.
                let outer = self.indent;
                if !in_mapping || self.indention {
                    self.deeper();
                }
                for element in elements {
                    self.write_indent();
                    self.sign("-");
                    self.node(element, false);
                }
                self.indent = outer;
            }
            Value::Object(entries) => {
                let outer = self.indent;
                self.deeper();
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_by(|(a, _), (b, _)| compare(a, b));
                for (key, value) in entries {
                    self.entry(key, value);
                }
                self.indent = outer;
            }
        }
    }

    fn entry(&mut self, key: &str, value: &Value) {
        self.write_indent();
        if key.len() <= LONGEST_SIMPLE_KEY && !key.contains('\n') {
            self.scalar(key, style(key, true), false);
            self.indicator(":", false);
        } else {
            self.sign("?");
            self.scalar(key, style(key, false), true);
            self.write_indent();
            self.sign(":");
        }
        self.node(value, true);
    }

    fn deeper(&mut self) {
        self.indent = Some(self.indent.map_or(0, |indent| indent + 2));
    }

    fn put(&mut self, character: char) {
        self.text.push(character);
        self.column += 1;
    }

    fn line_end(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.line_end();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    /// An indicator that ends the indentation of its line.
    fn indicator(&mut self, sign: &str, needs_space: bool) {
        if needs_space && !self.whitespace {
            self.put(' ');
        }
        sign.chars().for_each(|character| self.put(character));
        self.whitespace = false;
        self.indention = false;
    }

    /// An indicator that keeps the indentation of its line.
    fn sign(&mut self, sign: &str) {
        let indention = self.indention;
        self.indicator(sign, true);
        self.indention = indention;
    }

    fn scalar(&mut self, text: &str, style: Style, may_fold: bool) {
        let outer = self.indent;
        self.indent = Some(self.indent.map_or(2, |indent| indent + 2));
        match style {
            Style::Plain => {
                if !self.whitespace {
                    self.put(' ');
                }
                self.folded(text, may_fold, style);
                self.whitespace = false;
                self.indention = false;
            }
            Style::SingleQuoted => {
                self.indicator("'", true);
                self.folded(text, may_fold, style);
                self.indicator("'", false);
            }
            Style::DoubleQuoted => {
                self.indicator("\"", true);
                self.folded(text, may_fold, style);
                self.indicator("\"", false);
            }
            Style::Literal => self.literal(text, outer),
        }
        self.indent = outer;
    }

    /// Text that is folded at a space after the maximum width.
    fn folded(&mut self, text: &str, may_fold: bool, style: Style) {
        let mut after_space = false;
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            let escaped = match style {
                Style::DoubleQuoted => escape(character),
                _ => None,
            };
            if let Some(escaped) = escaped {
                escaped.chars().for_each(|character| self.put(character));
                after_space = false;
            } else if character == ' ' {
                let inside = at > 0 && next.is_some();
                let before_space = next == Some(' ');
                let foldable = match style {
                    Style::DoubleQuoted => inside,
                    Style::SingleQuoted => inside && !before_space,
                    _ => !before_space,
                };
                if may_fold && !after_space && self.column > WIDTH && foldable {
                    self.write_indent();
                    if style == Style::DoubleQuoted && before_space {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                after_space = true;
            } else {
                if style == Style::SingleQuoted && character == '\'' {
                    self.put('\'');
                }
                self.put(character);
                self.indention = false;
                after_space = false;
            }
        }
    }

    /// A literal block, with the chomping indicator for its last line break.
    fn literal(&mut self, text: &str, outer: Option<usize>) {
        self.indicator("|", true);
        if text.starts_with([' ', '\n']) {
            self.put('2');
        }
        if !text.ends_with('\n') {
            self.put('-');
        } else if text == "\n" || text.ends_with("\n\n") {
            self.put('+');
        }
        self.line_end();
        // A block is indented one step from its collection, unlike a folded scalar.
        self.indent = Some(outer.map_or(2, |indent| indent + 2));
        self.indention = true;
        self.whitespace = true;
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            if !line.is_empty() {
                self.write_indent();
                line.chars().for_each(|character| self.put(character));
                self.indention = false;
                self.whitespace = false;
            }
            self.line_end();
            self.indention = true;
        }
        self.whitespace = true;
    }
}

fn style(text: &str, is_key: bool) -> Style {
    let special = text
        .chars()
        .any(|character| character != '\n' && !is_printable(character));
    let space_before_end = text.contains(" \n");
    if special || space_before_end {
        return Style::DoubleQuoted;
    }
    if text.contains('\n') {
        return match is_key || text.ends_with(' ') {
            true => Style::DoubleQuoted,
            false => Style::Literal,
        };
    }
    if !plain::is_text(text) {
        return Style::DoubleQuoted;
    }
    if text.starts_with(' ') || text.ends_with(' ') || has_indicators(text) {
        return Style::SingleQuoted;
    }
    Style::Plain
}

/// Whether plain text contains an indicator.
fn has_indicators(text: &str) -> bool {
    if text.starts_with("---") || text.starts_with("...") {
        return true;
    }
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    let mut first = true;
    while let Some(character) = characters.next() {
        let ends = characters.peek().is_none_or(|next| *next == ' ');
        let found = match character {
            '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
            | '@' | '`'
                if first =>
            {
                true
            }
            '?' | '-' if first => ends,
            ':' => ends,
            '#' => before == ' ',
            _ => false,
        };
        if found {
            return true;
        }
        before = character;
        first = false;
    }
    false
}

fn is_printable(character: char) -> bool {
    matches!(character,
        ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}'
    ) && !matches!(character, '\u{2028}' | '\u{2029}')
}

/// The escape of a character in double quotes, if it needs one.
fn escape(character: char) -> Option<String> {
    Some(match character {
        '"' => "\\\"".into(),
        '\\' => "\\\\".into(),
        '\0' => "\\0".into(),
        '\u{7}' => "\\a".into(),
        '\u{8}' => "\\b".into(),
        '\t' => "\\t".into(),
        '\n' => "\\n".into(),
        '\u{b}' => "\\v".into(),
        '\u{c}' => "\\f".into(),
        '\r' => "\\r".into(),
        '\u{1b}' => "\\e".into(),
        '\u{85}' => "\\N".into(),
        '\u{2028}' => "\\L".into(),
        '\u{2029}' => "\\P".into(),
        other if is_printable(other) => return None,
        other => match u32::from(other) {
            code @ ..=0xff => format!("\\x{code:02X}"),
            code @ ..=0xffff => format!("\\u{code:04X}"),
            code => format!("\\U{code:08X}"),
        },
    })
}

/// Compares like go-yaml.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    for i in 0..a.len().min(b.len()) {
        if a[i] == b[i] {
            continue;
        }
        return match (a[i].is_alphabetic(), b[i].is_alphabetic()) {
            (true, true) => a[i].cmp(&b[i]),
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => {
                // A zero after the first digit of a number is an ordinary digit.
                let inside = a[..i]
                    .iter()
                    .rev()
                    .take_while(|digit| digit.is_ascii_digit())
                    .any(|digit| *digit != '0');
                let start = u64::from(inside && (a[i] == '0' || b[i] == '0'));
                let (x, y) = (number(&a[i..], start), number(&b[i..], start));
                x.cmp(&y).then(a[i].cmp(&b[i]))
            }
        };
    }
    a.len().cmp(&b.len())
}

/// The number formed by the first digits, and their count.
fn number(text: &[char], start: u64) -> (u64, usize) {
    let digits = text.iter().map_while(|digit| digit.to_digit(10));
    digits.fold((start, 0), |(value, count), digit| {
        let value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        (value, count + 1)
    })
}
