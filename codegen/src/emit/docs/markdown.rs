//! Descriptions as rustdoc takes them: links, tags and programs of rustdoc's own syntax are escaped.

const WIDTH: usize = 95;

/// Renders a description, line by line.
pub(super) fn render(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut block = Block::Text;
    // A bare carriage return is no Rust, and what turns the direction of text hides code.
    let text: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter(|c| !matches!(c, '\r' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .collect();
    for line in text.lines() {
        let line = line.trim_end();
        let fence = line.trim_start().starts_with("```");
        match block {
            Block::Fenced => {
                out.push(line.to_owned());
                if fence {
                    block = Block::Text;
                }
                continue;
            }
            Block::Indented if line.is_empty() || is_indented(line) => {
                out.push(unindented(line));
                continue;
            }
            Block::Indented => {
                close_indented(&mut out);
                block = Block::Text;
            }
            Block::Text => {}
        }
        if fence {
            block = Block::Fenced;
            // Without a language rustdoc would run it.
            let indent = &line[..line.len() - line.trim_start().len()];
            let language = line.trim_start().trim_start_matches('`');
            let language = if language.is_empty() {
                "text"
            } else {
                language
            };
            out.push(format!("{indent}```{language}"));
        } else if is_indented(line) && out.last().is_none_or(String::is_empty) {
            block = Block::Indented;
            out.push("```text".to_owned());
            out.push(unindented(line));
        } else {
            // Deeper indentation without a blank line before it only continues the paragraph.
            wrap(&escape(line), &mut out);
        }
    }
    match block {
        Block::Text => {}
        Block::Fenced => out.push("```".to_owned()),
        Block::Indented => close_indented(&mut out),
    }
    while out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    out
}

#[derive(Clone, Copy)]
enum Block {
    Text,
    Fenced,
    Indented,
}

fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

fn unindented(line: &str) -> String {
    line.strip_prefix('\t')
        .or_else(|| line.strip_prefix("    "))
        .unwrap_or(line)
        .to_owned()
}

/// Ends a program text; blank lines behind it belong to what follows.
fn close_indented(out: &mut Vec<String>) {
    let mut blank = false;
    while out.last().is_some_and(String::is_empty) {
        out.pop();
        blank = true;
    }
    out.push("```".to_owned());
    if blank {
        out.push(String::new());
    }
}

/// Escapes a line outside of program text. Code spans and links stay as they are.
fn escape(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
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
                if matches!(c, '[' | ']' | '<' | '>' | '`') && !(c == '>' && out.trim().is_empty())
                {
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
    let ticks = text.len() - text.trim_start_matches('`').len();
    let fence = &text[..ticks];
    let end = text[ticks..].find(fence)?;
    Some(&text[..ticks + end + ticks])
}

/// `[text](https://…)`: other targets would be taken for Rust paths.
fn link(text: &str) -> Option<&str> {
    let close = text.find("](http")?;
    if text[1..close].contains(['[', ']']) {
        return None;
    }
    let end = close + text[close..].find(')')?;
    let target = &text[close + 2..end];
    (!target.contains(char::is_whitespace)).then(|| &text[..=end])
}

/// `<https://…>`.
fn auto_link(text: &str) -> Option<&str> {
    let end = text.find('>')?;
    let target = &text[1..end];
    let is_url = target.starts_with("http://") || target.starts_with("https://");
    (is_url && !target.contains(char::is_whitespace)).then(|| &text[..=end])
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

/// Breaks a line between words. List items go on under their text.
fn wrap(line: &str, out: &mut Vec<String>) {
    let trimmed = line.trim_start();
    if line.len() <= WIDTH || trimmed.starts_with('|') || trimmed.starts_with('#') {
        out.push(if trimmed.is_empty() {
            String::new()
        } else {
            limited(line)
        });
        return;
    }
    let marker = trimmed
        .split_once(' ')
        .filter(|(word, _)| matches!(*word, "-" | "*" | "+") || is_number(word))
        .map_or(0, |(word, _)| word.len() + 1);
    let indent = (line.len() - trimmed.len()).min(3);
    let mut current = " ".repeat(indent);
    let mut empty = true;
    let mut in_code = false;
    for word in trimmed.split(' ').filter(|w| !w.is_empty()) {
        // No break inside code, nor before what would start a list, heading or quotation.
        let starts_block = matches!(word, "-" | "*" | "+" | "=" | "|")
            || word.starts_with(['#', '>', '|'])
            || word
                .bytes()
                .all(|b| matches!(b, b'-' | b'=' | b'*' | b'_' | b'~'))
            || is_number(word);
        let too_long = current.len() + 1 + word.len() > WIDTH;
        if !empty && too_long && !starts_block && !in_code {
            out.push(std::mem::replace(&mut current, " ".repeat(indent + marker)));
            empty = true;
        }
        if !empty {
            current.push(' ');
        }
        current.push_str(word);
        empty = false;
        if word.matches('`').count() % 2 == 1 {
            in_code = !in_code;
        }
    }
    out.push(current);
}

/// A line whose indentation cannot make it program text.
fn limited(line: &str) -> String {
    let trimmed = line.trim_start();
    let indent = (line.len() - trimmed.len()).min(3);
    format!("{}{trimmed}", " ".repeat(indent))
}

fn is_number(word: &str) -> bool {
    word.strip_suffix(['.', ')'])
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn links_tags_and_brackets_are_escaped() {
        assert_eq!(
            render("see [foo] and <bar>"),
            ["see \\[foo\\] and \\<bar\\>"]
        );
        assert_eq!(render("`[foo] <bar>`"), ["`[foo] <bar>`"]);
        assert_eq!(
            render("More info: https://a.b/c#d."),
            ["More info: <https://a.b/c#d>."]
        );
        assert_eq!(render("(https://a.b/c)"), ["(<https://a.b/c>)"]);
        assert_eq!(render("[text](https://a.b/c)"), ["[text](https://a.b/c)"]);
        assert_eq!(render("<https://a.b>"), ["<https://a.b>"]);
        assert_eq!(render("a ` that never ends"), ["a \\` that never ends"]);
    }

    #[test]
    fn programs_are_text() {
        assert_eq!(
            render("a:\n\n        x = y[1]\n\nb"),
            ["a:", "", "```text", "    x = y[1]", "```", "", "b"]
        );
        assert_eq!(render("```\nlet x\n```"), ["```text", "let x", "```"]);
        assert_eq!(render("```\nnever ends"), ["```text", "never ends", "```"]);
        assert_eq!(render("a\n        goes on"), ["a", "   goes on"]);
    }

    #[test]
    fn long_lines_are_wrapped() {
        let text = format!(" - {}", "word ".repeat(40));
        let lines = render(&text);
        assert!(lines.len() > 1);
        assert!(lines[0].starts_with(" - word"));
        assert!(lines[1].starts_with("   word"));
        assert!(lines.iter().all(|line| line.len() <= super::WIDTH));
    }
}
