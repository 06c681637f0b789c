//! The levels of types inside each other, of which Rust's compiler follows 128 if a crate does not say otherwise.

use super::cycles::components;
use super::types::{Item, Plan, PlannedField, Shape};
use crate::error::Error;
use std::collections::{HashSet, VecDeque};

/// The levels that every crate can use; a list of strings in the deepest type takes some more.
const PLAIN: usize = 115;

/// The levels with which the compiler ends in reasonable time, whatever its limit.
const MAX: usize = 1000;

/// A note if a crate with the types must raise the compiler's limit.
/// Errors: if the types hold each other in too many levels for any limit.
pub(crate) fn deep(plan: &Plan) -> Result<Option<String>, Error> {
    let held = |item: &Item| item.fields().iter().filter_map(held_by).collect();
    let next: Vec<Vec<(usize, usize)>> = plan.items.iter().map(held).collect();
    let edges = next
        .iter()
        .enumerate()
        .flat_map(|(from, held)| held.iter().map(move |(to, _)| (from, *to)));
    let component = components(next.len(), edges);
    let mut levels = vec![0; next.len()];
    // A component has a lower number than the components that hold it.
    let mut order: Vec<usize> = (0..next.len()).collect();
    order.sort_unstable_by_key(|item| component[*item]);
    let mut deepest = (0, None);
    for members in order.chunk_by(|left, right| component[*left] == component[*right]) {
        let Some(first) = members.first() else {
            continue;
        };
        let below = members.iter().flat_map(|from| &next[*from]);
        let below = below.filter(|(to, _)| component[*to] != component[*first]);
        let below = below.map(|(to, steps)| levels[*to] + steps).max();
        let found = below.unwrap_or_default() + across(*first, &next, &component);
        members.iter().for_each(|member| levels[*member] = found);
        if found > deepest.0 {
            deepest = (found, Some(*first));
        }
    }
    if let (levels, Some(item)) = deepest
        && levels > MAX
    {
        let message = format!("the types in it are more than {MAX} levels deep");
        return Err(Error::at(&plan.items[item].at, message)
            .help("Rust's compiler cannot follow them; `--fields` or `fields()` leaves out fields of a kind"));
    }
    let (levels, item) = deepest.max(depth_first(&next));
    let Some(item) = item.filter(|_| levels > PLAIN) else {
        return Ok(None);
    };
    Ok(Some(format!(
        "{}: the types in it are {levels} levels deep: the crate needs `#![recursion_limit = \"{}\"]`",
        plan.items[item].at,
        (levels + 10).next_power_of_two()
    )))
}

/// The most levels on the compiler's way through types that are in each other: into each field that it does not know yet, in their
/// order. With the type where the way begins.
fn depth_first(next: &[Vec<(usize, usize)>]) -> (usize, Option<usize>) {
    let mut known = vec![false; next.len()];
    let mut deepest = (0, None);
    for start in 0..next.len() {
        if std::mem::replace(&mut known[start], true) {
            continue;
        }
        let mut path = vec![(start, 0, 0)];
        while let Some((item, field, levels)) = path.last_mut() {
            let (held, before) = (next[*item].get(*field), *levels);
            *field += 1;
            match held {
                Some((to, steps)) if !std::mem::replace(&mut known[*to], true) => {
                    let levels = before + steps;
                    path.push((*to, 0, levels));
                    if levels > deepest.0 {
                        deepest = (levels, Some(start));
                    }
                }
                Some(_) => {}
                None => drop(path.pop()),
            }
        }
    }
    deepest
}

/// The item that a field holds, with the levels that the compiler counts for it.
fn held_by(field: &PlannedField) -> Option<(usize, usize)> {
    let item = field.shape.item().filter(|_| field.has_field())?;
    let levels = match &field.shape {
        Shape::Item(_) if field.boxed => 4,
        Shape::Item(_) if field.is_plain() => 1,
        Shape::Item(_) => 2,
        // A list or a map.
        _ => 4,
    };
    Some((item, levels))
}

/// The levels from a type to the farthest one in a circle with it, by the way with the fewest types.
fn across(start: usize, next: &[Vec<(usize, usize)>], component: &[usize]) -> usize {
    let mut open = VecDeque::from([(start, 0)]);
    let mut known = HashSet::from([start]);
    let mut farthest = 0;
    while let Some((item, levels)) = open.pop_front() {
        farthest = farthest.max(levels);
        for (to, steps) in &next[item] {
            if component[*to] == component[start] && known.insert(*to) {
                open.push_back((*to, levels + steps));
            }
        }
    }
    farthest
}
