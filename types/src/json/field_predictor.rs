//! The predictor of a text, from which a reader guesses what comes next.
//!
//! Objects of one text are alike: their fields come in the same order, and their lists have similar lengths. A wrong guess
//! costs time and nothing else.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// The last next fields and lengths, by hashes of fields.
#[doc(hidden)]
pub struct FieldPredictor {
    /// The places in their tables of the fields that came next.
    next: [u8; 1024],
    lengths: [u8; 64],
}

impl Default for FieldPredictor {
    fn default() -> Self {
        Self {
            next: [0; 1024],
            lengths: [1; 64],
        }
    }
}

/// The predictor of a reader: its own, or that of the texts before.
#[expect(
    clippy::large_enum_variant,
    reason = "readers live on the stack, and a box takes longer"
)]
pub(super) enum Predictor<'a> {
    Own(FieldPredictor),
    Lent(&'a mut FieldPredictor),
}

impl Deref for Predictor<'_> {
    type Target = FieldPredictor;

    #[inline]
    fn deref(&self) -> &FieldPredictor {
        match self {
            Self::Own(predictor) => predictor,
            Self::Lent(predictor) => predictor,
        }
    }
}

impl DerefMut for Predictor<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut FieldPredictor {
        match self {
            Self::Own(predictor) => predictor,
            Self::Lent(predictor) => predictor,
        }
    }
}

/// Nothing of its contents is worth reading.
impl fmt::Debug for FieldPredictor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldPredictor").finish_non_exhaustive()
    }
}

/// The maximum length for which a list allocates space in advance.
const MAX_LENGTH: u8 = 16;

impl FieldPredictor {
    /// The place of the field that came after this one.
    #[inline]
    pub(super) fn next(&self, field: u64) -> usize {
        self.next[slot(field, 10)].into()
    }

    /// Notes the place of the field that came after this one.
    pub(super) fn note_next(&mut self, field: u64, index: usize) {
        // A table has at most 128 fields.
        self.next[slot(field, 10)] = u8::try_from(index).unwrap_or_default();
    }

    /// The length of the last list in this field.
    pub(super) fn length(&self, field: u64) -> usize {
        self.lengths[slot(field, 6)].into()
    }

    pub(super) fn note_length(&mut self, field: u64, length: usize) {
        let length = u8::try_from(length).unwrap_or(MAX_LENGTH);
        self.lengths[slot(field, 6)] = length.min(MAX_LENGTH);
    }
}

/// The highest bits of a product, which depend on all bits of the hash.
#[inline]
fn slot(hash: u64, bits: u32) -> usize {
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}
