//! A text with its name, and the line and column of each of its bytes.

use crate::Lines;
use k8s_flowcontrol_text::Position;
use std::sync::{Arc, OnceLock};

/// A text with its name.
#[derive(Debug)]
pub struct Source {
    /// The path as given or found; `-` for the standard input.
    pub name: String,
    /// The bytes, unchanged.
    pub text: Arc<[u8]>,
    /// Whether the user named this file; files found in a folder are not named.
    pub is_named: bool,
    /// The lines, computed on first use.
    lines: OnceLock<Lines>,
}

impl Source {
    /// A text with its name. `is_named` is whether the user named the file.
    pub fn new(name: String, text: Vec<u8>, is_named: bool) -> Self {
        Self {
            name,
            text: text.into(),
            is_named,
            lines: OnceLock::new(),
        }
    }

    /// The line and column of a byte, both counted from 1. A byte order mark does not count as a column.
    pub fn position(&self, offset: usize) -> Position {
        let lines = self.lines.get_or_init(|| Lines::of(&self.text));
        lines.position(&self.text, offset)
    }
}
