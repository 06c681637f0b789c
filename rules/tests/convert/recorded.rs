//! Recorded conversions of real servers.

use super::kinds::{Typed, normal, typed, typed_defaults};
use k8s_flowcontrol_rules::{conversion, defaults};
use k8s_flowcontrol_types::ApiVersion;
use k8s_flowcontrol_types::convert::{Lossy, PRESERVE_ZERO_ANNOTATION};
use k8s_flowcontrol_types::kind::VersionedKind;
use serde_json::Value;

const RECORDED: &str = include_str!("../fixtures/convert/recorded.jsonl");

struct Record {
    kind: VersionedKind,
    read_in: ApiVersion,
    record: Value,
}

fn records() -> impl Iterator<Item = Record> {
    RECORDED.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        let version = |step: &str| {
            record[step]["apiVersion"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap()
        };
        Record {
            kind: VersionedKind::new(
                record["request"]["kind"].as_str().unwrap().parse().unwrap(),
                version("request"),
                record["release"].as_str().unwrap().parse().unwrap(),
            ),
            read_in: version("read"),
            record,
        }
    })
}

/// Server conversion equals the recorded conversion, for trees and for types.
#[test]
fn conversions_equal_the_recorded_ones() {
    for Record {
        kind,
        read_in,
        record,
    } in records()
    {
        let created_in = kind.version;
        for (source, from, to, result) in [
            ("request", created_in, created_in, "created"),
            ("request", created_in, read_in, "read"),
            ("created", created_in, read_in, "read"),
            ("read", read_in, created_in, "after_put"),
        ] {
            let (object, expected) = (&record[source], normal(&record[result]));
            let kind = kind.in_version(from);
            let converted = conversion::server_tree(object.clone(), kind, to);
            let (tree, losses) = Lossy::parts(converted);
            assert_eq!(normal(&tree), expected, "{source} to {result}");
            let (types, typed_losses) = typed(object, kind, to, Typed::Server).unwrap();
            assert_eq!(normal(&types), expected, "{source} to {result}");
            assert_eq!(typed_losses, losses);
        }
    }
}

/// The request's defaults equal those in the recorded response, except for fields that the server drops.
#[test]
fn defaults_equal_the_recorded_ones() {
    for Record { kind, record, .. } in records() {
        let mut object = record["request"].clone();
        conversion::prune(&mut object, kind);
        defaults::apply(&mut object, kind);
        assert_eq!(normal(&object["spec"]), record["created"]["spec"]);
        let types = typed_defaults(&record["request"], kind).unwrap();
        for (name, value) in record["created"]["spec"].as_object().unwrap() {
            let ours = normal(&types["spec"][name]);
            // A typed object keeps fields that the server drops.
            if name != "limited" {
                assert_eq!(ours, *value);
            }
        }
    }
}

#[test]
fn the_recordings_contain_the_annotation() {
    let shown = records().filter(|record| {
        let annotations = &record.record["read"]["metadata"]["annotations"];
        annotations.get(PRESERVE_ZERO_ANNOTATION).is_some()
    });
    assert!(shown.count() > 1);
}
