//! Descriptions of Kubernetes and of others, as rustdoc shows them.

#![allow(clippy::panic, clippy::unwrap_used)]

use crate::plain::read;
use serde_json::{Map, Value, json};

/// The documentation of fields with these descriptions, line by line.
fn documented(descriptions: &[String]) -> Vec<Vec<String>> {
    let field = |(index, description): (usize, &String)| {
        let field = json!({ "type": "string", "description": description });
        (format!("field{index:06}"), field)
    };
    let fields: Map<String, Value> = descriptions.iter().enumerate().map(field).collect();
    let schemas = json!({ "A": { "type": "object", "properties": fields } });
    let (text, _) = read(&schemas.to_string());
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{error}"));
    let found = file.items.into_iter().find_map(|item| match item {
        syn::Item::Struct(item) => Some(item.fields),
        _ => None,
    });
    let fields = found.unwrap().into_iter().take(descriptions.len());
    fields
        .map(|field| field.attrs.iter().map(line).collect())
        .collect()
}

fn line(attribute: &syn::Attribute) -> String {
    let syn::Meta::NameValue(syn::MetaNameValue {
        value:
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }),
        ..
    }) = &attribute.meta
    else {
        panic!("an attribute that is not documentation");
    };
    let text = text.value();
    text.strip_prefix(' ').unwrap_or(&text).to_owned()
}

#[track_caller]
fn check(cases: &[(&str, &[&str])]) {
    let descriptions: Vec<String> = cases.iter().map(|(text, _)| (*text).to_owned()).collect();
    for (lines, (text, expected)) in documented(&descriptions).into_iter().zip(cases) {
        assert_eq!(lines, *expected, "{text:?}");
    }
}

#[test]
fn links_tags_and_brackets_are_escaped() {
    check(&[
        ("see [foo] and <bar>", &["see \\[foo\\] and \\<bar\\>"]),
        ("`[foo] <bar>`", &["`[foo] <bar>`"]),
        (
            "More info: https://a.b/c#d.",
            &["More info: <https://a.b/c#d>."],
        ),
        ("(https://a.b/c)", &["(<https://a.b/c>)"]),
        ("[text](https://a.b/c)", &["[text](https://a.b/c)"]),
        ("<https://a.b>", &["<https://a.b>"]),
        ("a ` that never ends", &["a \\` that never ends"]),
    ]);
}

#[test]
fn programs_are_shown_and_never_compiled() {
    check(&[
        (
            "a:\n\n        x = y[1]\n\nb",
            &["a:", "", "```text", "    x = y[1]", "```", "", "b"],
        ),
        ("```\nlet x\n```", &["```text", "let x", "```"]),
        ("```\nnever ends", &["```text", "never ends", "```"]),
        ("a\n        goes on", &["a", "   goes on"]),
        ("~~~\nlet x\n~~~\nb", &["```text", "let x", "```", "b"]),
        ("```rust\nlet x\n```", &["```text", "let x", "```"]),
        ("```yaml\na: 1\n```", &["```yaml", "a: 1", "```"]),
        ("````\n```\nx\n````", &["````text", "```", "x", "````"]),
        ("```kubectl get```", &["```kubectl get```"]),
        ("- ```\n  x", &["- \\`\\`\\`", "  x"]),
        ("- ~~~\n  x", &["- \\~~~", "  x"]),
        (">     let x", &["> let x"]),
        ("-      let x", &["- let x"]),
    ]);
}

#[test]
fn long_lines_are_wrapped() {
    let lines = &documented(&[format!(" - {}", "word ".repeat(40))])[0];
    assert!(lines.len() > 1);
    assert!(lines[0].starts_with(" - word"));
    assert!(lines[1].starts_with("   word"));
    assert!(lines.iter().all(|line| line.len() <= 95));
}

/// Twenty thousand where all cases are tried.
fn many() -> usize {
    match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 20_000,
        None => 2_000,
    }
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
        usize::try_from(state >> 33).unwrap()
    };
    let mut description = || -> String {
        let length = next() % 24;
        (0..length).map(|_| PARTS[next() % PARTS.len()]).collect()
    };
    let descriptions: Vec<String> = (0..many()).map(|_| description()).collect();
    for some in descriptions.chunks(1_000) {
        for (lines, text) in documented(some).iter().zip(some) {
            let rendered = lines.join("\n");
            let trap = trap(&rendered);
            assert!(trap.is_none(), "{trap:?} in\n{rendered}\nfrom\n{text:?}");
        }
    }
}

fn trap(rendered: &str) -> Option<pulldown_cmark::Event<'_>> {
    use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH;
    Parser::new_ext(rendered, options).find(|event| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
            !matches!(&**language, "text" | "yaml")
        }
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => true,
        Event::Html(_) | Event::InlineHtml(_) => true,
        Event::Start(Tag::Link { dest_url, .. }) => !dest_url.starts_with("http"),
        _ => false,
    })
}
