//! The plan: modules, and the types in each.

mod boxes;
mod cycles;
mod depth;
mod floats;
mod inline;
mod items;
mod kept_unknown;
mod lists;
mod modules;
mod runtime_types;
mod served;
mod types;

pub(crate) use depth::deep;
pub(crate) use served::{find as served_kinds, group_version, packages, without_metadata};
pub(crate) use types::{
    Body, Item, ListAlias, Module, Options, Origin, Place, Plan, PlannedField, Shape, Step, Struct,
};

use crate::error::Error;
use crate::model::{Key, Model, Served, Type};
use crate::names;
use items::Items;
use modules::Modules;
use std::collections::BTreeMap;

impl Plan {
    /// The plan for the kinds `served`; `packages` has the group and version of all kinds that the documents serve.
    pub(crate) fn new(
        model: &Model,
        options: &Options,
        served: &BTreeMap<Key, Served>,
        packages: BTreeMap<String, (String, String)>,
    ) -> Result<Self, Error> {
        let top_level = top_level(model);
        let modules = Modules::new(packages, options.own_meta);
        let mut items = Items::new(model, options, served, modules);
        for document in &model.documents {
            let serves = document.keys.iter().any(|key| items.modules.serve(key));
            let (roots, rest): (Vec<&Key>, Vec<&Key>) = document
                .keys
                .iter()
                .partition(|key| !serves || items.modules.serve(key));
            let sent = rest.into_iter().filter(|key| top_level.contains(key));
            // Documents of plain types serve nothing.
            let is_named = |key: &Key| served.is_empty() && options.kinds.contains(&key.name);
            let is_wanted =
                |key: &&Key| options.kinds.is_empty() || served.contains_key(*key) || is_named(key);
            for key in roots.into_iter().chain(sent).filter(is_wanted) {
                if lists::item_of(model, served, key).is_none() {
                    root(model, &mut items, key)?;
                }
            }
            items.finish()?;
        }
        let lists = list_aliases(model, &mut items, served)?;
        let mut plan = Self {
            modules: items.modules.list,
            items: items.list,
        };
        for (module, list) in lists {
            plan.modules[module].lists.push(list);
        }
        plan.order();
        kept_unknown::apply(&mut plan);
        cycles::cut(&mut plan)?;
        boxes::add(&mut plan);
        floats::mark(&mut plan);
        Ok(plan)
    }
}

/// Takes up a schema of a given document.
fn root(model: &Model, items: &mut Items<'_>, key: &Key) -> Result<(), Error> {
    let Some(schema) = model.schemas.get(key) else {
        return Ok(());
    };
    if let Shape::Item(item) = items.reference(key, &schema.at, 0)? {
        let module = items.list[item].module;
        let file = schema.at.file.to_string();
        let files = &mut items.modules.list[module].files;
        if !files.contains(&file) {
            files.push(file);
        }
    }
    Ok(())
}

/// The lists of the kinds, each with its module.
fn list_aliases(
    model: &Model,
    items: &mut Items<'_>,
    served: &BTreeMap<Key, Served>,
) -> Result<Vec<(usize, ListAlias)>, Error> {
    let mut lists = Vec::new();
    for (key, schema) in &model.schemas {
        let item = lists::item_of(model, served, key).and_then(|key| items.get(key));
        if let (Some(item), Type::Object(object)) = (item, &schema.value) {
            let list = ListAlias {
                name: names::type_name(&key.name),
                description: object.description.clone(),
                item,
            };
            lists.push((items.modules.of(key, &schema.at)?, list));
        }
    }
    Ok(lists)
}

/// The schemas that are the whole body of a request or response.
fn top_level(model: &Model) -> Vec<&Key> {
    let operations = model.documents.iter().flat_map(|d| &d.operations);
    let mut keys: Vec<&Key> = operations
        .flat_map(|o| {
            o.body
                .iter()
                .chain(o.responses.iter().map(|(_, content)| content))
        })
        .filter_map(|content| content.schema.as_ref())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
