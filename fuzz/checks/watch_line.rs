//! The watch: the lines do not depend on the chunks, and an event does not depend on the order of its fields.

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::meta::Status;
use k8s_flowcontrol::watch::{LineDecoder, LineTooLong, WatchEvent};
use k8s_flowcontrol_text::{parse_json, to_value};

type Lines = (Vec<Vec<u8>>, Option<Vec<u8>>);

/// The first byte is the size of the chunks.
pub(crate) fn check(input: &[u8]) {
    let Some((size, text)) = input.split_first() else {
        return;
    };
    let chunk = usize::from(*size).max(1);
    for max in [16, 1 << 20] {
        let whole = lines(&[text], max);
        let chunks: Vec<&[u8]> = text.chunks(chunk).collect();
        assert_eq!(lines(&chunks, max), whole);
        if let Ok((complete, rest)) = whole {
            for line in complete.iter().chain(&rest) {
                // Before the end of a body, one more byte may start a line end.
                assert!(line.len() <= max + 1 && !line.contains(&b'\n'));
                event::<FlowSchema>(line);
                event::<PriorityLevelConfiguration>(line);
            }
        }
    }
}

fn lines(chunks: &[&[u8]], max: usize) -> Result<Lines, LineTooLong> {
    let mut decoder = LineDecoder::new(max);
    let mut lines = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(line) = decoder.next_line()? {
            lines.push(line.to_vec());
        }
    }
    Ok((lines, decoder.finish().map(<[u8]>::to_vec)))
}

fn event<K: Resource + std::fmt::Debug + PartialEq>(line: &[u8]) {
    let Some(event) = read::<K>(line) else {
        return;
    };
    let tree = parse_json(line).expect("an event is JSON");
    let Ok(value) = to_value(tree.root()) else {
        return;
    };
    // The same fields in the opposite order.
    let fields = value.as_object().expect("an event is an object");
    let (kind, object) = (&fields["type"], &fields["object"]);
    let texts = [
        format!("{{\"type\":{kind},\"object\":{object}}}"),
        format!("{{\"object\":{object},\"type\":{kind}}}"),
    ];
    let [first, second] = texts.map(|text| read::<K>(text.as_bytes()));
    let (first, second) = (
        first.expect("the event reads again"),
        second.expect("the order does not matter"),
    );
    assert_eq!(first, second);
    assert_eq!(event.is_ok(), first.is_ok());
    if let Ok(event) = event {
        assert_eq!(
            event.resource_version().is_some(),
            first
                .ok()
                .and_then(|event| event.resource_version().map(drop))
                .is_some()
        );
    }
}

/// An event, or the status of an error; nothing if the line is neither.
fn read<K: Resource>(line: &[u8]) -> Option<Result<WatchEvent<K>, Status>> {
    match WatchEvent::from_line(line) {
        Ok(event) => Some(Ok(event)),
        Err(error) => error.status().cloned().map(Err),
    }
}
