//! A file that is read again when it has changed.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The maximum size of a token, certificate, key or authority: 4 MiB. All authorities of an operating system take less than 1 MiB.
const MAX_FILE: u64 = 4 << 20;
/// The maximum size of a kubeconfig: 64 MiB, as for other YAML text.
pub(crate) const MAX_KUBECONFIG: u64 = 64 << 20;

/// File systems round the time of a change. A file that changed so recently may change again within the same tick.
const TICK: Duration = Duration::from_secs(2);

/// A file, and the bytes of the version that was read last.
pub(crate) struct CachedFile {
    path: PathBuf,
    last: Mutex<Option<(Version, Arc<[u8]>)>>,
}

/// The identity of a file's content: it differs after a change. Another file may be at the path, as after Kubernetes has
/// switched the link `..data` of a volume, or the length or time may differ.
#[derive(PartialEq)]
struct Version {
    modified: SystemTime,
    length: u64,
    #[cfg(unix)]
    identity: [i128; 4],
}

impl CachedFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            last: Mutex::default(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The current bytes. Waits for the disk.
    pub(crate) fn read(&self) -> io::Result<Arc<[u8]>> {
        let now = Version::of(&std::fs::metadata(&self.path)?);
        {
            let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some((version, bytes)), Some(now)) = (&*last, &now)
                && version == now
            {
                return Ok(bytes.clone());
            }
        }
        let file = File::open(&self.path)?;
        // Of the open file: the path may name another one by now.
        let version = Version::of(&file.metadata()?);
        let bytes: Arc<[u8]> = read_at_most(file, MAX_FILE)?.into();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = version.map(|version| (version, bytes.clone()));
        Ok(bytes)
    }
}

impl Version {
    /// `None` if a change might not be seen: the file is a pipe or a device, or has just changed.
    fn of(metadata: &Metadata) -> Option<Self> {
        let modified = metadata.modified().ok()?;
        let has_settled = SystemTime::now().duration_since(modified).ok()? > TICK;
        (metadata.is_file() && has_settled).then(|| Self {
            modified,
            length: metadata.len(),
            #[cfg(unix)]
            identity: {
                use std::os::unix::fs::MetadataExt;
                [
                    metadata.dev().into(),
                    metadata.ino().into(),
                    metadata.ctime().into(),
                    metadata.ctime_nsec().into(),
                ]
            },
        })
    }
}

/// Reads a text to its end.
/// Errors: if it has more than `limit` bytes, is not UTF-8, or cannot be read.
pub(crate) fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let bytes = read_at_most(File::open(path)?, limit)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// Reads to the end.
/// Errors: if there is more than `limit` bytes, or they cannot be read.
fn read_at_most(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("it is longer than {} MiB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}
