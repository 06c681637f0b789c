//! The position in a log that a server rotates: the parts to read next, whatever became of the files meanwhile.
//!
//! A file is known by its first line, which has the id and the time of a request, and not by its name or inode: so it is found again after it
//! was renamed (kube-apiserver, logrotate with `create`), copied and truncated (logrotate with `copytruncate`) or compressed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The bytes at the beginning of a file that identify it.
pub const HEAD: usize = 1024;
/// A file counts as vanished when it was missing so many times: it may be renamed while a folder is read.
const MISSING: u8 = 3;
/// The most files that are remembered.
const MOST_FILES: usize = 4096;

/// The identity of a log file: a hash of its first line, of at most [`HEAD`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The identity of a file whose decompressed text begins with `head`; `None` as long as the first line is not complete.
    pub fn of(head: &[u8]) -> Option<Self> {
        let head = &head[..head.len().min(HEAD)];
        let end = match head.iter().position(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if head.len() == HEAD => HEAD,
            None => return None,
        };
        let [a, b, c, d, e, f, g, h, ..] = hmac_sha256::Hash::hash(&head[..end]);
        Some(Self(u64::from_le_bytes([a, b, c, d, e, f, g, h])))
    }
}

/// A file that exists now: the log itself, or a sibling of it.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers make it")]
pub struct Found {
    /// Its identity.
    pub fingerprint: Option<Fingerprint>,
    /// Its size in bytes; `None` for a compressed file.
    pub size: Option<u64>,
    /// The time of its last change.
    pub modified_us: i64,
    /// Whether it is the log itself.
    pub is_current: bool,
}

/// A part of a file that is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The index of the file among the found files.
    pub index: usize,
    /// The identity of the file.
    pub fingerprint: Fingerprint,
    /// The first byte of its decompressed text that was not read.
    pub from: u64,
}

/// The parts to read, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The parts.
    pub parts: Vec<Part>,
    /// The files that vanished, or were truncated, and whose end may not have been read.
    pub lost_ends: u64,
}

/// The positions in a log and its siblings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tail {
    has_begun: bool,
    /// The known files, the oldest first.
    files: Vec<File>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    fingerprint: Fingerprint,
    /// The bytes of the decompressed text that were read.
    offset: u64,
    /// Whether it is compressed and was read to its end, or is older than the run.
    is_done: bool,
    /// Whether it was the log itself when it was found last.
    is_current: bool,
    missing: u8,
}

impl Tail {
    /// Decides what to read, from the log and all its siblings. At the first time only the log itself is read: its siblings are older.
    pub fn plan(&mut self, found: &[Found]) -> Plan {
        let best = best(found);
        if !std::mem::replace(&mut self.has_begun, true) {
            for (fingerprint, index) in &best {
                if !found[*index].is_current {
                    self.files.push(File {
                        is_done: true,
                        ..File::new(*fingerprint)
                    });
                }
            }
        }
        let mut plan = Plan::default();
        for file in &mut self.files {
            match best.get(&file.fingerprint) {
                None => file.missing = file.missing.saturating_add(1),
                Some(index) => {
                    file.missing = 0;
                    file.next(*index, &found[*index], &mut plan);
                }
            }
        }
        let is_gone = |file: &File| file.missing >= MISSING;
        plan.lost_ends = self
            .files
            .iter()
            .filter(|file| is_gone(file) && file.is_current)
            .count() as u64;
        self.files.retain(|file| !is_gone(file));
        self.add_new(found, &best, &mut plan);
        plan
    }

    /// Adds the files that were not known, the oldest first, and the log itself last.
    fn add_new(&mut self, found: &[Found], best: &BTreeMap<Fingerprint, usize>, plan: &mut Plan) {
        let is_known = |fingerprint| {
            self.files
                .iter()
                .any(|file| file.fingerprint == fingerprint)
        };
        let new = best.iter().filter(|(own, _)| !is_known(**own));
        let mut new: Vec<_> = new.map(|(own, index)| (*own, *index)).collect();
        new.sort_by_key(|(_, index)| (found[*index].is_current, found[*index].modified_us));
        for (fingerprint, index) in new {
            let mut file = File::new(fingerprint);
            file.next(index, &found[index], plan);
            self.files.push(file);
        }
        let excess = self.files.len().saturating_sub(MOST_FILES);
        self.files.drain(..excess);
        for file in &mut self.files {
            // A file that is not found keeps what it was: its end is lost if it was the log itself.
            if let Some(index) = best.get(&file.fingerprint) {
                file.is_current = found[*index].is_current;
            }
        }
    }

    /// Notes that a part was read up to the byte `to`; `is_end` for the end of a compressed file.
    pub fn advance(&mut self, part: &Part, to: u64, is_end: bool) {
        let mut files = self.files.iter_mut();
        if let Some(file) = files.find(|file| file.fingerprint == part.fingerprint) {
            file.offset = to;
            file.is_done |= is_end;
        }
    }
}

impl File {
    fn new(fingerprint: Fingerprint) -> Self {
        Self {
            fingerprint,
            offset: 0,
            is_done: false,
            is_current: false,
            missing: 0,
        }
    }

    fn next(&mut self, index: usize, found: &Found, plan: &mut Plan) {
        match found.size {
            _ if self.is_done => return,
            // The same first line in a shorter file: it was written again.
            Some(size) if size < self.offset && found.is_current => self.offset = 0,
            Some(size) if size <= self.offset => return,
            _ => {}
        }
        plan.parts.push(Part {
            index,
            fingerprint: self.fingerprint,
            from: self.offset,
        });
    }
}

/// For each identity the file to read. While a file is copied or compressed there are two: the plain one, and the longer one, is complete.
fn best(found: &[Found]) -> BTreeMap<Fingerprint, usize> {
    let mut best = BTreeMap::<Fingerprint, usize>::new();
    let rank = |file: &Found| (file.size, file.is_current);
    for (index, file) in found.iter().enumerate() {
        let Some(fingerprint) = file.fingerprint else {
            continue;
        };
        let own = best.entry(fingerprint).or_insert(index);
        if rank(file) > rank(&found[*own]) {
            *own = index;
        }
    }
    best
}
