//! Escaping of text that rustdoc would take for its own syntax.

/// Escapes a line outside of program text. Code spans and links are not changed.
pub(super) fn escape(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let (mut is_start, mut seen) = (true, 0);
    while let Some(c) = rest.chars().next() {
        is_start &= out[seen..].chars().all(|c| c.is_whitespace() || c == '>');
        seen = out.len();
        let taken = match c {
            '~' if rest.starts_with("~~~") => None,
            '~' => Some(&rest[..1]),
            '`' => code_span(rest),
            '[' => link(rest),
            '<' => auto_link(rest),
            'h' => bare_url(rest, out.chars().next_back()).inspect(|url| {
                out.push('<');
                out.push_str(url);
                out.push('>');
            }),
            '\\' => rest
                .get(..2)
                .filter(|two| two.ends_with(|e: char| e.is_ascii_punctuation())),
            _ => None,
        };
        match taken {
            Some(text) => {
                if c != 'h' {
                    out.push_str(text);
                }
                rest = &rest[text.len()..];
            }
            None => {
                let is_special = matches!(c, '[' | ']' | '<' | '>' | '`' | '~');
                if is_special && !(c == '>' && is_start) {
                    out.push('\\');
                }
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

/// `` `code` ``, when it ends on the line.
fn code_span(text: &str) -> Option<&str> {
    let run = |text: &str| text.len() - text.trim_start_matches('`').len();
    let ticks = run(text);
    let mut at = ticks;
    // Only a run of the same length ends it.
    while let Some(found) = text[at..].find('`') {
        let length = run(&text[at + found..]);
        at += found + length;
        if length == ticks {
            return Some(&text[..at]);
        }
    }
    None
}

/// `[text](https://…)`: other targets would be taken for Rust paths.
fn link(text: &str) -> Option<&str> {
    // Not further than the first character that no link has, so that a line takes linear time.
    let close = 1 + text[1..].find(['[', ']', '<', '`'])?;
    let target = text[close..].strip_prefix("](")?;
    let end = target.find(|c: char| c.is_whitespace() || matches!(c, '<' | '(' | ')'))?;
    let is_link = target.starts_with("http") && target[end..].starts_with(')');
    is_link.then(|| &text[..=close + 2 + end])
}

/// `<https://…>`.
fn auto_link(text: &str) -> Option<&str> {
    let target = &text[1..];
    let end = target.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>'))?;
    let is_url = target.starts_with("http://") || target.starts_with("https://");
    (is_url && target[end..].starts_with('>')).then(|| &text[..end + 2])
}

/// `https://…` without what ends the sentence.
fn bare_url(text: &str, before: Option<char>) -> Option<&str> {
    if !(text.starts_with("http://") || text.starts_with("https://"))
        || before.is_some_and(char::is_alphanumeric)
    {
        return None;
    }
    let stop =
        |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`' | ')' | ']' | '|');
    let end = text.find(stop).unwrap_or(text.len());
    let url = text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']);
    (url.len() > "https://".len()).then_some(url)
}
