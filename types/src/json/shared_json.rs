//! JSON text that many objects have in common, kept once.

use super::compact::{compact_value_end, name_end, string_end};
use super::{RawJson, Reader, Writer};
use std::cell::RefCell;
use std::fmt;
use std::iter::once;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The field between whose values the text is shared. Managed fields of objects that were written in the same way differ in nothing
/// but their times.
const FIELD: &[u8] = br#""time":"#;
/// How long a shared text is. Shorter ones are not worth a reference.
const LENGTH: RangeInclusive<usize> = 64..=4096;
/// How many texts a thread remembers, in at most 64 kB.
const REMEMBERED: usize = 16;

/// Compact JSON text, of which long parts belong to other values too.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SharedJson {
    /// The text without its shared parts.
    own: Box<str>,
    parts: Box<[Part]>,
}

#[derive(Clone, PartialEq, Eq)]
struct Part {
    /// Where it belongs in [`SharedJson::own`].
    at: usize,
    text: Arc<str>,
}

impl SharedJson {
    /// Reads an array of objects, if it is compact and plain.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let read = |recent: &RefCell<Recent>| {
            let mut recent = recent.borrow_mut();
            let read = recent.read(reader);
            recent.parts.clear();
            recent.parts.shrink_to(REMEMBERED);
            read
        };
        RECENT.try_with(read).ok().flatten()
    }

    /// The whole text, in pieces.
    fn pieces(&self) -> impl Iterator<Item = &str> {
        let own = |from: usize, to: usize| self.own.get(from..to).unwrap_or_default();
        let mut from = 0;
        let parts = self.parts.iter().flat_map(move |part| {
            let before = own(from, part.at);
            from = part.at;
            [before, &*part.text]
        });
        let last = self.parts.last().map_or(0, |part| part.at);
        parts.chain(once(own(last, self.own.len())))
    }

    pub(crate) fn to_raw(&self) -> RawJson {
        RawJson::from_compact(self.pieces().collect::<String>())
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        self.pieces().for_each(|piece| writer.raw(piece));
    }
}

impl From<RawJson> for SharedJson {
    fn from(raw: RawJson) -> Self {
        Self {
            own: raw.into_text(),
            parts: Box::default(),
        }
    }
}

impl fmt::Debug for SharedJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

thread_local! {
    static RECENT: RefCell<Recent> = const { RefCell::new(Recent::new()) };
}

/// The texts that a thread shared last.
struct Recent {
    texts: Vec<Arc<str>>,
    /// The text that the next new one replaces.
    oldest: usize,
    /// The shared parts of the value that is read, with their places in the whole text.
    parts: Vec<Part>,
}

impl Recent {
    const fn new() -> Self {
        Self {
            texts: Vec::new(),
            oldest: 0,
            parts: Vec::new(),
        }
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Option<SharedJson> {
        reader.peek();
        let text = reader.rest();
        let text = text.get(..self.array_end(text)?)?;
        reader.mark.at += text.len();

        let shared: usize = self.parts.iter().map(|part| part.text.len()).sum();
        let mut own = String::with_capacity(text.len().saturating_sub(shared));
        let mut from = 0;
        for part in &mut self.parts {
            own.push_str(text.get(from..part.at)?);
            from = part.at + part.text.len();
            part.at = own.len();
        }
        own.push_str(text.get(from..)?);
        Some(SharedJson {
            own: own.into(),
            parts: self.parts.drain(..).collect(),
        })
    }

    /// The end of the array of objects at the start of `text`. Notes its shared parts.
    fn array_end(&mut self, text: &str) -> Option<usize> {
        let mut at = 0;
        loop {
            at = self.part_end(text, at)?;
            if text.get(..at)?.ends_with(']') {
                return Some(at);
            }
            at = string_end(text.as_bytes(), at)?;
        }
    }

    /// The end of the part at `at`, which is shared unless it is short or very long.
    fn part_end(&mut self, text: &str, at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        if rest.starts_with('[') != (at == 0) {
            return None;
        }
        // A part ends with a colon or its last bracket, so no part is the beginning of a longer one.
        let known = self.texts.iter().find(|known| rest.starts_with(&***known));
        let shared = match known {
            Some(known) => Arc::clone(known),
            None => {
                let part = rest.get(..part_end(rest.as_bytes())?)?;
                if !LENGTH.contains(&part.len()) {
                    return Some(at + part.len());
                }
                self.remember(part)
            }
        };
        let end = at + shared.len();
        self.parts.push(Part { at, text: shared });
        Some(end)
    }

    fn remember(&mut self, text: &str) -> Arc<str> {
        let shared: Arc<str> = text.into();
        match self.texts.get_mut(self.oldest) {
            Some(oldest) => *oldest = Arc::clone(&shared),
            None => self.texts.push(Arc::clone(&shared)),
        }
        self.oldest = (self.oldest + 1) % REMEMBERED;
        shared
    }
}

/// The end of the part at the start of `bytes`, where an array of objects begins or a value in an object has ended. It reaches to the next
/// value of [`FIELD`], or to the end of the array.
fn part_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at = match bytes.get(at)? {
            b'[' if at == 0 => behind_brace(bytes, 1)?,
            b',' => at + 1,
            b'}' => match bytes.get(at + 1)? {
                b',' => behind_brace(bytes, at + 2)?,
                b']' => return Some(at + 2),
                _ => return None,
            },
            _ => return None,
        };
        let value = name_end(bytes, at)?;
        if bytes.get(at..value)? == FIELD {
            return Some(value);
        }
        at = value + compact_value_end(bytes.get(value..)?)?;
    }
}

fn behind_brace(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at) == Some(&b'{')).then_some(at + 1)
}
