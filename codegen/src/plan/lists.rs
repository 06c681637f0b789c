//! Lists of kinds, which are aliases of the runtime's list.

use crate::model::{Key, Model, Served, Type};
use crate::runtime;
use std::collections::BTreeMap;

/// The schema of the items, when the schema is a list of a kind that is served.
pub(super) fn item_of<'a>(
    model: &'a Model,
    served: &BTreeMap<Key, Served>,
    key: &Key,
) -> Option<&'a Key> {
    let schema = model.schemas.get(key)?;
    let Type::Object(object) = &schema.value else {
        return None;
    };
    if schema.kinds.len() != 1 {
        return None;
    }
    let field = |name: &str| {
        object
            .fields
            .iter()
            .find(|f| f.name == name)
            .map(|f| &f.value)
    };
    match (field("metadata")?, field("items")?) {
        (Type::Reference(meta, _), Type::List(element, _)) if meta.is(runtime::LIST_META) => {
            match &**element {
                Type::Reference(item, _)
                    if served.contains_key(item) && item.package == key.package =>
                {
                    Some(item)
                }
                _ => None,
            }
        }
        _ => None,
    }
}
