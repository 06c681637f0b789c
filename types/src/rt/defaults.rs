//! The spellings of fields that have their default, so that writing changes none of them.

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
