//! Reading the logs of `--follow`: the files of a folder, and the parts of them that are new.

use crate::failure::Failure;
use crate::input::{append, open_file, skip};
use k8s_flowcontrol_analysis::audit::{AuditLog, decompressed};
use k8s_flowcontrol_analysis::live::{Counter, Fingerprint, Found, HEAD, Live, Part};
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The bytes that are read at once. A longer line than this is read in a larger piece, up to the longest line.
const CHUNK: u64 = 4 << 20;
const LONGEST: u64 = 64 << 20;
/// The end of a rotated file without a line break counts as a line if nobody has written for this time.
const QUIET: Duration = Duration::from_secs(5);

/// A log that is followed.
pub(super) struct Followed {
    path: PathBuf,
    /// The name in the state.
    pub(super) name: String,
    /// The files whose beginning was read, with their length and time then.
    heads: HashMap<PathBuf, Head>,
    /// The problem that was reported last.
    problem: Option<String>,
}

#[derive(Clone)]
struct Head {
    length: u64,
    modified: SystemTime,
    fingerprint: Option<Fingerprint>,
    is_compressed: bool,
    /// Whether reading the present file failed.
    is_damaged: bool,
}

impl Followed {
    pub(super) fn new(path: &Path) -> Result<Self, Failure> {
        let absolute = std::path::absolute(path);
        let path = absolute.map_err(|error| {
            Failure::input(format!("cannot follow {}: {error}", path.display()))
        })?;
        Ok(Self {
            name: path.display().to_string(),
            path,
            heads: HashMap::new(),
            problem: None,
        })
    }

    /// Reads what is new, at most some megabytes of each file; returns whether there was something, and a problem that is new.
    pub(super) fn poll(
        &mut self,
        others: &[PathBuf],
        live: &mut Live,
        counter: &mut Counter,
        now_us: i64,
    ) -> (bool, Option<String>) {
        let (mut is_new, mut problem) = (false, None);
        match self.read(others, live, counter, now_us) {
            Ok(has_read) => {
                is_new = has_read;
                self.problem = None;
            }
            Err(error) => {
                let text = format!("cannot read {}: {error}", self.name);
                if self.problem.as_ref() != Some(&text) {
                    problem = Some(text.clone());
                }
                self.problem = Some(text);
            }
        }
        (is_new, problem)
    }

    fn read(
        &mut self,
        others: &[PathBuf],
        live: &mut Live,
        counter: &mut Counter,
        now_us: i64,
    ) -> io::Result<bool> {
        let paths = self.paths(others)?;
        let mut heads = HashMap::new();
        let (mut files, mut found) = (Vec::new(), Vec::new());
        let mut failed = Ok(());
        for path in paths {
            let head = match self.head(&path) {
                Ok(Some(head)) => head,
                // A file may vanish at any time.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) if path == self.path => {
                    failed = Err(error);
                    continue;
                }
                Ok(None) if path == self.path => {
                    failed = Err(io::Error::other("it is not a file"));
                    continue;
                }
                _ => continue,
            };
            found.push(Found {
                fingerprint: head.fingerprint,
                size: (!head.is_compressed).then_some(head.length),
                modified_us: microseconds(head.modified),
                is_current: path == self.path,
            });
            files.push(path.clone());
            heads.insert(path, head);
        }
        self.heads = heads;
        let plan = live.tail(&self.name).plan(&found);
        live.add_lost_ends(plan.lost_ends);
        let mut has_read = plan.lost_ends > 0;
        for part in plan.parts {
            let (Some(path), Some(found)) = (files.get(part.index), found.get(part.index)) else {
                continue;
            };
            let Some(head) = self.heads.get_mut(path).filter(|head| !head.is_damaged) else {
                continue;
            };
            let reading = Reading {
                name: &self.name,
                part: &part,
                is_final: !found.is_current && head.modified.elapsed().is_ok_and(|age| age > QUIET),
                now_us,
            };
            let read = match head.is_compressed {
                true => reading.compressed(path, live, counter),
                false => reading.plain(path, live, counter),
            };
            match read {
                Ok(any) => has_read |= any,
                // A file that is being compressed, or a damaged one: again when it has changed.
                Err(_) if head.is_compressed => head.is_damaged = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        failed?;
        match files.is_empty() {
            true => Err(io::Error::other("it does not exist yet")),
            false => Ok(has_read),
        }
    }

    /// The log and its siblings: files with the same beginning and the same extension, such as `audit-2026.log.gz` and `audit.log.1`.
    fn paths(&self, others: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
            _ => (name.as_ref(), String::new()),
        };
        let mut paths = vec![self.path.clone()];
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let other = entry.file_name();
            let other = other.to_string_lossy();
            let rest = other.strip_prefix(stem).unwrap_or_default();
            let is_sibling = rest.starts_with(['-', '.', '_']) && rest.contains(&extension);
            let path = folder.join(entry.file_name());
            if is_sibling && other != name && !others.contains(&path) {
                paths.push(path);
            }
        }
        Ok(paths)
    }

    /// The beginning of a file, from memory if the file did not change; `None` for anything but a file.
    fn head(&self, path: &Path) -> io::Result<Option<Head>> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
        if let Some(known) = self.heads.get(path)
            && (known.length, known.modified) == (metadata.len(), modified)
        {
            return Ok(Some(known.clone()));
        }
        let file = open_file(path)?;
        read_head(file, &metadata, modified).map(Some)
    }
}

fn read_head(file: File, metadata: &Metadata, modified: SystemTime) -> io::Result<Head> {
    let mut plain = BufReader::with_capacity(2 * HEAD, file);
    let first = plain.fill_buf()?;
    let is_compressed =
        first.starts_with(&[0x1f, 0x8b]) || first.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let mut head = Vec::new();
    let read = decompressed(plain).and_then(|mut text| append(&mut text, HEAD as u64, &mut head));
    if read.is_err() {
        // A compressed file that is cut does not have an identity yet.
        head.clear();
    }
    Ok(Head {
        length: metadata.len(),
        modified,
        fingerprint: Fingerprint::of(&head),
        is_compressed,
        is_damaged: false,
    })
}

/// A part of a file that is read.
struct Reading<'a> {
    name: &'a str,
    part: &'a Part,
    /// Whether nobody writes to the file any more.
    is_final: bool,
    now_us: i64,
}

impl Reading<'_> {
    fn plain(&self, path: &Path, live: &mut Live, counter: &mut Counter) -> io::Result<bool> {
        let mut file = open_file(path)?;
        let mut head = Vec::new();
        append(&mut BufReader::new(&mut file), HEAD as u64, &mut head)?;
        if Fingerprint::of(&head) != Some(self.part.fingerprint) {
            // Rotated since its beginning was read.
            return Ok(false);
        }
        file.seek(SeekFrom::Start(self.part.from))?;
        let mut text = BufReader::new(file);
        let mut at = self.part.from;
        let mut ahead = Vec::new();
        self.piece(&mut text, &mut ahead, &mut at, live, counter)?;
        Ok(at > self.part.from)
    }

    /// Reads a compressed file from the position to its end.
    fn compressed(&self, path: &Path, live: &mut Live, counter: &mut Counter) -> io::Result<bool> {
        let mut text = decompressed(BufReader::with_capacity(1 << 20, open_file(path)?))?;
        skip(&mut text, self.part.from)?;
        let mut at = self.part.from;
        let mut ahead = Vec::new();
        while self.piece(&mut text, &mut ahead, &mut at, live, counter)? {}
        live.tail(self.name).advance(self.part, at, true);
        Ok(true)
    }

    /// Counts the lines of the next piece, and moves the position behind them; `false` at the end of the text. The bytes of a line
    /// that is not complete are kept in `ahead`.
    fn piece(
        &self,
        text: &mut dyn BufRead,
        ahead: &mut Vec<u8>,
        at: &mut u64,
        live: &mut Live,
        counter: &mut Counter,
    ) -> io::Result<bool> {
        let mut limit = CHUNK;
        loop {
            let more = limit.saturating_sub(ahead.len() as u64);
            let is_full = append(text, more, ahead)? as u64 == more;
            let end = match ahead.iter().rposition(|byte| *byte == b'\n') {
                _ if self.is_final && !is_full => ahead.len(),
                Some(end) => end + 1,
                // A line that is longer than any event is broken.
                None if limit >= LONGEST => ahead.len(),
                None => 0,
            };
            let is_forced = self.is_final || limit >= LONGEST;
            if end > 0 && self.count(&ahead[..end], is_forced, live, counter)? {
                ahead.drain(..end);
                *at += end as u64;
                live.tail(self.name).advance(self.part, *at, false);
                return Ok(is_full);
            }
            if !is_full {
                return Ok(false);
            }
            limit = LONGEST;
        }
    }

    /// Counts the events of lines; `false` without an effect if the last line was cut by a container runtime and continues.
    fn count(
        &self,
        lines: &[u8],
        is_forced: bool,
        live: &mut Live,
        counter: &mut Counter,
    ) -> io::Result<bool> {
        let mut log = AuditLog::of_events();
        let mut requests = Vec::new();
        log.read_part(lines, |event| {
            requests.extend(counter.count(event));
            Ok::<(), io::Error>(())
        })?;
        if log.is_within_line() {
            if !is_forced {
                return Ok(false);
            }
            // The unfinished line is broken.
            log.read(io::empty(), |_| Ok::<(), io::Error>(()))?;
        }
        for request in &requests {
            live.add(request, self.now_us);
        }
        live.add_counts(log.counts());
        Ok(true)
    }
}

pub(super) fn microseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
