//! Finds the rules that cover or overlap a rule without looking at all of them.
//!
//! A rule is split into combinations of single names and stored under each of them, and each combination keeps its first rule.
//! The functions of `matching` decide about what is found. A rule with very many combinations is always looked at instead.

use k8s_flowcontrol_rules::matching::{
    AUTHENTICATED, Names, NonResourceRule, PolicyRule, ResourceRule, SERVICE_ACCOUNTS, Subject,
    UNAUTHENTICATED, Url,
};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};

/// The maximum number of combinations under which a rule is stored.
const MAX_KEYS: usize = 8192;
/// Stands for every name, as in a rule.
const ANY: &str = "*";
/// Finds everything that is stored.
const ALL: &str = "all *";
/// Stands for requests without a namespace.
const NOWHERE: &str = "without namespace";

/// The hashes of a subject, and of a verb, group, resource and namespace, or of a verb and a path.
type Key = [u64; 5];

/// The first rule under each key. Rules are numbered in the order in which they are added.
#[derive(Default)]
pub(super) struct RuleIndex {
    first: HashMap<Key, usize>,
    /// The rules with too many combinations.
    large: Vec<usize>,
}

impl RuleIndex {
    /// Adds a rule that [`covering`](Self::covering) finds.
    pub(super) fn add_covering(&mut self, number: usize, rule: &PolicyRule) {
        let urls = |url: &Url| vec![hash(&below(url)), hash(&exact(url))];
        self.add(
            number,
            keys(
                rule,
                |one| vec![identity(one)],
                |name| vec![hash(name)],
                urls,
            ),
        );
    }

    /// Adds a rule that [`overlapping`](Self::overlapping) finds.
    pub(super) fn add_overlapping(&mut self, number: usize, rule: &PolicyRule) {
        let names = |name: &str| match name {
            NOWHERE => vec![hash(name)],
            _ => vec![hash(name), hash(ALL)],
        };
        let urls = |url: &Url| {
            let below = below(url);
            let above = ancestors(&below).map(|path| hash(&format!("above {path}")));
            above.chain([hash(&below)]).collect()
        };
        self.add(number, keys(rule, meeting_places, names, urls));
    }

    fn add(&mut self, number: usize, keys: Option<HashSet<Key>>) {
        match keys {
            Some(keys) => {
                for key in keys {
                    self.first.entry(key).or_insert(number);
                }
            }
            None => self.large.push(number),
        }
    }

    /// The numbers of rules that together cover `rule`, if all rules do; `None` if every rule must be looked at.
    pub(super) fn covering(&self, rule: &PolicyRule) -> Option<BTreeSet<usize>> {
        let names = |name: &str| match name {
            NOWHERE => vec![hash(name)],
            _ => vec![hash(ANY), hash(name)],
        };
        let urls = |url: &Url| {
            let below = below(url);
            let above = ancestors(&below).map(hash);
            above.chain([hash(&exact(url))]).collect()
        };
        Some(self.found(&keys(rule, wider, names, urls)?))
    }

    /// The numbers of rules that overlap `rule`, the first one among them; `None` if every rule must be looked at.
    pub(super) fn overlapping(&self, rule: &PolicyRule) -> Option<BTreeSet<usize>> {
        let names = |name: &str| match name {
            ANY => vec![hash(ALL)],
            NOWHERE => vec![hash(name)],
            _ => vec![hash(ANY), hash(name)],
        };
        let urls = |url: &Url| {
            let below = below(url);
            let above = ancestors(&below).map(hash);
            above.chain([hash(&format!("above {below}"))]).collect()
        };
        Some(self.found(&keys(rule, meeting_partners, names, urls)?))
    }

    fn found(&self, keys: &HashSet<Key>) -> BTreeSet<usize> {
        let first = keys.iter().filter_map(|key| self.first.get(key));
        first.chain(&self.large).copied().collect()
    }
}

/// The keys of a rule; `None` if they are too many.
fn keys(
    rule: &PolicyRule,
    subjects: impl Fn(&Subject) -> Vec<u64>,
    names: impl Fn(&str) -> Vec<u64>,
    urls: impl Fn(&Url) -> Vec<u64>,
) -> Option<HashSet<Key>> {
    let all = |list: &Names| -> Vec<u64> {
        match list {
            Names::Any => names(ANY),
            Names::OneOf(list) => list.iter().flat_map(|name| names(name)).collect(),
        }
    };
    let subjects: HashSet<u64> = rule.subjects.iter().flat_map(subjects).collect();
    let mut requests: Vec<[u64; 4]> = Vec::new();
    let mut add = |parts: [Vec<u64>; 4]| {
        let count = parts.iter().map(Vec::len).fold(1, usize::saturating_mul);
        if (requests.len().saturating_add(count)).saturating_mul(subjects.len()) > MAX_KEYS {
            return None;
        }
        let [first, second, third, fourth] = &parts;
        for a in first {
            for b in second {
                for c in third {
                    requests.extend(fourth.iter().map(|d| [*a, *b, *c, *d]));
                }
            }
        }
        Some(())
    };
    for policy in &rule.resource_rules {
        let ResourceRule {
            verbs,
            api_groups,
            resources,
            namespaces,
            cluster_scope,
        } = policy;
        let mut places = all(namespaces);
        if *cluster_scope {
            places.extend(names(NOWHERE));
        }
        add([all(verbs), all(api_groups), all(resources), places])?;
    }
    for NonResourceRule { verbs, urls: paths } in &rule.non_resource_rules {
        let paths = paths.iter().flat_map(&urls).collect();
        add([all(verbs), paths, vec![0], vec![0]])?;
    }
    let pair = |subject: u64| {
        requests
            .iter()
            .map(move |[a, b, c, d]| [subject, *a, *b, *c, *d])
    };
    Some(subjects.into_iter().flat_map(pair).collect())
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The entry of a path itself, which matches the same path.
fn exact(url: &Url) -> String {
    match url {
        Url::Any => "=".to_owned(),
        Url::Path { exact, .. } => format!("={exact}"),
    }
}

/// The path below which a rule matches everything; the empty text for every path.
fn below(url: &Url) -> String {
    match url {
        Url::Any => String::new(),
        Url::Path { below, .. } => below.to_string(),
    }
}

/// A path that ends with a slash, and all such paths above it, up to the empty one.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).map(|end| &path[..end])
}

fn group(name: &str) -> u64 {
    hash(&format!("group {name}"))
}

fn accounts(namespace: &str, name: Option<&str>) -> u64 {
    hash(&format!("account {namespace}:{}", name.unwrap_or(ANY)))
}

fn identity(subject: &Subject) -> u64 {
    match (subject, subject.service_account()) {
        (_, Some((namespace, name))) => accounts(namespace, name),
        (Subject::Everybody, _) => hash(ANY),
        (Subject::User(name), _) => hash(&format!("user {name}")),
        (Subject::Group(name), _) => group(name),
        _ => hash("nobody"),
    }
}

/// The subjects that match every user that this one matches.
fn wider(subject: &Subject) -> Vec<u64> {
    let mut wider = vec![hash(ANY), identity(subject)];
    if *subject == Subject::Everybody {
        wider.extend([AUTHENTICATED, UNAUTHENTICATED].map(group));
        return wider;
    }
    wider.push(group(match subject.is_unauthenticated() {
        true => UNAUTHENTICATED,
        false => AUTHENTICATED,
    }));
    let namespace = match subject {
        Subject::Group(name) => name
            .strip_prefix(SERVICE_ACCOUNTS)
            .and_then(|rest| rest.strip_prefix(':')),
        _ => subject.service_account().map(|(namespace, _)| namespace),
    };
    if let Some(namespace) = namespace {
        wider.push(group(SERVICE_ACCOUNTS));
        wider.push(group(&format!("{SERVICE_ACCOUNTS}:{namespace}")));
    }
    if let Some((namespace, _)) = subject.service_account() {
        wider.push(accounts(namespace, None));
    }
    wider
}

/// Where a subject is found by the subjects with which it shares users, see [`meeting_partners`].
fn meeting_places(subject: &Subject) -> Vec<u64> {
    let side = side(subject);
    let mut places = vec![identity(subject)];
    match subject {
        Subject::Nobody => return Vec::new(),
        Subject::Everybody => places.extend(["authenticated", "anonymous"].map(hash)),
        Subject::Group(_) => places.extend([hash(side), hash(&format!("groups {side}"))]),
        _ => places.push(hash(side)),
    }
    if let Some((namespace, _)) = subject.service_account() {
        places.push(hash(&format!("accounts {namespace}")));
    }
    places
}

fn meeting_partners(subject: &Subject) -> Vec<u64> {
    let side = side(subject);
    let users = [hash(ANY), hash(&format!("groups {side}"))];
    match (subject, subject.service_account()) {
        (Subject::Nobody, _) => Vec::new(),
        (Subject::Everybody, _) => ["authenticated", "anonymous"].map(hash).into(),
        (Subject::Group(_), _) => vec![hash(side)],
        (_, Some((namespace, None))) => {
            let same = hash(&format!("accounts {namespace}"));
            users.into_iter().chain([same]).collect()
        }
        (_, Some((namespace, Some(_)))) => {
            let same = [identity(subject), accounts(namespace, None)];
            users.into_iter().chain(same).collect()
        }
        _ => users.into_iter().chain([identity(subject)]).collect(),
    }
}

fn side(subject: &Subject) -> &'static str {
    match subject.is_unauthenticated() {
        true => "anonymous",
        false => "authenticated",
    }
}
