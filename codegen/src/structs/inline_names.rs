//! Names of inline schemas that would collide with another type of the module.

use crate::names;
use crate::plan::{Origin, Plan};
use std::collections::{HashMap, HashSet};

/// Gives a title to each inline schema whose name would be that of another type of its module. Named
/// schemas keep their names.
pub(super) fn disambiguate(plan: &mut Plan, module: usize) {
    let mut taken: HashSet<String> = HashSet::new();
    let mut names: HashMap<usize, String> = HashMap::new();
    for &index in &plan.modules[module].items {
        if let Origin::Schema(key) = &plan.items[index].origin {
            let name = names::type_name(&key.name);
            taken.insert(names::constant(&name));
            names.insert(index, name);
        }
    }
    for list in &plan.modules[module].lists {
        taken.insert(names::constant(&list.name));
    }
    // Parents come before the schemas inside them.
    for index in plan.modules[module].items.clone() {
        let item = &plan.items[index];
        let Origin::Inline { parent, field } = &item.origin else {
            continue;
        };
        let by_place = match names.get(parent) {
            Some(parent) => names::type_name(&format!("{parent}_{field}")),
            None => names::type_name(field),
        };
        let wanted = match &item.title {
            Some(title) => names::type_name(title),
            None => by_place.clone(),
        };
        let name = [wanted.clone(), by_place.clone(), format!("{by_place}Value")]
            .into_iter()
            .chain((2..).map(|number| format!("{by_place}Value{number}")))
            .find(|name| !taken.contains(&names::constant(name)))
            // Numbers do not run out.
            .unwrap_or_else(|| wanted.clone());
        taken.insert(names::constant(&name));
        if name != wanted {
            plan.items[index].title = Some(name.clone());
        }
        names.insert(index, name);
    }
}
