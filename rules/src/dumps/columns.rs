//! What a cell of each column looks like.

use super::values::{SeatSeconds, parse_duration, parse_time};

/// A column of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) form: Form,
    /// Whether some releases or some dumps leave the column out.
    optional: bool,
}

impl Column {
    pub(super) const fn new(title: &'static str, form: Form) -> Self {
        Self {
            title,
            form,
            optional: false,
        }
    }

    /// A column that is not in every such dump.
    pub(super) const fn optional(title: &'static str, form: Form) -> Self {
        Self {
            title,
            form,
            optional: true,
        }
    }

    pub(super) const fn is_in_every_release(&self) -> bool {
        !self.optional
    }
}

/// What the cells of a column look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An object's name, a resource or a version: no comma, no space; may be empty.
    Word,
    /// Text that may contain commas and spaces.
    Text,
    /// A path: text that starts with `/`.
    Path,
    Integer,
    Boolean,
    Time,
    Duration,
    SeatSeconds,
}

/// What stands in every column but the first where a server has nothing to tell.
pub(super) const NONE: &str = "<none>";

impl Form {
    /// Whether a cell of such a column can contain a comma.
    pub(super) const fn can_contain_comma(self) -> bool {
        matches!(self, Self::Text | Self::Path)
    }

    /// Whether `cell` can stand in such a column.
    pub(super) fn accepts(self, cell: &str) -> bool {
        cell == NONE
            || match self {
                Self::Word => !cell.contains([' ', '/', ',']),
                Self::Text => true,
                Self::Path => cell.is_empty() || cell.starts_with('/'),
                Self::Integer => cell.parse::<i64>().is_ok(),
                Self::Boolean => matches!(cell, "true" | "false"),
                Self::Time => parse_time(cell).is_some(),
                Self::Duration => parse_duration(cell).is_some(),
                Self::SeatSeconds => cell.parse::<SeatSeconds>().is_ok(),
            }
    }
}
