//! Text in base64, compressed or not.

use super::super::decompressed::{GZIP, decompressed};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::Read as _;

/// The most bytes of the text. A record of Kinesis has at most 10 MiB before it is compressed.
const LIMIT: u64 = 64 << 20;

/// The first characters of text that is compressed with gzip, in base64.
pub(super) const GZIP_IN_BASE64: &str = "H4sI";

/// Decodes a text; `None` if it is not base64, damaged, or too long.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text.trim()).ok()?;
    if !bytes.starts_with(&GZIP) {
        return Some(bytes);
    }
    let mut text = Vec::new();
    let reader = decompressed(&bytes[..]).ok()?;
    let length = reader.take(LIMIT + 1).read_to_end(&mut text).ok()?;
    (length as u64 <= LIMIT).then_some(text)
}
