//! Descriptions as rustdoc takes them: links, tags and programs of rustdoc's own syntax are escaped.

const WIDTH: usize = 95;

/// Renders a description, line by line.
pub(super) fn render(text: &str) -> Vec<String> {
    // Characters that turn the direction of text hide code, and control characters are no Rust.
    let hides = |c: &char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let text: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter(|c| !hides(c) && (!c.is_control() || matches!(c, '\n' | '\t')))
        .collect();
    let mut out: Vec<String> = Vec::new();
    let mut lines = text.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        if let Some(fence) = Fence::opened_by(line) {
            let mut code = Vec::new();
            for line in lines.by_ref() {
                if fence.is_closed_by(line) {
                    break;
                }
                code.push(line.to_owned());
            }
            push_code(&mut out, fence.language, code);
        } else if is_indented(line) && out.last().is_none_or(String::is_empty) {
            let mut code = vec![unindented(line)];
            while let Some(line) = lines.next_if(|line| line.is_empty() || is_indented(line)) {
                code.push(unindented(line));
            }
            // Blank lines behind it belong to the next paragraph.
            let blank = code.last().is_some_and(String::is_empty);
            while code.last().is_some_and(String::is_empty) {
                code.pop();
            }
            push_code(&mut out, "text", code);
            if blank {
                out.push(String::new());
            }
        } else {
            // Deeper indentation without a blank line before it only continues the paragraph.
            wrap(&escape(&tight(line)), &mut out);
        }
    }
    while out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    out
}

/// The beginning of a program.
struct Fence<'a> {
    mark: char,
    length: usize,
    language: &'a str,
}

impl<'a> Fence<'a> {
    fn opened_by(line: &'a str) -> Option<Self> {
        /// Languages that rustdoc shows and does not compile.
        const SHOWN: [&str; 16] = [
            "bash", "console", "cue", "diff", "go", "html", "ini", "json", "proto", "python", "sh",
            "shell", "toml", "xml", "yaml", "yml",
        ];
        let line = line.trim_start();
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        // A span of code on a line of its own is no fence.
        if length < 3 || rest.contains('`') {
            return None;
        }
        let language = SHOWN.into_iter().find(|shown| *shown == rest.trim());
        Some(Self {
            mark,
            length,
            language: language.unwrap_or("text"),
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

/// Writes a program between fences that are longer than all fences in it.
fn push_code(out: &mut Vec<String>, language: &str, code: Vec<String>) {
    let ticks =
        |line: &String| line.trim_start().len() - line.trim_start().trim_start_matches('`').len();
    let longest = code.iter().map(ticks).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    out.push(format!("{fence}{language}"));
    out.extend(code);
    out.push(fence);
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

/// A line without wide gaps behind the marks of lists and quotations, which would begin a program there.
fn tight(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let (mut out, mut rest) = (line[..indent].replace('\t', "    "), line.trim_start());
    while let Some(mark) = list_mark(rest) {
        let behind = &rest[mark.len()..];
        out.push_str(mark);
        rest = behind.trim_start();
        if rest.len() < behind.len() {
            out.push(' ');
        }
    }
    out.push_str(rest);
    out
}

/// The mark at the beginning of a list item or quotation.
fn list_mark(line: &str) -> Option<&str> {
    if line.starts_with('>') {
        return Some(&line[..1]);
    }
    let word = line
        .split([' ', '\t'])
        .next()
        .filter(|word| word.len() < line.len())?;
    (matches!(word, "-" | "*" | "+") || is_number(word)).then_some(word)
}

/// Escapes a line outside of program text. Code spans and links stay as they are.
fn escape(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let is_start = out.chars().all(|c| c.is_whitespace() || c == '>');
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
    let close = text.find("](http")?;
    if text[1..close].contains(['[', ']', '<', '`']) {
        return None;
    }
    let end = close + text[close..].find(')')?;
    let target = &text[close + 2..end];
    let is_plain = !target.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '('));
    is_plain.then(|| &text[..=end])
}

/// `<https://…>`.
fn auto_link(text: &str) -> Option<&str> {
    let end = text.find('>')?;
    let target = &text[1..end];
    let is_url = target.starts_with("http://") || target.starts_with("https://");
    let is_plain = !target.contains(|c: char| c.is_whitespace() || c == '<');
    (is_url && is_plain).then(|| &text[..=end])
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
    // Code with several ticks may have spaces.
    if line.len() <= WIDTH || trimmed.starts_with(['|', '#']) || line.contains("``") {
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
            || word.starts_with(['#', '>', '|', '<', '['])
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
    fn fences_of_every_kind_are_shown_and_never_compiled() {
        assert_eq!(
            render("~~~\nlet x\n~~~\nb"),
            ["```text", "let x", "```", "b"]
        );
        assert_eq!(render("```rust\nlet x\n```"), ["```text", "let x", "```"]);
        assert_eq!(render("```yaml\na: 1\n```"), ["```yaml", "a: 1", "```"]);
        assert_eq!(
            render("````\n```\nx\n````"),
            ["````text", "```", "x", "````"]
        );
        assert_eq!(render("```kubectl get```"), ["```kubectl get```"]);
        assert_eq!(render("- ```\n  x"), ["- \\`\\`\\`", "  x"]);
        assert_eq!(render("- ~~~\n  x"), ["- \\~~~", "  x"]);
        assert_eq!(render(">     let x"), ["> let x"]);
        assert_eq!(render("-      let x"), ["- let x"]);
    }

    /// In no description rustdoc finds a program to compile, a tag, or a link to resolve.
    #[test]
    fn random_descriptions_have_no_traps() {
        const PARTS: [&str; 40] = [
            "```",
            "~~~",
            "````",
            "`",
            "``",
            "\n",
            "\n",
            "\n\n",
            "    ",
            "\t",
            " ",
            " ",
            "- ",
            "* ",
            "1. ",
            "> ",
            ">",
            "# ",
            "| a | b |",
            "|---|---|",
            "<div>",
            "</div>",
            "<!--",
            "-->",
            "<b",
            "[a]",
            "[a](b)",
            "[a](http://b)",
            "[a]: http://b",
            "http://a.b",
            "<http://a.b>",
            "\\",
            "let x = 1;",
            "rust",
            "yaml",
            "---",
            "===",
            "&lt;",
            "é",
            "a long row of words that is wrapped somewhere, in order to begin lines with other words",
        ];
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or_default()
        };
        for _ in 0..20_000 {
            let length = next() % 24;
            let text: String = (0..length).map(|_| PARTS[next() % PARTS.len()]).collect();
            let rendered = render(&text).join("\n");
            let mut options = pulldown_cmark::Options::ENABLE_TABLES;
            options |= pulldown_cmark::Options::ENABLE_FOOTNOTES
                | pulldown_cmark::Options::ENABLE_TASKLISTS;
            options |= pulldown_cmark::Options::ENABLE_STRIKETHROUGH;
            for event in pulldown_cmark::Parser::new_ext(&rendered, options) {
                use pulldown_cmark::{CodeBlockKind, Event, Tag};
                let is_trap = match &event {
                    Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                        !matches!(&**language, "text" | "yaml")
                    }
                    Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => true,
                    Event::Html(_) | Event::InlineHtml(_) => true,
                    Event::Start(Tag::Link { dest_url, .. }) => !dest_url.starts_with("http"),
                    _ => false,
                };
                assert!(!is_trap, "{event:?} in\n{rendered}\nfrom\n{text:?}");
            }
        }
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
