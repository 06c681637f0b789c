//! Reading a file or the standard input.

use crate::failure::Failure;
use crate::source::Source;
use k8s_flowcontrol_text::MAX_LENGTH;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a file, or the standard input for `-`.
pub(crate) fn read(path: &Path, is_named: bool) -> Result<Source, Failure> {
    if path.as_os_str() == "-" {
        let text = read_all(io::stdin().lock())
            .map_err(|error| Failure::input(format!("cannot read the standard input: {error}")))?;
        return checked("-".into(), text, true);
    }
    let name = path.display().to_string();
    match File::open(path).and_then(read_all) {
        Ok(text) => checked(name, text, is_named),
        Err(error) => {
            let failure = Failure::input(format!("cannot read {name}: {error}"));
            Err(match error.kind() {
                io::ErrorKind::NotFound if name.contains("://") => failure
                    .hint("URLs are not supported: download the file and pass it with `-f -`"),
                _ => failure,
            })
        }
    }
}

fn checked(name: String, text: Vec<u8>, is_named: bool) -> Result<Source, Failure> {
    if text.len() > MAX_LENGTH {
        let limit = MAX_LENGTH >> 20;
        let failure = Failure::input(format!("{name} is longer than {limit} MiB"));
        return Err(failure.hint("split the file"));
    }
    Ok(Source::new(name, text, is_named))
}

/// Reads at most one byte more than allowed: a device may have no end.
fn read_all(input: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    input.take(MAX_LENGTH as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}
