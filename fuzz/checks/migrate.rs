//! Migration: the edits make the new text and nothing else, the new text has the same objects by the server's rules, and a
//! second migration changes nothing.

use k8s_flowcontrol_manifests::{
    Document, ForeignFieldPolicy, Form, Migration, ReadOptions, Settings, migrate, read_with,
    version_of,
};
use k8s_flowcontrol_rules::conversion::server_tree;
use k8s_flowcontrol_types::convert::{Lossy, PRESERVE_ZERO_ANNOTATION};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Release};
use serde_json::{Value, json};

/// The first byte chooses the target version and the form, the second one the settings.
pub(crate) fn check(input: &[u8]) {
    let [choice, options, text @ ..] = input else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let to = ApiVersion::ALL[usize::from(*choice) % ApiVersion::ALL.len()];
    let form =
        [Form::Yaml, Form::Json, Form::Template, Form::JsonLines][usize::from(choice >> 4) % 4];
    let settings = Settings {
        foreign_fields: [
            None,
            None,
            Some(ForeignFieldPolicy::Live),
            Some(ForeignFieldPolicy::File),
        ][usize::from(*options) % 4],
        allow_loss: options & 4 != 0,
        ..Settings::to(to)
    };
    let migration = migrate(text, form, settings);
    places(text, &migration);
    let Some(new) = &migration.text else {
        assert!(migration.edits.is_empty());
        return;
    };
    assert_eq!(
        &edited(text, &migration),
        new,
        "a change outside of the edits"
    );
    let again = migrate(new, form, settings);
    assert_eq!(
        again.text, None,
        "a second migration changes something:\n{text}\n{new}"
    );
    if form != Form::Template {
        objects(text, new, form, settings);
    }
}

/// All places are in the text.
fn places(text: &str, migration: &Migration) {
    for finding in &migration.findings {
        assert!(finding.offset <= text.len(), "{finding:?}");
        assert!(!finding.message.is_empty());
    }
    for object in &migration.objects {
        assert!(object.offset <= text.len(), "{object:?}");
        for change in &object.changes {
            assert!(change.offset <= text.len(), "{change:?}");
        }
    }
}

/// The edits applied by themselves. They are in order, and do not overlap.
fn edited(text: &str, migration: &Migration) -> String {
    let (mut new, mut at) = (String::new(), 0);
    for edit in &migration.edits {
        new.push_str(&text[at..edit.span.start]);
        new.push_str(&edit.text);
        at = edit.span.end;
    }
    new + &text[at..]
}

/// The objects of both texts, one by one.
fn objects(text: &str, new: &str, form: Form, settings: Settings) {
    let options = ReadOptions {
        form: Some(form_of(text, form)),
        ..ReadOptions::default()
    };
    let before = read_with(text.as_bytes(), options);
    let after = read_with(new.as_bytes(), options);
    assert_eq!(
        before.documents.len(),
        after.documents.len(),
        "{text}\n{new}"
    );
    assert_eq!(before.others, after.others, "{text}\n{new}");
    assert_eq!(before.unreadable.len(), after.unreadable.len());
    for (before, after) in before.documents.iter().zip(&after.documents) {
        assert_eq!((before.kind(), before.name()), (after.kind(), after.name()));
        if settings.allow_loss || settings.foreign_fields.is_some() {
            continue;
        }
        if let (Some(old), Some(new_object)) = (held(before), held(after)) {
            assert_eq!(old, new_object, "{text}\n{new}");
        }
    }
}

/// The form in which a text is migrated: a broken JSON text is read as YAML.
fn form_of(text: &str, form: Form) -> Form {
    match form {
        Form::JsonLines
            if k8s_flowcontrol_text::parse_json_values(
                text.trim_start_matches('\u{feff}').as_bytes(),
            )
            .error
            .is_some() =>
        {
            Form::Yaml
        }
        Form::Json
            if k8s_flowcontrol_text::parse_json_values(
                text.trim_start_matches('\u{feff}').as_bytes(),
            )
            .error
            .is_some() =>
        {
            Form::Yaml
        }
        other => other,
    }
}

/// The metadata and spec that a server stores, in v1; none if it does not accept the object.
fn held(document: &Document) -> Option<Value> {
    let version = version_of(document.api_version()?)?;
    let release = Release::all()
        .filter(|release| version.is_served_by(*release))
        .last()?;
    let object = document.decode(release).ok()?;
    let kind = VersionedKind::new(object.kind, object.version, release);
    let (mut shown, _) = Lossy::parts(server_tree(object.tree, kind, ApiVersion::V1));
    // A server that does not know these fields behaves as one with these values.
    if let Some(limited) = shown
        .pointer_mut("/spec/limited")
        .and_then(Value::as_object_mut)
    {
        limited.entry("lendablePercent").or_insert(json!(0));
    }
    if shown.pointer("/spec/type") == Some(&json!("Exempt")) {
        let spec = shown["spec"].as_object_mut()?;
        spec.entry("exempt")
            .or_insert(json!({"nominalConcurrencyShares": 0, "lendablePercent": 0}));
    }
    if let Some(annotations) = shown
        .pointer_mut("/metadata/annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.remove(PRESERVE_ZERO_ANNOTATION);
        // Its text changes with the object.
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        if annotations.is_empty() {
            shown["metadata"].as_object_mut()?.remove("annotations");
        }
    }
    // They name the version.
    shown["metadata"]
        .as_object_mut()
        .map(|metadata| metadata.remove("managedFields"));
    Some(json!({"metadata": shown["metadata"], "spec": shown["spec"]}))
}
