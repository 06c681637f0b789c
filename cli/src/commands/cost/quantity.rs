//! Sizes such as `10Ki`.

/// The suffixes of Kubernetes quantities that make sense for the size of an object.
const SUFFIXES: [(&str, u64); 6] = [
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("k", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
];

/// A number of bytes.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let found = SUFFIXES.iter().find_map(|(suffix, factor)| {
        let number = text.strip_suffix(suffix)?;
        Some((number, *factor))
    });
    let (number, factor) = found.unwrap_or((text, 1));
    let bytes = number.parse::<u64>().ok();
    bytes
        .and_then(|bytes| bytes.checked_mul(factor))
        .ok_or_else(|| "expected bytes such as 10240, 10k or 10Ki".to_owned())
}
