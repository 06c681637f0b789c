//! Quantities by the rules of Kubernetes API servers, which write them in their canonical form.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use k8s_flowcontrol_text::quantity::{Amount, QuantityFormat};
use proptest::prelude::*;
use proptest::sample::select;

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

#[test]
fn without_a_digit_only_small_powers_are_zero() {
    for text in ["", ".", "m", "Ti", ".Ki", "e3", "e-9"] {
        assert_eq!(text.parse::<Amount>().is_ok(), !text.is_empty(), "{text}");
    }
    for text in ["Pi", "+Ei", ".Pi", "e-10"] {
        let error = text.parse::<Amount>().unwrap_err();
        let message = error.server_message();
        assert_eq!(message, Some("unable to parse numeric part of quantity"));
        assert!(error.to_string().contains("no digit before"), "{error}");
    }
}

#[test]
fn the_canonical_form_is_that_of_a_server() {
    for (text, canonical) in [
        ("0", "0"),
        ("-0", "0"),
        ("0Ki", "0"),
        ("1.5", "1500m"),
        ("1.5Gi", "1536Mi"),
        ("0.5Gi", "512Mi"),
        ("1000m", "1"),
        ("1000k", "1M"),
        ("1024", "1024"),
        ("1024Mi", "1Gi"),
        ("1000Ki", "1000Ki"),
        ("0.5Ki", "512"),
        ("0.1Ki", "102400m"),
        ("0.0001Ki", "102400u"),
        ("1.1Ki", "1126400m"),
        ("+100.035k", "100035"),
        ("-1.01E", "-1010P"),
        ("1.G", "1G"),
        (".5", "500m"),
        ("m", "0"),
        ("+", "0"),
        (".", "0"),
        ("12e6", "12e6"),
        ("12000E3", "12e6"),
        ("1e-1", "100e-3"),
        ("123e1", "1230"),
        ("1E", "1E"),
        ("1E3", "1e3"),
        ("1e+3", "1e3"),
        ("0.9n", "1n"),
        ("-0.9n", "-1n"),
        ("1.0000000001", "1000000001n"),
        ("1e-9999", "1e-9"),
        ("1.2345", "1234500u"),
        ("18446744073709551616", "18446744073709551616"),
        ("1000E", "1e21"),
        ("7Ei", "7Ei"),
        ("8Ei", "9223372036854775807"),
        ("1000e9999", "1000e9999"),
        ("-9999999Pi", "-9223372036854775807"),
        ("9223372036854775808", "9223372036854775808"),
    ] {
        assert_eq!(amount(text).to_string(), canonical, "{text}");
        assert_eq!(amount(canonical), amount(text), "{text}");
    }
}

#[test]
fn an_error_names_the_place() {
    for (text, offset, error) in [
        (
            "",
            0,
            "an empty text is not a quantity such as `500m` or `2Gi`",
        ),
        ("1.1.M", 3, "unexpected '.' at offset 3"),
        ("1+1.0M", 3, "unexpected '.' at offset 3"),
        ("1 Gi", 1, "unexpected ' ' at offset 1"),
        ("1Gi ", 3, "unexpected ' ' at offset 3"),
        ("1_000", 1, "unexpected '_' at offset 1"),
        ("auto", 0, "unexpected 'a' at offset 0"),
        ("5é", 1, "unexpected 'é' at offset 1"),
        ("10GiB", 4, "unexpected 'B' at offset 4"),
        ("1e5m", 3, "unexpected 'm' at offset 3"),
        ("0.1mi", 3, "unknown suffix `mi` at offset 3"),
        ("1i", 1, "unknown suffix `i` at offset 1"),
        ("1K", 1, "unknown suffix `K` at offset 1"),
        ("1Ki5", 1, "unknown suffix `Ki5` at offset 1"),
        ("1e", 1, "unknown suffix `e` at offset 1"),
        ("-3.01e-", 5, "unknown suffix `e-` at offset 5"),
        (
            "1e10000",
            2,
            "the exponent at offset 2 is not between -9999 and 9999",
        ),
        (
            "1e-99999999999999999999",
            2,
            "the exponent at offset 2 is not between -9999 and 9999",
        ),
    ] {
        let expected = match text.is_empty() {
            true => error.to_owned(),
            false => format!("`{text}` is not a quantity such as `500m` or `2Gi`: {error}"),
        };
        let found = text
            .parse::<Amount>()
            .map_err(|e| (e.to_string(), e.offset()));
        assert_eq!(found, Err((expected, offset)), "{text}");
    }
}

#[test]
fn a_sum_has_the_suffixes_of_the_left_value() {
    for (left, right, sum, difference) in [
        ("1Gi", "1Gi", "2Gi", "0"),
        ("1Gi", "24", "1073741848", "1073741800"),
        ("1", "1Ki", "1025", "-1023"),
        ("0", "1Ki", "1Ki", "-1Ki"),
        ("100m", "1e3", "1000100m", "-999900m"),
        ("8Ei", "8Ei", "18446744073709551614", "0"),
        ("-1", "1n", "-999999999n", "-1000000001n"),
        ("1e9999", "-1e9999", "0", "2e9999"),
    ] {
        let sum_of = amount(left) + amount(right);
        assert_eq!(sum_of.to_string(), sum, "{left} + {right}");
        let difference_of = amount(left) - amount(right);
        assert_eq!(difference_of.to_string(), difference, "{left} - {right}");
    }
    let huge: Amount = std::iter::repeat_n(amount("1Ei"), 1024).sum();
    assert_eq!(huge.to_string(), "1024Ei");
    let bytes = Amount::from(1 << 29).with_format(QuantityFormat::BinarySi);
    assert_eq!(bytes.to_string(), "512Mi");
    assert_eq!(bytes.format(), QuantityFormat::BinarySi);
}

#[test]
fn integers_are_rounded_away_from_zero() {
    for (text, value, milli) in [
        ("1.0001", Some(2), Some(1001)),
        ("-1.0001", Some(-2), Some(-1001)),
        ("1n", Some(1), Some(1)),
        ("9223372036854775807", Some(i64::MAX), None),
        ("-9223372036854775808", Some(i64::MIN), None),
        ("9223372036854775808", None, None),
    ] {
        assert_eq!(amount(text).value(), value, "{text}");
        assert_eq!(amount(text).milli_value(), milli, "{text}");
    }
}

/// Every exponent moves the point by as many places, wherever the digits of a number end.
#[test]
fn exponents_move_the_point() {
    for digits in [
        "1",
        "9",
        "120",
        "999999999",
        "1000000000",
        "123456789012345678901",
    ] {
        for places in 0..40 {
            let zeros = "0".repeat(places);
            assert_eq!(
                amount(&format!("{digits}e{places}")),
                amount(&format!("{digits}{zeros}"))
            );
            let (small, text) = (
                amount(&format!("{digits}e-{places}")),
                format!("{zeros}{digits}"),
            );
            let (whole, fraction) = text.split_at(text.len() - places);
            assert_eq!(
                small,
                amount(&format!("{whole}.{fraction}")),
                "{digits}e-{places}"
            );
        }
    }
}

/// The time grows as the text does, and an exponent costs no more than its digits.
#[test]
fn long_texts_are_read() {
    let long = "9".repeat(1_000_000);
    assert_eq!(
        amount(&long) + amount("1"),
        amount(&format!("1{}", "0".repeat(1_000_000)))
    );
    assert_eq!(
        amount(&format!("0.{}1", "0".repeat(1_000_000))),
        amount("1n")
    );
    assert_eq!(amount(&format!("{long}Ki")), amount("8Ei"));
    assert!(amount(&long).as_f64().is_infinite());
    let sum: Amount = std::iter::repeat_n("1e9999", 1000).map(amount).sum();
    assert_eq!(sum, amount("1000e9999"));
}

/// Suffixes with their nano units.
const SUFFIXES: [(&str, i128); 6] = [
    ("n", 1),
    ("u", 1_000),
    ("m", 1_000_000),
    ("", 1_000_000_000),
    ("k", 1_000_000_000_000),
    ("Ki", 1_024_000_000_000),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arithmetic_is_that_of_integers(left: i64, right: i64, (suffix, unit) in select(&SUFFIXES[..])) {
        let (left, right) = (left >> 16, right >> 16);
        let (l, r) = (i128::from(left) * unit, i128::from(right) * unit);
        let nanos = |nanos: i128| amount(&format!("{nanos}n"));
        let [left, right] = [left, right].map(|value| amount(&format!("{value}{suffix}")));
        prop_assert_eq!(left.clone() + &right, nanos(l + r));
        prop_assert_eq!(left.clone() - &right, nanos(l - r));
        prop_assert_eq!(left.cmp(&right), l.cmp(&r));
        prop_assert_eq!(&amount(&left.to_string()), &left);
    }

    #[test]
    fn no_text_is_a_panic(text in "[-+]?[0-9]{0,40}[.]?[0-9]{0,40}[eEinumkKMGTP]{0,2}[-+]?[0-9]{0,5}", other in ".*") {
        for text in [text, other] {
            if let Ok(amount) = text.parse::<Amount>() {
                let canonical = amount.to_string();
                prop_assert_eq!(canonical.parse::<Amount>(), Ok(amount));
            }
        }
    }
}
