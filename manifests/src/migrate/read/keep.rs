//! Comments that keep a place: `# flowcontrol: keep`.

use super::text::Text;
use k8s_flowcontrol_text::Span;

const KEEP: &str = "flowcontrol: keep";

/// The parts of a text that stay unchanged, because a comment keeps them.
#[derive(Debug)]
pub(in crate::migrate) struct Kept {
    /// The lines with a comment, and each line behind a comment that is alone in its line; in order.
    lines: Vec<Span>,
    /// The objects that begin in such a line; in order.
    objects: Vec<Span>,
}

impl Kept {
    pub(in crate::migrate) fn of(source: &Text<'_>) -> Self {
        let mut lines: Vec<Span> = Vec::new();
        for (at, _) in source.text.match_indices(KEEP) {
            let start = source.line_start(at);
            let before = source.text[start..at].trim_end();
            let marks = ["#", "//", "--", "/*", "<!--", ";"];
            let Some(content) = marks.iter().find_map(|mark| before.strip_suffix(mark)) else {
                continue;
            };
            let is_alone = content
                .trim_end()
                .trim_end_matches("{{-")
                .trim_end_matches("{{")
                .is_empty();
            let mut end = source.line_end(at);
            if is_alone && let Some(gap) = source.text[end..].find('\n') {
                end = source.line_end(end + gap + 1);
            }
            match lines.last_mut().filter(|last| last.start == start) {
                Some(last) => last.end = last.end.max(end),
                None => lines.push(Span::new(start, end)),
            }
        }
        Self {
            lines,
            objects: Vec::new(),
        }
    }

    pub(in crate::migrate) fn contains(&self, offset: usize) -> bool {
        [&self.lines, &self.objects].into_iter().any(|spans| {
            let before = spans.partition_point(|span| span.start <= offset);
            let last = before.checked_sub(1).and_then(|last| spans.get(last));
            last.is_some_and(|span| offset <= span.end)
        })
    }

    /// Keeps an object. An object in a kept one is kept with it.
    pub(in crate::migrate) fn add(&mut self, object: Span) {
        let at = self
            .objects
            .partition_point(|kept| kept.start <= object.start);
        let last = at.checked_sub(1).and_then(|last| self.objects.get(last));
        if last.is_none_or(|last| last.end < object.end) {
            self.objects.insert(at, object);
        }
    }
}
