//! The changes between two releases.

use k8s_flowcontrol_analysis::audit::{Event, ObjectReference, Stage};
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::preview::{Area, Preview, Requests};
use k8s_flowcontrol_analysis::upgrade::Plan;
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_types::release::UnknownRelease;
use k8s_flowcontrol_types::{ApiVersion, Fact, Kind, Release};
use serde_json::json;

fn preview(from: &str, to: &str) -> Result<Preview, UnknownRelease> {
    Ok(Preview::new(Plan::new(from.parse()?, to.parse()?)))
}

fn of(preview: &Preview, area: Area) -> Vec<(&str, &str)> {
    let changes = preview.changes().iter();
    let own = changes.filter(|change| change.area == area);
    own.map(|change| (change.subject.as_str(), change.summary.as_str()))
        .collect()
}

#[test]
fn a_change_is_a_line_that_names_its_subject_once() -> Result<(), UnknownRelease> {
    let lines: Vec<_> = preview("1.31", "1.32")?
        .changes()
        .iter()
        .map(ToString::to_string)
        .collect();
    for line in [
        "v1beta3 is not served any more",
        "apiserver_flowcontrol_request_concurrency_in_use: is gone",
        "`WatchList` is on by default, but off again in the next release.",
    ] {
        assert!(lines.iter().any(|own| own == line), "{line}: {lines:#?}");
    }
    Ok(())
}

#[test]
fn nothing_changes_within_a_release() {
    for release in Release::all() {
        let preview = Preview::new(Plan::new(release, release));
        assert_eq!(preview.changes(), [], "{release}");
    }
}

#[test]
fn every_fact_that_differs_is_a_change_with_its_source() -> Result<(), UnknownRelease> {
    let preview = preview("1.25", "1.37")?;
    let (from, to): (Release, Release) = ("1.25".parse()?, "1.37".parse()?);
    for fact in Fact::ALL {
        let name = format!("{fact:?}");
        let mut changes = preview.changes().iter();
        let found = changes.find(|change| change.area == Area::Server && change.subject == name);
        assert_eq!(found.is_some(), from.has(*fact) != to.has(*fact), "{name}");
        assert!(found.is_none_or(|change| change.source == fact.source()));
    }
    Ok(())
}

#[test]
fn versions_built_in_objects_and_metrics_differ() -> Result<(), UnknownRelease> {
    let preview = preview("1.31", "1.34")?;
    assert_eq!(
        of(&preview, Area::Versions),
        [("v1beta3", "v1beta3 is not served any more")]
    );
    let built_in = of(&preview, Area::BuiltIn);
    let names: Vec<_> = built_in.iter().map(|(subject, _)| *subject).collect();
    assert!(
        names.contains(&"FlowSchema endpoint-controller"),
        "{names:?}"
    );
    assert!(of(&preview, Area::Metrics).contains(&(
        "apiserver_flowcontrol_request_concurrency_in_use",
        "is gone"
    )));
    let controller = built_in
        .iter()
        .find(|(name, _)| *name == "FlowSchema endpoint-controller");
    assert!(
        controller
            .unwrap()
            .1
            .contains("an existing one is deleted if its annotation")
    );
    // A field that has its default is not a change.
    let preview = self::preview("1.25", "1.26")?;
    let built_in = of(&preview, Area::BuiltIn);
    let names: Vec<_> = built_in.iter().map(|(subject, _)| *subject).collect();
    let levels = [
        "system",
        "node-high",
        "workload-high",
        "workload-low",
        "global-default",
    ];
    assert_eq!(
        names,
        levels.map(|name| format!("PriorityLevelConfiguration {name}"))
    );
    Ok(())
}

#[test]
fn verdicts_of_objects_are_compared() -> Result<(), UnknownRelease> {
    let level = json!({"metadata": {"name": "batch"}, "spec": {"type": ""}});
    let kind = Kind::PriorityLevelConfiguration;
    let mut of_level = preview("1.36.2", "1.36.3")?;
    of_level.add_object("batch", kind, ApiVersion::V1, &level);
    let changes = of(&of_level, Area::Validation);
    let says = |words: &str| changes.iter().any(|(_, summary)| summary.contains(words));
    assert!(
        says("no longer says: spec.type: Unsupported value"),
        "{changes:?}"
    );
    assert!(says("says: spec.type: Required value"), "{changes:?}");
    let zero = json!({"metadata": {"name": "zero"}, "spec": {"type": "Limited",
        "limited": {"nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}}}});
    let mut of_zero = preview("1.29", "1.30")?;
    of_zero.add_object("zero", kind, ApiVersion::V1, &zero);
    let changes = of(&of_zero, Area::Validation);
    let [("zero", summary)] = changes[..] else {
        panic!("{changes:?}")
    };
    assert!(
        summary.starts_with("1.30 accepts it, and 1.29 rejects it: spec.limited"),
        "{summary}"
    );

    for (version, expected) in [
        (
            ApiVersion::V1Beta3,
            "1.32 does not serve v1beta3: migrate it first",
        ),
        (
            ApiVersion::V1Beta1,
            "neither 1.31 nor 1.32 serves v1beta1: migrate it first",
        ),
    ] {
        let mut of_old = preview("1.31", "1.32")?;
        of_old.add_object("batch", kind, version, &level);
        assert_eq!(of(&of_old, Area::Validation), [("batch", expected)]);
    }
    let mut of_new = preview("1.28", "1.29")?;
    of_new.add_object("batch", kind, ApiVersion::V1, &level);
    let expected = "1.28 does not serve v1, and 1.29 does";
    assert_eq!(of(&of_new, Area::Validation), [("batch", expected)]);
    Ok(())
}

#[test]
fn metrics_of_a_text_and_seats_of_levels_are_compared() -> Result<(), UnknownRelease> {
    let mut preview = preview("1.25", "1.32")?;
    preview.add_text(
        "alerts.yaml",
        "rate(apiserver_flowcontrol_rejected_requests_total[5m]) / apiserver_flowcontrol_request_concurrency_limit",
    );
    let changes = of(&preview, Area::Metrics);
    let own: Vec<_> = changes
        .iter()
        .filter(|(name, _)| *name == "alerts.yaml")
        .collect();
    assert_eq!(
        own,
        [
            &(
                "alerts.yaml",
                "apiserver_flowcontrol_rejected_requests_total is beta now"
            ),
            &(
                "alerts.yaml",
                "apiserver_flowcontrol_request_concurrency_limit is gone"
            ),
        ]
    );
    // The new release gives its built-in levels their lending.
    preview.add_levels(&[], 600);
    let seats = of(&preview, Area::Seats);
    let low = seats.iter().find(|(name, _)| *name == "workload-low");
    assert_eq!(
        low.unwrap().1,
        "nominal limit: 245 seats before, 245 seats after; minimum -221, maximum +600"
    );
    // But not to an object that belongs to users.
    let mut levels = bootstrap::priority_levels("1.25".parse()?);
    for level in &mut levels {
        let annotations = &mut level.metadata.annotations;
        annotations.insert(bootstrap::AUTO_UPDATE_ANNOTATION.into(), "false".into());
    }
    let mut preview = self::preview("1.25", "1.32")?;
    preview.add_levels(&levels, 600);
    let seats = of(&preview, Area::Seats);
    let low = seats.iter().find(|(name, _)| *name == "workload-low");
    assert!(low.unwrap().1.ends_with("; minimum +0, maximum +600"));
    Ok(())
}

/// The last event of a request for all pods.
fn event(verb: &'static str, agent: &'static str, uri: &'static str) -> Event<'static> {
    let mut event = Event::default();
    event.stage = Stage::ResponseComplete;
    event.verb = verb.into();
    event.user_agent = agent.into();
    event.request_uri = uri.into();
    event.user.name = "alice".into();
    event.user.groups = vec!["system:authenticated".into()];
    let mut object = ObjectReference::default();
    object.resource = "pods".into();
    object.api_version = "v1".into();
    event.object_ref = Some(object);
    event.code = Some(200);
    event
}

#[test]
fn seats_of_requests_and_readers_of_watches_are_compared() -> Result<(), UnknownRelease> {
    let mut preview = preview("1.31", "1.37")?;
    let release = preview.plan().from;
    let schemas = bootstrap::flow_schemas(release);
    let levels = bootstrap::priority_levels(release);
    let stored = StoredObjects::parse("apiserver_storage_objects{resource=\"pods\"} 5000\n");
    let mut requests = Requests::new(preview.plan(), &schemas, &levels, 600, stored);
    let go = "kubectl/v1.31.0 (linux/amd64) kubernetes/5864a46";
    // Without a resource version, a watch counts as a list since 1.35.
    for _ in 0..3 {
        requests.add(&event("watch", go, "/api/v1/pods?watch=true"));
    }
    for (agent, count) in [("own/1.0", 2), ("", 1)] {
        for _ in 0..count {
            requests.add(&event(
                "watch",
                agent,
                "/api/v1/pods?watch=true&resourceVersion=7",
            ));
        }
    }
    preview.add_requests(&requests);
    let seats = of(&preview, Area::Seats);
    let summary = "3 requests take 24 seats instead of 3 together, one at most 8 instead of 1";
    assert_eq!(seats, [("watch pods", summary)]);
    let encodings = of(&preview, Area::Encodings);
    let agents: Vec<_> = encodings.iter().map(|(agent, _)| *agent).collect();
    assert_eq!(agents, ["own/1.0", "clients without a user agent"]);
    assert!(encodings[0].1.starts_with("2 watches: "), "{encodings:?}");
    preview.add_managers(["kubectl-client-side-apply", "operator", "operator"]);
    assert_eq!(of(&preview, Area::Encodings)[2].0, "operator");
    Ok(())
}

/// A server creates its built-in objects where they are missing, and resets them.
#[test]
fn requests_go_to_the_objects_that_a_server_maintains() -> Result<(), UnknownRelease> {
    let mut levels = bootstrap::priority_levels("1.31".parse()?);
    for level in &mut levels {
        if let Some(limited) = &mut level.spec.limited {
            let is_large = level.metadata.name.as_deref() == Some("catch-all");
            limited.nominal_concurrency_shares = Some(if is_large { 5000 } else { 1 });
        }
    }
    for levels in [&[][..], &levels] {
        let mut preview = preview("1.31", "1.37")?;
        let stored = StoredObjects::parse("apiserver_storage_objects{resource=\"pods\"} 5000\n");
        let mut requests = Requests::new(preview.plan(), &[], levels, 600, stored);
        requests.add(&event("watch", "own/1.0", "/api/v1/pods?watch=true"));
        preview.add_requests(&requests);
        let summary = "1 request takes 8 seats instead of 1";
        assert_eq!(of(&preview, Area::Seats), [("watch pods", summary)]);
    }
    Ok(())
}

#[test]
fn stored_objects_are_compared_in_the_version_of_each_release() -> Result<(), UnknownRelease> {
    let level = |shares| {
        json!({"metadata": {"name": "batch"}, "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": shares, "limitResponse": {"type": "Reject"}}}})
    };
    let kind = Kind::PriorityLevelConfiguration;
    let mut valid = preview("1.25", "1.37")?;
    valid.add_stored_object("batch", kind, &level(10));
    assert_eq!(of(&valid, Area::Validation), []);
    let mut negative = preview("1.25", "1.37")?;
    negative.add_stored_object("batch", kind, &level(-1));
    let changes = of(&negative, Area::Validation);
    let fields = ["assuredConcurrencyShares", "nominalConcurrencyShares"];
    for field in fields {
        assert!(
            changes.iter().any(|(_, text)| text.contains(field)),
            "{changes:?}"
        );
    }
    Ok(())
}
