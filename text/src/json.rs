//! Parses JSON text into a tree, with the error messages of Go's decoder.

use crate::SyntaxError;
use crate::go::quote_byte;
use crate::tree::{self, Data, Entry, Id, Pair, Span, Tree};

/// Maximum nesting depth of lists and objects; the limit of the Kubernetes API server.
pub const MAX_DEPTH: usize = 10_000;

/// Parses a JSON text.
///
/// Accepts the same texts as Go's decoder: duplicate fields, invalid UTF-8 and lone surrogates in strings (both become
/// U+FFFD), and up to [`MAX_DEPTH`] levels of nesting. A byte order mark, a comment or text after the value is an
/// error.
///
/// # Errors
/// [`SyntaxError`] at the first byte that is not JSON.
pub fn parse_json(text: &[u8]) -> Result<Tree, SyntaxError> {
    crate::error::check_length(text)?;
    let mut reader = Reader {
        text,
        at: 0,
        entries: Vec::new(),
    };
    let root = reader.document()?;
    match reader.next_byte() {
        None => Ok(Tree::new(reader.entries, root)),
        Some(byte) => Err(reader.unexpected(byte, "after top-level value")),
    }
}

/// Parses one value at byte `at`, after any white space, and returns it with its end; `None` at the end of the text.
pub(crate) fn parse_json_at(text: &[u8], at: usize) -> Result<Option<(Tree, usize)>, SyntaxError> {
    let mut reader = Reader {
        text,
        at,
        entries: Vec::new(),
    };
    if reader.next_byte().is_none() {
        return Ok(None);
    }
    let root = reader.document()?;
    Ok(Some((Tree::new(reader.entries, root), reader.at)))
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    entries: Vec<Entry>,
}

/// A list or an object whose end was not read yet.
enum Open {
    Array {
        start: usize,
        ids: Vec<Id>,
    },
    Object {
        start: usize,
        pairs: Vec<Pair>,
        name: Box<str>,
        span: Span,
    },
}

impl Open {
    /// Adds a complete value.
    fn add(&mut self, value: Id) {
        match self {
            Self::Array { ids, .. } => ids.push(value),
            Self::Object {
                pairs, name, span, ..
            } => pairs.push(Pair {
                name: std::mem::take(name),
                span: *span,
                value,
            }),
        }
    }
}

impl Reader<'_> {
    /// Reads one value and everything inside it.
    fn document(&mut self) -> Result<Id, SyntaxError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            // `None` means that a non-empty list or object was opened.
            let Some(mut id) = self.value(&mut open)? else {
                continue;
            };
            // A complete value may complete the lists and objects around it.
            loop {
                let Some(container) = open.last_mut() else {
                    return Ok(id);
                };
                container.add(id);
                let next = self.next_byte().ok_or_else(|| self.end())?;
                match (container, next) {
                    (Open::Array { .. }, b',') => {
                        self.at += 1;
                        break;
                    }
                    (Open::Object { name, span, .. }, b',') => {
                        self.at += 1;
                        (*name, *span) = self.field_name()?;
                        break;
                    }
                    (Open::Array { ids, start }, b']') => {
                        let (data, start) = (Data::Array(std::mem::take(ids).into()), *start);
                        self.at += 1;
                        id = self.push(data, start);
                        open.pop();
                    }
                    (Open::Object { pairs, start, .. }, b'}') => {
                        let (data, start) = (Data::Object(std::mem::take(pairs).into()), *start);
                        self.at += 1;
                        id = self.push(data, start);
                        open.pop();
                    }
                    (Open::Array { .. }, byte) => {
                        return Err(self.unexpected(byte, "after array element"));
                    }
                    (Open::Object { .. }, byte) => {
                        return Err(self.unexpected(byte, "after object key:value pair"));
                    }
                }
            }
        }
    }

    /// Reads a scalar or an empty list or object. Opens a non-empty one and returns `None`.
    fn value(&mut self, open: &mut Vec<Open>) -> Result<Option<Id>, SyntaxError> {
        let byte = self.next_byte().ok_or_else(|| self.end())?;
        let start = self.at;
        crate::error::check_values(self.entries.len() + 1, start)?;
        if matches!(byte, b'{' | b'[') && open.len() >= MAX_DEPTH {
            return Err(self.unexpected(byte, "exceeded max depth"));
        }
        let data = match byte {
            b'{' => {
                self.at += 1;
                if self.next_byte() == Some(b'}') {
                    self.at += 1;
                    Data::Object(Box::default())
                } else {
                    let (name, span) = self.field_name()?;
                    open.push(Open::Object {
                        start,
                        pairs: Vec::new(),
                        name,
                        span,
                    });
                    return Ok(None);
                }
            }
            b'[' => {
                self.at += 1;
                if self.next_byte() == Some(b']') {
                    self.at += 1;
                    Data::Array(Box::default())
                } else {
                    open.push(Open::Array {
                        start,
                        ids: Vec::new(),
                    });
                    return Ok(None);
                }
            }
            b'"' => Data::String(self.string()?),
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.literal("true", Data::Bool(true))?,
            b'f' => self.literal("false", Data::Bool(false))?,
            b'n' => self.literal("null", Data::Null)?,
            _ => return Err(self.unexpected(byte, "looking for beginning of value")),
        };
        Ok(Some(self.push(data, start)))
    }

    fn field_name(&mut self) -> Result<(Box<str>, Span), SyntaxError> {
        match self.next_byte() {
            None => return Err(self.end()),
            Some(b'"') => {}
            Some(byte) => {
                return Err(self.unexpected(byte, "looking for beginning of object key string"));
            }
        }
        let start = self.at;
        let name = self.string()?;
        let span = Span::new(start, self.at);
        match self.next_byte() {
            None => Err(self.end()),
            Some(b':') => {
                self.at += 1;
                Ok((name, span))
            }
            Some(byte) => Err(self.unexpected(byte, "after object key")),
        }
    }

    fn literal(&mut self, word: &'static str, data: Data) -> Result<Data, SyntaxError> {
        for expected in word.bytes().skip(1) {
            self.at += 1;
            let byte = self.here();
            if byte != expected {
                let context = format!("in literal {word} (expecting '{}')", char::from(expected));
                return Err(self.unexpected(byte, &context));
            }
        }
        self.at += 1;
        Ok(data)
    }

    fn number(&mut self) -> Result<Data, SyntaxError> {
        let start = self.at;
        if self.here() == b'-' {
            self.at += 1;
        }
        match self.here() {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits(),
            byte => return Err(self.unexpected(byte, "in numeric literal")),
        }
        if self.here() == b'.' {
            self.at += 1;
            self.some_digits("after decimal point in numeric literal")?;
        }
        if matches!(self.here(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.here(), b'+' | b'-') {
                self.at += 1;
            }
            self.some_digits("in exponent of numeric literal")?;
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]);
        Ok(Data::Number(text.into_owned().into()))
    }

    fn some_digits(&mut self, context: &str) -> Result<(), SyntaxError> {
        let byte = self.here();
        if !byte.is_ascii_digit() {
            return Err(self.unexpected(byte, context));
        }
        self.digits();
        Ok(())
    }

    fn digits(&mut self) {
        while self.here().is_ascii_digit() {
            self.at += 1;
        }
    }

    /// Reads a string from its opening quote to its closing quote.
    fn string(&mut self) -> Result<Box<str>, SyntaxError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(byte) = self.text.get(self.at).copied() else {
                return Err(self.end());
            };
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(out.into());
                }
                b'\\' => self.escape(&mut out)?,
                0..0x20 => return Err(self.unexpected(byte, "in string literal")),
                0x20..0x80 => {
                    out.push(char::from(byte));
                    self.at += 1;
                }
                _ => self.at += crate::go::push_character(&self.text[self.at..], &mut out),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), SyntaxError> {
        self.at += 1;
        let character = match self.here() {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                let unit = self.hex4()?;
                out.push(self.surrogate_pair(unit));
                return Ok(());
            }
            byte => return Err(self.unexpected(byte, "in string escape code")),
        };
        self.at += 1;
        out.push(character);
        Ok(())
    }

    /// The character of the escape `unit`; reads the low surrogate too if one follows.
    fn surrogate_pair(&mut self, unit: u32) -> char {
        if (0xD800..0xDC00).contains(&unit) && self.text[self.at..].starts_with(b"\\u") {
            let before = self.at;
            self.at += 2;
            if let Ok(low @ 0xDC00..0xE000) = self.hex4() {
                let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            // Not a surrogate pair: the next escape is read separately and reports its own errors.
            self.at = before;
        }
        char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, SyntaxError> {
        let mut unit = 0;
        for _ in 0..4 {
            let byte = self.here();
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(self.unexpected(byte, "in \\u hexadecimal character escape"));
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }

    /// Skips white space and returns the next byte without reading it.
    fn next_byte(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// The current byte. Go's scanner reads a space at the end of the text, and its messages name that space.
    fn here(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(b' ')
    }

    fn push(&mut self, data: Data, start: usize) -> Id {
        tree::push(&mut self.entries, data, Span::new(start, self.at))
    }

    fn end(&self) -> SyntaxError {
        SyntaxError::new("unexpected end of JSON input".into(), self.text.len())
    }

    fn unexpected(&self, byte: u8, context: &str) -> SyntaxError {
        SyntaxError::new(
            format!("invalid character {} {context}", quote_byte(byte)),
            self.at,
        )
    }
}
