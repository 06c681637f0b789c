//! Names for the inline schemas inside named lists and maps.

use crate::model::{Key, Schema, Type};
use std::collections::BTreeMap;

/// Gives each inline object and `enum` inside a named list or map a separate name: `Users` of objects has the elements
/// `UsersItem`.
pub(super) fn name(schemas: &mut BTreeMap<Key, Schema>) {
    let lists: Vec<Key> = schemas
        .iter()
        .filter(|(_, schema)| inline(&schema.value).is_some())
        .map(|(key, _)| key.clone())
        .collect();
    for list in lists {
        let mut names = std::iter::once(format!("{}Item", list.name))
            .chain((2..).map(|number| format!("{}Item{number}", list.name)))
            .map(|name| Key {
                package: list.package.clone(),
                name,
            });
        // Numbers do not run out.
        let Some(key) = names.find(|key| !schemas.contains_key(key)) else {
            continue;
        };
        let Some(schema) = schemas.get_mut(&list) else {
            continue;
        };
        let Some(place) = inline_mut(&mut schema.value) else {
            continue;
        };
        let at = schema.at.child("items");
        let value = std::mem::replace(place, Type::Reference(key.clone(), at.clone()));
        let kinds = Vec::new();
        schemas.insert(key, Schema { at, value, kinds });
    }
}

/// The inline object or `enum` inside a list or map.
fn inline(value: &Type) -> Option<&Type> {
    let (Type::List(inner, _) | Type::Map(inner, _) | Type::Nullable(inner)) = value else {
        return None;
    };
    match &**inner {
        found @ (Type::Object(_) | Type::Enum(_)) => Some(found),
        other => inline(other),
    }
}

fn inline_mut(value: &mut Type) -> Option<&mut Type> {
    let (Type::List(inner, _) | Type::Map(inner, _) | Type::Nullable(inner)) = value else {
        return None;
    };
    match &**inner {
        Type::Object(_) | Type::Enum(_) => Some(inner),
        _ => inline_mut(inner),
    }
}
