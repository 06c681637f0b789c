//! An index of rules by user.

use super::subject::Subject;
use super::user::{SERVICE_ACCOUNT_PREFIX, User};
use std::collections::HashMap;

/// Rules indexed by their subjects. A rule's number is its position in the order of trying.
#[derive(Clone, Debug, Default)]
pub(super) struct SubjectIndex {
    everybody: RuleSet,
    users: HashMap<String, RuleSet>,
    groups: HashMap<String, RuleSet>,
    /// By the part of the user name after the prefix of service accounts, up to and including the `:`.
    namespaces: HashMap<String, RuleSet>,
}

impl SubjectIndex {
    /// Adds rule number `rule` with its `subjects`.
    pub(super) fn insert(&mut self, rule: usize, subjects: &[Subject]) {
        for subject in subjects {
            if let Some(set) = self.set_of(subject) {
                set.insert(rule);
            }
        }
    }

    fn set_of(&mut self, subject: &Subject) -> Option<&mut RuleSet> {
        let (map, key) = match subject {
            Subject::Everybody => return Some(&mut self.everybody),
            Subject::Nobody => return None,
            Subject::User(name) => (&mut self.users, name.clone()),
            Subject::Group(name) => (&mut self.groups, name.clone()),
            Subject::ServiceAccount {
                namespace,
                name: None,
            } => (&mut self.namespaces, format!("{namespace}:")),
            Subject::ServiceAccount {
                namespace,
                name: Some(name),
            } => (
                &mut self.users,
                format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"),
            ),
        };
        Some(map.entry(key).or_default())
    }

    /// The rules with a subject that matches `user`, in order.
    pub(super) fn rules_for(&self, user: &User) -> impl Iterator<Item = usize> {
        // One set for each group, one for the name, one for the namespace and one for all users.
        let mut sets: Vec<&RuleSet> = Vec::with_capacity(user.groups.len() + 3);
        sets.push(&self.everybody);
        sets.extend(self.users.get(&user.name));
        sets.extend(
            user.groups
                .iter()
                .filter_map(|group| self.groups.get(group)),
        );
        // A user name may contain several colons. Any part before a colon may be the namespace, although validation
        // allows no colon in one.
        if let Some(account) = user.name.strip_prefix(SERVICE_ACCOUNT_PREFIX)
            && !self.namespaces.is_empty()
        {
            let namespaces = account.match_indices(':').map(|(at, _)| &account[..=at]);
            sets.extend(namespaces.filter_map(|namespace| self.namespaces.get(namespace)));
        }
        let words = sets.iter().map(|set| set.0.len()).max().unwrap_or(0);
        (0..words).flat_map(move |word| {
            let bits = sets
                .iter()
                .filter_map(|set| set.0.get(word))
                .fold(0, |all, bits| all | bits);
            Ones(bits).map(move |bit| word * RuleSet::WORD + bit)
        })
    }
}

/// A set of rule numbers, one bit each.
#[derive(Clone, Debug, Default)]
struct RuleSet(Vec<u64>);

impl RuleSet {
    const WORD: usize = u64::BITS as usize;

    fn insert(&mut self, rule: usize) {
        let word = rule / Self::WORD;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (rule % Self::WORD);
    }
}

/// The positions of the 1 bits in a word, from the lowest.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let lowest = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(lowest)
    }
}
