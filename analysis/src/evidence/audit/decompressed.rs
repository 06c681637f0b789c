//! Logs that are compressed with gzip, as a server writes them with `--audit-log-compress`.

use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader};

/// The first bytes of a compressed log.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The bytes that are decompressed at once.
const BUFFER: usize = 1 << 20;

/// The text of a log, which its first bytes show to be compressed with gzip or not.
///
/// [`AuditLog::read`](super::AuditLog::read) does this automatically.
///
/// # Errors
/// `input` cannot be read. Damage behind its beginning is an error of the returned reader, after the text before it.
pub fn decompressed<'a>(mut input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let is_compressed = input.fill_buf()?.starts_with(&GZIP);
    Ok(match is_compressed {
        true => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(input))),
        false => Box::new(input),
    })
}
