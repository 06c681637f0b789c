//! Support of generated code. Not a public interface: it changes with the generator.
//!
//! A generated type is a struct, and a table of its fields in [`fields!`]. Everything else, reading and writing, serde's
//! traits, and the schema at run time, follows from these two.

mod defaults;
mod fields;
mod hidden;
mod object;
mod open_enum;
mod unknown;

use crate::json::{Fault, RawJson, ReadJson, Reader, WriteJson, Writer};
use crate::schema::{FieldSchema, ListKind, Shape, TypeSchema};
use std::collections::BTreeMap;

pub use crate::__fields as fields;
pub use crate::__hidden as hidden;
pub use crate::__open_enum as open_enum;
pub use crate::__resource as resource;
pub use crate::__schema as schema;
pub use crate::json;
pub use fields::{API_VERSION, KIND, atomic, field};
pub use hidden::{Metadata, Names, Secret};
pub use object::{Untyped, read_object, write_field, write_object};
pub use open_enum::UnknownValue;
pub use serde;
pub use unknown::Unknown;

/// The type of a field.
pub trait Field: ReadJson + WriteJson {
    /// The type of the value on the wire.
    const SHAPE: Shape;

    /// Whether an absence on the wire reads as the default, and is remembered: `false` for types with an absence of their
    /// own.
    const IS_REQUIRED: bool = true;

    /// Whether the value is left out when the object is written.
    fn is_absent(&self) -> bool {
        false
    }
}

macro_rules! scalars {
    ($($type:ident $shape:ident,)*) => {$(
        impl Field for $type {
            const SHAPE: Shape = Shape::$shape;
        }
    )*};
}

scalars! {
    String String,
    i32 Int32,
    i64 Int64,
    f64 Number,
    bool Boolean,
    RawJson Any,
}

impl<T: Field> Field for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const IS_REQUIRED: bool = false;

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Field> Field for Box<T> {
    const SHAPE: Shape = T::SHAPE;
    const IS_REQUIRED: bool = T::IS_REQUIRED;

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl<T: Field> Field for Vec<T> {
    const SHAPE: Shape = Shape::List {
        element: &T::SHAPE,
        kind: ListKind::Atomic,
    };
    const IS_REQUIRED: bool = false;

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Field> Field for BTreeMap<String, T> {
    const SHAPE: Shape = Shape::Map {
        value: &T::SHAPE,
        atomic: false,
    };
    const IS_REQUIRED: bool = false;

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// A struct with a table of its fields.
pub trait Object: Fields + ReadJson + WriteJson {
    /// The table.
    const TABLE: Table;
}

/// Access to the fields of a struct by their place in its table.
pub trait Fields {
    /// Reads the value of the field at `index`.
    fn read_field(&mut self, index: usize, reader: &mut Reader<'_>) -> Result<(), Fault>;
    /// Writes the fields that are present, in the order of the table.
    fn write_fields(&self, writer: &mut Writer);
    /// The fields that the type does not know.
    fn unknown(&self) -> &Unknown;
    /// The fields that the type does not know.
    fn unknown_mut(&mut self) -> &mut Unknown;
}

/// The facts about a type that reading and writing need.
#[derive(Debug)]
pub struct Table {
    /// The schema at run time, and the name for error messages.
    pub schema: &'static TypeSchema,
    /// The names on the wire.
    pub names: &'static [&'static str],
    /// Bit `i` is set when field `i` is required and no collection: its absence is remembered.
    pub required: u128,
    /// Bit `i` is set when field `i` is a list or map: an empty one is remembered.
    pub collections: u128,
    /// Bit `i` is set when `null` is a value of field `i`: it is remembered.
    pub nullable: u128,
    /// The `apiVersion` and `kind` of a kind or list; `None` for everything inside one.
    pub type_meta: Option<TypeMeta>,
}

impl Table {
    /// The table of the fields named `names`, which stand in `fields` behind `kind` and `apiVersion` if the type has them.
    pub const fn new(
        schema: &'static TypeSchema,
        fields: &[FieldSchema],
        names: &'static [&'static str],
        type_meta: Option<TypeMeta>,
    ) -> Self {
        let before = if type_meta.is_some() { 2 } else { 0 };
        Self {
            schema,
            names,
            required: fields::required_bits(fields, before, names.len()),
            collections: fields::collection_bits(fields, before, names.len()),
            nullable: fields::nullable_bits(fields, before, names.len()),
            type_meta,
        }
    }
}

/// The `apiVersion` and `kind` that belong to a type.
#[derive(Clone, Copy, Debug)]
pub struct TypeMeta {
    /// `group/version`, or `version` for the core group.
    pub api_version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The kind of a list of them.
    pub list_kind: &'static str,
}
