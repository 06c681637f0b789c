//! Content types, read as Go reads them.

/// The type of a `Content-Type` in lower case, without its parameters.
///
/// Nothing when the text is malformed: a parameter without a value or given twice, or anything behind the
/// subtype that is not a parameter.
pub(super) fn parse(content_type: &str) -> Option<String> {
    let (media_type, mut rest) = match content_type.find(';') {
        Some(at) => content_type.split_at(at),
        None => (content_type, ""),
    };
    let media_type = media_type.trim().to_ascii_lowercase();
    let is_valid = match media_type.split_once('/') {
        Some((main, sub)) => is_token(main) && is_token(sub),
        None => is_token(&media_type),
    };
    let mut names = Vec::new();
    while !rest.is_empty() {
        // A semicolon at the end is neither a parameter nor an error.
        if rest.trim() == ";" {
            break;
        }
        let (name, behind) = parameter(rest)?;
        if names.contains(&name) {
            return None;
        }
        names.push(name);
        rest = behind.trim_start();
    }
    is_valid.then_some(media_type)
}

/// The name of the parameter at the beginning of `text`, and the text after its value.
fn parameter(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix(';')?.trim_start();
    let (name, text) = token(text)?;
    let text = text.trim_start().strip_prefix('=')?.trim_start();
    let behind = match text.strip_prefix('"') {
        None => token(text)?.1,
        Some(quoted) => {
            let mut escaped = false;
            let end = quoted.find(|character| {
                let is_end = character == '"' && !escaped;
                escaped = character == '\\' && !escaped;
                is_end
            })?;
            &quoted[end + 1..]
        }
    };
    Some((name.to_ascii_lowercase(), behind))
}

fn token(text: &str) -> Option<(&str, &str)> {
    let end = text
        .find(|character| !is_token_character(character))
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_token_character)
}

fn is_token_character(character: char) -> bool {
    character.is_ascii_graphic() && !r#"()<>@,;:\"/[]?="#.contains(character)
}
