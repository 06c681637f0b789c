//! The wire format of Protocol Buffers: numbers, and fields with a length.

/// The first bytes of a Kubernetes object.
pub(crate) const MAGIC: &[u8] = b"k8s\0";

/// Writes a field of text, bytes or a message.
pub(crate) fn bytes(into: &mut Vec<u8>, number: u64, value: &[u8]) {
    varint(into, number << 3 | 2);
    varint(into, value.len() as u64);
    into.extend_from_slice(value);
}

/// Writes a field of an integer or a switch.
pub(crate) fn integer(into: &mut Vec<u8>, number: u64, value: u64) {
    varint(into, number << 3);
    varint(into, value);
}

/// Writes a field of a `double`.
pub(crate) fn double(into: &mut Vec<u8>, number: u64, value: f64) {
    varint(into, number << 3 | 1);
    into.extend(value.to_le_bytes());
}

/// Writes a number in as few bytes as it needs.
pub(crate) fn varint(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// The message in the envelope of a Kubernetes object, or `None` for other bytes.
pub(crate) fn enveloped(bytes: &[u8]) -> Option<&[u8]> {
    field(bytes.strip_prefix(MAGIC)?, 2)
}

/// The last field of text, bytes or a message with this number. Bytes that are not a message have none.
pub(crate) fn field(mut message: &[u8], number: u64) -> Option<&[u8]> {
    let mut found = None;
    while !message.is_empty() {
        let key = read_varint(&mut message)?;
        let length = match key & 7 {
            0 => {
                read_varint(&mut message)?;
                0
            }
            1 => 8,
            2 => usize::try_from(read_varint(&mut message)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (value, rest) = message.split_at_checked(length)?;
        if key == number << 3 | 2 {
            found = Some(value);
        }
        message = rest;
    }
    found
}

fn read_varint(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
