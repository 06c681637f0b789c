//! The lines of a screen, and how a terminal comes to show them.

use crate::output::one_line;
use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::style::{ContentStyle, PrintStyledContent};
use crossterm::terminal::{Clear, ClearType};
use std::io::{self, Write};

/// The contents of a screen: the texts of each line, with their columns and styles.
#[derive(Default)]
pub(super) struct Lines {
    width: u16,
    lines: Vec<Vec<(u16, ContentStyle, String)>>,
}

impl Lines {
    /// Empty lines of a screen.
    pub(super) fn new((width, height): (u16, u16)) -> Self {
        let lines = vec![Vec::new(); usize::from(height)];
        Self { width, lines }
    }

    pub(super) fn width(&self) -> usize {
        usize::from(self.width)
    }

    pub(super) fn height(&self) -> u16 {
        u16::try_from(self.lines.len()).unwrap_or(u16::MAX)
    }

    /// Adds text to a line, over what is there. It must fit between the column and the edge of the screen.
    pub(super) fn add(&mut self, y: u16, x: usize, text: String, style: ContentStyle) {
        if let (Some(line), Ok(x)) = (self.lines.get_mut(usize::from(y)), u16::try_from(x)) {
            line.push((x, style, text));
        }
    }

    /// Writes the lines that differ from the present ones of the terminal.
    pub(super) fn write(&self, shown: &Self, out: &mut impl Write) -> io::Result<()> {
        let is_resized = (self.width, self.height()) != (shown.width, shown.height());
        if is_resized {
            queue!(out, Clear(ClearType::All))?;
        }
        for (y, line) in (0..).zip(&self.lines) {
            if !is_resized && shown.lines.get(usize::from(y)) == Some(line) {
                continue;
            }
            // Cleared first: behind the last column there is nothing to clear.
            queue!(out, MoveTo(0, y), Clear(ClearType::CurrentLine))?;
            for (x, style, text) in line {
                queue!(
                    out,
                    MoveTo(*x, y),
                    PrintStyledContent(style.apply(one_line(text)))
                )?;
            }
        }
        out.flush()
    }
}
