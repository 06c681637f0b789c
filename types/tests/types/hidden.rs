//! `Debug` of structs with secret fields.

use k8s_flowcontrol_types::meta::{ObjectMeta, Unknown};
use k8s_flowcontrol_types::{json, rt};
use std::collections::BTreeMap;

#[derive(Clone, Default, PartialEq)]
struct Vault {
    metadata: ObjectMeta,
    data: BTreeMap<String, String>,
    kind_of_lock: Option<String>,
    unknown: Unknown,
}

rt::v1::fields! {
    Vault {
        "metadata" => metadata,
        "data" => data,
        "kindOfLock" => kind_of_lock,
    }
}

rt::v1::hidden! {
    Vault {
        metadata: metadata,
        data: secret,
        kind_of_lock,
    }
}

#[test]
fn no_secret_is_printed() {
    let text = r#"{"metadata":{"name":"v","annotations":{"a":"shown","kubectl.kubernetes.io/last-applied-configuration":"{sesame}"}},
        "data":{"door":"sesame"},"kindOfLock":"shown","newData":"sesame"}"#;
    let vault: Vault = json::from_str(text).unwrap();
    let debug = format!("{vault:?}");
    assert!(!debug.contains("sesame"), "{debug}");
    assert_eq!(debug.matches("shown").count(), 2, "{debug}");
    assert!(
        debug.contains("data: (hidden)") && debug.contains(r#""newData": (hidden)"#),
        "{debug}"
    );
    assert!(!format!("{:#?}", [vault]).contains("sesame"));
}
