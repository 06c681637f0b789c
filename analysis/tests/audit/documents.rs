//! Documents over several lines: damaged, cut, long, and with any number of lists.

use super::envelopes::{FIXTURES, Facts, fixture, read};
use crate::tries_all;
use k8s_flowcontrol_analysis::audit::AuditLog;
use std::io::{self, BufReader};

/// A buffer can end anywhere in a document, which can be damaged anywhere.
#[test]
fn buffers_of_any_size_are_read_alike() {
    let damage: [&[u8]; 8] = [b"\"", b"\\", b"\\ud800", b"]", b"}", b"\n", b"\xff", b"@"];
    for (name, ..) in FIXTURES {
        let whole = fixture(name);
        let read = |text: &[u8], size: usize| {
            let (mut log, mut found) = (AuditLog::new(), Vec::new());
            let input = BufReader::with_capacity(size, text);
            log.read(input, |event| {
                found.push(Facts::of(event));
                Ok::<(), io::Error>(())
            })
            .unwrap();
            (found, log.counts().clone())
        };
        let expected = read(&whole, 1 << 20);
        for size in [1, 2, 3, 7, 64] {
            assert_eq!(read(&whole, size), expected, "{name} {size}");
        }
        let step = if tries_all() { 131 } else { 1031 };
        for (number, at) in (1..whole.len()).step_by(step).enumerate() {
            let (before, behind) = whole.split_at(at);
            let damaged = [before, damage[number % damage.len()], behind].concat();
            for text in [before, &damaged] {
                let expected = read(text, 1 << 20);
                assert_eq!(read(text, 1 + number % 5), expected, "{name} at {at}");
            }
        }
    }
}

/// A wrong value damages its entry alone.
#[test]
fn a_damaged_value_is_damage_of_its_entry() {
    let lines = String::from_utf8(fixture("lines.log")).unwrap();
    let entries: Vec<_> = lines.lines().collect();
    for value in ["@", "\u{fffd}\"x\"", "''", "1e", "#[1, {}]", "<{}"] {
        let document = format!(
            "[\n{{\"a\": {value}, \"b\": 1}},\n{}\n]\n",
            entries.join(",\n")
        );
        let (found, counts) = read(&[document.as_bytes()]);
        assert_eq!((found.len(), counts.broken), (3, 1), "{value}");
    }
}

#[test]
fn a_document_can_have_any_number_of_empty_lists() {
    let lines = String::from_utf8(fixture("lines.log")).unwrap();
    let lists = "\"events\": [], ".repeat(100_000);
    let objects = "{\"events\": []}, ".repeat(100_000);
    let entries = lines.trim_ascii_end().replace('\n', ",\n");
    for document in [
        format!("{{\n{lists}\"records\": [\n{entries}\n]\n}}\n"),
        format!("[\n{objects}\n{entries}\n]\n"),
    ] {
        let (found, counts) = read(&[document.as_bytes()]);
        assert_eq!((found.len(), counts.broken), (3, 0));
    }
}

/// Neither lists in lists nor entries in entries are nested calls, and the lines behind them are read.
#[test]
fn a_document_can_be_nested_to_any_depth() {
    let lines = String::from_utf8(fixture("lines.log")).unwrap();
    for (open, close) in [
        ("[", "]"),
        ("{\"events\": ", "}"),
        ("{\"events\": [", "]}"),
        ("{\"a\": ", "}"),
        ("[{\"events\": [", "]}]"),
    ] {
        let depth = if tries_all() { 100_000 } else { 20_000 };
        let (opens, closes) = (open.repeat(depth), close.repeat(depth));
        for document in [
            format!("[\n{opens}1{closes},\n{}]\n", lines.replace('\n', ",\n")),
            format!("[\n{opens}\n"),
            // Not a document, but a line.
            format!("[{opens}1{closes}]\n{lines}"),
        ] {
            let (found, counts) = read(&[document.as_bytes()]);
            let is_whole = document.contains("auditID");
            let expected = if is_whole { 3 } else { 0 };
            assert_eq!(found.len(), expected, "{open} {counts:?}");
            assert!(is_whole || counts.broken > 0, "{open} {counts:?}");
        }
    }
}

/// The most bytes of an entry are 64 MiB.
#[test]
fn the_entries_behind_a_longer_one_are_read() {
    let lines = String::from_utf8(fixture("lines.log")).unwrap();
    let entries = lines.trim_ascii_end().replace('\n', ",\n");
    let long = "x".repeat(64 << 20);
    let documents = [
        (
            "[\n{\"a\": {\"a\": \"LONG\"}, \"b\": [1]},\nENTRIES\n]\n",
            1,
        ),
        // The text belongs to the document, not to an entry.
        (
            "{\n\"events\": [],\n\"a\": \"LONG\",\n\"records\": [\nENTRIES\n]\n}\n",
            0,
        ),
        ("{\n\"a\": \"LONG\",\n\"events\": [\nENTRIES\n]\n}\n", 0),
        ("[\n{\"a\": \"LONG\", \"b\": 1},\nENTRIES\n]\n", 1),
    ];
    let number = if tries_all() { documents.len() } else { 1 };
    for (document, broken) in &documents[..number] {
        let text = document.replace("LONG", &long).replace("ENTRIES", &entries);
        let (found, counts) = read(&[text.as_bytes()]);
        assert_eq!((found.len(), counts.broken), (3, *broken), "{document}");
    }
}

#[test]
fn an_object_can_have_several_lists_of_entries() {
    let lines = String::from_utf8(fixture("lines.log")).unwrap();
    let (first, rest) = lines.split_once('\n').unwrap();
    let lists = format!(
        "{{\n\"events\": [\n{first}\n],\n\"a\": {{\"b\": [1]}},\n\"records\": [\n{first}\n],\n\"nextToken\": \"x\"\n}}\n{rest}"
    );
    let (found, counts) = read(&[lists.as_bytes()]);
    assert_eq!((found, counts.broken), (read(&[lines.as_bytes()]).0, 0));
}

/// A document is read entry by entry, and the memory does not grow with it.
#[test]
fn long_documents_are_cut_into_entries() {
    let text = String::from_utf8(fixture("cloud-logging.json")).unwrap();
    let entry = text.split("\n  {").nth(1).unwrap();
    let entry = entry.split("\n  }").next().unwrap();
    let number = 3000;
    let entries: Vec<_> = (0..number)
        .map(|index| {
            let id = format!("1111-{index}");
            let own = entry.replace("0a6b9c1e-0001-4b4a-9d0e-000000000001", &id);
            format!("\n  {{{own}\n  }}")
        })
        .collect();
    let document = format!("[{}\n]\n", entries.join(","));
    let (found, counts) = read(&[document.as_bytes()]);
    assert_eq!((found.len(), counts.broken), (number, 0));
    // A cut document keeps the entries before its end.
    let cut = &document.as_bytes()[..document.len() / 2];
    let (found, counts) = read(&[cut]);
    assert!(found.len() > number / 3, "{}", found.len());
    assert_eq!(counts.broken, 1);
    // The lines behind a damaged document are read.
    let line = fixture("lines.log");
    let damaged = [b"[\n  {\n    \"a\": }\n" as &[u8], &line].concat();
    let (found, counts) = read(&[&damaged]);
    assert_eq!((found.len(), counts.broken > 0), (3, true));
}
