//! Both kinds in all versions: serde and `json` agree, a written object reads as the same object, and validation never
//! panics.

use k8s_flowcontrol_rules::validate;
use k8s_flowcontrol_types::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol_types::{Release, Versioned, json};

pub(crate) fn check(text: &[u8]) {
    round_trip::<v1::FlowSchema>(text);
    round_trip::<v1::PriorityLevelConfiguration>(text);
    round_trip::<v1beta3::FlowSchema>(text);
    round_trip::<v1beta3::PriorityLevelConfiguration>(text);
    round_trip::<v1beta2::FlowSchema>(text);
    round_trip::<v1beta2::PriorityLevelConfiguration>(text);
    round_trip::<v1beta1::FlowSchema>(text);
    round_trip::<v1beta1::PriorityLevelConfiguration>(text);
}

fn round_trip<K: Versioned>(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let (object, by_serde) = (json::from_str::<K>(text), serde_json::from_str::<K>(text));
    assert_eq!(object.is_ok(), by_serde.is_ok(), "{object:?}\n{by_serde:?}");
    let (Ok(object), Ok(by_serde)) = (object, by_serde) else {
        return;
    };
    assert_eq!(object, by_serde);
    let written = serde_json::to_string(&object).expect("every object can be written");
    assert_eq!(written, json::to_string(&object));
    let again: K = serde_json::from_str(&written).expect("every written object can be read");
    assert_eq!(object, again, "{written}");
    validate::create_typed(&object, Release::NEWEST);
}
