//! Suggestions for names that do not exist.

use strsim::normalized_damerau_levenshtein as similarity;

/// The similarity of two names, from 0 to 1, from which one can be a misspelling of the other.
const CLOSE: f64 = 0.6;
/// The fewest bytes of a name that can be a part or a misspelling of another one.
const SHORTEST: usize = 2;
/// The most names that are listed.
const FEW: usize = 20;

/// The most similar name, if it is similar.
pub(crate) fn nearest<'a>(
    wanted: &str,
    existing: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let near = existing.map(|name| (similarity(wanted, name), name));
    let near = near.filter(|(similarity, _)| *similarity >= CLOSE);
    let nearest = near.max_by(|(a, _), (b, _)| a.total_cmp(b));
    nearest.map(|(_, name)| name)
}

/// A hint for a name that is not among the existing ones: the most similar name, or else all names.
pub(crate) fn hint(wanted: &str, existing: &[&str]) -> Option<String> {
    let nearest = nearest(wanted, existing.iter().copied());
    let mut like: Vec<_> = nearest.into_iter().collect();
    if like.is_empty() && wanted.len() >= SHORTEST {
        like = existing
            .iter()
            .copied()
            .filter(|name| name.contains(wanted))
            .collect();
    }
    if like.is_empty() {
        return match existing.len() {
            0 => None,
            count if count > FEW => None,
            _ => Some(format!("existing names: {}", existing.join(", "))),
        };
    }
    let like: Vec<_> = like.iter().map(|name| format!("`{name}`")).collect();
    Some(format!("did you mean {}?", like.join(" or ")))
}
