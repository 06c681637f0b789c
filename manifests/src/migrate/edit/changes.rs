//! The edits that turn an object into its converted form.

use super::edits::{Edit, Refusal};
use super::{insert, splice};
use crate::documents::Form;
use crate::migrate::read::{SHARES, Text};
use k8s_flowcontrol_text::{Content, Field, Node};
use k8s_flowcontrol_types::convert::PRESERVE_ZERO_ANNOTATION;
use serde_json::{Map, Value};

/// The kind of a change, which decides its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::migrate) enum ChangeKind {
    /// Another `apiVersion`.
    Version,
    /// 0 shares, which mean the default of 30, become 30.
    ZeroShares,
    ZeroAnnotation,
    Other,
}

/// A change of an object, with a description and its edits.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct PlannedChange {
    /// The start of the change in the text.
    pub(in crate::migrate) offset: usize,
    pub(in crate::migrate) what: String,
    pub(in crate::migrate) kind: ChangeKind,
    /// The reason, if the change is more than a new name.
    pub(in crate::migrate) why: Option<String>,
    pub(in crate::migrate) edits: Vec<Edit>,
}

impl PlannedChange {
    /// A change without a reason.
    pub(in crate::migrate) fn new(offset: usize, what: String, edits: Vec<Edit>) -> Self {
        Self {
            offset,
            what,
            kind: ChangeKind::Other,
            why: None,
            edits,
        }
    }
}

impl PlannedChange {
    fn annotation(mut self, is_annotation: bool) -> Self {
        if is_annotation {
            self.kind = ChangeKind::ZeroAnnotation;
        }
        self
    }
}

/// The changes from `before`, the content of `node`, to `after`.
/// Errors: [`Refusal`] if the style of the text does not allow a change.
pub(in crate::migrate) fn changes(
    source: &Text<'_>,
    form: Form,
    node: Node<'_>,
    before: &Value,
    after: &Value,
) -> Result<Vec<PlannedChange>, Refusal> {
    let mut changes = Vec::new();
    let context = Context { source, form };
    context.object(node, before, after, "", &mut changes)?;
    Ok(changes)
}

struct Context<'a> {
    source: &'a Text<'a>,
    form: Form,
}

impl Context<'_> {
    fn object(
        &self,
        node: Node<'_>,
        before: &Value,
        after: &Value,
        path: &str,
        out: &mut Vec<PlannedChange>,
    ) -> Result<(), Refusal> {
        let (Content::Object(all), Some(old), Some(new)) =
            (node.content(), before.as_object(), after.as_object())
        else {
            return Err(Refusal::new(
                node.span().start,
                format!("{path} is not an object"),
            ));
        };
        let span = node.span();
        let is_own = |member: &Field<'_>| {
            member.name_span.start >= span.start && member.name_span.end <= span.end
        };
        let own: Vec<_> = all.iter().filter(is_own).collect();
        let renamed = renamed(old, new);
        if let Some((from, to)) = renamed {
            // JSON keeps duplicate fields: all are renamed.
            for member in all.iter().filter(|member| member.name == from) {
                out.push(PlannedChange::new(
                    member.name_span.start,
                    format!("{} is renamed to {to}", below(path, from)),
                    vec![splice::rename(self.source, &member, to)],
                ));
            }
        }
        let mut gone = Vec::new();
        for (name, value) in old {
            let target = match renamed {
                Some((from, to)) if from == name => new.get(to),
                _ => new.get(name),
            };
            let members = || all.iter().filter(|member| member.name == name);
            match target {
                Some(target) if target == value => {}
                Some(target) => {
                    let member = members().last();
                    let member = member.ok_or_else(|| missing(node, name))?;
                    self.member(&member, value, target, &below(path, name), out)?;
                }
                None => {
                    for member in members() {
                        let index = own
                            .iter()
                            .position(|other| other.name_span == member.name_span);
                        let index = index.ok_or_else(|| {
                            let why = format!("{} comes from an anchor", below(path, name));
                            Refusal::new(member.name_span.start, why)
                        })?;
                        gone.push(index);
                    }
                }
            }
        }
        if !gone.is_empty() {
            gone.sort_unstable();
            out.push(self.removal(node, path, &own, &gone)?);
        }
        for (name, value) in new {
            if old.contains_key(name) || renamed.is_some_and(|(_, to)| to == name) {
                continue;
            }
            let edit = insert::insert(self.source, self.form, node, &own, name, value)?;
            let change = PlannedChange::new(
                edit.span.start,
                format!("{} is added: {value}", below(path, name)),
                vec![edit],
            );
            // The annotation can come with the map around it.
            let is_annotation = name == PRESERVE_ZERO_ANNOTATION
                || value.get(PRESERVE_ZERO_ANNOTATION).is_some()
                || value["annotations"].get(PRESERVE_ZERO_ANNOTATION).is_some();
            out.push(change.annotation(is_annotation));
        }
        Ok(())
    }

    /// Removes the fields with these indexes in `own`; there is at least one.
    fn removal(
        &self,
        node: Node<'_>,
        path: &str,
        own: &[Field<'_>],
        gone: &[usize],
    ) -> Result<PlannedChange, Refusal> {
        let names: Vec<_> = gone
            .iter()
            .map(|index| below(path, own[*index].name))
            .collect();
        let change = PlannedChange::new(
            own[gone[0]].name_span.start,
            format!("{} is removed", names.join(", ")),
            splice::remove(self.source, node, own, gone)?,
        );
        let is_annotation = |index: &usize| own[*index].name == PRESERVE_ZERO_ANNOTATION;
        Ok(change.annotation(gone.iter().any(is_annotation)))
    }

    fn member(
        &self,
        member: &Field<'_>,
        before: &Value,
        after: &Value,
        path: &str,
        out: &mut Vec<PlannedChange>,
    ) -> Result<(), Refusal> {
        if before.is_object() {
            return self.object(member.value, before, after, path, out);
        }
        let edit = splice::set_scalar(self.source, self.form, Some(member), member.value, after)?;
        let mut change = PlannedChange::new(
            edit.span.start,
            format!("{path}: {} becomes {}", plain(before), plain(after)),
            vec![edit],
        );
        let is_shares = SHARES.iter().any(|name| path.ends_with(name));
        change.kind = match path {
            "apiVersion" => ChangeKind::Version,
            _ if is_shares && *before == 0 && *after == 30 => ChangeKind::ZeroShares,
            _ if path.contains(PRESERVE_ZERO_ANNOTATION) => ChangeKind::ZeroAnnotation,
            _ => ChangeKind::Other,
        };
        out.push(change);
        Ok(())
    }
}

/// The names of the shares before and after, if they are renamed.
fn renamed(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> Option<(&'static str, &'static str)> {
    SHARES.iter().find_map(|name| {
        let other = SHARES.iter().find(|other| *other != name)?;
        let is_renamed = old.contains_key(*name) && !new.contains_key(*name);
        let is_new = new.contains_key(*other) && !old.contains_key(*other);
        (is_renamed && is_new).then_some((*name, *other))
    })
}

fn below(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path if name.contains(['.', '/']) => format!("{path}[{name}]"),
        path => format!("{path}.{name}"),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn missing(node: Node<'_>, name: &str) -> Refusal {
    Refusal::new(node.span().start, format!("{name} is missing"))
}
