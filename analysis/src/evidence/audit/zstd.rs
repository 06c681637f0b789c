//! Zstandard, decoded in Rust: the frames of a file one after another, as `zstd` and `cat` write them.

use ruzstd::decoding::BlockDecodingStrategy;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::{self, BufRead, Read};

/// The first bytes of a frame.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The text of frames. The memory is that of a window, which the decoder limits to 128 MiB.
pub(super) struct Zstd<R> {
    input: Source<R>,
    decoder: FrameDecoder,
    is_in_frame: bool,
}

/// Notes the end of the input, so that truncated and damaged frames differ.
struct Source<R> {
    input: R,
    is_at_end: bool,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(into)?;
        self.is_at_end |= length == 0 && !into.is_empty();
        Ok(length)
    }
}

impl<R: BufRead> Zstd<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: Source {
                input,
                is_at_end: false,
            },
            decoder: FrameDecoder::new(),
            is_in_frame: false,
        }
    }

    /// Begins the next frame; `false` at the end.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.input.input.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.input) {
                Ok(()) => {
                    self.is_in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut (&mut self.input).take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(self.failed(&error)),
            }
        }
    }

    fn failed(&self, error: &FrameDecoderError) -> io::Error {
        let kind = match self.input.is_at_end {
            true => io::ErrorKind::UnexpectedEof,
            false => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, format!("invalid zstd data: {error}"))
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_in_frame && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.input, strategy);
                decoded.map_err(|error| self.failed(&error))?;
            }
            let length = self.decoder.read(into)?;
            if length > 0 || into.is_empty() {
                return Ok(length);
            }
            self.is_in_frame = false;
            let (stored, computed) = (
                self.decoder.get_checksum_from_data(),
                self.decoder.get_calculated_checksum(),
            );
            if stored.is_some() && stored != computed {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "invalid zstd data: a frame has another checksum than its text",
                ));
            }
        }
    }
}
