//! JSON text, read token by token.

use super::field_predictor::{FieldPredictor, Predictor};
use super::name::word_at;
use super::{Fault, Name, ReadJson};
use serde::de::{Deserializer, Visitor};
use std::borrow::Cow;
use std::fmt;

/// As deep as serde_json goes.
pub(super) const MAX_DEPTH: u8 = 128;

/// The memory of elements that any text may take: 64 MiB.
const FREE_MEMORY: usize = 64 << 20;
/// The memory of elements for each byte of text beyond that. Objects of real servers take less than three times the memory of their
/// text; `{}` in a list takes hundreds of times as much.
const MEMORY_PER_BYTE: usize = 8;

/// JSON text, read from front to back.
///
/// It reads strings without escapes and integers itself, and hands everything else to serde_json, which also words the
/// errors.
pub struct Reader<'a> {
    pub(super) text: &'a str,
    pub(crate) mark: Mark,
    /// Whether a list keeps the items that do not fit their type.
    pub(crate) keeps_invalid: bool,
    /// Whether objects are partial: they send what their text has.
    pub(crate) partial: bool,
    pub(super) predictor: Predictor<'a>,
}

/// The position only: the text may contain secrets.
impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Reader");
        shown.field("at", &self.mark.at).finish_non_exhaustive()
    }
}

/// Where a reader is, and all else that reading changes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub(super) at: usize,
    /// How many objects and arrays are open.
    depth: u8,
    /// The memory that elements of lists and maps may still take, in bytes.
    memory: usize,
    /// The end of the last `null`, empty object or empty array.
    pub(super) default_end: usize,
    /// Whether a value is not written again as it was read, since the last object took notice: an element that cannot be
    /// `null` was `null`, or a number has another spelling than its own.
    pub(crate) keeps_text: bool,
    /// Whether the next object is an item of a typed list, and so comes without type meta.
    pub(crate) is_item: bool,
    /// The field that is read: the hash of its table and its place.
    pub(crate) field: u64,
}

/// Reads the value of the field with a name.
type ReadField<'a, 'f> = dyn FnMut(Cow<'a, str>, &mut Reader<'a>) -> Result<(), Fault> + 'f;

impl<'a> Reader<'a> {
    /// A reader at the beginning of `text`.
    pub fn new(text: &'a str) -> Self {
        Self::with_predictor(text, Predictor::Own(FieldPredictor::default()))
    }

    pub(super) fn with_predictor(text: &'a str, predictor: Predictor<'a>) -> Self {
        Self {
            text,
            mark: Mark {
                at: 0,
                depth: 0,
                memory: text
                    .len()
                    .saturating_mul(MEMORY_PER_BYTE)
                    .saturating_add(FREE_MEMORY),
                default_end: usize::MAX,
                keeps_text: false,
                is_item: false,
                field: 0,
            },
            keeps_invalid: false,
            partial: false,
            predictor,
        }
    }

    /// Where the reader is, to read from there again.
    pub fn mark(&self) -> Mark {
        self.mark
    }

    /// Goes to where the reader was.
    pub fn go_to(&mut self, mark: Mark) {
        self.mark = mark;
    }

    /// Charges the memory of an element of a list or map.
    #[inline]
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Fault> {
        match self.mark.memory.checked_sub(bytes) {
            Some(left) => {
                self.mark.memory = left;
                Ok(())
            }
            None => Err(self.too_large()),
        }
    }

    #[cold]
    fn too_large(&self) -> Fault {
        let text = self.text.len();
        self.fault(format!(
            "the elements of {text} bytes of JSON take more than {} bytes of memory",
            text.saturating_mul(MEMORY_PER_BYTE)
                .saturating_add(FREE_MEMORY)
        ))
    }

    /// Whether an object or array is open.
    pub(crate) fn is_inside(&self) -> bool {
        self.mark.depth > 0
    }

    /// Whether nothing but an array is open, or an array in an object.
    pub(super) fn is_outermost_list(&self) -> bool {
        self.mark.depth <= 2
    }

    /// The offset of the next value in the text, in bytes.
    pub fn offset(&mut self) -> usize {
        self.peek();
        self.mark.at
    }

    /// Whether a string is next.
    pub fn is_string(&mut self) -> bool {
        self.peek() == b'"'
    }

    /// Whether nothing but white space is left.
    pub fn is_at_end(&mut self) -> bool {
        self.peek();
        self.mark.at == self.text.len()
    }

    /// The next byte that is not white space; 0 at the end.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        match self.text.as_bytes().get(self.mark.at) {
            Some(byte) if *byte > b' ' => *byte,
            _ => self.peek_behind_space(),
        }
    }

    #[cold]
    fn peek_behind_space(&mut self) -> u8 {
        loop {
            match self.text.as_bytes().get(self.mark.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.mark.at += 1,
                Some(byte) => return *byte,
                None => return 0,
            }
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.mark.at..).unwrap_or_default()
    }

    /// The offset of the next byte.
    pub(crate) fn position(&self) -> usize {
        self.mark.at
    }

    /// The text from an earlier position up to here.
    pub(crate) fn since(&self, position: usize) -> &'a str {
        self.text.get(position..self.mark.at).unwrap_or_default()
    }

    /// Skips `null`, and returns whether it was next.
    #[inline]
    pub fn null(&mut self) -> bool {
        self.peek() == b'n' && self.null_behind_n()
    }

    #[cold]
    fn null_behind_n(&mut self) -> bool {
        let found = self.literal("null");
        if found {
            self.mark.default_end = self.mark.at;
        }
        found
    }

    /// Reads the next value into `value`, which holds the default; `null` leaves that.
    pub fn value<T: ReadJson>(&mut self, value: &mut T) -> Result<(), Fault> {
        if self.null() {
            return Ok(());
        }
        value.read_json(self)
    }

    /// Reads the next element of a list or value of a map as [`value`](Self::value) does.
    pub(super) fn element<T: ReadJson>(&mut self, element: &mut T) -> Result<(), Fault> {
        if self.null() {
            self.mark.keeps_text |= !T::HOLDS_NULL;
            return Ok(());
        }
        element.read_json(self)
    }

    /// Calls `each` with every field's name, to read its value.
    pub fn fields(
        &mut self,
        expected: &dyn fmt::Display,
        each: &mut ReadField<'a, '_>,
    ) -> Result<(), Fault> {
        let mut more = self.object(expected)?;
        while more {
            let name = self.name()?;
            each(name, self)?;
            more = self.more_fields()?;
        }
        Ok(())
    }

    /// Enters an object; `false` when it is empty. Read a name and a value, and call
    /// [`more_fields`](Self::more_fields).
    #[inline]
    pub(crate) fn object(&mut self, expected: &dyn fmt::Display) -> Result<bool, Fault> {
        self.open(b'{', expected)
    }

    /// Whether another field follows.
    pub(crate) fn more_fields(&mut self) -> Result<bool, Fault> {
        self.more(b'}')
    }

    /// A field's name, and its colon.
    pub(crate) fn name(&mut self) -> Result<Cow<'a, str>, Fault> {
        let name = self.string(&"a field name")?;
        if self.peek() != b':' {
            return Err(self.unexpected());
        }
        self.mark.at += 1;
        Ok(name)
    }

    /// The index in `names` of the next field's name, and moves behind its colon. `None` when it is another name, or not
    /// directly followed by its colon. `last` is the field before it, or else a number for the type.
    #[inline]
    pub(crate) fn known_name(&mut self, names: &[Name], last: u64) -> Option<usize> {
        if self.peek() != b'"' {
            return None;
        }
        let text = self.text.as_bytes().get(self.mark.at + 1..)?;
        let expected = self.predictor.next(last);
        let index = match names.get(expected) {
            Some(name) if name.begins(text, word_at(text, 0)?) => expected,
            _ => self.search_name(names, last)?,
        };
        self.mark.at += 1 + names.get(index)?.length();
        Some(index)
    }

    /// Moves behind the kind and version of an object, if they come next as a server writes them; otherwise nothing is read.
    pub(crate) fn skip_type_meta(&mut self, kind: &str, api_version: &str) -> bool {
        let parts = [
            r#""kind":""#,
            kind,
            r#"","apiVersion":""#,
            api_version,
            "\"",
        ];
        let rest = parts
            .iter()
            .try_fold(self.rest(), |rest, part| rest.strip_prefix(part));
        if let Some(rest) = rest {
            self.mark.at = self.text.len() - rest.len();
        }
        rest.is_some()
    }

    #[inline(never)]
    fn search_name(&mut self, names: &[Name], last: u64) -> Option<usize> {
        let text = self.text.as_bytes().get(self.mark.at + 1..)?;
        let word = word_at(text, 0)?;
        let index = names.iter().position(|name| name.begins(text, word))?;
        self.predictor.note_next(last, index);
        Some(index)
    }

    /// Enters an array; `false` when it is empty. Call [`more_elements`](Self::more_elements) after each element.
    #[inline]
    pub fn elements(&mut self) -> Result<bool, Fault> {
        self.open(b'[', &"a JSON array")
    }

    /// Whether the value that was read last is `null`, `[]` or `{}`.
    pub(crate) fn was_default(&self) -> bool {
        self.mark.default_end == self.mark.at
    }

    /// Whether the value that was read last ends like `null`.
    pub(crate) fn was_null(&self) -> bool {
        self.text
            .as_bytes()
            .get(..self.mark.at)
            .is_some_and(|read| read.ends_with(b"l"))
    }

    /// Whether another element follows.
    pub fn more_elements(&mut self) -> Result<bool, Fault> {
        self.more(b']')
    }

    #[inline]
    fn open(&mut self, bracket: u8, expected: &dyn fmt::Display) -> Result<bool, Fault> {
        if self.peek() != bracket {
            return Err(self.mismatch(expected));
        }
        self.mark.depth += 1;
        if self.mark.depth == MAX_DEPTH {
            return Err(Fault::new(self.mark.at, "recursion limit exceeded"));
        }
        self.mark.at += 1;
        // In ASCII, a closing bracket is two places behind the opening one.
        let is_empty = self.peek() == bracket + 2;
        if is_empty {
            self.close();
            self.mark.default_end = self.mark.at;
        }
        Ok(!is_empty)
    }

    #[inline]
    fn more(&mut self, closing: u8) -> Result<bool, Fault> {
        match self.peek() {
            b',' => {
                self.mark.at += 1;
                Ok(true)
            }
            byte if byte == closing => {
                self.close();
                Ok(false)
            }
            _ => Err(self.unexpected()),
        }
    }

    #[inline]
    fn close(&mut self) {
        self.mark.at += 1;
        self.mark.depth -= 1;
    }

    /// The text is not JSON. serde_json finds the reason when the error is worded.
    #[cold]
    pub(super) fn unexpected(&self) -> Fault {
        self.fault("invalid JSON")
    }

    /// An error at the present place.
    #[cold]
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.mark.at, message)
    }

    /// The next value is of another type than expected.
    #[cold]
    pub(super) fn mismatch(&mut self, expected: &dyn fmt::Display) -> Fault {
        struct Mismatch<'e>(&'e dyn fmt::Display);

        impl Visitor<'_> for Mismatch<'_> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        let mut deserializer = serde_json::Deserializer::from_str(self.rest());
        match deserializer.deserialize_any(Mismatch(expected)) {
            // The place that serde_json gives.
            Err(error) if matches!(self.peek(), b'{' | b'[') => {
                Fault::from_json(self.mark.at, &error).at(self.mark.at)
            }
            Err(error) => Fault::from_json(self.mark.at, &error),
            Ok(()) => self.unexpected(),
        }
    }
}
