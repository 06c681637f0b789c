#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod error;
mod go;
mod old;
mod pattern;
mod rules;
mod schema;
mod size;
mod violation;

pub use error::SchemaError;
pub use rules::uncheckable;
pub use violation::{Invalid, NotChecked, Reason, Validation, Violation};

use check::Checker;
use schema::{Node, Nodes};
use serde_json::Value;

/// A schema, ready to check values: the `openAPIV3Schema` of a version of a CustomResourceDefinition.
#[derive(Debug)]
pub struct Schema {
    root: Node,
    definitions: Nodes,
}

impl Schema {
    /// Reads a schema. References lead to `$defs`, as `#/$defs/NAME`.
    ///
    /// ```
    /// use k8s_flowcontrol_constraints::Schema;
    /// use serde_json::json;
    ///
    /// let schema = Schema::new(&json!({
    ///     "type": "object",
    ///     "properties": { "spec": {
    ///         "type": "object",
    ///         "properties": { "replicas": { "type": "integer", "minimum": 1 }, "paused": { "type": "boolean" } },
    ///         "x-kubernetes-validations": [{
    ///             "rule": "!has(self.paused) || !self.paused || self.replicas == oldSelf.replicas",
    ///             "message": "replicas cannot change while paused",
    ///         }],
    ///     } },
    /// }))?;
    /// let outcome = schema.validate(&json!({ "spec": { "replicas": 0 } }));
    /// assert_eq!(
    ///     outcome.violations[0].to_string(),
    ///     "spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1",
    /// );
    /// let (old, new) = (json!({ "spec": { "replicas": 1 } }), json!({ "spec": { "replicas": 2, "paused": true } }));
    /// let outcome = schema.validate_update(&new, &old);
    /// assert_eq!(
    ///     outcome.violations[0].to_string(),
    ///     "spec: Invalid value: replicas cannot change while paused",
    /// );
    /// # Ok::<(), k8s_flowcontrol_constraints::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// If a keyword has a value of another type, a reference leads nowhere, or the schema has more than 128 levels. A rule that cannot be compiled, and a pattern that is
    /// not a regular expression, are no errors: see [`Schema::not_checked`].
    pub fn new(schema: &Value) -> Result<Self, SchemaError> {
        let (mut root, mut definitions) = schema::read(schema)?;
        rules::compile(&mut root, &mut definitions);
        Ok(Self { root, definitions })
    }

    /// The constraints that this library does not check, each with its place in the schema and the reason.
    pub fn not_checked(&self) -> Vec<NotChecked> {
        self.root.not_checked(&self.definitions)
    }

    /// Checks a new object, after filling in the schema's defaults, as a server does.
    pub fn validate(&self, object: &Value) -> Validation {
        create(&self.root, &self.definitions, object)
    }

    /// Checks an object that replaces `old`, after filling in the schema's defaults in both, as a server does: also with the rules that
    /// compare it with `old`, and without the constraints that fields violated before and that did not change.
    pub fn validate_update(&self, object: &Value, old: &Value) -> Validation {
        update(&self.root, &self.definitions, object, old)
    }
}

/// Schemas with names, which refer to each other as `#/$defs/NAME`, ready to check values. Generated code has one for each module.
#[derive(Debug)]
pub struct Definitions(Nodes);

impl Definitions {
    /// Reads the schemas of an object whose keys are their names.
    ///
    /// # Errors
    /// The same as of [`Schema::new`].
    pub fn new(definitions: &Value) -> Result<Self, SchemaError> {
        let mut read = schema::read_definitions(definitions)?;
        rules::compile(&mut Node::default(), &mut read);
        Ok(Self(read))
    }

    /// The constraints of a schema that this library does not check, each with the path of its field; all of them if the schema is
    /// missing.
    pub fn not_checked(&self, name: &str) -> Vec<NotChecked> {
        match self.schema(name) {
            Ok(node) => node.not_checked(&self.0),
            Err(missing) => vec![missing],
        }
    }

    /// [`Schema::validate`] by the schema with that name.
    ///
    /// # Errors
    /// If it is missing.
    pub fn validate(&self, name: &str, object: &Value) -> Result<Validation, NotChecked> {
        Ok(create(self.schema(name)?, &self.0, object))
    }

    /// [`Schema::validate_update`] by the schema with that name.
    ///
    /// # Errors
    /// If it is missing.
    pub fn validate_update(
        &self,
        name: &str,
        object: &Value,
        old: &Value,
    ) -> Result<Validation, NotChecked> {
        Ok(update(self.schema(name)?, &self.0, object, old))
    }

    fn schema(&self, name: &str) -> Result<&Node, NotChecked> {
        let missing = || NotChecked::everything(&format!("there is no schema `{name}`"));
        self.0.get(name).ok_or_else(missing)
    }
}

fn create(root: &Node, definitions: &Nodes, object: &Value) -> Validation {
    if !size::is_within_limit(object) {
        return too_deep("object");
    }
    let mut object = object.clone();
    match schema::fill_in_defaults(root, definitions, &mut object) {
        true => Checker::new(root, definitions).create(&object),
        false => too_many_defaults(),
    }
}

fn update(root: &Node, definitions: &Nodes, object: &Value, old: &Value) -> Validation {
    if !size::is_within_limit(object) {
        return too_deep("object");
    }
    if !size::is_within_limit(old) {
        return too_deep("old object");
    }
    let (mut object, mut old) = (object.clone(), old.clone());
    // A server fills them into the old object when it reads it.
    let fill = |value| schema::fill_in_defaults(root, definitions, value);
    match fill(&mut object) && fill(&mut old) {
        true => Checker::new(root, definitions).update(&object, &old),
        false => too_many_defaults(),
    }
}

fn too_deep(value: &str) -> Validation {
    let reason = format!("the {value} has more than {} levels", size::MAX_LEVELS);
    NotChecked::everything(&reason).into()
}

fn too_many_defaults() -> Validation {
    let reason = "the defaults of the schema make more than 64 levels or 100,000 values";
    NotChecked::everything(reason).into()
}
