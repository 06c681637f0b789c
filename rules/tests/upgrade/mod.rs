//! The moves of a manifest through an upgrade.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at what it does not expect"
)]

use k8s_flowcontrol_rules::upgrade::{Plan, Written, moves, not_before};
use k8s_flowcontrol_types::{ApiVersion, Release};

fn plan(from: u32, to: u32) -> Plan {
    Plan::new(Release::new(from).unwrap(), Release::new(to).unwrap())
}

fn way(version: ApiVersion, from: u32, to: u32) -> Vec<(u32, u32, &'static str)> {
    moves(version, plan(from, to))
        .iter()
        .map(|step| (step.on.minor(), step.before, step.to.as_str()))
        .collect()
}

#[test]
fn no_release_serves_both_v1beta2_and_v1() {
    assert_eq!(
        way(ApiVersion::V1Beta2, 27, 32),
        [(27, 29, "v1beta3"), (29, 32, "v1")]
    );
    assert_eq!(
        way(ApiVersion::V1Beta1, 25, 37),
        [(25, 26, "v1beta2"), (26, 29, "v1beta3"), (29, 32, "v1")]
    );
    assert_eq!(way(ApiVersion::V1Beta2, 27, 28), []);
    assert_eq!(way(ApiVersion::V1, 27, 37), []);
    assert_eq!(not_before(ApiVersion::V1.into(), plan(27, 32)), Some(29));
}

#[test]
fn a_version_that_is_gone_already_is_overdue() {
    let steps = moves(ApiVersion::V1Beta2, plan(30, 32));
    assert_eq!(way(ApiVersion::V1Beta2, 30, 32), [(30, 29, "v1")]);
    assert!(steps[0].is_overdue());
    assert_eq!(
        way(ApiVersion::V1Beta1, 27, 32),
        [(27, 26, "v1beta3"), (29, 32, "v1")]
    );
}

#[test]
fn v1alpha1_is_a_version_of_its_own() {
    let alpha = Written::of("flowcontrol.apiserver.k8s.io/v1alpha1").unwrap();
    assert_eq!(alpha.to_string(), "v1alpha1");
    let steps = moves(alpha, plan(28, 32));
    let shown: Vec<_> = steps
        .iter()
        .map(|step| {
            (
                step.on.minor(),
                step.is_overdue(),
                step.from.as_str(),
                step.to.as_str(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (28, true, "v1alpha1", "v1beta3"),
            (29, false, "v1beta3", "v1")
        ]
    );
    assert_eq!(not_before(alpha, plan(28, 32)), None);
    assert_eq!(Written::of("flowcontrol.apiserver.k8s.io/v2"), None);
}

#[test]
fn every_move_is_made_on_a_release_that_serves_both() {
    for from in Release::all() {
        for to in Release::all().filter(|to| *to >= from) {
            let plan = Plan::new(from, to);
            for version in from.served() {
                let mut at = version;
                for step in moves(version, plan) {
                    assert_eq!(step.from, at.into());
                    assert!(at.is_served_by(step.on) && step.to.is_served_by(step.on));
                    assert!(step.before > step.on.minor());
                    at = step.to;
                }
                assert!(at.is_served_by(to), "{version} from {from} to {to}");
            }
        }
    }
}
