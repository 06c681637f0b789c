//! Descriptions of Kubernetes and of others as rustdoc shows them.

use super::{render, wrap};

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
        options |=
            pulldown_cmark::Options::ENABLE_FOOTNOTES | pulldown_cmark::Options::ENABLE_TASKLISTS;
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
    assert!(lines.iter().all(|line| line.len() <= wrap::WIDTH));
}
