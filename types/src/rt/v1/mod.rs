//! Version 1 of the support of generated code. A change that breaks generated code is another version beside it.
//!
//! A generated type is a struct, and a table of its fields in [`fields!`]. Reading and writing,
//! serde's traits, and the schema at run time follow from these two.

mod defaults;
mod fields;
mod hidden;
mod object;
mod open_enum;
mod unknown;
mod validate;

use crate::json::{Fault, RawJson, ReadJson, Reader, WriteJson};
use crate::schema::{FieldSchema, ListKind, Shape, TypeSchema};
use std::collections::BTreeMap;

pub use crate::__fields as fields;
pub use crate::__hidden as hidden;
pub use crate::__name as name;
pub use crate::__open_enum as open_enum;
pub use crate::__resource as resource;
pub use crate::__schema as schema;
pub use crate::__validate as validate;
pub use crate::json;
pub use crate::json::Name;
pub use fields::{API_VERSION, KIND, field};
pub use hidden::{Metadata, Names, Secret};
pub use object::{Reborrow, always_send, is_default, read_object, write_object};
pub use open_enum::{UnknownValue, read_enum};
pub use serde;
pub use unknown::Unknown;

/// The value of a field, without its type.
pub trait Value: WriteJson {
    /// Whether the value is left out when the object is written: an absence of the type's own.
    fn is_absent(&self) -> bool {
        false
    }

    /// Whether the value is the default, for a type that cannot be absent.
    fn is_default(&self) -> bool {
        false
    }
}

/// The type of a field.
pub trait Field: ReadJson + Value {
    /// The type of the value on the wire.
    const SHAPE: Shape;

    /// Whether an absence on the wire reads as the default, and is remembered: `false` for types with an absence of their
    /// own.
    const IS_REQUIRED: bool = true;

    /// The values that an open enum knows.
    const VALUES: &'static [&'static str] = &[];
}

/// Makes types the types of fields, each with its shape.
macro_rules! scalars {
    ($($type:ident $shape:ident,)*) => {$(
        impl $crate::rt::v1::Value for $type {
            fn is_default(&self) -> bool {
                *self == Self::default()
            }
        }

        impl $crate::rt::v1::Field for $type {
            const SHAPE: $crate::schema::Shape = $crate::schema::Shape::$shape;
        }
    )*};
}
pub(crate) use scalars;

scalars! {
    String String,
    i32 Int32,
    i64 Int64,
    f64 Number,
    bool Boolean,
    RawJson Any,
}

impl<T: Field> Value for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Field> Field for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const IS_REQUIRED: bool = false;
    const VALUES: &'static [&'static str] = T::VALUES;
}

impl<T: Field> Value for Box<T> {
    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }

    fn is_default(&self) -> bool {
        (**self).is_default()
    }
}

impl<T: Field> Field for Box<T> {
    const SHAPE: Shape = T::SHAPE;
    const IS_REQUIRED: bool = T::IS_REQUIRED;
    const VALUES: &'static [&'static str] = T::VALUES;
}

impl<T: Field> Value for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Field> Field for Vec<T> {
    const SHAPE: Shape = Shape::List {
        element: &T::SHAPE,
        kind: ListKind::Atomic,
    };
    const IS_REQUIRED: bool = false;
}

impl<T: Field> Value for BTreeMap<String, T> {
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
}

/// A struct with a table of its fields.
pub trait Object: Fields + ReadJson + WriteJson {
    const TABLE: Table;
}

/// Access to the fields of a struct by their places in its table.
pub trait Fields {
    /// Reads the value of the field at `index`, which is not `null`.
    fn read_field(&mut self, index: usize, reader: &mut Reader<'_>) -> Result<(), Fault>;
    /// Calls `see` once, with the values of the fields in the order of the table, and the fields that the type does not know.
    fn values(&self, see: &mut dyn FnMut(&[&dyn Value], &Unknown));
    /// The fields that the type does not know.
    fn unknown_mut(&mut self) -> &mut Unknown;
}

/// The facts about a type that reading and writing need.
#[derive(Debug)]
pub struct Table {
    /// The schema at run time, and the name for error messages.
    pub schema: &'static TypeSchema,
    /// The names on the wire.
    pub names: &'static [Name],
    /// A number that differs for most tables.
    pub hash: u64,
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
        names: &'static [Name],
        type_meta: Option<TypeMeta>,
    ) -> Self {
        let before = if type_meta.is_some() { 2 } else { 0 };
        let (mut required, mut collections, mut nullable) = (0, 0, 0);
        let mut index = 0;
        while index < names.len() {
            let field = &fields[before + index];
            let bit = 1 << index;
            if let Shape::List { .. } | Shape::Map { .. } = field.shape {
                collections |= bit;
            } else if field.required {
                required |= bit;
            }
            if field.nullable || matches!(field.shape, Shape::Any) {
                nullable |= bit;
            }
            index += 1;
        }
        Self {
            schema,
            names,
            hash: Name::hash(names),
            required,
            collections,
            nullable,
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
