//! Quantities keep their text, and are compared by their amounts.

use super::Quantity;
use std::collections::HashSet;

#[test]
fn the_default_is_zero() {
    let zero = Quantity::default();
    assert_eq!((zero.as_str(), &zero), ("0", &Quantity::from("0")));
    assert_eq!(serde_json::to_string(&zero).ok().as_deref(), Some("\"0\""));
}

#[test]
fn quantities_are_compared_by_value() {
    let set: HashSet<Quantity> = ["1Gi", "1024Mi", " 1Gi", "1", "auto", "auto"]
        .map(Quantity::from)
        .into();
    assert_eq!(set.len(), 3);
    let mut sorted = ["auto", "2", "-1Ki", "1500m"].map(Quantity::from);
    sorted.sort();
    assert_eq!(
        sorted.each_ref().map(Quantity::as_str),
        ["-1Ki", "1500m", "2", "auto"]
    );
    for json in ["1.50", "\"1.50\"", "1e3", "\"\\\"\"", "\"\""] {
        let quantity: Quantity = serde_json::from_str(json).unwrap_or_default();
        let written = serde_json::to_string(&quantity).unwrap_or_default();
        assert_eq!(written, json);
    }
}
