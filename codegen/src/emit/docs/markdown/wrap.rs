//! Lines of a limited width.

/// The maximum width of a line that can be broken.
const WIDTH: usize = 95;

/// Breaks a line between words. The continuation of a list item is indented to its text.
pub(super) fn wrap(line: &str, out: &mut Vec<String>) {
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

pub(super) fn is_number(word: &str) -> bool {
    word.strip_suffix(['.', ')'])
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}
