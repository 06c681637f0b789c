//! The objects that a command line names: `KIND`, `KIND NAME…` or `KIND/NAME…`.

use super::fields::name;
use super::live::Live;
use crate::failure::Failure;
use crate::similar_name;
use k8s_flowcontrol::{ApiVersion, GROUP, Kind};
use serde_json::Value;

/// The options that select objects.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TargetArgs {
    /// A kind (flowschemas, fs, prioritylevelconfigurations, plc, all) and names, or KIND/NAME
    #[arg(value_name = "KIND[/NAME] [NAME…]")]
    words: Vec<String>,

    /// A label selector, such as team=a,tier!=x
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
}

/// One object, or all objects of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    /// None for all objects of the kind.
    pub(crate) name: Option<String>,
}

impl Target {
    /// A level as a command names it: its name, or with a kind such as `plc/NAME`.
    pub(crate) fn level(word: &str) -> Result<Self, Failure> {
        if !word.contains('/') {
            return Ok(Self {
                kind: Kind::PriorityLevelConfiguration,
                name: Some(word.to_owned()),
            });
        }
        let target = one(word)?;
        match target.kind {
            Kind::PriorityLevelConfiguration => Ok(target),
            Kind::FlowSchema => Err(Failure::usage(format!("`{word}` is not a priority level"))
                .hint("name a priority level, such as plc/workload-low")),
        }
    }
}

impl TargetArgs {
    /// The same as naming this target.
    pub(crate) fn of(target: &Target) -> Self {
        let kind = target.kind.plural();
        let words = match &target.name {
            Some(name) => vec![kind.to_owned(), name.clone()],
            None => vec![kind.to_owned()],
        };
        Self {
            words,
            selector: None,
        }
    }

    /// The label selector. As in kubectl, an empty selector, for example of an unset variable in a script, counts as absent.
    pub(crate) fn selector(&self) -> Option<&str> {
        let selector = self.selector.as_deref().map(str::trim);
        selector.filter(|selector| !selector.is_empty())
    }

    /// Whether no object is named or selected.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.selector().is_none()
    }

    /// Whether objects are named, in contrast to kinds alone.
    pub(crate) fn has_names(&self) -> Result<bool, Failure> {
        let targets = self.targets()?;
        Ok(targets.iter().any(|target| target.name.is_some()))
    }

    /// The targets in the order of the command line.
    pub(crate) fn targets(&self) -> Result<Vec<Target>, Failure> {
        let Some((first, names)) = self.words.split_first() else {
            return Ok(every(Kind::ALL));
        };
        if first.contains('/') {
            return self.words.iter().map(|word| one(word)).collect();
        }
        let mut kinds = Vec::new();
        for word in first.split(',') {
            for kind in kinds_named(word)? {
                if !kinds.contains(kind) {
                    kinds.push(*kind);
                }
            }
        }
        if let Some(name) = names.iter().find(|name| name.contains('/')) {
            return Err(Failure::usage(format!(
                "`{name}` after the kind `{first}`: expected names alone, or KIND/NAME everywhere"
            )));
        }
        if names.is_empty() {
            return Ok(every(&kinds));
        }
        // As in kubectl, names after several kinds are names of each kind.
        let of_kind = |kind| {
            names.iter().map(move |name| Target {
                kind,
                name: Some(name.clone()),
            })
        };
        Ok(kinds.into_iter().flat_map(of_kind).collect())
    }

    /// The objects, in the order of the targets.
    /// Errors: if any of them cannot be read.
    pub(crate) async fn find(&self, live: &Live) -> Result<Vec<(Kind, Value)>, Failure> {
        let (objects, mut missing) = self.find_each(live).await?;
        match missing.is_empty() {
            true => Ok(objects),
            false => Err(missing.swap_remove(0).failure),
        }
    }

    /// The objects, in the order of the targets, and the errors of the others.
    pub(crate) async fn find_each(
        &self,
        live: &Live,
    ) -> Result<(Vec<(Kind, Value)>, Vec<Unfound>), Failure> {
        let mut objects = Vec::new();
        let mut missing = Vec::new();
        for Target { kind, name } in self.targets()? {
            match (name, self.selector()) {
                (Some(_), Some(_)) => {
                    return Err(Failure::usage(
                        "names and a label selector exclude each other",
                    ));
                }
                (Some(name), None) => match find_one(live, kind, &name).await {
                    Ok(object) => objects.push((kind, object)),
                    Err(error) => missing.push(error),
                },
                (None, selector) => {
                    let found = live.list(kind, selector).await;
                    let found = found.map_err(|error| {
                        let is_malformed = selector.is_some() && error.code() == Some(400);
                        let hint = is_malformed.then(|| {
                            "a label selector is like team=a,tier!=web or 'team in (a, b)'"
                                .to_owned()
                        });
                        Failure::from(error).hint_if(hint)
                    })?;
                    objects.extend(found.into_iter().map(|object| (kind, object)));
                }
            }
        }
        Ok((objects, missing))
    }
}

/// The error of reading a named object.
pub(crate) struct Unfound {
    pub(crate) failure: Failure,
    /// Whether the object does not exist.
    pub(crate) is_missing: bool,
}

/// Reads an object. The error for a missing object suggests similar names.
async fn find_one(live: &Live, kind: Kind, wanted: &str) -> Result<Value, Unfound> {
    let error = match live.get(kind, wanted).await {
        Ok(object) => return Ok(object),
        Err(error) => error,
    };
    let failure = Failure::from(&error);
    if !error.is_not_found() {
        return Err(Unfound {
            failure,
            is_missing: false,
        });
    }
    if kinds_named(wanted).is_ok() {
        let hint = format!("`{},{wanted}` names both kinds", short(kind));
        return Err(Unfound {
            failure: failure.hint(hint),
            is_missing: true,
        });
    }
    let existing = live.list(kind, None).await.unwrap_or_default();
    let existing: Vec<_> = existing.iter().map(name).collect();
    Err(Unfound {
        failure: failure.hint_if(similar_name::hint(wanted, &existing)),
        is_missing: true,
    })
}

fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::FlowSchema => "fs",
        Kind::PriorityLevelConfiguration => "plc",
    }
}

fn every(kinds: &[Kind]) -> Vec<Target> {
    let all = kinds.iter().map(|kind| Target {
        kind: *kind,
        name: None,
    });
    all.collect()
}

fn one(word: &str) -> Result<Target, Failure> {
    match word.split_once('/') {
        Some((kind, name)) if !name.is_empty() && !name.contains('/') => match kinds_named(kind)? {
            [kind] => Ok(Target {
                kind: *kind,
                name: Some(name.to_owned()),
            }),
            _ => Err(
                Failure::usage(format!("`{word}`: `{kind}` is not a single kind"))
                    .hint(format!("write fs/{name} or plc/{name}")),
            ),
        },
        _ => Err(
            Failure::usage(format!("`{word}` is not of the form KIND/NAME"))
                .hint("write the kind and the name of one object, such as plc/workload-low"),
        ),
    }
}

/// The kinds that a word means: their names, as in kubectl also with the group, and short names.
pub(crate) fn kinds_named(word: &str) -> Result<&'static [Kind], Failure> {
    let lower = word.to_ascii_lowercase();
    let (bare, group) = lower.split_once('.').unwrap_or((&lower, ""));
    // kubectl takes the beginning of a group for the group.
    let bare = match GROUP.starts_with(group) {
        true => bare,
        false => "",
    };
    if let Some((version, GROUP)) = group.split_once('.')
        && version.parse::<ApiVersion>().is_ok()
    {
        return Err(
            Failure::usage(format!("`{word}` names an API version")).hint(format!(
                "the option `--api-version {version}` selects the version"
            )),
        );
    }
    match bare {
        "flowschemas" | "flowschema" | "fs" => Ok(&[Kind::FlowSchema]),
        "prioritylevelconfigurations"
        | "prioritylevelconfiguration"
        | "prioritylevels"
        | "prioritylevel"
        | "plc"
        | "pl" => Ok(&[Kind::PriorityLevelConfiguration]),
        "all" => Ok(Kind::ALL),
        _ => Err(Failure::usage(format!("unknown kind `{word}`")).hint(format!(
            "the kinds are flowschemas (fs), prioritylevelconfigurations (plc), and all for both; an object with the name `{word}` is \
             fs/{word} or plc/{word}"
        ))),
    }
}
