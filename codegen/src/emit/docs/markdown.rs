//! Descriptions as rustdoc takes them: links, tags and programs of rustdoc's own syntax are escaped.

mod escape;
mod wrap;

use escape::escape;
use wrap::{is_number, wrap};

/// Whether a character is not valid in a Rust comment, or hides code because it turns the direction of text.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Renders a description, line by line.
pub(super) fn render(text: &str) -> Vec<String> {
    let text: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter(|c| !is_hidden(*c) || matches!(c, '\n' | '\t'))
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
        // A span of code on its own line is not a fence.
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
