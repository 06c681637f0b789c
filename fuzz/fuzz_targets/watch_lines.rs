//! The line decoder: the lines do not depend on the chunks.
#![no_main]

use k8s_flowcontrol::watch::{LineDecoder, LineTooLong};
use libfuzzer_sys::fuzz_target;

type Lines = (Vec<Vec<u8>>, Option<Vec<u8>>);

const MAX_LINE: usize = 64;

fuzz_target!(|input: (u8, &[u8])| {
    let (size, text) = input;
    let whole = decode(&[text]);
    let chunks: Vec<&[u8]> = text.chunks(usize::from(size).max(1)).collect();
    assert_eq!(decode(&chunks), whole);
});

fn decode(chunks: &[&[u8]]) -> Result<Lines, LineTooLong> {
    let mut decoder = LineDecoder::new(MAX_LINE);
    let mut lines = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(line) = decoder.next_line()? {
            lines.push(line.to_vec());
        }
    }
    Ok((lines, decoder.finish().map(<[u8]>::to_vec)))
}
