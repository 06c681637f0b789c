//! One object on its way to the wanted version: what it becomes, and what is to be said about it.

use super::server_view::{differences, held, release_for};
use crate::migrate::findings::Rule;
use crate::migrate::read::SHARES;
use crate::migrate::settings::{Mend, Settings};
use k8s_flowcontrol::ApiVersion;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::convert::{Loss, Lossy, PRESERVE_ZERO_ANNOTATION, shape_tree};
use k8s_flowcontrol::kind::VersionedKind;
use serde_json::Value;

/// Something that stands in the way of a migration.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::migrate) struct Obstacle {
    pub(in crate::migrate) rule: Rule,
    /// The member, in the terms of the version migrated from.
    pub(in crate::migrate) path: String,
    pub(in crate::migrate) message: String,
    pub(in crate::migrate) help: String,
}

/// What becomes of an object.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct Step {
    pub(in crate::migrate) after: Value,
    pub(in crate::migrate) obstacles: Vec<Obstacle>,
    /// What a server holds before and after.
    pub(in crate::migrate) held: (Value, Value),
}

/// Takes an object from its version to the wanted one.
pub(in crate::migrate) fn step(
    before: &Value,
    kind: Kind,
    from: ApiVersion,
    settings: Settings,
) -> Step {
    let to = settings.to;
    let (old_release, new_release) = (
        release_for(from, settings.release),
        release_for(to, settings.release),
    );
    let mut obstacles = Vec::new();
    let held_before = held(before, kind, from, old_release);
    let mut mended = before.clone();
    let mut expected = held_before.clone();
    if kind == Kind::PriorityLevelConfiguration
        && let Some(foreign) = Foreign::of(before, from)
    {
        match foreign.mend(&mut mended, &held_before, settings.mend) {
            Ok(()) if settings.mend == Some(Mend::File) => {
                expected = held(&mended, kind, from, old_release);
            }
            Ok(()) => {}
            Err(obstacle) => obstacles.push(obstacle),
        }
    }
    let rules = settings.release.unwrap_or_default();
    let converted = shape_tree(mended.clone(), VersionedKind::new(kind, from, rules), to);
    let (mut after, mut losses) = Lossy::parts(converted);
    if let Some(mend) = settings.mend {
        // Members that only the target knows: the file wants them, and what runs has them not.
        losses.retain(|loss| !is_awakened(loss));
        if mend == Mend::Live {
            put_to_sleep(&mut after, &held_before, from);
        } else {
            expected = held(&after, kind, to, new_release);
        }
    }
    obstacles.retain(|obstacle| !(settings.allow_loss && obstacle.rule == Rule::Loss));
    let held_after = held(&after, kind, to, new_release);
    if !settings.allow_loss {
        let known: Vec<_> = obstacles.iter().map(|o| o.path.clone()).collect();
        obstacles.extend(
            losses
                .iter()
                .filter(|loss| !known.contains(&loss.path))
                .map(|loss| lost(loss, to)),
        );
        if obstacles.is_empty() {
            obstacles.extend(differences(&expected, &held_after).into_iter().map(|found| {
                Obstacle {
                    rule: Rule::Loss,
                    message: format!(
                        "a server holds {} before ({from}, Kubernetes {old_release}) and {} after ({to}, Kubernetes {new_release})",
                        found.before, found.after
                    ),
                    path: found.path,
                    help: ALLOW.to_owned(),
                }
            }));
        }
    }
    Step {
        after,
        obstacles,
        held: (held_before, held_after),
    }
}

const ALLOW: &str = "change the file so that both mean the same, or accept it with --allow-loss";

fn lost(loss: &Loss, to: ApiVersion) -> Obstacle {
    let help = if is_awakened(loss) {
        format!(
            "--mend live leaves it out, as it has no effect now; --mend file keeps it, and it takes effect in {to}"
        )
    } else if SHARES.iter().any(|name| loss.path.ends_with(name)) {
        format!(
            "give the level at least 1 share, stay at a version that has zero shares, or accept it with --allow-loss; {to} then has 0 in the file, which runs as 30"
        )
    } else if loss.path.contains(PRESERVE_ZERO_ANNOTATION) {
        "take the annotation out of the file, or let it be removed with --allow-loss".to_owned()
    } else {
        ALLOW.to_owned()
    };
    Obstacle {
        rule: Rule::Loss,
        path: loss.path.clone(),
        message: loss.why.clone(),
        help,
    }
}

/// Whether a loss is a member that had no effect and gets one.
fn is_awakened(loss: &Loss) -> bool {
    loss.takes_effect
}

/// Takes the members away that had no effect before.
fn put_to_sleep(after: &mut Value, held_before: &Value, from: ApiVersion) {
    if from > ApiVersion::V1Beta1 {
        return;
    }
    let limited = after
        .pointer_mut("/spec/limited")
        .and_then(Value::as_object_mut);
    if let Some(limited) = limited {
        for name in ["lendablePercent", "borrowingLimitPercent"] {
            let pointer = format!("/spec/limited/{name}");
            let before = held_before.pointer(&pointer);
            if limited.get(name) != before {
                limited.remove(name);
            }
        }
    }
    if let Some(spec) = after.get_mut("spec").and_then(Value::as_object_mut)
        && spec.get("exempt") != held_before.pointer("/spec/exempt")
    {
        spec.remove("exempt");
    }
}

/// Shares under the name that they have in another version.
struct Foreign<'a> {
    version: ApiVersion,
    own: &'static str,
    name: &'static str,
    value: &'a Value,
    /// What stands under the right name.
    own_value: Option<&'a Value>,
}

impl<'a> Foreign<'a> {
    fn of(level: &'a Value, version: ApiVersion) -> Option<Self> {
        let [assured, nominal] = SHARES;
        let (own, name) = if version < ApiVersion::V1Beta3 {
            (assured, nominal)
        } else {
            (nominal, assured)
        };
        let limited = level.pointer("/spec/limited")?;
        Some(Self {
            version,
            own,
            name,
            value: limited.get(name)?,
            own_value: limited.get(own).filter(|value| !value.is_null()),
        })
    }

    /// Leaves one name, the right one.
    fn mend(&self, level: &mut Value, held: &Value, mend: Option<Mend>) -> Result<(), Obstacle> {
        let Self {
            version,
            own,
            name,
            value,
            own_value,
        } = *self;
        let running = held
            .pointer("/spec/limited/nominalConcurrencyShares")
            .cloned()
            .unwrap_or_default();
        // Up to v1beta2 a zero means the default.
        let meant = match value.as_i64() {
            Some(0) if name == SHARES[0] => Some(30),
            Some(shares) => i32::try_from(shares).ok(),
            None => None,
        };
        let agree = value.is_null() || meant.is_some_and(|meant| running == meant);
        let shares = match (own_value, mend, meant) {
            (Some(_), mend, _) if agree || mend.is_some() => None,
            (None, _, _) if value.is_null() => None,
            (None, Some(Mend::Live), _) => Some(running),
            (None, _, Some(meant)) if agree || mend.is_some() => Some(Value::from(meant)),
            (own_value, ..) => {
                let source = own_value.map_or("the default".to_owned(), |_| format!("from {own}"));
                let help = if own_value.is_some() {
                    format!(
                        "take one of the two out of the file; --mend live or file removes {name}"
                    )
                } else if let Some(meant) = meant {
                    format!(
                        "--mend live writes what runs, {own}: {running}; --mend file writes what the file means, {own}: {meant}"
                    )
                } else {
                    format!("--mend live writes what runs, {own}: {running}")
                };
                return Err(Obstacle {
                    rule: Rule::ForeignField,
                    path: format!("spec.limited.{name}"),
                    message: format!(
                        "{name} is no field of {version}: a server drops it, and the level runs with {running} ({source}), not with {value}"
                    ),
                    help,
                });
            }
        };
        let limited = level
            .pointer_mut("/spec/limited")
            .and_then(Value::as_object_mut);
        if let Some(limited) = limited {
            limited.remove(name);
            if let Some(shares) = shares {
                limited.insert(own.into(), shares);
            }
        }
        Ok(())
    }
}
