//! Both kinds in all versions: what is read is written so that it reads as the same, and no rule panics on it.
#![no_main]

use k8s_flowcontrol::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol::{Release, Resource, validate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    round_trip::<v1::FlowSchema>(text);
    round_trip::<v1::PriorityLevelConfiguration>(text);
    round_trip::<v1beta3::FlowSchema>(text);
    round_trip::<v1beta3::PriorityLevelConfiguration>(text);
    round_trip::<v1beta2::FlowSchema>(text);
    round_trip::<v1beta2::PriorityLevelConfiguration>(text);
    round_trip::<v1beta1::FlowSchema>(text);
    round_trip::<v1beta1::PriorityLevelConfiguration>(text);
});

fn round_trip<K: Resource>(text: &[u8]) {
    let Ok(object) = serde_json::from_slice::<K>(text) else {
        return;
    };
    let written = serde_json::to_string(&object).expect("what was read can be written");
    let again: K = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(object, again, "{written}");
    validate::create_typed(&object, Release::NEWEST);
}
