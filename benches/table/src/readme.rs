//! The tables in `README.md`, between `<!-- begin PART -->` and `<!-- end PART -->`.

use crate::Outcome;

const PATH: &str = "README.md";

/// Replaces the table of a part.
pub(crate) fn write(part: &str, table: &str) -> Outcome<()> {
    let text = replace(&std::fs::read_to_string(PATH)?, part, table)?;
    Ok(std::fs::write(PATH, text)?)
}

fn replace(text: &str, part: &str, table: &str) -> Outcome<String> {
    let (begin, end) = (
        format!("<!-- begin {part} -->\n"),
        format!("<!-- end {part} -->"),
    );
    let missing = || format!("{PATH} has no line {:?}, or no end of it", begin.trim_end());
    let (before, rest) = text.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}{}\n{end}{after}", table.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn a_table_is_replaced_and_nothing_else() {
        let text =
            "a\n<!-- begin x -->\nold\n<!-- end x -->\n<!-- begin y -->\nb\n<!-- end y -->\n";
        let new = replace(text, "x", "new\n").unwrap();
        assert_eq!(new, text.replace("old", "new"));
        assert_eq!(replace(&new, "x", "new").unwrap(), new);
        assert!(replace(text, "z", "new").is_err());
    }
}
