//! Comments that keep a place: `# flowcontrol: keep`.

use k8s_flowcontrol_text::Span;

const KEEP: &str = "flowcontrol: keep";

/// The lines that a comment keeps: the line of the comment, and the next line if the comment is alone in its line.
pub(in crate::migrate) fn kept_lines(text: &str) -> Vec<Span> {
    let mut kept = Vec::new();
    for (at, _) in text.match_indices(KEEP) {
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let before = text[start..at].trim_end();
        let marks = ["#", "//", "--", "/*", "<!--", ";"];
        let Some(content) = marks.iter().find_map(|mark| before.strip_suffix(mark)) else {
            continue;
        };
        let line_end = |from: usize| text[from..].find('\n').map_or(text.len(), |end| from + end);
        let is_alone = content
            .trim_end()
            .trim_end_matches("{{-")
            .trim_end_matches("{{")
            .is_empty();
        let mut end = line_end(at);
        if is_alone && end < text.len() {
            end = line_end(end + 1);
        }
        kept.push(Span::new(start, end));
    }
    kept
}

/// Whether a span contains a place.
pub(in crate::migrate) fn is_kept(kept: &[Span], offset: usize) -> bool {
    kept.iter()
        .any(|span| (span.start..=span.end).contains(&offset))
}
