//! The search for the end of a JSON string.

use k8s_flowcontrol_types::json::string_end;

#[test]
fn strings_end_at_the_first_quote_that_is_not_escaped() {
    let pieces = ["\\\"", "\\\\", "\\n", "a", "\u{e9}", "\\u0041", ""];
    for number in 0..pieces.len().pow(5) {
        let chosen = (0..5).map(|at| pieces[number / pieces.len().pow(at) % pieces.len()]);
        let inside: String = chosen.collect();
        let text = format!("{inside}\",\"x\\\"");
        assert_eq!(string_end(text.as_bytes(), 0), Some(inside.len()), "{text}");
        assert_eq!(string_end(inside.as_bytes(), 0), None, "{inside}");
    }
}
