//! The JSON text of an event, or of a batch of events.

use super::event::{Event, Level, ObjectReference, Stage, UserInfo};
use k8s_flowcontrol_types::json::{Fault, Reader};
use std::borrow::Cow;

/// A JSON value of a log.
#[expect(
    clippy::large_enum_variant,
    reason = "never stored, and a box would be an allocation for every event"
)]
pub(super) enum Parsed<'a> {
    Event(Event<'a>),
    /// The texts of the events of a batch.
    Batch(Vec<&'a str>),
}

/// Parses an event or an `EventList`; `None` for anything else.
pub(super) fn parse(text: &str) -> Option<Parsed<'_>> {
    let mut reader = Reader::new(text);
    let parsed = object(&mut reader).ok()??;
    reader.is_at_end().then_some(parsed)
}

/// Parses an event of a batch, whose kind and version may be absent.
pub(super) fn parse_element(text: &str) -> Option<Event<'_>> {
    match fields(&mut Reader::new(text)).ok()? {
        fields if fields.items.is_none() && fields.is_stage_known => Some(fields.event),
        _ => None,
    }
}

/// The fields of an event and of a batch.
#[derive(Default)]
struct Fields<'a> {
    event: Event<'a>,
    items: Option<Vec<&'a str>>,
    kind: Cow<'a, str>,
    api_version: Cow<'a, str>,
    is_stage_known: bool,
}

fn object<'a>(reader: &mut Reader<'a>) -> Result<Option<Parsed<'a>>, Fault> {
    let fields = fields(reader)?;
    if !fields.api_version.starts_with("audit.k8s.io/") {
        return Ok(None);
    }
    Ok(match (fields.kind.as_ref(), fields.items) {
        ("Event", _) if fields.is_stage_known => Some(Parsed::Event(fields.event)),
        ("EventList", items) => Some(Parsed::Batch(items.unwrap_or_default())),
        _ => None,
    })
}

fn fields<'a>(reader: &mut Reader<'a>) -> Result<Fields<'a>, Fault> {
    let mut fields = Fields::default();
    reader.fields(&"an audit event", &mut |name, reader| {
        if reader.null() {
            return Ok(());
        }
        let event = &mut fields.event;
        match name.as_ref() {
            "kind" => text(reader, &mut fields.kind),
            "apiVersion" => text(reader, &mut fields.api_version),
            "items" => {
                fields.items = Some(batch(reader)?);
                Ok(())
            }
            "auditID" => text(reader, &mut event.audit_id),
            "stage" => {
                let name = reader.string(&"a stage")?;
                let known = Stage::ALL.iter().find(|stage| stage.name() == name);
                event.stage = *known.ok_or_else(|| reader.fault("unknown stage"))?;
                fields.is_stage_known = true;
                Ok(())
            }
            "level" => {
                let mut level = Cow::default();
                text(reader, &mut level)?;
                event.level = match level.as_ref() {
                    "Metadata" => Level::Metadata,
                    "Request" => Level::Request,
                    "RequestResponse" => Level::RequestResponse,
                    _ => Level::Unknown,
                };
                Ok(())
            }
            "sourceIPs" => texts(reader, &mut event.source_ips),
            "requestURI" => text(reader, &mut event.request_uri),
            "verb" => text(reader, &mut event.verb),
            "user" => user(reader, &mut event.user),
            "impersonatedUser" => user(reader, event.impersonated_user.get_or_insert_default()),
            "userAgent" => text(reader, &mut event.user_agent),
            "objectRef" => object_ref(reader, event.object_ref.get_or_insert_default()),
            "responseStatus" => status(reader, event),
            "annotations" => annotations(reader, &mut event.annotations),
            "requestReceivedTimestamp" => text(reader, &mut event.received),
            "stageTimestamp" => text(reader, &mut event.stage_time),
            _ => reader.skip(),
        }
    })?;
    Ok(fields)
}

/// The texts of the elements of an array.
fn batch<'a>(reader: &mut Reader<'a>) -> Result<Vec<&'a str>, Fault> {
    let mut items = Vec::new();
    let mut more = reader.elements()?;
    while more {
        items.push(reader.raw()?.get());
        more = reader.more_elements()?;
    }
    Ok(items)
}

/// A text; absent for `null`.
pub(super) fn text<'a>(reader: &mut Reader<'a>, value: &mut Cow<'a, str>) -> Result<(), Fault> {
    if !reader.null() {
        *value = reader.string(&"a string")?;
    }
    Ok(())
}

/// A list of texts; empty for `null`.
fn texts<'a>(reader: &mut Reader<'a>, values: &mut Vec<Cow<'a, str>>) -> Result<(), Fault> {
    if reader.null() {
        return Ok(());
    }
    let mut more = reader.elements()?;
    while more {
        values.push(reader.string(&"a string")?);
        more = reader.more_elements()?;
    }
    Ok(())
}

fn user<'a>(reader: &mut Reader<'a>, user: &mut UserInfo<'a>) -> Result<(), Fault> {
    reader.fields(&"a user", &mut |name, reader| match name.as_ref() {
        "username" => text(reader, &mut user.name),
        "groups" => texts(reader, &mut user.groups),
        _ => reader.skip(),
    })
}

fn object_ref<'a>(reader: &mut Reader<'a>, object: &mut ObjectReference<'a>) -> Result<(), Fault> {
    reader.fields(
        &"an object reference",
        &mut |name, reader| match name.as_ref() {
            "apiGroup" => text(reader, &mut object.api_group),
            "apiVersion" => text(reader, &mut object.api_version),
            "resource" => text(reader, &mut object.resource),
            "subresource" => text(reader, &mut object.subresource),
            "namespace" => text(reader, &mut object.namespace),
            "name" => text(reader, &mut object.name),
            _ => reader.skip(),
        },
    )
}

fn status<'a>(reader: &mut Reader<'a>, event: &mut Event<'a>) -> Result<(), Fault> {
    reader.fields(&"a status", &mut |name, reader| match name.as_ref() {
        "code" => {
            event.code = reader.integer().and_then(|code| u16::try_from(code).ok());
            match event.code {
                Some(_) => Ok(()),
                None => reader.skip(),
            }
        }
        "message" => text(reader, &mut event.message),
        _ => reader.skip(),
    })
}

fn annotations<'a>(
    reader: &mut Reader<'a>,
    annotations: &mut Vec<(Cow<'a, str>, Cow<'a, str>)>,
) -> Result<(), Fault> {
    reader.fields(&"annotations", &mut |name, reader| {
        let mut value = Cow::default();
        text(reader, &mut value)?;
        annotations.push((name, value));
        Ok(())
    })
}
