//! The forms with other line breaks, byte order marks, characters of several bytes and bytes that are no text.

use super::{examined, name_in, written};
use k8s_flowcontrol_manifests::files::Examined;
use k8s_flowcontrol_manifests::{Finding, Form, Settings, migrate, migrate_fences, uses};
use k8s_flowcontrol_types::ApiVersion;
use std::collections::BTreeMap;
use std::fs;

const ALL: [&str; 5] = ["programs", "manifests", "documents", "unseen", "noise"];

/// The findings and changes of a file with their lines, and its new text.
type Outcome = (Vec<(usize, String)>, Option<String>);

/// The outcome of each file of some forms whose bytes were changed.
fn outcomes(name: &str, change: impl Fn(&[u8]) -> Vec<u8>) -> BTreeMap<String, Outcome> {
    let folder = super::folder();
    for name in written(name, folder.path()).into_keys() {
        let path = folder.path().join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(path, change(&bytes)).unwrap();
    }
    let outcome = |file: &Examined| {
        let line = |offset: usize| file.source.position(offset).line;
        let findings = file.outcome.findings.iter();
        let root = folder.path().display().to_string();
        let shown = |finding: &Finding| finding.to_string().replace(&root, "");
        let findings = findings.map(|found| (line(found.offset), shown(found)));
        let objects = file.outcome.objects.iter();
        let changes = objects.flat_map(|object| &object.changes);
        let changes = changes.map(|change| (line(change.offset), change.what.clone()));
        (findings.chain(changes).collect(), file.outcome.text.clone())
    };
    examined(folder.path())
        .iter()
        .map(|file| (name_in(folder.path(), file), outcome(file)))
        .collect()
}

fn tries_all() -> bool {
    std::env::var_os("FLOWCONTROL_TEST_ALL").is_some()
}

fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.replace(old, new).into_bytes()
}

#[test]
fn line_breaks_and_a_byte_order_mark_change_nothing() {
    for name in ALL {
        let plain = outcomes(name, <[u8]>::to_vec);
        assert!(!plain.is_empty());
        for (file, (found, text)) in outcomes(name, |bytes| replaced(bytes, "\n", "\r\n")) {
            let (expected, new) = &plain[&file];
            assert_eq!(&found, expected, "{file}");
            let new = new.as_ref().map(|new| new.replace('\n', "\r\n"));
            assert_eq!(text, new, "{file}");
        }
        let with_mark = outcomes(name, |bytes| [b"\xEF\xBB\xBF", bytes].concat());
        for (file, (found, text)) in with_mark {
            let (expected, new) = &plain[&file];
            assert_eq!(&found, expected, "{file}");
            let new = new.as_ref().map(|new| format!("\u{feff}{new}"));
            assert_eq!(text, new, "{file}");
        }
    }
}

#[test]
fn files_that_are_no_text_do_not_change() {
    for (index, name) in ALL.into_iter().enumerate() {
        let plain = outcomes(name, <[u8]>::to_vec);
        for (file, (found, text)) in outcomes(name, |_| Vec::new()) {
            assert_eq!((found, text), (vec![], None), "{file}");
        }
        let parts: [&[u8]; 3] = [b"# \xFF\n", b"# \0\xFF\n", b"\xFF\xFE"];
        // One part for each form in a quick run.
        let (first, each) = if tries_all() { (0, 1) } else { (index % 3, 3) };
        for part in parts.into_iter().skip(first).step_by(each) {
            for (file, (_, text)) in outcomes(name, |bytes| [part, bytes].concat()) {
                assert_eq!(text, None, "{file} {part:?}");
            }
        }
        // In a comment at the end, the character stays, and the rest changes as before.
        let with_nul = outcomes(name, |bytes| [bytes, b"\n# \0\n"].concat());
        for (file, (_, text)) in with_nul {
            let (Some(text), Some(new)) = (text, &plain[&file].1) else {
                continue;
            };
            assert_eq!(text, format!("{new}\n# \0\n"), "{file}");
        }
    }
}

/// A line break or a character of several bytes anywhere: nothing panics.
#[test]
fn odd_characters_at_any_place_do_not_panic() {
    let (step, length_step) = if tries_all() { (37, 1) } else { (2_503, 89) };
    let settings = Settings::to(ApiVersion::V1);
    let mut count = 0;
    for name in ALL {
        let folder = super::folder();
        for (index, name) in written(name, folder.path()).into_keys().enumerate() {
            let text = fs::read_to_string(folder.path().join(name)).unwrap();
            for at in (index % step..text.len()).step_by(step) {
                let Some((before, after)) = text.split_at_checked(at) else {
                    continue;
                };
                for odd in [
                    "ü",
                    "\u{1F600}",
                    "\r",
                    "\0",
                    "\u{1}",
                    "\u{2028}",
                    "\u{feff}",
                ] {
                    let text = format!("{before}{odd}{after}");
                    let _ = uses(&text, ApiVersion::V1);
                    let _ = migrate(&text, Form::Yaml, settings);
                    let _ = migrate_fences(&text, settings);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 250, "{count}");
    // At each cut of a name, a path, a placeholder and the lines around.
    for length in (1..1_100).step_by(length_step) {
        for odd in ["ü", "\u{1F600}"] {
            let fill = "a".repeat(length);
            for text in [
                format!("/{odd}{fill}/flowcontrol/v1beta2 FlowSchema{fill}{odd}V1beta2"),
                format!("v1beta2FlowSchema{fill}{odd} {odd}{fill}_flowcontrol_v1beta2"),
                format!("x = \"flowcontrol.apiserver.k8s.io/${{{fill}{odd}}}\""),
                format!("group: flowcontrol.apiserver.k8s.io\n{fill}{odd}\nversion: v1beta2"),
                format!("flowcontrol: {fill}{odd}\n  version: v1beta2 # {fill}{odd}"),
                format!("{}{odd} assuredConcurrencyShares: 1", " ".repeat(length)),
            ] {
                let _ = uses(&text, ApiVersion::V1);
                let _ = migrate(&text, Form::Yaml, settings);
            }
        }
    }
}
