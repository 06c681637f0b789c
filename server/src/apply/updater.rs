//! The effect of a write on the field sets of all managers.

use super::Writer;
use super::field_set::FieldSet;
use super::last_applied;
use super::managers::{Manager, Managers, Operation, Owned};
use super::prune::prune;
use super::typed::{self, Comparison};
use crate::kinds::Version;
use crate::patch::convert_unstructured;
use crate::status::{Cause, Details, Failure, bad_request, failure, internal};
use crate::store::{edit_metadata, meta_str};
use k8s_flowcontrol_rules::decode::{DecodeAs, decode};
use k8s_flowcontrol_text::parse_json;
use serde_json::Value;
use std::collections::BTreeMap;

/// The manager that owns the fields set before the first apply.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Managers with the fields that they would lose.
type Conflicts = Vec<(Manager, FieldSet)>;

/// The change that a write makes, in its own version.
struct Change<'a> {
    old: &'a Value,
    new: &'a Value,
    comparison: Comparison,
}

impl Writer<'_> {
    /// Sets the managed fields of `new`, which replaces `old`; both in hub form.
    ///
    /// A client may send managed fields, except for a subresource: an empty list resets them, entries replace the old
    /// ones, and absence keeps those.
    pub(crate) fn update(&self, old: &Value, new: &mut Value) {
        let sent = new
            .pointer("/metadata/managedFields")
            .and_then(Value::as_array)
            .filter(|_| self.subresource.is_empty());
        let mut managers = match sent {
            Some(entries) if is_reset(entries) => Managers::default(),
            sent => sent
                .and_then(|entries| Managers::read(entries))
                .filter(|managers| !managers.is_empty())
                .unwrap_or_else(|| read_managers(old)),
        };
        // With an entry of a malformed version the server fails to compute the fields, and drops all of them.
        let is_malformed = |owned: &Owned| owned.version.split('/').count() > 2;
        if managers.0.values().any(is_malformed) {
            write_managers(new, &Managers::default());
            return;
        }
        // An object without entries that was never applied stays without entries.
        if managers.is_empty() && !meta_str(old, "uid").is_empty() {
            write_managers(new, &managers);
            return;
        }
        self.record_update(old, new, &mut managers, self.manager);
        managers.cap();
        write_managers(new, &managers);
    }

    fn record_update(&self, old: &Value, new: &Value, managers: &mut Managers, name: &str) {
        let api_version = self.version.api_version();
        let me = Manager::new(Operation::Update, name, self.subresource, &api_version);
        let (old, new) = (self.versioned(old), self.versioned(new));
        let release = self.kind.release;
        let schema = self.version.schema();
        if !typed::is_trackable(&old, schema, release)
            || !typed::is_trackable(&new, schema, release)
        {
            return;
        }
        let change = Change {
            old: &old,
            new: &new,
            comparison: self.compare(self.version, &old, &new),
        };
        self.take_from_others(&change, managers, None);
        let set = strip(&change.comparison.set());
        if set.is_empty() {
            return;
        }
        let mine = managers
            .0
            .get(&me)
            .map(|owned| owned.fields.clone())
            .unwrap_or_default();
        managers.set(
            &me,
            Owned {
                version: api_version,
                fields: mine.union(&set),
                time: Some(self.now.into()),
            },
        );
    }

    /// Merges an applied configuration into `live`; both `live` and the result are in hub form.
    /// Errors: a conflict with another manager unless `force`, or a configuration that does not fit the schema.
    pub(crate) fn apply(
        &self,
        live: &Value,
        config: &Value,
        force: bool,
    ) -> Result<Value, Failure> {
        let mut applied = self.merge(live, config, force)?;
        if let Err(conflicts) = &mut applied
            && let Some(own) = last_applied::own_fields(self, live)
        {
            for (_, fields) in &mut *conflicts {
                *fields = fields.difference(&own);
            }
            conflicts.retain(|(_, fields)| !fields.is_empty());
            if conflicts.is_empty() {
                applied = self.merge(live, config, true)?;
            }
        }
        let mut object = applied.map_err(|conflicts| conflict(&conflicts))?;
        last_applied::follow(self, &mut object, config);
        Ok(object)
    }

    /// The merged object, or the conflicts.
    fn merge(
        &self,
        live: &Value,
        config: &Value,
        force: bool,
    ) -> Result<Result<Value, Conflicts>, Failure> {
        if !config
            .pointer("/metadata/managedFields")
            .is_none_or(Value::is_null)
        {
            return Err(bad_request("metadata.managedFields must be nil"));
        }
        let schema = self.version.schema();
        self.check(config)?;
        let mut managers = read_managers(live);
        if managers.is_empty() && !meta_str(live, "uid").is_empty() {
            let nothing = self.kind.empty();
            self.record_update(&nothing, live, &mut managers, BEFORE_FIRST_APPLY);
        }
        let me = Manager::new(
            Operation::Apply,
            self.manager,
            self.subresource,
            &self.version.api_version(),
        );
        let last = managers.0.get(&me).cloned();
        let live_typed = self.versioned(live);
        let merged = typed::merge(&live_typed, config, schema);
        let fields = typed::field_set(config, schema).without_subtrees(&self.ignored());
        let owned = Owned {
            version: self.version.api_version(),
            fields,
            time: None,
        };
        managers.0.insert(me.clone(), owned);
        let merged = prune(self.kind, merged, self.version, last.as_ref(), &managers);
        if let Some(owned) = managers.0.get_mut(&me) {
            owned.fields = strip(&owned.fields);
            // An apply that changes only the ownership keeps the time.
            owned.time = if merged == live_typed {
                last.and_then(|last| last.time)
            } else {
                Some(self.now.into())
            };
        }
        // Ownership is compared before defaults replace removed fields.
        let comparison = self.compare(self.version, &live_typed, &merged);
        let change = Change {
            old: &live_typed,
            new: &merged,
            comparison,
        };
        let conflicts = self.take_from_others(&change, &mut managers, Some(&me));
        if !force && !conflicts.is_empty() {
            return Ok(Err(conflicts));
        }
        if managers
            .0
            .get(&me)
            .is_some_and(|owned| owned.fields.is_empty())
        {
            managers.0.remove(&me);
        }
        let merged = self.decoded(merged).map_err(|why| {
            internal(format!(
                "failed to convert new object ({}) to proper version: unable to convert unstructured object to {}: {why}",
                self.named(config),
                self.group_version_kind()
            ))
        })?;
        let mut new = self.kind.to_hub(merged, self.version);
        write_managers(&mut new, &managers);
        Ok(Ok(new))
    }

    fn check(&self, config: &Value) -> Result<(), Failure> {
        let problems = typed::check(config, self.version.schema());
        let text = match &problems[..] {
            [] => return Ok(()),
            [one] => one.clone(),
            many => {
                let lines: String = many
                    .iter()
                    .map(|problem| format!("\n  {problem}"))
                    .collect();
                format!("errors:{lines}")
            }
        };
        Err(internal(format!(
            "failed to create typed patch object ({}): {text}",
            self.named(config)
        )))
    }

    /// The merged tree as an object: with numbers and times as Go reads them.
    fn decoded(&self, mut merged: Value) -> Result<Value, String> {
        // The Go types of other groups are not known.
        if self.kind.as_own().is_none() {
            return Ok(merged);
        }
        convert_unstructured(&mut merged, self.version)?;
        let text = merged.to_string();
        let tree = parse_json(text.as_bytes()).map_err(|error| error.message().to_owned())?;
        let target = DecodeAs {
            schema: self.version.schema(),
            package: self.version.name(),
            release: self.kind.release,
            sorted: false,
        };
        let decoded = decode(tree.root(), target).map_err(|error| error.message)?;
        Ok(decoded.value)
    }

    /// The names of an object in messages.
    fn named(&self, config: &Value) -> String {
        let (namespace, name) = (meta_str(config, "namespace"), meta_str(config, "name"));
        format!("{namespace}/{name}; {}", self.group_version_kind())
    }

    fn group_version_kind(&self) -> String {
        format!("{}, Kind={}", self.version.api_version(), self.kind.name())
    }

    /// Takes set and removed fields from all managers but `me`, and returns the managers that lose fields which are
    /// set.
    ///
    /// A manager of a version that is not served any more is removed.
    fn take_from_others(
        &self,
        change: &Change<'_>,
        managers: &mut Managers,
        me: Option<&Manager>,
    ) -> Conflicts {
        let with_set = |comparison: Comparison| (comparison.set(), comparison.removed);
        let mut comparisons = vec![(self.version, with_set(change.comparison.clone()))];
        let mut conflicts = Vec::new();
        managers.0.retain(|manager, owned| {
            if Some(manager) == me {
                return true;
            }
            let Some(version) = self.kind.served_version(&owned.version) else {
                return false;
            };
            let known = comparisons.iter().position(|(known, _)| *known == version);
            let at = known.unwrap_or_else(|| {
                let typed = |object| self.kind.convert(object, self.version, version);
                let compared = self.compare(version, &typed(change.old), &typed(change.new));
                comparisons.push((version, with_set(compared)));
                comparisons.len() - 1
            });
            let (set, removed) = &comparisons[at].1;
            let lost = owned.fields.intersection(set);
            if !lost.is_empty() {
                conflicts.push((manager.clone(), lost.clone()));
            }
            owned.fields = owned.fields.difference(&lost).difference(removed);
            !owned.fields.is_empty()
        });
        conflicts
    }

    fn compare(&self, version: Version, old: &Value, new: &Value) -> Comparison {
        typed::compare(old, new, version.schema()).without(&self.ignored())
    }

    fn versioned(&self, object: &Value) -> Value {
        self.kind.in_version(object, self.version)
    }

    /// The fields that a write to this resource does not change.
    fn ignored(&self) -> FieldSet {
        match self.subresource {
            "" => FieldSet::of(&[&["status"]]),
            _ => FieldSet::of(&[&["metadata"], &["spec"]]),
        }
    }
}

/// The set without the fields that cannot have an owner.
fn strip(set: &FieldSet) -> FieldSet {
    set.difference(&FieldSet::of(&[
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ]))
}

/// Whether a client asks to reset managed fields: by no entries, or by one empty entry.
fn is_reset(entries: &[Value]) -> bool {
    match entries {
        [] => true,
        [entry] => entry.as_object().is_some_and(|entry| entry.is_empty()),
        _ => false,
    }
}

fn read_managers(object: &Value) -> Managers {
    object
        .pointer("/metadata/managedFields")
        .and_then(Value::as_array)
        .and_then(|entries| Managers::read(entries))
        .unwrap_or_default()
}

fn write_managers(object: &mut Value, managers: &Managers) {
    edit_metadata(object, |metadata| {
        if managers.is_empty() {
            metadata.remove("managedFields");
        } else {
            metadata.insert("managedFields".into(), managers.entries().into());
        }
    });
}

fn conflict(conflicts: &[(Manager, FieldSet)]) -> Failure {
    let managers = conflicts.iter().enumerate();
    let order: BTreeMap<_, _> = managers
        .map(|(at, (manager, _))| (manager.identifier(), at))
        .collect();
    let paths: Vec<(String, Vec<String>)> = order
        .values()
        .filter_map(|at| conflicts.get(*at))
        .map(|(manager, fields)| (manager.described(), fields.paths()))
        .collect();
    let causes: Vec<_> = paths
        .iter()
        .flat_map(|(manager, fields)| {
            fields.iter().map(move |field| {
                Cause::new(
                    "FieldManagerConflict",
                    field,
                    format!("conflict with {manager}"),
                )
            })
        })
        .collect();
    let message = match &causes[..] {
        [one] => format!(
            "Apply failed with 1 conflict: {}: {}",
            one.message, one.field
        ),
        many => {
            let managers = paths.iter().map(|(manager, fields)| {
                let lines: String = fields.iter().map(|field| format!("\n- {field}")).collect();
                format!("conflicts with {manager}:{lines}")
            });
            let managers: Vec<_> = managers.collect();
            format!(
                "Apply failed with {} conflicts: {}",
                many.len(),
                managers.join("\n")
            )
        }
    };
    failure(409, "Conflict", message).with_details(Details {
        causes,
        ..Details::default()
    })
}
