//! The columns, and their values for a request.

use k8s_flowcontrol_analysis::audit::Event;
use k8s_flowcontrol_analysis::redact::Redactor;
use k8s_flowcontrol_analysis::traffic::{Class, Sample};

/// The type of a column. Every value can be absent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    /// A list of texts, which can be empty.
    Texts,
    Integer,
    /// Microseconds since 1970, in UTC.
    Time,
    Flag,
}

/// The value of a column in a row.
pub(super) enum Value {
    Text(Option<String>),
    Texts(Vec<String>),
    Integer(Option<i64>),
    Flag(Option<bool>),
}

const COLUMNS: usize = 27;

/// The columns, in the order of the values.
pub(super) const FIELDS: [(&str, Kind); COLUMNS] = [
    ("audit_id", Kind::Text),
    ("received", Kind::Time),
    ("stage", Kind::Text),
    ("duration_us", Kind::Integer),
    ("queue_wait_us", Kind::Integer),
    ("user", Kind::Text),
    ("groups", Kind::Texts),
    ("impersonated_by", Kind::Text),
    ("user_agent", Kind::Text),
    ("verb", Kind::Text),
    ("api_group", Kind::Text),
    ("api_version", Kind::Text),
    ("resource", Kind::Text),
    ("subresource", Kind::Text),
    ("namespace", Kind::Text),
    ("name", Kind::Text),
    ("path", Kind::Text),
    ("code", Kind::Integer),
    ("flow_schema", Kind::Text),
    ("priority_level", Kind::Text),
    ("flow_distinguisher", Kind::Text),
    ("seats", Kind::Integer),
    ("rejected", Kind::Flag),
    ("deprecated", Kind::Flag),
    ("removed_release", Kind::Text),
    ("compared_flow_schema", Kind::Text),
    ("compared_priority_level", Kind::Text),
];

/// The values of a request.
pub(super) fn values(event: &Event<'_>, sample: &Sample, redactor: &Redactor) -> [Value; COLUMNS] {
    let attributes = event.attributes();
    let is_resource = attributes.is_resource_request;
    let of_resource = |text: String| Value::Text(is_resource.then_some(text));
    let version = event.object_ref.as_ref().map(|object| &object.api_version);
    let user = event.effective_user();
    let groups = user.groups.iter().map(|group| redactor.group(group));
    let impersonator = event.impersonated_user.as_ref().map(|_| &event.user.name);
    let times = event.stage_us().zip(event.received_us());
    let duration = times.filter(|_| event.is_last());
    let wait = event.queue_wait().map(|wait| wait.as_micros());
    let name = redactor.object(&attributes.resource, &attributes.name);
    let (class, proposed) = (sample.cell.class.as_ref(), sample.cell.proposed.as_ref());
    let schema = |class: Option<&Class>| Value::Text(class.map(|own| own.flow_schema.clone()));
    let level = |class: Option<&Class>| Value::Text(class.map(|own| own.priority_level.clone()));
    let removed = sample
        .deprecated
        .as_ref()
        .map(|own| own.removed_release.clone());
    [
        text(&event.audit_id),
        Value::Integer(event.received_us()),
        Value::Text(Some(event.stage.name().to_owned())),
        // Clocks can jump back.
        Value::Integer(duration.map(|(end, start)| end.saturating_sub(start).max(0))),
        Value::Integer(wait.and_then(|wait| i64::try_from(wait).ok())),
        text(&sample.cell.user),
        Value::Texts(groups.collect()),
        Value::Text(impersonator.map(|name| redactor.user(name))),
        text(&redactor.user_agent(&event.user_agent)),
        text(&attributes.verb),
        of_resource(attributes.api_group),
        Value::Text(version.map(|version| version.to_string())),
        of_resource(attributes.resource),
        of_resource(attributes.subresource),
        of_resource(redactor.namespace(&attributes.namespace)),
        of_resource(name),
        Value::Text((!is_resource).then(|| redactor.path(&attributes.path))),
        Value::Integer(event.code.map(i64::from)),
        schema(class),
        level(class),
        Value::Text(class.map(|_| sample.distinguisher.clone())),
        Value::Integer(class.and_then(|_| i64::try_from(sample.load.seats).ok())),
        Value::Flag(Some(sample.load.rejected > 0)),
        Value::Flag(Some(sample.deprecated.is_some())),
        Value::Text(removed.filter(|release| !release.is_empty())),
        schema(proposed),
        level(proposed),
    ]
}

/// A text; absent if it is empty.
fn text(text: &str) -> Value {
    Value::Text((!text.is_empty()).then(|| text.to_owned()))
}
