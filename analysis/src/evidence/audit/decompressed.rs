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
pub fn decompressed<'a>(mut input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let first = input.fill_buf()?;
    if first.len() >= zstd::MAGIC.len() {
        let first: Vec<u8> = first.iter().copied().take(zstd::MAGIC.len()).collect();
        return Ok(by_first_bytes(&first, input));
    }
    // A pipe can give less at first.
    let mut first = Vec::new();
    let most = zstd::MAGIC.len() as u64;
    input.by_ref().take(most).read_to_end(&mut first)?;
    Ok(by_first_bytes(
        &first.clone(),
        io::Cursor::new(first).chain(input),
    ))
}

fn by_first_bytes<'a>(first: &[u8], input: impl BufRead + 'a) -> Box<dyn BufRead + 'a> {
    if first.starts_with(&GZIP) {
        let text = MultiGzDecoder::new(input);
        return Box::new(BufReader::with_capacity(BUFFER, text));
    }
    if first.starts_with(&zstd::MAGIC) {
        return Box::new(BufReader::with_capacity(BUFFER, Zstd::new(input)));
    }
    Box::new(input)
}
