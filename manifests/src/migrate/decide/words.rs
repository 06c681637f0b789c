//! The parts of a condition of a template.

/// The arguments of a function of Go's templates: each in parentheses, or a word.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let mut depth = 0_usize;
        let end = rest.char_indices().find_map(|(at, mark)| {
            match mark {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (depth == 0 && (mark == ')' || mark == ' ')).then_some(at + usize::from(mark == ')'))
        });
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(part.trim());
        rest = after.trim_start();
    }
    parts
}

/// The parts of a condition between the words `and` or `or` outside of parentheses, as Jinja and Ruby write them.
pub(super) fn words_between<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let between = format!(" {word} ");
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(&between) {
        let before = &text[..at];
        let is_outside = before.matches('(').count() == before.matches(')').count();
        if is_outside && at >= start {
            parts.push(&text[start..at]);
            start = at + between.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A condition without parentheses around the whole of it.
pub(super) fn unwrapped(condition: &str) -> &str {
    let inner = condition
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner else {
        return condition;
    };
    let mut depth = 0_i32;
    let is_one = inner.chars().all(|mark| {
        depth += i32::from(mark == '(') - i32::from(mark == ')');
        depth >= 0
    });
    if is_one { inner.trim() } else { condition }
}
