//! PEM by the rules of Go's `encoding/pem`. Own code, because kubectl accepts bundles with malformed blocks.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use memchr::memmem;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// A block labelled `CERTIFICATE`.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// The line of the block's beginning, from 1.
    pub(crate) line: usize,
    pub(crate) content: Content,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Content {
    Der(Vec<u8>),
    Malformed,
    /// The text ends within the block, as it does while a file is being written.
    Torn,
}

/// The certificates of a text, including malformed blocks. Other blocks are skipped.
pub(crate) fn certificates(text: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while let Some(found) = next_block(text, start) {
        let (label, body) = line_from(text, found + BEGIN.len());
        start = body;
        if label.strip_suffix(DASHES) != Some(b"CERTIFICATE") {
            continue;
        }
        let content = match content(&text[body..]) {
            Ok((der, length)) => {
                start += length;
                Content::Der(der)
            }
            Err(fault) => fault,
        };
        let line = 1 + text[..found].iter().filter(|byte| **byte == b'\n').count();
        blocks.push(Block { line, content });
    }
    blocks
}

/// The position of the next `-----BEGIN ` at the beginning of a line.
fn next_block(text: &[u8], start: usize) -> Option<usize> {
    memmem::find_iter(&text[start..], BEGIN)
        .map(|found| start + found)
        .find(|found| *found == 0 || text[found - 1] == b'\n')
}

/// The content of a block from its second line on, and the length up to the end of the block.
fn content(body: &[u8]) -> Result<(Vec<u8>, usize), Content> {
    let length = match body.strip_prefix(&END[1..]) {
        Some(_) => 0,
        None => match memmem::find(body, END) {
            Some(found) => found + 1,
            None => return Err(Content::Torn),
        },
    };
    let (label, rest) = line_from(body, length + END.len() - 1);
    if label != b"CERTIFICATE-----" {
        return match rest == body.len() && b"CERTIFICATE-----".starts_with(label) {
            true => Err(Content::Torn),
            false => Err(Content::Malformed),
        };
    }
    let base64: Vec<u8> = body[..length]
        .iter()
        .copied()
        .filter(|byte| !b" \t\r\n".contains(byte))
        .collect();
    match BASE64_STANDARD.decode(base64) {
        Ok(der) => Ok((der, rest)),
        Err(_) => Err(Content::Malformed),
    }
}

/// The line at a position, without white space at its end, and the position of the next line.
fn line_from(text: &[u8], start: usize) -> (&[u8], usize) {
    let rest = &text[start..];
    match memchr::memchr(b'\n', rest) {
        Some(end) => (rest[..end].trim_ascii_end(), start + end + 1),
        None => (rest.trim_ascii_end(), text.len()),
    }
}
