//! A message about a place in a text, printed with file, line, column and the line itself.

use super::Stream;
use super::escape::{escape, one_line};
use annotate_snippets::{AnnotationKind, Group, Origin, Renderer, Snippet};
use k8s_flowcontrol_manifests::Source;
use k8s_flowcontrol_text::Span;
use std::io;
use std::sync::Arc;

/// The most bytes of a line that are shown before the place.
const CONTEXT: usize = 90;

/// A message about a place in a text.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    level: Level,
    id: Option<String>,
    message: String,
    place: Option<(Arc<Source>, Span)>,
    help: Option<String>,
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The object or file cannot be used.
    Error,
    /// The object or file can be used, but probably not as intended.
    Warning,
    /// Information; nothing to do.
    Note,
}

impl Diagnostic {
    pub(crate) fn new(level: Level, message: impl Into<String>) -> Self {
        Self {
            level,
            id: None,
            message: message.into(),
            place: None,
            help: None,
        }
    }

    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self::new(Level::Error, message)
    }

    pub(crate) fn warning(message: impl Into<String>) -> Self {
        Self::new(Level::Warning, message)
    }

    /// The same message as a warning.
    #[must_use]
    pub(crate) fn downgraded(mut self) -> Self {
        self.level = Level::Warning;
        self
    }

    /// The name of the rule.
    #[must_use]
    pub(crate) fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The place in the text.
    #[must_use]
    pub(crate) fn at(mut self, source: &Arc<Source>, span: Span) -> Self {
        self.place = Some((Arc::clone(source), span));
        self
    }

    /// The way to solve the problem.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The way to solve the problem, if it is known.
    #[must_use]
    pub(crate) fn help_if(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Writes the message.
    pub(crate) fn write(&self, out: &mut Stream) -> io::Result<()> {
        out.styled(&self.render())
    }

    /// The message with styles, and with a line break at the end. Everything else in it is escaped.
    fn render(&self) -> String {
        let (message, id) = (escape(&self.message), self.id.as_deref().map(escape));
        let name = self
            .place
            .as_ref()
            .map(|(source, _)| one_line(&source.name));
        let name = name.as_deref().unwrap_or_default();
        let help = self.help.as_deref().map(escape);
        let level = match self.level {
            Level::Error => annotate_snippets::Level::ERROR,
            Level::Warning => annotate_snippets::Level::WARNING,
            Level::Note => annotate_snippets::Level::NOTE,
        };
        // A primary title is never cut, however long it is.
        let mut title = level.primary_title(&*message);
        if let Some(id) = &id {
            title = title.id(&**id);
        }
        let mut group = Group::with_title(title);
        if let Some((source, span)) = &self.place {
            let position = source.position(span.start);
            let Excerpt {
                line,
                start,
                end,
                is_cut,
            } = Excerpt::of(&source.text, *span);
            let mut snippet = Snippet::source(line)
                .line_start(position.line)
                .annotation(AnnotationKind::Primary.span(start..end));
            if is_cut {
                // The excerpt does not show the column, so it is set here.
                let origin = Origin::path(name).line(position.line);
                group = group.element(origin.char_column(position.column));
            } else {
                snippet = snippet.path(name);
            }
            group = group.element(snippet);
        }
        if let Some(help) = &help {
            group = group.element(annotate_snippets::Level::HELP.message(&**help));
        }
        let mut text = Renderer::styled().render(&[group]);
        text.push('\n');
        text
    }
}

/// The line of a place, shortened if it is long, and the place in it in bytes.
struct Excerpt {
    line: String,
    start: usize,
    end: usize,
    /// Whether the beginning of the line is missing.
    is_cut: bool,
}

impl Excerpt {
    fn of(text: &[u8], span: Span) -> Self {
        // Only what is shown is read: a line can be the whole text, with many findings.
        let at = span.start.min(text.len());
        let earliest = at.saturating_sub(CONTEXT);
        let before = &text[earliest..at];
        let line_start = before.iter().rposition(|byte| *byte == b'\n');
        let from = line_start.map_or(earliest, |found| earliest + found + 1);
        let is_cut = line_start.is_none() && earliest > 0 && text[earliest - 1] != b'\n';
        let latest = text.len().min(at + 2 * CONTEXT);
        let line_end = text[at..latest].iter().position(|byte| *byte == b'\n');
        let until = line_end.map_or(latest, |found| at + found);
        let has_more = line_end.is_none() && latest < text.len() && text[latest] != b'\n';
        let to = span.end.clamp(at, until);
        let mut line = String::new();
        if is_cut {
            line.push('…');
        }
        line.push_str(&printable(&text[from..at]));
        let start = line.len();
        line.push_str(&printable(&text[at..to]));
        let end = line.len();
        line.push_str(printable(&text[to..until]).trim_end());
        if has_more {
            line.push('…');
        }
        Self {
            line,
            start,
            end,
            is_cut,
        }
    }
}

/// Text for a terminal: invalid UTF-8 becomes the replacement character, and the carriage return of a line break a blank.
fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let (text, end) = match text.strip_suffix('\r') {
        Some(text) => (text, " "),
        None => (&*text, ""),
    };
    escape(text).replace('\t', "    ") + end
}
