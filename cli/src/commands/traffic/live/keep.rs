//! The state on the disk: a file that is replaced as a whole, and a journal of the batches since.

use crate::failure::Failure;
use crate::input::{open_file, unreadable, up_to};
use crate::output::{folder_of, unwritable, write_private};
use k8s_flowcontrol_analysis::callers::By;
use k8s_flowcontrol_analysis::live::{Live, journal};
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest state and journal that are read. Their contents are bounded far below.
const LIMIT: u64 = 1 << 30;
/// A journal of this length is emptied by writing the state.
const LONG: u64 = 16 << 20;

/// The state on the disk.
pub(super) struct Keep {
    path: PathBuf,
    journal: File,
    /// The bytes of the whole records in the journal.
    length: u64,
    /// Whether the journal may end with a part of a record.
    is_torn: bool,
}

impl Keep {
    /// Opens the state of an earlier run, or begins a new one.
    /// Errors: if a file cannot be read or written, or is not a state.
    pub(super) fn open(
        path: &Path,
        window: Duration,
        by: By,
        now_us: i64,
    ) -> Result<(Self, Live), Failure> {
        let journal_path = journal_path(path);
        if fs::metadata(&journal_path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(no_file(&journal_path));
        }
        let journal = private(&journal_path).map_err(|error| unwritable(&journal_path, &error))?;
        lock(&journal).map_err(|error| {
            Failure::input(format!("cannot use {}: {error}", path.display()))
                .hint("stop the other process, or name another file with `--state FILE`")
        })?;
        let mut live = match read(path)? {
            None => Live::new(window, by),
            Some(text) => Live::from_json(&text, window, by).map_err(|error| {
                let name = path.display();
                Failure::input(format!("cannot continue from {name}: {error}"))
                    .hint("name another file with `--state FILE` to start again")
            })?,
        };
        let text = read(&journal_path)?.unwrap_or_default();
        let length = journal::replay(&text, &mut live, now_us).map_err(|error| {
            let name = journal_path.display();
            Failure::input(format!("cannot continue from {name}: {error}"))
                .hint("move it away to continue without the batches in it")
        })?;
        let mut keep = Self {
            journal,
            path: path.to_owned(),
            length: length as u64,
            is_torn: false,
        };
        // The state is written at once, so that an unwritable folder is an error of the start.
        keep.save(&live).map_err(|error| unwritable(path, &error))?;
        Ok((keep, live))
    }

    /// Appends records, which are on the disk when this returns. After an error none of them is a part of the journal.
    /// Errors: if they cannot be written.
    pub(super) fn append(&mut self, records: &[u8]) -> io::Result<()> {
        if self.is_torn {
            return Err(io::Error::other(
                "the journal has an incomplete record until the state is written again",
            ));
        }
        let written = self.journal.write_all(records);
        if let Err(error) = written.and_then(|()| self.journal.sync_data()) {
            self.is_torn = self.journal.set_len(self.length).is_err();
            return Err(error);
        }
        self.length += records.len() as u64;
        Ok(())
    }

    /// Whether the state should be written, because the journal is long or damaged.
    pub(super) fn is_due(&self) -> bool {
        self.is_torn || self.length > LONG
    }

    /// Writes the state, and empties the journal, whose batches are a part of it.
    /// Errors: if that fails; the file then has its old content.
    pub(super) fn save(&mut self, live: &Live) -> io::Result<()> {
        let text = live.to_json()?;
        write_private(&self.path, &text)?;
        sync_folder(folder_of(&self.path))?;
        self.journal.set_len(0)?;
        (self.length, self.is_torn) = (0, false);
        Ok(())
    }
}

fn journal_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

/// The content of a file, if it exists.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let unreadable = |reason: &dyn Display| unreadable(&path.display().to_string(), reason);
    match open_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error)),
        Ok(file) if !file.metadata().is_ok_and(|metadata| metadata.is_file()) => Err(no_file(path)),
        Ok(file) => match up_to(LIMIT, file) {
            Some(text) => Ok(Some(text)),
            None => Err(unreadable(&"it is longer than 1 GiB")),
        },
    }
}

/// A file to append to, which only the user can read. On Windows only one process can open it so.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // FILE_SHARE_READ.
        options.share_mode(1);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Keeps other processes from using the same state, until the file is closed or the process has ended.
fn lock(journal: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{FlockOperation, flock};
        use rustix::io::Errno;
        match flock(journal, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => Err(io::Error::other("another process uses it")),
            // Some network file systems do not have locks.
            Err(Errno::NOSYS | Errno::NOTSUP | Errno::NOLCK) => Ok(()),
            locked => Ok(locked?),
        }
    }
    #[cfg(not(unix))]
    {
        let _opened_alone = journal;
        Ok(())
    }
}

/// Makes a new name in a folder durable.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => open_file(folder)?.sync_all(),
        false => fs::metadata(folder).map(|_| ()),
    }
}

fn no_file(path: &Path) -> Failure {
    unreadable(&path.display().to_string(), &"it is not a file")
}
