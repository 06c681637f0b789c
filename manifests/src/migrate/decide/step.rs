//! Converting one object to the target version, with the obstacles on the way.

use super::server_view::{differences, held, release_for};
use crate::migrate::findings::Rule;
use crate::migrate::read::SHARES;
use crate::migrate::remedy::Remedy;
use crate::migrate::settings::{ForeignFieldPolicy, Settings};
use k8s_flowcontrol_types::ApiVersion;
use k8s_flowcontrol_types::Kind;
use k8s_flowcontrol_types::convert::{Loss, Lossy, PRESERVE_ZERO_ANNOTATION, shape_tree};
use k8s_flowcontrol_types::kind::VersionedKind;
use serde_json::Value;

/// A reason that prevents a migration.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::migrate) struct Obstacle {
    pub(in crate::migrate) rule: Rule,
    /// The field path in the old version.
    pub(in crate::migrate) path: String,
    pub(in crate::migrate) message: String,
    pub(in crate::migrate) help: Remedy,
}

/// The result of a conversion.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct Step {
    pub(in crate::migrate) after: Value,
    pub(in crate::migrate) obstacles: Vec<Obstacle>,
    /// The losses that the settings accept.
    pub(in crate::migrate) accepted: Vec<Obstacle>,
    /// The content in a server before and after.
    pub(in crate::migrate) held: (Value, Value),
}

/// Converts an object from its version to the target version.
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
    let mut resolved = before.clone();
    let mut expected = held_before.clone();
    if kind == Kind::PriorityLevelConfiguration
        && let Some(foreign) = Foreign::of(before, from)
    {
        match foreign.resolve(&mut resolved, &held_before, settings.foreign_fields) {
            Ok(()) if settings.foreign_fields == Some(ForeignFieldPolicy::File) => {
                expected = held(&resolved, kind, from, old_release);
            }
            Ok(()) => {}
            Err(obstacle) => obstacles.push(*obstacle),
        }
    }
    let rules = settings.release.unwrap_or_default();
    let converted = shape_tree(resolved.clone(), VersionedKind::new(kind, from, rules), to);
    let (mut after, mut losses) = Lossy::parts(converted);
    if let Some(policy) = settings.foreign_fields {
        // Fields that only the target version has: the file intends them, and servers ignore them now.
        losses.retain(|loss| !loss.takes_effect);
        if policy == ForeignFieldPolicy::Live {
            remove_ineffective(&mut after, &held_before, from);
        } else {
            expected = held(&after, kind, to, new_release);
        }
    }
    let held_after = held(&after, kind, to, new_release);
    let known: Vec<_> = obstacles.iter().map(|o| o.path.clone()).collect();
    let unknown = losses.iter().filter(|loss| !known.contains(&loss.path));
    obstacles.extend(unknown.map(|loss| lost(loss, to)));
    if obstacles.is_empty() {
        let found = differences(&expected, &held_after).into_iter();
        obstacles.extend(found.map(|found| Obstacle {
            rule: Rule::Loss,
            message: format!(
                "a server has {} before ({from}, Kubernetes {old_release}) and {} after ({to}, Kubernetes {new_release})",
                found.before, found.after
            ),
            path: found.path,
            help: both_mean_the_same(),
        }));
    }
    let is_accepted = |obstacle: &Obstacle| settings.allow_loss && obstacle.rule == Rule::Loss;
    let (accepted, obstacles) = obstacles.into_iter().partition(is_accepted);
    Step {
        after,
        obstacles,
        accepted,
        held: (held_before, held_after),
    }
}

fn both_mean_the_same() -> Remedy {
    Remedy::AcceptLoss {
        instead: "change the file so that both versions mean the same".to_owned(),
        effect: None,
    }
}

fn lost(loss: &Loss, to: ApiVersion) -> Obstacle {
    let help = if loss.takes_effect {
        Remedy::ForeignField {
            instead: None,
            live: "removes the field, which has no effect now".to_owned(),
            file: Some(format!("keeps it, and it takes effect in {to}")),
        }
    } else if SHARES.iter().any(|name| loss.path.ends_with(name)) {
        Remedy::AcceptLoss {
            instead: "give the level at least 1 share, keep a version with zero shares".to_owned(),
            effect: Some(format!("the file then has 0, which means 30 in {to}")),
        }
    } else if loss.path.contains(PRESERVE_ZERO_ANNOTATION) {
        Remedy::AcceptLoss {
            instead: "remove the annotation from the file".to_owned(),
            effect: Some("it is then removed".to_owned()),
        }
    } else {
        both_mean_the_same()
    };
    Obstacle {
        rule: Rule::Loss,
        path: loss.path.clone(),
        message: loss.why.clone(),
        help,
    }
}

/// Removes the fields that had no effect before.
fn remove_ineffective(after: &mut Value, held_before: &Value, from: ApiVersion) {
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

/// Resolves the shares that a level has under the field name of another version, which servers drop: as in a migration, they get the
/// name of their version or are removed where the servers use the same number.
///
/// Returns the loss of other shares, which stay as they are.
///
/// ```
/// use k8s_flowcontrol_manifests::foreign_shares;
/// use k8s_flowcontrol_types::{ApiVersion, Kind, Release, kind::VersionedKind};
/// use serde_json::json;
///
/// let kind = VersionedKind::new(Kind::PriorityLevelConfiguration, ApiVersion::V1, Release::NEWEST);
/// let mut level = json!({"spec": {"type": "Limited", "limited": {"assuredConcurrencyShares": 9}}});
/// let loss = foreign_shares(&mut level, kind).unwrap();
/// assert_eq!(loss.path, "spec.limited.assuredConcurrencyShares");
/// assert!(loss.why.ends_with("the level has 30 shares (the default), not 9"));
/// ```
pub fn foreign_shares(object: &mut Value, kind: VersionedKind) -> Option<Loss> {
    let version = kind.version;
    if kind.kind != Kind::PriorityLevelConfiguration {
        return None;
    }
    let before = object.clone();
    let foreign = Foreign::of(&before, version)?;
    let release = release_for(version, Some(kind.release));
    let held = held(&before, kind.kind, version, release);
    let obstacle = foreign.resolve(object, &held, None).err()?;
    Some(Loss::new(obstacle.path, obstacle.message))
}

/// Shares under the field name of another version.
struct Foreign<'a> {
    version: ApiVersion,
    own: &'static str,
    name: &'static str,
    value: &'a Value,
    /// The value under the right field name.
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

    /// Keeps only the right field name.
    fn resolve(
        &self,
        level: &mut Value,
        held: &Value,
        policy: Option<ForeignFieldPolicy>,
    ) -> Result<(), Box<Obstacle>> {
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
        let shares = match (own_value, policy, meant) {
            (Some(_), policy, _) if agree || policy.is_some() => None,
            (None, _, _) if value.is_null() => None,
            (None, Some(ForeignFieldPolicy::Live), _) => Some(running),
            (None, _, Some(meant)) if agree || policy.is_some() => Some(Value::from(meant)),
            (own_value, ..) => {
                let source = own_value.map_or("the default".to_owned(), |_| format!("from {own}"));
                let writes = |what: &str, shares: &dyn std::fmt::Display| {
                    format!("writes the {what} value, {own}: {shares}")
                };
                let help = match own_value {
                    Some(_) => Remedy::ForeignField {
                        instead: Some("remove one of them from the file".to_owned()),
                        live: format!("removes {name}"),
                        file: Some(format!("removes {name}")),
                    },
                    None => Remedy::ForeignField {
                        instead: None,
                        live: writes("current", &running),
                        file: meant.map(|meant| writes("intended", &meant)),
                    },
                };
                return Err(Box::new(Obstacle {
                    rule: Rule::ForeignField,
                    path: format!("spec.limited.{name}"),
                    message: format!(
                        "{name} is not a field of {version}: servers drop it, and the level has {running} shares ({source}), not {value}"
                    ),
                    help,
                }));
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
