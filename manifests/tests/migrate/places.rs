//! Documents, lines and fields of a text.

use super::{V1, clean};
use k8s_flowcontrol_manifests::{Form, Lines, ReadOptions, read, read_with};
use k8s_flowcontrol_text::{Position, Span};

#[test]
fn lines_and_columns_count_characters() {
    let text = "\u{feff}aü\nb".as_bytes();
    let lines = Lines::of(text);
    let at = |offset| {
        let position = lines.position(text, offset);
        (position.line, position.column)
    };
    assert_eq!([at(3), at(4), at(6)], [(1, 1), (1, 2), (1, 3)]);
    assert_eq!([at(7), at(8), at(99)], [(2, 1), (2, 2), (2, 2)]);
}

#[test]
fn columns_of_a_long_line_are_those_of_a_count_from_its_start() {
    let text = format!("x\n{}", "aü€".repeat(2048)).into_bytes();
    for text in [&text[..], &text[..4096], &text[..2 * 4096], b""] {
        let lines = Lines::of(text);
        for offset in (0..=text.len()).step_by(97).chain([4096, text.len()]) {
            assert_eq!(lines.position(text, offset), Position::of(text, offset));
        }
    }
}

#[test]
fn a_path_leads_to_its_value_or_to_the_innermost_field_present() {
    let text = r#"{"kind": "FlowSchema", "spec": {"rules": [{"verbs": ["get"]}], "n": 5}, "metadata": {"labels": {"a.b/c": "x"}}}"#;
    let found = read(text.as_bytes());
    for (field, expected) in [
        ("spec.n", "5"),
        ("spec.rules[0].verbs", "\"verbs\""),
        ("spec.rules[0].verbs[0]", "\"get\""),
        ("spec.rules[0].subjects", "{\"verbs\": [\"get\"]}"),
        ("spec.limited.queuing", "\"spec\""),
        ("metadata.labels[a.b/c]", "\"x\""),
        ("metadata.labels.a.b/c", "\"x\""),
        ("nothing", text),
    ] {
        assert_eq!(
            &text[found.documents[0].locate(field).range()],
            expected,
            "{field}"
        );
    }
}

/// The texts of the documents, and the number of texts that are not objects of flow control.
fn documents(form: Option<Form>, text: &str) -> (Vec<String>, usize) {
    let options = ReadOptions {
        form,
        ..ReadOptions::default()
    };
    let found = read_with(text.as_bytes(), options);
    let texts = found.documents.iter().map(|found| {
        let (_, body) = found.body();
        String::from_utf8(body.to_vec()).unwrap()
    });
    (texts.collect(), found.others + found.unreadable.len())
}

#[test]
fn documents_of_yaml_start_after_their_marker() {
    let (a, b) = ("kind: FlowSchema", "kind: PriorityLevelConfiguration");
    for text in [
        format!("{a}\n"),
        format!("---\n{a}\n"),
        format!("# c\n---\n{a}"),
        format!("%YAML 1.1\n---\n{a}\n"),
        format!("--- {{{a}}}\n"),
        format!("{a}\nx: |\n  ---\n  x\n---x: 1\n"),
    ] {
        assert_eq!(documents(None, &text), (vec![text.clone()], 0), "{text}");
    }
    for (text, first, second) in [
        (
            format!("{a}\n---\n{b}\n"),
            format!("{a}\n"),
            format!("{b}\n"),
        ),
        (
            format!("{a}\r\n---\r\n{b}\r\n"),
            format!("{a}\r\n"),
            format!("{b}\r\n"),
        ),
        (format!("{a}\n--- # c\n{b}"), format!("{a}\n"), b.to_owned()),
        (
            format!("{a}\n--- {{{b}}}\n"),
            format!("{a}\n"),
            format!("--- {{{b}}}\n"),
        ),
        (
            format!("{a}\n...\n---\n{b}"),
            format!("{a}\n...\n"),
            format!("---\n{b}"),
        ),
    ] {
        assert_eq!(documents(None, &text), (vec![first, second], 0), "{text}");
    }
    assert_eq!(documents(None, "---\n# nothing\n---\n\n"), (vec![], 0));
    let text = format!("---\n# nothing\n---\n{b}");
    assert_eq!(documents(None, &text), (vec![format!("---\n{b}")], 0));
}

/// kubectl's reader separates documents also at `---#`, and fails at other texts in such a line.
#[test]
fn kubectl_reads_only_comments_after_separators() {
    let (a, b) = ("kind: FlowSchema\n", "kind: PriorityLevelConfiguration\n");
    let both = vec![a.to_owned(), b.to_owned()];
    for separator in ["---# c", "---\u{a0}", "---\u{85}# c", "---\u{b}"] {
        let text = format!("{a}{separator}\n{b}");
        assert_eq!(documents(None, &text), (both.clone(), 0), "{separator:?}");
        assert_eq!(read(text.as_bytes()).separators, [], "{separator:?}");
    }
    let first = format!("# c\n---#\n{a}--- # c\n");
    assert_eq!(documents(None, &first), (vec![a.to_owned()], 0));
    // The first line after a separator, which it passes to YAML: there it is text.
    for before in ["", "---\n---#\n", "# c\n---\n"] {
        let text = format!("{before}---# c\n{a}");
        let (found, others) = documents(None, &text);
        let [found] = &found[..] else {
            panic!("{text}: {found:?}, {others}")
        };
        assert!(found.ends_with(&format!("---# c\n{a}")), "{found}");
    }

    for (text, after) in [
        (
            format!("--- {{{}}} # c\n", a.trim_end()),
            "{kind: FlowSchema} # c",
        ),
        (format!("---\t!!map\n{a}"), "!!map"),
        (format!("{a}---x: 1\r\n"), "x: 1"),
        (format!("{a}-----"), "--"),
    ] {
        let text = format!("{b}--- # c\n# {a}---# c\n---\n{text}");
        let found = read(text.as_bytes());
        let [span] = found.separators[..] else {
            panic!("{text}: {:?}", found.separators)
        };
        assert_eq!(&text[span.start..span.end], after, "{text}");
    }
    assert_eq!(read("{\n---x\n}".as_bytes()).separators, []);
    assert_eq!(read("\u{feff}--- a: 1\n".as_bytes()).separators.len(), 1);
}

/// kubectl's reader separates documents at `---` alone, and reads the first document of each part.
#[test]
fn documents_that_kubectl_does_not_read_are_listed() {
    let (a, b) = ("kind: FlowSchema\n", "kind: PriorityLevelConfiguration\n");
    let listed = |text: &str| {
        let found = read(text.as_bytes());
        let texts = |spans: &[Span]| -> Vec<String> {
            let spans = spans.iter();
            spans
                .map(|span| text[span.start..span.end].to_owned())
                .collect()
        };
        let count = found.documents.len() + found.others;
        (count, texts(&found.before_documents), texts(&found.ignored))
    };
    let kind = |text: &str| vec![text.trim_end().to_owned()];
    for (text, ignored) in [
        (format!("{a}...\n{b}"), kind(b)),
        (format!("{a}...\n# c\n\n{b}x: 1\n"), kind(b)),
        (format!("---\n{a}... # c\n...\n{b}"), kind(b)),
        (format!("--- {{}}\n...\n{b}"), kind(b)),
        (format!("---\n...\n{b}"), kind(b)),
        (format!("{a}...\n---\n{b}"), vec![]),
        (format!("{a}...\n---#\n{b}"), vec![]),
        (format!("{a}....: 1\n...\n# end\n"), vec![]),
    ] {
        let (_, before, found) = listed(&text);
        assert_eq!((before, found), (vec![], ignored), "{text}");
    }
    let (count, before, ignored) = listed(&format!(
        "\u{feff}%YAML 1.1\n---\n{a}...\n%TAG ! !\n---\n# c\n%YAML 1.1\n---\n{b}x: '\n%y'\n"
    ));
    assert_eq!((count, ignored), (2, vec![]));
    assert_eq!(before, ["%YAML 1.1", "%YAML 1.1"]);
    // kubectl 1.32 fails at the end of a document that has not begun.
    for (text, count) in [
        (format!("...\n{a}"), 1),
        (format!("# c\n... # d\n{a}"), 1),
        (format!("# c\n...\n---\n{a}"), 1),
        (format!("{a}---\n\n...\n{b}"), 2),
        (format!("{a}---\n# c\n---\n...\n{b}"), 2),
    ] {
        let (read, before, ignored) = listed(&text);
        assert_eq!((read, ignored), (count, vec![]), "{text}");
        assert!(before.len() == 1 && before[0].starts_with("..."), "{text}");
    }
    let (_, before, ignored) = listed(&format!("{a}---\n---\n...\n{b}"));
    assert_eq!((before, ignored), (vec![], kind(b)));
}

#[test]
fn separators_are_kept_with_the_text_after_them() {
    let old = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\n";
    let flow = "{apiVersion: flowcontrol.apiserver.k8s.io/v1beta3, kind: FlowSchema}\n";
    let text = format!("# c\n---#c\n{old}---# c\n{old}--- # c\n{old}--- {flow}--- !!map\n{old}");
    assert_eq!(clean(&text, V1), text.replace("v1beta3", "v1"));
}

#[test]
fn documents_of_json_come_alone_in_lines_or_one_after_the_other() {
    let (a, b) = (
        "{\"kind\":\"FlowSchema\"}",
        "{\n\"}\":1,\n\"kind\":\"FlowSchema\"}",
    );
    let lines = format!("{a}\n");
    for (text, expected, others) in [
        (format!(" {b}\n"), vec![format!(" {b}\n")], 0),
        (
            format!("{a}\n\n{a}\n"),
            vec![lines.clone(), lines.clone()],
            0,
        ),
        (format!("{a}\n{b}"), vec![lines.clone(), b.to_owned()], 0),
        (
            format!("{b}\n{b}\n"),
            vec![format!("{b}\n"), format!("{b}\n")],
            0,
        ),
        (format!("{a}\n// c\n"), vec![format!("{a}\n// c\n")], 0),
        (
            format!("{a}\n{a}\n{{\n"),
            vec![lines.clone(), lines.clone()],
            1,
        ),
        // Two values in one line are one broken body for a server.
        (format!("{a} {a}"), vec![format!("{a} {a}")], 0),
    ] {
        assert_eq!(documents(None, &text), (expected, others), "{text}");
    }
    let text = format!("{a}\n{{\n{a}");
    let found = documents(Some(Form::JsonLines), &text);
    assert_eq!(found, (vec![lines, a.to_owned()], 1));
    assert_eq!(documents(Some(Form::Json), " \n"), (vec![], 0));
}
