//! Positions in rotated logs: a model of files that are written, renamed, copied, truncated and compressed.

use k8s_flowcontrol_analysis::live::{Fingerprint, Found, Tail};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A file of the model.
#[derive(Clone, Debug)]
struct File {
    text: Vec<u8>,
    is_compressed: bool,
    modified_us: i64,
}

/// A folder in which a server writes a log.
#[derive(Debug, Default)]
struct Folder {
    files: BTreeMap<String, File>,
    lines: u32,
    clock: i64,
}

const LOG: &str = "audit.log";

impl Folder {
    fn write(&mut self, count: u32) {
        self.clock += 1;
        let clock = self.clock;
        let file = self.files.entry(LOG.to_owned()).or_insert(File {
            text: Vec::new(),
            is_compressed: false,
            modified_us: 0,
        });
        for _ in 0..count {
            file.text.extend(format!("line {}\n", self.lines).bytes());
            self.lines += 1;
        }
        file.modified_us = clock;
    }

    /// A name that no file has.
    fn name(&mut self) -> String {
        self.clock += 1;
        format!("audit-{}.log", self.clock)
    }

    fn rename(&mut self) {
        let name = self.name();
        if let Some(file) = self.files.remove(LOG) {
            self.files.insert(name, file);
        }
    }

    fn copy_and_truncate(&mut self) {
        let name = self.name();
        let clock = self.clock;
        if let Some(file) = self.files.get_mut(LOG) {
            let copy = File {
                modified_us: clock,
                ..file.clone()
            };
            file.text.clear();
            self.files.insert(name, copy);
        }
    }

    fn compress(&mut self) {
        let plain = self
            .files
            .iter()
            .find(|(name, file)| *name != LOG && !file.is_compressed);
        let Some(name) = plain.map(|(name, _)| name.clone()) else {
            return;
        };
        if let Some(mut file) = self.files.remove(&name) {
            file.is_compressed = true;
            self.files.insert(format!("{name}.gz"), file);
        }
    }

    /// Reads what the tail wants, as a reader of real files does.
    fn read(&self, tail: &mut Tail, seen: &mut Vec<u8>, is_cut: bool) -> u64 {
        let files: Vec<_> = self.files.iter().collect();
        let found: Vec<_> = files
            .iter()
            .map(|(name, file)| Found {
                fingerprint: Fingerprint::of(&file.text),
                size: (!file.is_compressed).then_some(file.text.len() as u64),
                modified_us: file.modified_us,
                is_current: *name == LOG,
            })
            .collect();
        let plan = tail.plan(&found);
        for part in &plan.parts {
            let (_, file) = files[part.index];
            let from = (part.from as usize).min(file.text.len());
            let mut rest = &file.text[from..];
            if is_cut && !file.is_compressed {
                // Only the first line.
                let end = rest.iter().position(|byte| *byte == b'\n');
                rest = &rest[..end.map_or(0, |end| end + 1)];
            }
            seen.extend(rest);
            tail.advance(part, (from + rest.len()) as u64, file.is_compressed);
        }
        plan.lost_ends
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Write(u32),
    Rename,
    CopyAndTruncate,
    Compress,
    Read,
    ReadOneLine,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1..5_u32).prop_map(Step::Write),
        1 => Just(Step::Rename),
        1 => Just(Step::CopyAndTruncate),
        2 => Just(Step::Compress),
        2 => Just(Step::Read),
        1 => Just(Step::ReadOneLine),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens to the files between two looks, every line is read once.
    #[test]
    fn every_line_is_read_once(steps in steps()) {
        let mut folder = Folder::default();
        folder.write(3);
        let mut tail = Tail::default();
        let mut seen = Vec::new();
        // The run begins with the present log.
        folder.read(&mut tail, &mut seen, false);
        let mut lost = 0;
        for step in steps {
            match step {
                Step::Write(count) => folder.write(count),
                Step::Rename => folder.rename(),
                Step::CopyAndTruncate => folder.copy_and_truncate(),
                Step::Compress => folder.compress(),
                Step::Read => lost += folder.read(&mut tail, &mut seen, false),
                Step::ReadOneLine => lost += folder.read(&mut tail, &mut seen, true),
                Step::Restart => {
                    let text = serde_json::to_string(&tail).unwrap();
                    tail = serde_json::from_str(&text).unwrap();
                }
            }
        }
        lost += folder.read(&mut tail, &mut seen, false);
        let mut lines: Vec<_> = std::str::from_utf8(&seen).unwrap().lines().collect();
        lines.sort_by_key(|line| line["line ".len()..].parse::<u32>().unwrap());
        let expected: Vec<_> = (0..folder.lines).map(|number| format!("line {number}")).collect();
        prop_assert_eq!(lines, expected);
        prop_assert_eq!(lost, 0);
    }
}

#[test]
fn older_files_are_not_read_and_vanished_ends_are_named() {
    let mut folder = Folder::default();
    folder.write(2);
    folder.rename();
    folder.write(1);
    let mut tail = Tail::default();
    let mut seen = Vec::new();
    folder.read(&mut tail, &mut seen, false);
    assert_eq!(seen, b"line 2\n");
    // Truncated without a copy: the line before is gone.
    folder.write(1);
    folder.files.get_mut(LOG).unwrap().text.clear();
    folder.write(1);
    let lost: Vec<_> = (0..5)
        .map(|_| folder.read(&mut tail, &mut seen, false))
        .collect();
    assert_eq!(lost.iter().sum::<u64>(), 1, "{lost:?}");
    assert_eq!(seen, b"line 2\nline 4\n");
    // A rotated file that was read and is deleted is not a loss.
    folder.rename();
    folder.write(1);
    folder.read(&mut tail, &mut seen, false);
    folder.files.retain(|name, _| name == LOG);
    let lost: u64 = (0..5)
        .map(|_| folder.read(&mut tail, &mut seen, false))
        .sum();
    assert_eq!(lost, 0);
    assert_eq!(seen, b"line 2\nline 4\nline 5\n");
}

/// A first line that is not complete does not have an identity: all audit logs begin alike.
#[test]
fn an_identity_needs_a_whole_line() {
    assert_eq!(Fingerprint::of(b"{\"kind\":\"Event\""), None);
    assert!(Fingerprint::of(b"a\nb").is_some());
    assert_eq!(Fingerprint::of(b"a\nb"), Fingerprint::of(b"a\nc\n"));
    let long = vec![b'x'; 5000];
    assert_eq!(Fingerprint::of(&long), Fingerprint::of(&long[..1024]));
    assert_eq!(Fingerprint::of(&long[..1023]), None);
}
