//! A position in the text, and YAML's character classes.

use super::input::BYTE_ORDER_MARK;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// The byte offset.
    pub(super) offset: usize,
    /// The number of characters before it.
    pub(super) index: usize,
    /// The line, from 0.
    pub(super) line: usize,
    /// The column in characters, from 0.
    pub(super) column: usize,
}

/// Reads the text character by character. NUL means the end; the text itself contains none.
pub(super) struct Cursor {
    text: String,
    mark: Mark,
    /// Whether anything was read beyond the end of the text.
    pub(super) saw_end: bool,
}

impl Cursor {
    pub(super) fn new(text: String) -> Self {
        let mut mark = Mark::default();
        if text.starts_with(BYTE_ORDER_MARK) {
            mark.offset = BYTE_ORDER_MARK.len_utf8();
        }
        Self {
            text,
            mark,
            saw_end: false,
        }
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    pub(super) fn column(&self) -> usize {
        self.mark.column
    }

    /// Starts a new line unless the cursor is at the start of one.
    pub(super) fn force_new_line(&mut self) {
        if self.mark.column != 0 {
            self.mark.column = 0;
            self.mark.line += 1;
        }
    }

    /// The next character; NUL at the end.
    pub(super) fn peek(&mut self) -> char {
        self.peek_at(0)
    }

    /// The character `distance` bytes further, where the characters before it are ASCII; NUL at the end.
    pub(super) fn peek_at(&mut self, distance: usize) -> char {
        let rest = self
            .text
            .get(self.mark.offset + distance..)
            .unwrap_or_default();
        match rest.chars().next() {
            Some(character) => character,
            None => {
                self.saw_end = true;
                '\0'
            }
        }
    }

    /// Whether `text` follows, and after it a blank, a line break or the end.
    pub(super) fn is_word(&mut self, text: &str) -> bool {
        self.text[self.mark.offset..].starts_with(text) && is_blank_or_end(self.peek_at(text.len()))
    }

    /// Reads a character other than a line break.
    pub(super) fn next(&mut self) -> char {
        let character = self.peek();
        if character != '\0' {
            self.mark.offset += character.len_utf8();
            self.mark.index += 1;
            self.mark.column += 1;
        }
        character
    }

    /// Reads a line break and returns the character that replaces it in a scalar.
    pub(super) fn next_line(&mut self) -> Option<char> {
        let (width, count, out) = match self.peek() {
            '\r' if self.peek_at(1) == '\n' => (2, 2, '\n'),
            '\r' | '\n' => (1, 1, '\n'),
            '\u{85}' => (2, 1, '\n'),
            other @ ('\u{2028}' | '\u{2029}') => (3, 1, other),
            _ => return None,
        };
        self.mark.offset += width;
        self.mark.index += count;
        self.mark.line += 1;
        self.mark.column = 0;
        Some(out)
    }

    pub(super) fn skip_blanks(&mut self) {
        while is_blank(self.peek()) {
            self.next();
        }
    }

    /// Skips a comment, up to its line break.
    pub(super) fn skip_comment(&mut self) {
        if self.peek() == '#' {
            while !is_break_or_end(self.peek()) {
                self.next();
            }
        }
    }
}

pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

pub(super) fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn is_break_or_end(character: char) -> bool {
    is_break(character) || character == '\0'
}

pub(super) fn is_blank_or_end(character: char) -> bool {
    is_blank(character) || is_break_or_end(character)
}

/// Whether the character is allowed in the name of an anchor, a tag handle or a directive.
pub(super) fn is_word_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}
