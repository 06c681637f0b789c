//! What generated code is written against. Not a public interface: it changes with the generator.
//!
//! A generated struct implements [`Members`]; reading and writing JSON objects is done here once for
//! all of them, so that the generated part stays small.

mod collect;
mod decode;
mod encode;
pub mod json;
mod open_enum;
mod serde_impls;

use crate::meta::Unknown;
use json::{ReadJson, WriteJson};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

pub use crate::__open_enum as open_enum;
pub use crate::__serde_impls as serde_impls;
pub use decode::{deserialize, read_str};
pub use encode::{
    Untyped, serialize, write_list, write_managed_fields, write_map, write_option, write_required,
};
pub use open_enum::UnknownValue;
pub use serde;

/// The `apiVersion` and `kind` that belong to a type.
#[derive(Clone, Copy, Debug)]
pub struct TypeMeta {
    /// `group/version`, or `version` for the core group.
    pub api_version: &'static str,
    /// The kind; for a list the kind of its items.
    pub kind: &'static str,
    /// Whether the kind on the wire is `kind` followed by `List`.
    pub list: bool,
}

/// A JSON object with known members: what the generator emits for each struct.
pub trait Members: Default {
    /// The schema's short name, for error messages.
    const NAME: &'static str;
    /// The `apiVersion` and `kind` of a kind or list; `None` for everything that lies inside one.
    const TYPE_META: Option<TypeMeta> = None;
    /// The known members' names; a member is meant by its index here.
    const NAMES: &'static [&'static str];
    /// Bit `i` is set when member `i` is a plain field: absent on the wire it reads as its zero, and
    /// that it was absent is remembered.
    const REQUIRED: u128;

    /// The index of the member named `name`.
    fn index(name: &str) -> Option<usize>;
    /// Reads the value of member `index` into its field.
    fn read<S: Source>(&mut self, index: usize, source: &mut S) -> Result<(), S::Error>;
    /// Writes every known member that is present, in the document's order.
    fn write<S: Sink>(&self, sink: &mut S) -> Result<(), S::Error>;
    /// The members that the type does not know.
    fn unknown(&self) -> &Unknown;
    /// The members that the type does not know.
    fn unknown_mut(&mut self) -> &mut Unknown;
}

/// Where the value of a member is read from: JSON text, or a format of serde's.
pub trait Source {
    /// Why a value could not be read.
    type Error;

    /// A plain member: `null` is its zero.
    fn nullable<T: Value>(&mut self, member: &mut T) -> Result<(), Self::Error>;
    /// An optional member.
    fn option<T: Value>(&mut self, member: &mut Option<T>) -> Result<(), Self::Error>;
    /// A list: `null` is an empty list, a `null` element is a zero element, and the vector is fitted.
    fn list<T: Value>(&mut self, member: &mut Vec<T>) -> Result<(), Self::Error>;
    /// A map: `null` is an empty map, a `null` value is a zero value.
    fn map<T: Value>(&mut self, member: &mut BTreeMap<String, T>) -> Result<(), Self::Error>;
}

/// What a member is written to.
pub trait Sink {
    /// Why a member could not be written.
    type Error;

    /// Writes a member.
    fn member<T>(&mut self, name: &'static str, value: &T) -> Result<(), Self::Error>
    where
        T: Serialize + WriteJson + ?Sized;
}

/// The value of a member, which can be read both ways.
pub trait Value: ReadJson + DeserializeOwned {}

impl<T: ReadJson + DeserializeOwned> Value for T {}
