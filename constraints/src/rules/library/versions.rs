//! Semantic versions, as `github.com/blang/semver` reads them.

use super::{
    Answer, BOOL_TYPE, Overload, STRING_TYPE, argument, boolean, fails, integer, overloads, text,
    value,
};
use cel::ExecutionError;
use cel::common::types::CelBool;
use cel::common::value::CowVal;
use k8s_flowcontrol_text::go::{parse_uint, quote};
use std::cmp::Ordering;

value!(
    /// A version.
    Semver(Version), SEMVER, "kubernetes.Semver"
);

/// A version. Its build does not count in comparisons, and is not kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Version {
    /// Major, minor and patch.
    numbers: [u64; 3],
    before: Vec<Part>,
}

/// A part of a version before a release. Numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

pub(super) static OVERLOADS: &[Overload] = overloads! {
    functions:
    "semver"(STRING_TYPE) => semver,
    "semver"(STRING_TYPE, BOOL_TYPE) => semver,
    "isSemver"(STRING_TYPE) => is_semver,
    "isSemver"(STRING_TYPE, BOOL_TYPE) => is_semver,
    methods:
    "isGreaterThan"(SEMVER, SEMVER) => |args| boolean(compared(&args)? == Ordering::Greater),
    "isLessThan"(SEMVER, SEMVER) => |args| boolean(compared(&args)? == Ordering::Less),
    "compareTo"(SEMVER, SEMVER) => |args| integer(compared(&args)? as i64),
    "major"(SEMVER) => |args| number(&args, 0),
    "minor"(SEMVER) => |args| number(&args, 1),
    "patch"(SEMVER) => |args| number(&args, 2),
};

fn semver<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    Ok(CowVal::owned(Semver(read(&args)?.map_err(fails)?)))
}

fn is_semver<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    boolean(read(&args)?.is_ok())
}

fn compared(args: &[CowVal<'_, '_>]) -> Result<Ordering, ExecutionError> {
    let (left, right) = (
        &argument::<Semver>(args, 0)?.0,
        &argument::<Semver>(args, 1)?.0,
    );
    let numbers = left.numbers.cmp(&right.numbers);
    // A version before a release is less than the release.
    let is_release = left.before.is_empty().cmp(&right.before.is_empty());
    Ok(numbers
        .then(is_release)
        .then_with(|| left.before.cmp(&right.before)))
}

fn number<'b, 'v>(args: &[CowVal<'_, '_>], index: usize) -> Answer<'b, 'v> {
    // Go converts the bits.
    integer(argument::<Semver>(args, 0)?.0.numbers[index] as i64)
}

/// The version of the first argument, made regular before if the second one is true.
fn read(args: &[CowVal<'_, '_>]) -> Result<Result<Version, String>, ExecutionError> {
    let raw = text(args, 0)?;
    let second = args
        .get(1)
        .and_then(|value| value.as_ref().downcast_ref::<CelBool>());
    Ok(match second.is_some_and(|flag| *flag.inner()) {
        true => regular(raw).and_then(|raw| parse(&raw)),
        false => parse(raw),
    })
}

/// A version without `v` and leading zeros, with all three numbers.
fn regular(raw: &str) -> Result<String, String> {
    let raw = raw.strip_prefix('v').unwrap_or(raw);
    let without_zeros = |part: &str| {
        let rest = part.trim_start_matches('0');
        match rest.starts_with(|first: char| first.is_ascii_digit()) {
            _ if part.len() < 2 => part.to_owned(),
            true => rest.to_owned(),
            false => format!("0{rest}"),
        }
    };
    let mut parts: Vec<String> = raw.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err("short version cannot contain PreRelease/Build meta data".to_owned());
    }
    parts.resize(3, "0".to_owned());
    Ok(parts.join("."))
}

fn parse(raw: &str) -> Result<Version, String> {
    if raw.is_empty() {
        return Err("Version string empty".to_owned());
    }
    let parts: Vec<&str> = raw.splitn(3, '.').collect();
    let &[major, minor, rest] = parts.as_slice() else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let (rest, build) = match rest.split_once('+') {
        Some((rest, build)) => (rest, Some(build)),
        None => (rest, None),
    };
    let (patch, before) = match rest.split_once('-') {
        Some((patch, before)) => (patch, Some(before)),
        None => (rest, None),
    };
    let numbers = [
        numeric(major, "major", "Major")?,
        numeric(minor, "minor", "Minor")?,
        numeric(patch, "patch", "Patch")?,
    ];
    let before = before.map(|before| before.split('.').map(part).collect());
    for meta in build.into_iter().flat_map(|build| build.split('.')) {
        if meta.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if !is_word(meta) {
            return Err(format!(
                "Invalid character(s) found in build meta data {}",
                quote(meta)
            ));
        }
    }
    Ok(Version {
        numbers,
        before: before.transpose()?.unwrap_or_default(),
    })
}

fn numeric(digits: &str, small: &str, large: &str) -> Result<u64, String> {
    if !is_digits(digits) {
        return Err(format!(
            "Invalid character(s) found in {small} number {}",
            quote(digits)
        ));
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return Err(format!(
            "{large} number must not contain leading zeroes {}",
            quote(digits)
        ));
    }
    parse_uint(digits)
}

fn part(text: &str) -> Result<Part, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if is_digits(text) {
        if text.len() > 1 && text.starts_with('0') {
            let words = "Numeric PreRelease version must not contain leading zeroes";
            return Err(format!("{words} {}", quote(text)));
        }
        return parse_uint(text).map(Part::Number);
    }
    match is_word(text) {
        true => Ok(Part::Word(text.to_owned())),
        false => Err(format!(
            "Invalid character(s) found in prerelease {}",
            quote(text)
        )),
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
