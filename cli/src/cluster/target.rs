//! Which objects are meant: `KIND`, `KIND NAME…` or `KIND/NAME…`.

use super::live::Live;
use super::tree::name;
use crate::exit::Exit;
use crate::failure::Failure;
use k8s_flowcontrol::Kind;
use serde_json::Value;

/// Which objects are meant.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TargetArgs {
    /// A kind (flowschemas, fs, prioritylevelconfigurations, plc, all) and names, or KIND/NAME; all objects if not given
    #[arg(value_name = "KIND[/NAME] [NAME…]")]
    words: Vec<String>,

    /// Only objects whose labels fit, such as team=a,tier!=x
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub(crate) selector: Option<String>,
}

/// Objects of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    /// None for all of them.
    pub(crate) name: Option<String>,
}

impl TargetArgs {
    /// As if this had been named.
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

    /// Whether nothing was named.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.selector.is_none()
    }

    /// What was named, in that order.
    pub(crate) fn targets(&self) -> Result<Vec<Target>, Failure> {
        let Some((first, names)) = self.words.split_first() else {
            return Ok(every(&Kind::ALL));
        };
        if first.contains('/') {
            return self.words.iter().map(|word| one(word)).collect();
        }
        let mut kinds = Vec::new();
        for word in first.split(',') {
            kinds.extend_from_slice(kinds_named(word)?);
        }
        match (names, kinds.as_slice()) {
            ([], kinds) => Ok(every(kinds)),
            (names, [kind]) => names
                .iter()
                .map(|name| match name.contains('/') {
                    true => Err(Failure::usage(format!(
                        "`{name}` after the kind `{first}`: expected names alone, or KIND/NAME everywhere"
                    ))),
                    false => Ok(Target { kind: *kind, name: Some(name.clone()) }),
                })
                .collect(),
            _ => Err(Failure::usage("names of several kinds at once")
                .hint("write each as KIND/NAME, such as fs/probes plc/exempt")),
        }
    }

    /// The objects, by kind in the order in which they were named.
    pub(crate) async fn find(&self, live: &Live) -> Result<Vec<(Kind, Value)>, Failure> {
        let mut objects = Vec::new();
        for Target { kind, name } in self.targets()? {
            match (name, &self.selector) {
                (Some(_), Some(_)) => {
                    return Err(Failure::usage("names and a selector do not go together"));
                }
                (Some(name), None) => objects.push((kind, find_one(live, kind, &name).await?)),
                (None, selector) => {
                    let found = live.list(kind, selector.as_deref()).await?;
                    objects.extend(found.into_iter().map(|object| (kind, object)));
                }
            }
        }
        Ok(objects)
    }
}

/// An object that must be there; one that is not is met with names that are like it.
async fn find_one(live: &Live, kind: Kind, wanted: &str) -> Result<Value, Failure> {
    let error = match live.get(kind, wanted).await {
        Ok(object) => return Ok(object),
        Err(error) => error,
    };
    let failure = Failure::new(Exit::Cluster, error.to_string());
    if !error.is_not_found() {
        return Err(failure);
    }
    let there = live.list(kind, None).await.unwrap_or_default();
    let mut like: Vec<_> = there
        .iter()
        .map(name)
        .filter(|name| name.contains(wanted) || wanted.contains(name))
        .collect();
    if like.is_empty() {
        like = there.iter().map(name).collect();
    }
    Err(match like.is_empty() {
        true => failure,
        false => failure.hint(format!("there is {}", like.join(", "))),
    })
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
            _ => Err(Failure::usage(format!(
                "`{word}`: `{kind}` is no single kind"
            ))),
        },
        _ => Err(Failure::usage(format!(
            "`{word}` is not of the form KIND/NAME"
        ))),
    }
}

/// The kinds of a word, in kubectl's ways of writing them.
fn kinds_named(word: &str) -> Result<&'static [Kind], Failure> {
    let lower = word.to_ascii_lowercase();
    let bare = lower.split('.').next().unwrap_or_default();
    match bare {
        "flowschemas" | "flowschema" | "fs" => Ok(&[Kind::FlowSchema]),
        "prioritylevelconfigurations" | "prioritylevelconfiguration" | "prioritylevels"
        | "prioritylevel" | "plc" | "pl" => Ok(&[Kind::PriorityLevelConfiguration]),
        "all" => Ok(&Kind::ALL),
        _ => Err(Failure::usage(format!("`{word}` is no kind of flow control")).hint(
            "the kinds are flowschemas (fs), prioritylevelconfigurations (plc), and all for both",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(words: &[&str]) -> Result<Vec<String>, String> {
        let args = TargetArgs {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            selector: None,
        };
        let targets = args.targets().map_err(|failure| failure.to_string())?;
        let text =
            |target: &Target| format!("{}/{}", target.kind, target.name.as_deref().unwrap_or("*"));
        Ok(targets.iter().map(text).collect())
    }

    #[test]
    fn kubectls_ways_of_naming_objects() {
        assert_eq!(
            targets(&[]).unwrap(),
            ["FlowSchema/*", "PriorityLevelConfiguration/*"]
        );
        assert_eq!(targets(&["fs"]).unwrap(), ["FlowSchema/*"]);
        assert_eq!(
            targets(&["FlowSchemas.flowcontrol.apiserver.k8s.io", "a", "b"]).unwrap(),
            ["FlowSchema/a", "FlowSchema/b"]
        );
        assert_eq!(
            targets(&["fs/a", "plc/b"]).unwrap(),
            ["FlowSchema/a", "PriorityLevelConfiguration/b"]
        );
        assert_eq!(
            targets(&["fs,plc"]).unwrap(),
            ["FlowSchema/*", "PriorityLevelConfiguration/*"]
        );
    }

    #[test]
    fn what_names_nothing() {
        for (words, expected) in [
            (&["pods"][..], "`pods` is no kind"),
            (&["fs,plc", "a"], "several kinds"),
            (&["fs", "plc/a"], "names alone"),
            (&["fs/a", "b"], "not of the form"),
            (&["fs/a/b"], "not of the form"),
            (&["all/a"], "no single kind"),
        ] {
            let error = targets(words).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
    }
}
