//! The differences between releases.

use k8s_flowcontrol_types::{Fact, Release};

#[test]
fn every_fact_distinguishes_known_releases() {
    let mut releases: Vec<_> = Release::all().collect();
    releases.extend((0..10).map(|patch| Release::nearest(36).with_patch(patch)));
    for fact in Fact::ALL {
        let having = releases.iter().filter(|release| release.has(*fact));
        assert!((1..releases.len()).contains(&having.count()), "{fact:?}");
    }
}

#[test]
fn a_release_may_name_its_patch() {
    let release = |text: &str| text.parse::<Release>().unwrap();
    let newest = Release::nearest(36);
    assert_eq!((newest.minor(), newest.patch()), (36, 3));
    for (text, shown) in [
        ("1.36", "1.36"),
        ("v1.36.3", "1.36"),
        ("1.36.2", "1.36.2"),
        ("v1.36.0-eks-1234", "1.36.0"),
        ("1.36.99", "1.36"),
        ("v1.29.1", "1.29"),
        ("1.37.0-rc.1", "1.37"),
    ] {
        assert_eq!(release(text).to_string(), shown, "{text}");
    }
    assert!(release("1.36.2") < newest && release("1.35.9") < release("1.36.0"));
}
