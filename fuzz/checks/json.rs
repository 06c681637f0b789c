//! The JSON reader: it accepts exactly JSON, every value has its place, and a written value reads as the same value.

use k8s_flowcontrol_text::{Content, Node, Span, parse_json, parse_json_values, to_value};
use serde::de::IgnoredAny;

/// More values are not compared with their text: this keeps the check linear.
const MAX_COMPARED: usize = 200;

pub(crate) fn check(text: &[u8]) {
    let tree = parse_json(text);
    // Go and serde_json agree on the grammar. The one difference is a text that nests too deep.
    let is_json = serde_json::from_slice::<IgnoredAny>(text).is_ok();
    match &tree {
        Ok(_) => assert!(is_json, "not JSON"),
        Err(error) => {
            let is_too_deep = error.message().contains("depth");
            assert!(!is_json || is_too_deep, "JSON is rejected: {error}");
            assert!(error.offset() <= text.len());
        }
    }
    if let Ok(tree) = &tree {
        let mut compared = 0;
        places(tree.root(), Span::new(0, text.len()), text, &mut compared);
        if let Ok(value) = to_value(tree.root()) {
            let written = value.to_string();
            let again = parse_json(written.as_bytes()).expect("a written value is JSON");
            assert_eq!(to_value(again.root()).as_ref(), Ok(&value));
        }
        let values = parse_json_values(text);
        assert_eq!(values.error, None);
        assert_eq!(values.documents.len(), 1);
    }
    let mut end = 0;
    for document in &parse_json_values(text).documents {
        let span = document.tree.root().span();
        assert!(end <= span.start && span.end <= text.len());
        end = span.end;
    }
}

/// Every value is within its parent, and a scalar's text reads as the scalar.
fn places(node: Node<'_>, outer: Span, text: &[u8], compared: &mut usize) {
    let span = node.span();
    assert!(
        outer.start <= span.start && span.end <= outer.end,
        "{span:?} in {outer:?}"
    );
    match node.content() {
        Content::Array(elements) => {
            let mut end = span.start;
            for element in elements.iter() {
                assert!(end <= element.span().start);
                end = element.span().end;
                places(element, span, text, compared);
            }
        }
        Content::Object(fields) => {
            let mut end = span.start;
            for field in fields.iter() {
                assert!(
                    end <= field.name_span.start && field.name_span.end <= field.value.span().start
                );
                end = field.value.span().end;
                places(field.value, span, text, compared);
            }
        }
        content => {
            *compared += 1;
            if *compared < MAX_COMPARED {
                let own = parse_json(&text[span.range()]).expect("a scalar's text is JSON");
                assert_eq!(
                    format!("{:?}", own.root().content()),
                    format!("{content:?}")
                );
            }
        }
    }
}
