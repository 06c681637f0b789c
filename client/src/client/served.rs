//! What a server makes of members that it is too old for.

use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::convert::{Loss, PRESERVE_ZERO_ANNOTATION};
use crate::meta::Info;

/// What a server knows beyond the members that its oldest served version has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// Lending and borrowing, from 1.26 on.
    pub(crate) lending: bool,
    /// The stanza `exempt`, from 1.28 on.
    pub(crate) exempt: bool,
    /// Levels with zero shares, and the annotation for them in v1beta3, from 1.29 on.
    pub(crate) zero_shares: bool,
}

impl Abilities {
    pub(crate) const ALL: Self = Self {
        lending: true,
        exempt: true,
        zero_shares: true,
    };

    /// By the release, if it is known, else by the versions that are served.
    pub(crate) fn of(release: Option<&Info>, served: &[&str]) -> Self {
        let minor = release.and_then(minor).unwrap_or_else(|| {
            // The oldest release that serves these versions.
            let serves = |version| served.contains(&version);
            if serves("v1") {
                29
            } else if serves("v1beta3") {
                26
            } else {
                25
            }
        });
        Self {
            lending: minor >= 26,
            exempt: minor >= 28,
            zero_shares: minor >= 29,
        }
    }
}

/// The 29 of `1.29`; some vendors write `29+`.
fn minor(info: &Info) -> Option<u32> {
    if info.major.trim() != "1" {
        return None;
    }
    let digits = info
        .minor
        .trim()
        .split(|c: char| !c.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

/// What a server would drop or take for something else, although the version on the wire can say it.
pub trait Lacks {
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn lacking(&self, abilities: Abilities, wire: &'static str) -> Vec<Loss>;
}

macro_rules! flow_schemas_lack_nothing {
    ($($module:ident)*) => {$(
        #[allow(private_interfaces)]
        impl Lacks for $module::FlowSchema {
            fn lacking(&self, _: Abilities, _: &'static str) -> Vec<Loss> {
                Vec::new()
            }
        }
    )*};
}
flow_schemas_lack_nothing!(v1 v1beta3 v1beta2 v1beta1);

#[allow(private_interfaces)]
impl Lacks for v1::PriorityLevelConfiguration {
    fn lacking(&self, abilities: Abilities, wire: &'static str) -> Vec<Loss> {
        let mut losses = modern(&self.spec, abilities);
        let limited = self.spec.limited.as_ref();
        // Older versions than v1beta3 cannot say it at all, which conversion reports.
        if wire == "v1beta3"
            && !abilities.zero_shares
            && limited.is_some_and(|limited| limited.nominal_concurrency_shares == Some(0))
        {
            losses.push(no_zero());
        }
        losses
    }
}

#[allow(private_interfaces)]
impl Lacks for v1beta3::PriorityLevelConfiguration {
    fn lacking(&self, abilities: Abilities, wire: &'static str) -> Vec<Loss> {
        let mut losses = modern(&self.spec, abilities);
        let limited = self.spec.limited.as_ref();
        if wire == "v1beta3"
            && !abilities.zero_shares
            && self
                .metadata
                .annotations
                .contains_key(PRESERVE_ZERO_ANNOTATION)
            && limited.is_some_and(|limited| limited.nominal_concurrency_shares.unwrap_or(0) == 0)
        {
            losses.push(no_zero());
        }
        losses
    }
}

#[allow(private_interfaces)]
impl Lacks for v1beta2::PriorityLevelConfiguration {
    fn lacking(&self, abilities: Abilities, wire: &'static str) -> Vec<Loss> {
        let mut losses = Vec::new();
        if let Some(limited) = &self.spec.limited {
            lending(
                limited.lendable_percent,
                limited.borrowing_limit_percent,
                abilities,
                &mut losses,
            );
            losses.extend(doubtful_zero(
                limited.assured_concurrency_shares,
                abilities,
                wire,
            ));
        }
        exempt(self.spec.exempt.as_ref(), abilities, &mut losses);
        losses
    }
}

#[allow(private_interfaces)]
impl Lacks for v1beta1::PriorityLevelConfiguration {
    fn lacking(&self, abilities: Abilities, wire: &'static str) -> Vec<Loss> {
        let limited = self.spec.limited.as_ref();
        let shares = limited.and_then(|limited| limited.assured_concurrency_shares);
        doubtful_zero(shares, abilities, wire).into_iter().collect()
    }
}

fn modern(spec: &v1::PriorityLevelConfigurationSpec, abilities: Abilities) -> Vec<Loss> {
    let mut losses = Vec::new();
    if let Some(limited) = &spec.limited {
        lending(
            limited.lendable_percent,
            limited.borrowing_limit_percent,
            abilities,
            &mut losses,
        );
    }
    exempt(spec.exempt.as_ref(), abilities, &mut losses);
    losses
}

fn lending(
    lendable: Option<i32>,
    borrowing: Option<i32>,
    abilities: Abilities,
    losses: &mut Vec<Loss>,
) {
    if abilities.lending {
        return;
    }
    let mut lose = |name| {
        losses.push(Loss::new(
            format!("spec.limited.{name}"),
            "a server before 1.26 drops it",
        ));
    };
    if lendable.unwrap_or(0) != 0 {
        lose("lendablePercent");
    }
    if borrowing.is_some() {
        lose("borrowingLimitPercent");
    }
}

fn exempt(
    exempt: Option<&v1::ExemptPriorityLevelConfiguration>,
    abilities: Abilities,
    losses: &mut Vec<Loss>,
) {
    let Some(exempt) = exempt.filter(|_| !abilities.exempt) else {
        return;
    };
    let counts = |value: Option<i32>| value.unwrap_or(0) != 0;
    if counts(exempt.nominal_concurrency_shares) || counts(exempt.lendable_percent) {
        losses.push(Loss::new("spec.exempt", "a server before 1.28 drops it"));
    }
}

fn no_zero() -> Loss {
    Loss::new(
        "spec.limited.nominalConcurrencyShares",
        "a server before 1.29 knows no zero and takes it for 30",
    )
}

/// A zero in an old version means 30. But a level that was read from a newer server may show a real zero, and
/// writing that back would make it 30.
fn doubtful_zero(shares: Option<i32>, abilities: Abilities, wire: &str) -> Option<Loss> {
    let is_new = !matches!(wire, "v1beta1" | "v1beta2");
    (shares == Some(0) && is_new && abilities.zero_shares).then(|| {
        let why = "0 means 30 in this version, but the server's own level may really have 0; say 30 or leave it out";
        Loss::new("spec.limited.assuredConcurrencyShares", why)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(minor: &str) -> Info {
        Info {
            major: "1".into(),
            minor: minor.into(),
            ..Info::default()
        }
    }

    #[test]
    fn abilities() {
        let served = &["v1beta3", "v1beta2"][..];
        assert!(!Abilities::of(Some(&info("27")), served).exempt);
        assert!(Abilities::of(Some(&info("28+")), served).exempt);
        assert!(!Abilities::of(Some(&info("28")), served).zero_shares);
        assert_eq!(Abilities::of(Some(&info("36")), &["v1"]), Abilities::ALL);
        assert_eq!(Abilities::of(None, &["v1", "v1beta3"]), Abilities::ALL);
        assert_eq!(
            Abilities::of(None, &["v1beta2", "v1beta1"]),
            Abilities {
                lending: false,
                exempt: false,
                zero_shares: false
            }
        );
        assert!(Abilities::of(Some(&info("")), served).lending);
    }
}
