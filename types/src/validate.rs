//! The constraints of generated types: what their schemas demand beyond the types of fields.
//!
//! The generator gives kinds [`Validate`] if it is asked to (`k8s-flowcontrol-codegen generate --validate`, `Build::validate`). An object
//! is checked as an extension API server checks a custom resource, with the same messages: bounds, lengths, patterns, formats, `enum`,
//! required fields, list keys, and the CEL rules of `x-kubernetes-validations`, also those that compare with the object before an
//! update. A rule that this library cannot evaluate is in [`Validation::not_checked`]; it never passes silently.
//!
//! ```ignore
//! use k8s_flowcontrol_types::validate::Validate;
//!
//! for violation in certificate.validate().violations {
//!     println!("{violation}");
//! }
//! certificate.validate_update(&before).into_result()?;
//! ```

pub use k8s_flowcontrol_constraints::{Invalid, NotChecked, Reason, Validation, Violation};

use crate::json::{self, WriteJson};
use k8s_flowcontrol_constraints::Definitions;
use serde_json::Value;
use std::sync::OnceLock;

/// A type whose schema has constraints.
pub trait Validate: WriteJson + Sized {
    /// The name of the schema in [`Validate::constraints`].
    const SCHEMA: &'static str;

    /// The constraints of the type's module.
    fn constraints() -> &'static Constraints;

    /// Checks a new object.
    fn validate(&self) -> Validation {
        Self::constraints().check(Self::SCHEMA, self, None::<&Self>)
    }

    /// Checks an object that replaces `old`. As on a server, constraints that a field violated before do not count if it did not
    /// change.
    fn validate_update(&self, old: &Self) -> Validation {
        Self::constraints().check(Self::SCHEMA, self, Some(old))
    }

    /// The constraints of the type that are never checked, each with the path of its field.
    fn not_checked() -> Vec<NotChecked> {
        Self::constraints().not_checked(Self::SCHEMA)
    }
}

/// The constraints of a module's types, which are read when they are first used.
#[derive(Debug)]
pub struct Constraints {
    text: &'static str,
    read: OnceLock<Result<Definitions, String>>,
}

impl Constraints {
    #[doc(hidden)]
    pub const fn new(text: &'static str) -> Self {
        Self {
            text,
            read: OnceLock::new(),
        }
    }

    fn read(&self) -> Result<&Definitions, NotChecked> {
        let read = self.read.get_or_init(|| {
            let definitions: Value =
                serde_json::from_str(self.text).map_err(|error| error.to_string())?;
            Definitions::new(&definitions).map_err(|error| error.to_string())
        });
        read.as_ref().map_err(|error| NotChecked::everything(error))
    }

    fn check<T: WriteJson>(&self, schema: &str, object: &T, old: Option<&T>) -> Validation {
        let values = |definitions: &Definitions| {
            let object = value(object)?;
            match old {
                Some(old) => definitions.validate_update(schema, &object, &value(old)?),
                None => definitions.validate(schema, &object),
            }
        };
        match self.read().and_then(values) {
            Ok(validation) => validation,
            Err(not_checked) => not_checked.into(),
        }
    }

    fn not_checked(&self, schema: &str) -> Vec<NotChecked> {
        match self.read() {
            Ok(definitions) => definitions.not_checked(schema),
            Err(not_checked) => vec![not_checked],
        }
    }
}

fn value(object: &impl WriteJson) -> Result<Value, NotChecked> {
    let text = json::to_string(object);
    serde_json::from_str(&text).map_err(|error| NotChecked::everything(&error.to_string()))
}
