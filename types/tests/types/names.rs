//! Names of fields, of which a reader compares eight bytes at a time, with the quote and the colon behind them.

use k8s_flowcontrol_types::meta::Unknown;
use k8s_flowcontrol_types::{json, rt};

#[derive(Clone, Debug, Default, PartialEq)]
struct Sample {
    none: Option<i64>,
    one: Option<i64>,
    six: Option<i64>,
    seven: Option<i64>,
    fourteen: Option<i64>,
    fifteen: Option<i64>,
    all: Option<i64>,
    unknown: Unknown,
}

rt::v1::fields! {
    Sample {
        "" => none,
        "t" => one,
        "termin" => six,
        "termina" => seven,
        "terminationGra" => fourteen,
        "terminationGrac" => fifteen,
        "terminationGracePeriodSeconds" => all,
    }
}

/// With quote and colon, less than a word, a word, two words, and one byte more than each.
const NAMES: [&str; 7] = [
    "",
    "t",
    "termin",
    "termina",
    "terminationGra",
    "terminationGrac",
    "terminationGracePeriodSeconds",
];

#[test]
fn a_field_has_its_whole_name_and_no_other() {
    let text = |name: &str| format!(r#"{{"{name}":12345678}}"#);
    let read = |name: &str| json::from_str::<Sample>(&text(name)).unwrap();
    for name in NAMES {
        let sample = read(name);
        assert!(sample.unknown.is_empty(), "{name}");
        assert_eq!(json::to_string(&sample), text(name));
        let spaced = text(name).replace("\":", "\" :");
        assert_eq!(json::from_str::<Sample>(&spaced).unwrap(), sample);
        let replaced = (0..name.len()).map(|at| format!("{}X{}", &name[..at], &name[at + 1..]));
        let shorter = &name[..name.len().saturating_sub(1)];
        let others = replaced.chain([format!("{name}s"), shorter.to_owned()]);
        for other in others.filter(|other| !NAMES.contains(&&**other)) {
            assert!(read(&other).unknown.get(&other).is_some(), "{other}");
        }
    }
}
