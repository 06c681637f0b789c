//! Properties of the conversion of any level.

use super::kinds::{Typed, levels, normal, typed, typed_defaults};
use super::strategies::{any_json, any_level, plain_level, releases, versions};
use k8s_flowcontrol_rules::{conversion, defaults};
use k8s_flowcontrol_types::convert::{Lossy, PRESERVE_ZERO_ANNOTATION};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release, convert};
use proptest::prelude::*;
use serde_json::Value;

/// The meaning of a level for a server: its v1 form, without values equal to an absent field.
fn meaning(level: &Value, version: ApiVersion, release: Release) -> Value {
    let hub = conversion::server_tree(level.clone(), levels(version, release), ApiVersion::V1);
    let mut hub = normal(&Lossy::parts(hub).0);
    let spec = &mut hub["spec"];
    if spec["limited"]["lendablePercent"] == 0 {
        spec["limited"]
            .as_object_mut()
            .unwrap()
            .remove("lendablePercent");
    }
    let is_nothing = |exempt: &Value| {
        exempt
            .as_object()
            .is_some_and(|exempt| exempt.values().all(|value| *value == 0))
    };
    if spec["type"] == "Exempt" && is_nothing(&spec["exempt"]) {
        spec.as_object_mut().unwrap().remove("exempt");
    }
    spec.take()
}

fn is_annotated(level: &Value) -> bool {
    level["metadata"]["annotations"]
        .get(PRESERVE_ZERO_ANNOTATION)
        .is_some()
}

/// The unknown fields planted at fixed places.
fn planted_fields(level: &Value) -> Vec<Value> {
    [
        "/future",
        "/metadata/future",
        "/spec/future",
        "/spec/limited/future",
        "/spec/limited/limitResponse/queuing/future",
    ]
    .map(|path| level.pointer(path).cloned().unwrap_or_default())
    .to_vec()
}

fn pairs<S: Strategy<Value = Value>>(
    level: impl Fn(ApiVersion) -> S,
) -> impl Strategy<Value = (ApiVersion, ApiVersion, Value)> {
    (versions(), versions()).prop_flat_map(move |(from, to)| (Just(from), Just(to), level(from)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn defaults_are_idempotent((version, _, level) in pairs(any_level), release in releases()) {
        let mut once = level.clone();
        defaults::apply(&mut once, levels(version, release));
        let mut twice = once.clone();
        defaults::apply(&mut twice, levels(version, release));
        prop_assert_eq!(&once, &twice);
        // Levels that fit the type have the same defaults.
        if let Ok(types) = typed_defaults(&level, levels(version, release)) {
            prop_assert_eq!(&normal(&types)["spec"], &normal(&once)["spec"]);
            let again = typed_defaults(&types, levels(version, release)).unwrap();
            prop_assert_eq!(types, again);
        }
    }

    #[test]
    fn types_and_trees_agree((from, to, mut level) in pairs(any_level), release in releases()) {
        level["apiVersion"] = from.api_version().into();
        level["kind"] = Kind::PriorityLevelConfiguration.as_str().into();
        for how in [Typed::Shape, Typed::Server] {
            // Shares that are not a number do not fit a type.
            let Ok((types, lost)) = typed(&level, levels(from, release), to, how) else { continue };
            let tree = match how {
                Typed::Shape => convert::shape_tree(level.clone(), levels(from, release), to),
                Typed::Server => conversion::server_tree(level.clone(), levels(from, release), to),
            };
            let (tree, losses) = Lossy::parts(tree);
            prop_assert_eq!(normal(&types), normal(&tree));
            prop_assert_eq!(lost, losses);
        }
    }

    #[test]
    fn shape_conversion_keeps_unknown_fields((from, to, level) in pairs(any_level), release in releases()) {
        let (converted, losses) = Lossy::parts(convert::shape_tree(level.clone(), levels(from, release), to));
        prop_assert_eq!(planted_fields(&converted), planted_fields(&level));
        // A field with the name of the other version's shares is kept or listed as a loss.
        let name = match from {
            ApiVersion::V1Beta1 | ApiVersion::V1Beta2 => "nominalConcurrencyShares",
            ApiVersion::V1Beta3 | ApiVersion::V1 => "assuredConcurrencyShares",
        };
        let other_shares = level["spec"]["limited"].get(name).filter(|value| !value.is_null());
        let is_kept = other_shares.is_none_or(|other_shares| converted["spec"]["limited"][name] == *other_shares);
        prop_assert!(is_kept || losses.iter().any(|loss| loss.path.ends_with(name)));
    }

    #[test]
    fn no_loss_is_no_change_of_meaning((from, to, level) in pairs(plain_level), release in releases()) {
        let (converted, losses) = Lossy::parts(convert::shape_tree(level.clone(), levels(from, release), to));
        let before = meaning(&level, from, release);
        let is_kept = before == meaning(&converted, to, release);
        let is_consumed = from == ApiVersion::V1Beta3 && before["limited"]["nominalConcurrencyShares"] == 0;
        let is_annotation_lost = is_annotated(&level) && !is_annotated(&converted) && !is_consumed;
        // The unknown fields of a dropped object are dropped too.
        let has_unknown = level["spec"]["exempt"].get("future").is_some();
        prop_assert!(has_unknown || losses.is_empty() == (is_kept && !is_annotation_lost), "{:?}", losses);
    }

    #[test]
    fn there_and_back_changes_nothing((from, to, level) in pairs(plain_level), release in releases()) {
        let Ok(there) = convert::shape_tree(level.clone(), levels(from, release), to) else { return Ok(()) };
        let (back, losses) = Lossy::parts(convert::shape_tree(there, levels(to, release), from));
        prop_assert_eq!(losses, []);
        prop_assert_eq!(meaning(&back, from, release), meaning(&level, from, release));
        prop_assert_eq!(planted_fields(&back), planted_fields(&level));
        let limited = &level["spec"]["limited"];
        let is_zero = |name: &str| limited[name] == 0;
        let has_zero = is_zero("assuredConcurrencyShares") || is_zero("nominalConcurrencyShares");
        if !has_zero && !is_annotated(&level) && from != ApiVersion::V1Beta1 && to != ApiVersion::V1Beta1 && release.minor() >= 28 {
            prop_assert_eq!(normal(&back), normal(&level));
        }
    }

    #[test]
    fn server_conversion_is_stable((from, to, level) in pairs(plain_level), release in releases()) {
        let (shown, losses) = Lossy::parts(conversion::server_tree(level.clone(), levels(from, release), to));
        if losses.is_empty() {
            prop_assert_eq!(meaning(&shown, to, release), meaning(&level, from, release));
        }
        let mut pruned = shown.clone();
        conversion::prune(&mut pruned, levels(to, release));
        prop_assert_eq!(&pruned, &shown);
        // A zero that the version cannot express is read as another value, and an annotation left over from a version
        // in which it has no effect is removed.
        if !is_annotated(&shown) && !losses.iter().any(|loss| loss.path.ends_with("ConcurrencyShares")) {
            prop_assert_eq!(conversion::server_tree(shown.clone(), levels(to, release), to), Ok(shown));
        }
    }

    #[test]
    fn nothing_panics(object in any_json(), from in versions(), to in versions(), release in releases()) {
        for kind in Kind::ALL.iter().copied() {
            let kind = VersionedKind::new(kind, from, release);
            defaults::apply(&mut object.clone(), kind);
            let _ = convert::shape_tree(object.clone(), kind, to);
            let _ = convert::shape_list(object.clone(), kind, to);
            let _ = conversion::server_tree(object.clone(), kind, to);
            let _ = conversion::server_list(object.clone(), kind, to);
        }
    }
}
