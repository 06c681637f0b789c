//! Reading files without trust in their length or kind.
//!
//! Every file that a command reads whole is read here, at most [`LIMIT`] bytes of it: far above any manifest, and below what
//! would harm the machine. A file that was found in a folder is read only if it is a regular file, and opening it never
//! waits for another program. A file that the user names may be a pipe.

use k8s_flowcontrol_text::MAX_LENGTH;
use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a file or stream that are read.
pub const LIMIT: u64 = MAX_LENGTH as u64;

/// The error of reading a file.
#[derive(Debug)]
pub enum ReadError {
    /// The file cannot be read.
    Io(io::Error),
    /// The length in bytes; none for a stream, whose end was not reached.
    TooLong(Option<u64>),
}

/// Reads a regular file.
///
/// # Errors
/// If it is something else, is too long or cannot be read.
pub fn read_regular(path: &Path) -> Result<(Vec<u8>, Metadata), ReadError> {
    let file = open_at_once(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file").into());
    }
    Ok((read_file(file, &metadata)?, metadata))
}

/// Reads a file that the user names. It may be a pipe or a device.
pub fn read_named(path: &Path) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    read_file(file, &metadata)
}

/// Reads a stream to its end.
pub fn read_stream(stream: impl Read) -> Result<Vec<u8>, ReadError> {
    read_up_to(stream, None)
}

fn read_file(file: File, metadata: &Metadata) -> Result<Vec<u8>, ReadError> {
    let length = metadata.is_file().then_some(metadata.len());
    match length {
        Some(length) if length > LIMIT => Err(ReadError::TooLong(Some(length))),
        _ => read_up_to(file, length),
    }
}

/// Reads at most one byte more than allowed: a device does not end, and a file can grow.
fn read_up_to(input: impl Read, expected: Option<u64>) -> Result<Vec<u8>, ReadError> {
    // At most LIMIT, which is a usize.
    let mut bytes = Vec::with_capacity(expected.unwrap_or_default() as usize);
    input.take(LIMIT + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LIMIT {
        true => Err(ReadError::TooLong(None)),
        false => Ok(bytes),
    }
}

/// Opens a file without waiting: a pipe that took the place of a file would otherwise block until a program writes to it.
fn open_at_once(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
        // The C library has the same bits in a signed type.
        options.custom_flags(flags as i32);
    }
    options.open(path)
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = LIMIT >> 20;
        match self {
            Self::Io(error) => error.fmt(f),
            Self::TooLong(None) => write!(f, "it is longer than the limit of {limit} MiB"),
            Self::TooLong(Some(length)) => write!(
                f,
                "it has {length} bytes ({} MiB), more than the limit of {limit} MiB",
                length >> 20
            ),
        }
    }
}
