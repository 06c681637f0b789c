//! The requests of logs in the order of time, with bounded memory.

use k8s_flowcontrol_analysis::simulation::Recorded;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::mem;
use std::time::Duration;

/// The requests that are sorted in memory. More are written to temporary files, so many to each: with the usual limit of 1,024 open files, up to
/// 260 million.
const RUN: usize = 1 << 18;
/// The bytes of a request in a file.
const BYTES: usize = 48;
/// The execution or wait of a request that has none.
const NONE: u64 = u64::MAX;

/// A request with its classes in the configurations that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    received_us: i64,
    execution: u64,
    observed: u64,
    took: u64,
    classes: [u32; 2],
    client: u32,
    rejected: bool,
}

impl Entry {
    /// An entry for the results of one or two recordings. Without the second class, the second configuration does not see the
    /// request, and the other way around.
    pub(super) fn new(first: Option<Recorded>, second: Option<Recorded>) -> Option<Self> {
        let either = first.or(second)?;
        let time = |time: Option<Duration>| {
            time.map_or(NONE, |time| {
                u64::try_from(time.as_nanos()).unwrap_or(NONE - 1)
            })
        };
        let class = |request: Option<Recorded>| request.map_or(u32::MAX, |request| request.class);
        Some(Self {
            received_us: either.received_us,
            execution: time(either.execution),
            observed: time(either.observed),
            took: time(either.took),
            classes: [class(first), class(second)],
            client: either.client,
            rejected: either.rejected,
        })
    }

    /// The class in the second configuration, if it sees the request.
    pub(super) fn second_class(&self) -> Option<u32> {
        (self.classes[1] != u32::MAX).then_some(self.classes[1])
    }

    /// The request for the first configuration, if it sees the request.
    pub(super) fn request(&self) -> Option<Recorded> {
        let time = |time: u64| (time != NONE).then(|| Duration::from_nanos(time));
        let class = self.classes[0];
        (class != u32::MAX).then(|| {
            let (execution, observed) = (time(self.execution), time(self.observed));
            let mut request = Recorded::new(self.received_us, class, execution, observed);
            request.took = time(self.took);
            request.client = self.client;
            request.rejected = self.rejected;
            request
        })
    }

    fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&self.received_us.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.execution.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.observed.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.took.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.classes[0].to_le_bytes());
        bytes[36..40].copy_from_slice(&self.classes[1].to_le_bytes());
        bytes[40..44].copy_from_slice(&self.client.to_le_bytes());
        bytes[44] = self.rejected.into();
        bytes
    }

    fn from_bytes(bytes: &[u8; BYTES]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let word = |index: usize| u64::from_le_bytes(words[index]);
        let (classes, client) = (word(4), word(5));
        Self {
            received_us: word(0).cast_signed(),
            execution: word(1),
            observed: word(2),
            took: word(3),
            classes: [classes as u32, (classes >> 32) as u32],
            client: client as u32,
            rejected: client >> 32 != 0,
        }
    }
}

/// Sorts requests by time, in temporary files if they are many.
#[derive(Default)]
pub(super) struct Sorter {
    run: Vec<Entry>,
    files: Vec<File>,
    problem: RefCell<Option<io::Error>>,
}

impl Sorter {
    pub(super) fn add(&mut self, entry: Entry) -> io::Result<()> {
        self.run.push(entry);
        match self.run.len() < RUN {
            true => Ok(()),
            false => self.write_run(),
        }
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.run.sort_unstable();
        let mut file = BufWriter::new(tempfile::tempfile()?);
        for entry in self.run.drain(..) {
            file.write_all(&entry.to_bytes())?;
        }
        self.files.push(file.into_inner()?);
        Ok(())
    }

    /// The requests in the order of time. An error of reading ends them; see [`problem`](Self::problem).
    pub(super) fn entries(&mut self) -> io::Result<impl Iterator<Item = Entry> + '_> {
        self.run.sort_unstable();
        let mut runs: Vec<Run<'_>> = Vec::new();
        for file in &mut self.files {
            file.rewind()?;
            runs.push(Run::File(BufReader::with_capacity(1 << 16, file)));
        }
        runs.push(Run::Memory(self.run.iter()));
        let mut merged = Merged {
            heap: BinaryHeap::new(),
            runs,
            problem: &self.problem,
        };
        for run in 0..merged.runs.len() {
            merged.refill(run);
        }
        Ok(merged)
    }

    /// The error that ended the requests too early.
    pub(super) fn problem(&self) -> io::Result<()> {
        self.problem.take().map_or(Ok(()), Err)
    }
}

/// A sorted part of the requests.
enum Run<'a> {
    Memory(std::slice::Iter<'a, Entry>),
    File(BufReader<&'a mut File>),
}

impl Run<'_> {
    fn next(&mut self) -> io::Result<Option<Entry>> {
        match self {
            Self::Memory(entries) => Ok(entries.next().copied()),
            Self::File(file) => {
                let mut bytes = [0; BYTES];
                match file.read_exact(&mut bytes) {
                    Ok(()) => Ok(Some(Entry::from_bytes(&bytes))),
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
                    Err(error) => Err(error),
                }
            }
        }
    }
}

/// All runs, merged.
struct Merged<'a> {
    /// The first entry of each run.
    heap: BinaryHeap<Reverse<(Entry, usize)>>,
    runs: Vec<Run<'a>>,
    problem: &'a RefCell<Option<io::Error>>,
}

impl Merged<'_> {
    fn refill(&mut self, run: usize) {
        match self.runs[run].next() {
            Ok(entry) => self.heap.extend(entry.map(|entry| Reverse((entry, run)))),
            Err(error) => {
                self.problem.replace(Some(error));
                drop(mem::take(&mut self.heap));
            }
        }
    }
}

impl Iterator for Merged<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let Reverse((entry, run)) = self.heap.pop()?;
        self.refill(run);
        Some(entry)
    }
}
