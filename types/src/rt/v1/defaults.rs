//! The spellings of fields that have their default, so that writing does not change them.

use super::Table;
use crate::json::Reader;

/// How a text spelled a field that reads as its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// A required field that the text lacked.
    Absent,
    /// `null`.
    Null,
    /// `[]` or `{}`.
    Empty,
}

/// The spellings in an object of at most 128 fields.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Defaults {
    /// The bits of the fields that are absent or empty.
    low: u128,
    /// The bits of the fields that are `null` or empty.
    high: u128,
}

impl Defaults {
    pub(crate) fn new(absent: u128, null: u128, empty: u128) -> Self {
        Self {
            low: absent | empty,
            high: null | empty,
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.low | self.high == 0
    }

    pub(crate) fn of(self, index: usize) -> Option<Spelling> {
        let is_in = |bits: u128| bits & (1 << index) != 0;
        match (is_in(self.low), is_in(self.high)) {
            (false, false) => None,
            (true, false) => Some(Spelling::Absent),
            (false, true) => Some(Spelling::Null),
            (true, true) => Some(Spelling::Empty),
        }
    }
}

/// The parts of the type meta that the text of an object inside another one lacked. At the top of a text they are always
/// written, and inside a typed list never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypeMetaAbsence {
    pub(crate) kind: bool,
    pub(crate) api_version: bool,
}

impl TypeMetaAbsence {
    /// The absence before the object that the reader is about to read.
    pub(super) fn expected(table: &Table, reader: &Reader<'_>) -> Self {
        let is_remembered = table.type_meta.is_some() && reader.is_inside() && !reader.mark.is_item;
        Self {
            kind: is_remembered,
            api_version: is_remembered,
        }
    }
}
