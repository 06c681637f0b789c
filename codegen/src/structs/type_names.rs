//! Names of types: named schemas keep their names, and inline schemas have the shortest clear end of their paths.

use crate::names;
use crate::plan::{Origin, Place, Plan, Step};
use heck::ToSnakeCase;
use std::collections::{BTreeMap, HashSet};

/// Names that are meaningless without the name of the object around them.
const VAGUE: &str = "\
    action args class condition config configuration content data default effect element entry field format \
    group id info item key kind level limit list map match metadata method mode name object operation operator \
    option order override parameter params path phase policy property reason ref reference resource result role \
    rule scope selector setting source spec state status strategy subject target template term type unit use \
    value version x";

/// Names the types of a module. The names depend neither on the order of the schemas nor on that of the documents.
pub(super) fn choose(plan: &mut Plan, module: usize) {
    let lists = &plan.modules[module].lists;
    let mut taken: HashSet<String> = lists
        .iter()
        .map(|list| names::constant(&list.name))
        .collect();
    let mut named: Vec<(String, usize)> = Vec::new();
    let mut open: Vec<Candidates> = Vec::new();
    for &index in &plan.modules[module].items {
        let item = &plan.items[index];
        match &item.origin {
            Origin::Schema(key) => named.push((key.name.clone(), index)),
            Origin::Inline(places) => {
                open.push(Candidates::new(index, item.title.as_deref(), places));
            }
        }
    }
    // The plain name belongs to the schema that is spelled so.
    named.sort_by_cached_key(|(name, _)| (names::type_name(name) != *name, name.clone()));
    for (name, index) in named {
        plan.items[index].ident = free(names::type_name(&name), &mut taken);
    }
    // If several types could have the same short name, each of them gets a longer name.
    loop {
        let mut wanted: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, candidates) in open.iter().enumerate() {
            let name = names::constant(candidates.name());
            wanted.entry(name).or_default().push(index);
        }
        let mut changed = false;
        for (name, indexes) in wanted {
            if indexes.len() > 1 || taken.contains(&name) {
                for index in indexes {
                    changed |= open[index].lengthen();
                }
            }
        }
        if !changed {
            break;
        }
    }
    // Equal paths remain where names differ in nothing but spelling.
    open.sort_by(|left, right| left.first.cmp(&right.first));
    for candidates in open {
        plan.items[candidates.item].ident = free(candidates.name().to_owned(), &mut taken);
    }
}

/// The name, with a number if it is taken.
fn free(name: String, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}{number}"));
    let mut all = std::iter::once(name.clone())
        .chain(numbered)
        .map(|name| names::stable_type_name(&name));
    // Numbers do not run out.
    let name = all.find(|name| taken.insert(names::constant(name)));
    name.unwrap_or_default()
}

/// The names that an item may have, the best first.
struct Candidates {
    item: usize,
    /// The first place in the order of the alphabet.
    first: Place,
    names: Vec<String>,
    /// The place of the present one in `names`.
    at: usize,
}

impl Candidates {
    fn new(item: usize, title: Option<&str>, places: &[Place]) -> Self {
        // An item has at least one place.
        let first = places.iter().min().cloned().unwrap_or(Place {
            root: "Value".to_owned(),
            steps: Vec::new(),
        });
        let paths: Vec<Vec<Vec<String>>> = places.iter().map(words).collect();
        let mut wanted: Vec<Vec<String>> = Vec::new();
        let common = common_end(&paths);
        if !common.is_empty() {
            // The end that all paths have: from each field's name in it to its whole.
            let shortest = paths.iter().min_by_key(|path| path.len());
            wanted.extend(shortest.into_iter().flat_map(|path| {
                ends(path)
                    .into_iter()
                    .filter(|end| end.len() <= common.len())
            }));
            let unclear = !is_clear(&common);
            wanted.push(common.clone());
            // Fields of one object: the object's name and the words that the fields have in common.
            let parents: HashSet<&[Vec<String>]> =
                paths.iter().map(|path| &path[..path.len() - 1]).collect();
            if let (true, [parent]) = (unclear, Vec::from_iter(parents).as_slice()) {
                let with = |end: Vec<String>| [end, common.clone()].concat();
                wanted.extend(ends(parent).into_iter().map(with));
            }
        }
        wanted.extend(ends(&words(&first)));
        let mut names: Vec<String> = title.map(names::type_name).into_iter().collect();
        names.extend(
            wanted
                .into_iter()
                .filter(|words| is_clear(words))
                .map(|words| type_name(&words)),
        );
        names.push(whole(&first));
        names.dedup();
        Self {
            item,
            first,
            names,
            at: 0,
        }
    }

    fn name(&self) -> &str {
        self.names.get(self.at).map_or("Value", String::as_str)
    }

    /// Takes the next name, if there is one.
    fn lengthen(&mut self) -> bool {
        let has_next = self.at + 1 < self.names.len();
        self.at += usize::from(has_next);
        has_next
    }
}

/// The words of a path, part by part: the named schema without `Spec` or `Status` at its end, and the fields without those
/// directly below it.
fn words(place: &Place) -> Vec<Vec<String>> {
    let mut root = split(&place.root);
    if root.len() > 1 && root.last().is_some_and(|word| is_half(word)) {
        root.pop();
    }
    let mut parts = vec![root];
    for (index, step) in place.steps.iter().enumerate() {
        let is_last = index + 1 == place.steps.len();
        if index > 0 || is_last || !is_half(&step.field) {
            parts.push(part(step));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn is_half(word: &str) -> bool {
    matches!(word, "spec" | "status")
}

/// The words of a field's name, in the singular for elements.
fn part(step: &Step) -> Vec<String> {
    let mut words = split(&step.field);
    if let (true, Some(last)) = (step.is_element, words.last_mut()) {
        *last = names::singular(last);
    }
    words
}

fn split(name: &str) -> Vec<String> {
    let words = names::plain_plurals(name).to_snake_case();
    let words = words.split('_').filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The ends of a path, from its last part to all of it.
fn ends(path: &[Vec<String>]) -> Vec<Vec<String>> {
    (0..path.len())
        .rev()
        .map(|start| path[start..].concat())
        .collect()
}

/// The words with which all paths end.
fn common_end(paths: &[Vec<Vec<String>>]) -> Vec<String> {
    let mut paths = paths.iter().map(|path| path.concat());
    let mut common = paths.next().unwrap_or_default();
    for path in paths {
        let pairs = common.iter().rev().zip(path.iter().rev());
        let length = pairs.take_while(|(left, right)| left == right).count();
        common.drain(..common.len() - length);
    }
    common
}

/// Whether a name of these words tells its meaning.
fn is_clear(words: &[String]) -> bool {
    match words {
        [] => false,
        [one] => !names::is_among(VAGUE, &names::singular(one)),
        [first, ..] => !is_half(first),
    }
}

fn type_name(words: &[String]) -> String {
    names::type_name(&words.join("_"))
}

fn whole(place: &Place) -> String {
    let mut words = split(&place.root);
    words.extend(place.steps.iter().flat_map(part));
    type_name(&words)
}
