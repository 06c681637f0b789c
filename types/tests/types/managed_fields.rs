//! Managed fields are kept as text, of which objects share their equal parts.

use k8s_flowcontrol_types::json;
use k8s_flowcontrol_types::meta::{ManagedFields, ObjectMeta, RawJson};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The entries of two managers, each with a time.
fn entries(time: &str) -> String {
    let fields = r#"{"f:metadata":{"f:labels":{"f:team":{}}},"f:spec":{"f:rules":{},"k:{\"type\":\"time\"}":{".":{},"v:[1,-2,null,true]":{}}}}"#;
    format!(
        r#"[{{"manager":"fleet","operation":"Apply","apiVersion":"flowcontrol.apiserver.k8s.io/v1","time":"{time}","fieldsType":"FieldsV1","fieldsV1":{fields}}},{{"manager":"é","time":"2026-03-01T08:15:31Z","fieldsV1":{fields},"n":12,"subresource":"status"}}]"#
    )
}

fn read(entries: &str) -> Result<ManagedFields, serde_json::Error> {
    let text = format!(r#"{{"name":"a","managedFields":{entries}}}"#);
    json::from_str::<ObjectMeta>(&text).map(|metadata| metadata.managed_fields)
}

fn text(fields: &ManagedFields) -> String {
    fields
        .raw()
        .map_or_else(String::new, |raw| raw.as_str().to_owned())
}

fn hash(fields: &ManagedFields) -> u64 {
    let mut hasher = DefaultHasher::new();
    fields.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn objects_that_share_parts_keep_their_own_text() {
    let texts: Vec<_> = (0..60)
        .map(|second| entries(&format!("2026-03-01T08:15:{second:02}Z")))
        .collect();
    let kept: Vec<_> = texts.iter().map(|text| read(text).unwrap()).collect();
    for (expected, fields) in texts.iter().zip(&kept) {
        assert_eq!(text(fields), *expected);
        assert_eq!(json::to_string(fields), *expected);
        assert_eq!(format!("{fields:?}"), *expected);
        assert_eq!(fields.entries().unwrap().len(), 2);
    }
    assert_ne!(kept[0], kept[1]);
}

#[test]
fn equality_does_not_depend_on_what_is_shared() {
    let compact = read(&entries("2026-03-01T08:15:30Z")).unwrap();
    for equal in [
        read(&entries("2026-03-01T08:15:30Z").replace(":{}", ": {}")).unwrap(),
        ManagedFields::from(RawJson::parse(&entries("2026-03-01T08:15:30Z")).unwrap()),
        serde_json::from_str(&entries("2026-03-01T08:15:30Z")).unwrap(),
    ] {
        assert_eq!(equal, compact);
        assert_eq!(hash(&equal), hash(&compact));
    }
}

/// After a text whose parts are known, each text that differs in one byte is read as serde_json reads it.
#[test]
fn known_parts_hide_no_mistake() {
    let known = entries("2026-03-01T08:15:30Z");
    let mut accepted = 0;
    let mut check = |changed: &str| {
        read(&known).unwrap();
        match (read(changed), RawJson::parse(changed)) {
            (Ok(fields), Ok(raw)) => {
                assert_eq!(text(&fields), raw.as_str());
                accepted += 1;
            }
            (Err(_), Err(_)) => {}
            (ours, expected) => panic!("{changed}: {ours:?}, but serde_json: {expected:?}"),
        }
    };
    let places = (0..known.len()).filter(|at| known.is_char_boundary(*at));
    for at in places {
        let (before, behind) = known.split_at(at);
        check(&format!("{before} {behind}"));
        let next = behind.chars().next().unwrap();
        let behind = &behind[next.len_utf8()..];
        for other in ["", ",", ":", "{", "}", "[", "]", "\"", "\\", "0"] {
            check(&format!("{before}{other}{behind}"));
            check(&format!("{before}{other}{next}{behind}"));
        }
    }
    // The parts in another order, as if each of them could follow each other.
    let times = [r#""2026-03-01T08:15:30Z""#, r#""2026-03-01T08:15:31Z""#];
    let (first, behind) = known.split_once(times[0]).unwrap();
    let (second, third) = behind.split_once(times[1]).unwrap();
    let parts = [first, second, third];
    for a in parts {
        for b in parts {
            for c in parts {
                for separator in ["", times[0]] {
                    check(&[a, b, c].join(separator));
                    check(&[separator, a, b, c].concat());
                }
            }
        }
    }
    assert!(accepted > 1000, "{accepted}");
}
