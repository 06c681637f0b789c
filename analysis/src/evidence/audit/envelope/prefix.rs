//! Lines with something before the event.
//!
//! Sources: the CRI log format of Kubernetes (`2016-10-06T00:17:09.669794202Z stdout F text`, with `P` for a part of a line);
//! `oc adm node-logs` (the name of the node and a space); `kubectl logs` (`--prefix` writes `[pod/NAME/CONTAINER]`, `--timestamps` a time);
//! CloudWatch Logs, "Exporting log data to Amazon S3" (a time and a space); `out_file` of Fluentd (time, tag and record, with tabs);
//! RFC 5424 and `journalctl -o short` (a header before the text).

/// The most bytes before an event.
const LONGEST: usize = 1024;

/// A line without its prefix.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unprefixed<'a> {
    /// A whole or a part of a line of a container.
    Cri {
        stream: &'a str,
        text: &'a str,
        is_last: bool,
    },
    /// The JSON text behind any other prefix.
    Json(&'a str),
}

/// The text after the prefix of a line, if the prefix is known.
pub(super) fn without(line: &str) -> Option<Unprefixed<'_>> {
    if let Some(cri) = cri(line) {
        return Some(cri);
    }
    let at = memchr::memchr(b'{', line.as_bytes())?;
    let is_text = at > 0 && at <= LONGEST;
    is_text.then(|| Unprefixed::Json(line.get(at..).unwrap_or_default()))
}

fn cri(line: &str) -> Option<Unprefixed<'_>> {
    let (time, rest) = line.split_once(' ')?;
    let bytes = time.as_bytes();
    let is_time = bytes.len() >= 20 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[10] == b'T';
    let (stream, rest) = rest.split_once(' ').filter(|_| is_time)?;
    let (tags, text) = rest
        .split_once(' ')
        .filter(|_| matches!(stream, "stdout" | "stderr"))?;
    let is_last = match tags.split(':').next()? {
        "F" => true,
        "P" => false,
        _ => return None,
    };
    Some(Unprefixed::Cri {
        stream,
        text,
        is_last,
    })
}
