//! Logs that are compressed: with gzip, as a server writes them with `--audit-log-compress`, or with zstd, as log shippers do.

use super::zstd::{self, Zstd};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// The first bytes of a log that is compressed with gzip.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The bytes that are decompressed at once.
const BUFFER: usize = 1 << 20;

/// The text of a log, which its first bytes show to be compressed with gzip or zstd or not.
///
/// [`AuditLog::read`](super::AuditLog::read) does this automatically.
///
/// # Errors
/// `input` cannot be read. Damage behind its beginning is an error of the returned reader, after the text before it; the kind of the
/// error is [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if the end is missing.
pub fn decompressed<'a>(input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let mut input: Box<dyn BufRead + 'a> = Box::new(input);
    let mut first = [0; zstd::MAGIC.len()];
    match input.fill_buf()?.first_chunk() {
        Some(chunk) => first = *chunk,
        // A pipe can give less at first.
        None => {
            let mut begin = Vec::new();
            input
                .by_ref()
                .take(first.len() as u64)
                .read_to_end(&mut begin)?;
            first[..begin.len()].copy_from_slice(&begin);
            input = Box::new(io::Cursor::new(begin).chain(input));
        }
    }
    Ok(if first.starts_with(&GZIP) {
        let text = MultiGzDecoder::new(input);
        Box::new(BufReader::with_capacity(BUFFER, text))
    } else if first == zstd::MAGIC {
        Box::new(BufReader::with_capacity(BUFFER, Zstd::new(input)))
    } else {
        input
    })
}
