//! The columns of dumps and the format of their cells.

use super::values::{SeatSeconds, parse_time};
use crate::evidence::go_duration;

/// A column of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) format: Format,
    /// Whether the column is missing in some releases or dumps.
    optional: bool,
}

impl Column {
    pub(super) const fn new(title: &'static str, format: Format) -> Self {
        Self {
            title,
            format,
            optional: false,
        }
    }

    /// A column that some releases or dumps do not have.
    pub(super) const fn optional(title: &'static str, format: Format) -> Self {
        Self {
            title,
            format,
            optional: true,
        }
    }

    pub(super) const fn is_in_every_release(&self) -> bool {
        !self.optional
    }
}

/// The format of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// An object's name or a resource: no comma, no space, no slash; may be empty.
    Word,
    /// A version, of a group after the name of the group and a slash: `v1`, `apps/v1`; may be empty.
    Version,
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

/// The value of all columns but the first in a row without data.
pub(super) const NONE: &str = "<none>";

impl Format {
    /// Whether a cell in this format can contain a comma.
    pub(super) const fn can_contain_comma(self) -> bool {
        matches!(self, Self::Text | Self::Path)
    }

    /// Whether `cell` fits the format.
    pub(super) fn accepts(self, cell: &str) -> bool {
        cell == NONE
            || match self {
                Self::Word => !cell.contains([' ', '/', ',']),
                Self::Version => !cell.starts_with('/') && !cell.contains([' ', ',']),
                Self::Text => true,
                Self::Path => cell.is_empty() || cell.starts_with('/'),
                Self::Integer => cell.parse::<i64>().is_ok(),
                Self::Boolean => matches!(cell, "true" | "false"),
                Self::Time => parse_time(cell).is_some(),
                Self::Duration => go_duration(cell).is_some(),
                Self::SeatSeconds => cell.parse::<SeatSeconds>().is_ok(),
            }
    }
}
