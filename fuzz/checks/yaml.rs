//! The YAML reader: places are within the text, the conversion to JSON is JSON, and JSON that is read as YAML is the same.

use k8s_flowcontrol_text::{
    Content, Node, parse_json, parse_yaml, parse_yaml_documents, to_value, yaml_to_json,
};

/// Aliases repeat parts of a tree; no more nodes than these are looked at.
const MAX_NODES: usize = 100_000;

pub(crate) fn check(text: &[u8]) {
    let (yaml, json) = (parse_yaml(text), yaml_to_json(text));
    // Places count in the text as UTF-8.
    let is_utf16 = text.starts_with(&[0xFF, 0xFE]) || text.starts_with(&[0xFE, 0xFF]);
    match &yaml {
        Err(error) => assert!(is_utf16 || error.offset() <= text.len(), "{error}"),
        Ok(yaml) => {
            if !is_utf16 {
                places(yaml.tree.root(), text.len(), &mut 0);
                for duplicate in &yaml.duplicates {
                    let span = duplicate.span;
                    assert!(span.start <= span.end && span.end <= text.len(), "{span:?}");
                }
            }
            let value = to_value(yaml.tree.root());
            if let Some(first) = parse_yaml_documents(text).documents.first() {
                let documents = to_value(first.tree.root());
                let is_empty = matches!(yaml.tree.root().content(), Content::Null);
                assert!(is_empty || documents == value, "{documents:?}\n{value:?}");
            }
            if let (Ok(value), Ok(json)) = (&value, &json) {
                let tree = parse_json(json.as_bytes()).expect("YAML becomes JSON");
                assert_eq!(to_value(tree.root()).as_ref(), Ok(value));
                // JSON is YAML, except for control characters, for keys that are longer than 1,024 bytes, and for
                // strings with the line breaks that YAML has besides the line feed.
                let has_break = json.contains(['\u{85}', '\u{2028}', '\u{2029}']);
                if let Ok(again) = yaml_to_json(json.as_bytes()) {
                    assert!(has_break || &again == json, "{again}\n{json}");
                }
            }
        }
    }
    parse_yaml_documents(text);
}

fn places(node: Node<'_>, length: usize, nodes: &mut usize) {
    *nodes += 1;
    if *nodes > MAX_NODES {
        return;
    }
    let span = node.span();
    assert!(span.start <= span.end && span.end <= length, "{span:?}");
    match node.content() {
        Content::Array(elements) => elements
            .iter()
            .for_each(|element| places(element, length, nodes)),
        Content::Object(fields) => {
            for field in fields.iter() {
                let name = field.name_span;
                assert!(name.start <= name.end && name.end <= length, "{name:?}");
                places(field.value, length, nodes);
            }
        }
        _ => {}
    }
}
