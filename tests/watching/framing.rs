//! The starts of the chunks in an HTTP/1.1 response.

/// The position in a stream of HTTP/1.1 responses, precise enough to find the ends of chunks.
#[derive(Clone, Default)]
pub(crate) struct Framing {
    state: Part,
    line: Vec<u8>,
    chunked: bool,
    length: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Head,
    Body(usize),
    ChunkSize,
    /// The remaining bytes, with the line end.
    Chunk(usize),
}

impl Framing {
    /// The index of the first chunk start in `bytes` from `at_least` on.
    pub(crate) fn next_boundary(&self, at_least: usize, bytes: &[u8]) -> Option<usize> {
        let mut framing = self.clone();
        let mut index = 0;
        while index < bytes.len() {
            if index >= at_least && framing.is_between_chunks() {
                return Some(index);
            }
            let step = match framing.state {
                Part::Body(left) | Part::Chunk(left) => left.min(bytes.len() - index),
                Part::Head | Part::ChunkSize => 1,
            };
            framing.see(&bytes[index..index + step]);
            index += step;
        }
        None
    }

    pub(crate) fn is_between_chunks(&self) -> bool {
        self.state == Part::ChunkSize && self.line.is_empty()
    }

    pub(crate) fn see(&mut self, mut bytes: &[u8]) {
        while let Some((byte, rest)) = bytes.split_first() {
            match &mut self.state {
                Part::Body(left) | Part::Chunk(left) => {
                    let seen = bytes.len().min(*left);
                    *left -= seen;
                    bytes = &bytes[seen..];
                    if *left == 0 {
                        self.state = match self.state {
                            Part::Body(_) => Part::Head,
                            _ => Part::ChunkSize,
                        };
                    }
                    continue;
                }
                Part::Head | Part::ChunkSize => {}
            }
            bytes = rest;
            self.line.push(*byte);
            if self.line.ends_with(b"\r\n") {
                let line = std::mem::take(&mut self.line);
                self.end_of_line(String::from_utf8_lossy(&line).trim());
            }
        }
    }

    fn end_of_line(&mut self, line: &str) {
        if self.state == Part::ChunkSize {
            let size = usize::from_str_radix(line, 16).expect("the server writes chunks");
            // The last chunk is followed by an empty line, like a head without headers.
            self.state = if size == 0 {
                Part::Head
            } else {
                Part::Chunk(size + 2)
            };
            self.chunked = false;
            self.length = 0;
            return;
        }
        let line = line.to_ascii_lowercase();
        if let Some(length) = line.strip_prefix("content-length: ") {
            self.length = length.parse().expect("the server writes lengths");
        } else if line == "transfer-encoding: chunked" {
            self.chunked = true;
        } else if line.is_empty() && self.chunked {
            self.state = Part::ChunkSize;
        } else if line.is_empty() && self.length > 0 {
            self.state = Part::Body(std::mem::take(&mut self.length));
        }
    }
}
