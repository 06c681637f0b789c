//! The wire format of Protocol Buffers: numbers, and fields with a length.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_many_bytes_as_they_need() {
        let bytes = |value: u64| {
            let mut bytes = Vec::new();
            varint(&mut bytes, value);
            bytes
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(300), [0xac, 0x02]);
        assert_eq!(bytes((-1i64).cast_unsigned()).len(), 10);
    }
}
