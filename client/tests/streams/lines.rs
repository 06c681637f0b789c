//! Lines from chunks of any size.

use k8s_flowcontrol::watch::{LineDecoder, LineTooLong};

/// The lines, and what is left at the end.
type Lines = (Vec<Vec<u8>>, Option<Vec<u8>>);

fn decode(chunks: &[&[u8]], max: usize) -> Result<Lines, LineTooLong> {
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

#[test]
fn every_split() {
    let text = b"{\"a\":1}\n\n{\"bb\":\"x\\n\"}\r\n\r\n{\"c\":3}\nrest";
    let whole = decode(&[text], 100).unwrap();
    assert_eq!(
        whole.0,
        [&b"{\"a\":1}"[..], b"{\"bb\":\"x\\n\"}", b"{\"c\":3}"]
    );
    assert_eq!(whole.1.as_deref(), Some(&b"rest"[..]));
    for first in 0..=text.len() {
        for second in first..=text.len() {
            let chunks = [&text[..first], &text[first..second], &text[second..]];
            assert_eq!(decode(&chunks, 100).unwrap(), whole, "{first} {second}");
        }
    }
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(decode(&bytes, 100).unwrap(), whole);
}

#[test]
fn the_limit_does_not_depend_on_the_chunks() {
    for text in [&b"12345\n"[..], b"12345\r\n"] {
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        for chunks in [&[text][..], &bytes] {
            assert_eq!(decode(chunks, 4).unwrap_err().limit(), 4);
            assert!(decode(chunks, 5).is_ok());
        }
    }
}

#[test]
fn an_endless_line_is_stopped() {
    let mut decoder = LineDecoder::new(1000);
    let pushes = (1..).find(|_| {
        decoder.push(&[b'x'; 300]);
        decoder.next_line().is_err()
    });
    assert_eq!(pushes, Some(4));
}

#[test]
fn the_end() {
    assert_eq!(decode(&[b""], 9).unwrap(), (vec![], None));
    assert_eq!(decode(&[b"a\n\r"], 9).unwrap(), (vec![b"a".to_vec()], None));
}
