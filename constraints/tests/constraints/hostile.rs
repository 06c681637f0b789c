//! Schemas and rules that were made to do harm.

use k8s_flowcontrol_constraints::{Definitions, Schema, uncheckable};
use serde_json::{Value, json};

/// Rules that nest or repeat one operator, in the sizes of the limits and far above them. The parser needs much stack for each.
#[test]
fn deep_and_long_rules_do_not_overflow_the_stack() {
    for count in [50, 79, 300, 4000, 100_000] {
        let rules = [
            format!("{}true{}", "(".repeat(count), ")".repeat(count)),
            format!("{}true{}", "!(".repeat(count), ")".repeat(count)),
            format!("{}{}", "[".repeat(count), "]".repeat(count)),
            format!("{}1{}", "{1:".repeat(count), "}".repeat(count)),
            format!("{}true", "!".repeat(count)),
            vec!["1"; count].join("+"),
            vec!["1"; count].join("=="),
            vec!["true"; count].join("||"),
            format!("self{}", ".a".repeat(count)),
            format!("self{}", "[0]".repeat(count)),
            format!("self{}", ".size()".repeat(count)),
            format!("{}1", "true?1:".repeat(count)),
        ];
        let rules: Vec<Value> = rules.iter().map(|rule| json!({ "rule": rule })).collect();
        let schema =
            Schema::new(&json!({ "type": "object", "x-kubernetes-validations": rules })).unwrap();
        // Each rule ends in an error, or is not checked.
        let outcome = schema.validate(&json!({}));
        assert!(
            outcome.violations.len() + outcome.not_checked.len() >= 5,
            "{count}: {outcome:?}"
        );
    }
}

#[test]
fn rules_that_are_no_rules_are_reported() {
    let rules = [
        "(",
        "a b c",
        "'\\q'",
        "\0",
        "has(1)",
        "has(self)",
        "\"abc",
        "0x",
        "1e999 > 1.0",
        "99999999999999999999",
        "self.`a`",
        "self.a.map(x)",
        "\u{202e}self",
        "self..a",
        "self.all(x)",
        "/* */ true",
        "self.a >",
    ];
    for rule in rules {
        let schema = json!({ "type": "object", "x-kubernetes-validations": [{ "rule": rule }] });
        let outcome = Schema::new(&schema).unwrap().validate(&json!({ "a": 1 }));
        assert!(!outcome.is_valid(), "{rule}");
    }
    assert!(
        uncheckable(&["("])[0]
            .as_ref()
            .unwrap()
            .starts_with("it cannot be parsed: ")
    );
}

#[test]
fn a_rule_that_is_not_a_boolean_is_reported() {
    let schema = json!({ "type": "object", "x-kubernetes-validations": [{ "rule": "1 + 1" }] });
    let outcome = Schema::new(&schema).unwrap().validate(&json!({}));
    assert_eq!(outcome.not_checked[0].reason, "its value is not a boolean");
}

#[test]
fn definitions_that_apply_themselves_to_their_own_value_are_errors() {
    for word in ["allOf", "anyOf", "oneOf"] {
        let direct = json!({ "A": { word: [{ "$ref": "#/$defs/A" }] } });
        let around = json!({
            "A": { word: [{ "type": "object" }, { "not": { "$ref": "#/$defs/B" } }] },
            "B": { "$ref": "#/$defs/C" },
            "C": { word: [{ word: [{ "$ref": "#/$defs/A" }] }] },
            "D": { "$ref": "#/$defs/A" },
        });
        for definitions in [direct, around] {
            let error = Definitions::new(&definitions).unwrap_err().to_string();
            assert!(
                error.ends_with("the definition `A` refers to itself"),
                "{error}"
            );
        }
    }
    // With a value between there is an end.
    let tree = json!({ "A": { "allOf": [{ "properties": { "a": { "$ref": "#/$defs/A" } } }], "type": "object" } });
    let tree = Definitions::new(&tree).unwrap();
    assert!(
        tree.validate("A", &json!({ "a": { "a": {} } }))
            .unwrap()
            .is_valid()
    );
    let outcome = tree.validate("A", &json!({ "a": { "a": 1 } })).unwrap();
    assert_eq!(outcome.violations[0].field, "a.a", "{outcome:?}");
}

#[test]
fn defaults_without_an_end_are_reported() {
    // A definition in itself, and definitions with the next one twice.
    let endless = json!({ "A": { "type": "object", "default": {}, "properties": { "a": { "$ref": "#/$defs/A" } } } });
    let mut doubling = serde_json::Map::new();
    for number in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/A{}", (number + 1) % 60) });
        let name = if number == 0 {
            "A".to_owned()
        } else {
            format!("A{number}")
        };
        let properties = if number == 59 {
            json!({})
        } else {
            json!({ "a": next, "b": next })
        };
        doubling.insert(
            name,
            json!({ "type": "object", "default": {}, "properties": properties }),
        );
    }
    for definitions in [endless, Value::Object(doubling)] {
        let definitions = Definitions::new(&definitions).unwrap();
        let outcome = definitions.validate("A", &json!({})).unwrap();
        let reason = &outcome.not_checked[0].reason;
        assert!(
            reason.starts_with("the defaults of the schema make more than"),
            "{reason}"
        );
    }
}

/// Long sets are compared in a time that grows as they do.
#[test]
fn long_sets_are_compared_by_their_keys() {
    let set =
        json!({ "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } });
    let schema = json!({
        "type": "object",
        "properties": { "a": set, "b": set },
        "x-kubernetes-validations": [{ "rule": "self.a == self.b && size(self.a + self.b) == size(self.a)" }],
    });
    let names: Vec<String> = (0..100_000)
        .map(|number| format!("name-{number}"))
        .collect();
    let reversed: Vec<&String> = names.iter().rev().collect();
    let outcome = Schema::new(&schema)
        .unwrap()
        .validate(&json!({ "a": names, "b": reversed }));
    assert!(outcome.is_valid(), "{outcome:?}");
}

/// Each function gets each text: the outcome is a violation or a rule that is not checked, and no function panics.
#[test]
fn functions_read_any_text() {
    let functions = [
        "quantity(self).add(quantity(self)).sub(quantity(self)).compareTo(quantity(self)) == 0",
        "isQuantity(self)",
        "quantity(self).asApproximateFloat() > 0.0 && sign(quantity(self)) == 1 && quantity(self).asInteger() > 0",
        "ip(self) == ip(self) && isIP(self)",
        "ip.isCanonical(self)",
        "cidr(self).masked() == cidr(self) && isCIDR(self)",
        "cidr('::/0').containsIP(self)",
        "cidr('0.0.0.0/0').containsCIDR(self)",
        "url(self).getQuery() == {} && url(self).getHostname() == url(self).getEscapedPath()",
        "isURL(self) && url(self).getPort() == ''",
        "semver(self, true).major() == 1",
        "isSemver(self) && semver(self).compareTo(semver(self)) == 0",
        "duration(self) == duration('1s')",
        "timestamp(self) == timestamp(self)",
        "int(self) == 1 || double(self) == 1.0 || uint(self) == 1u",
        "bytes(self) == b'a' || bool(self)",
        "self.matches(self) && self.find(self) == self && 'a'.matches(self)",
        "self.matches('^(a|a)*$') && self.findAll('[0-9]').size() == 1",
        "self.split('').size() == 1 && self.replace('1', '22') == '' && self.reverse() == ''",
        "self.lowerAscii().upperAscii().trim() == '' && strings.quote(self) == ''",
        "self.indexOf('b') == 1 && self.lastIndexOf('b') == 1 && self.substring(1) == self.charAt(1)",
        "format.named(self).hasValue() || '%s'.format([self]) == self.format([])",
        "format.dns1123Label().validate(self).hasValue() && format.dns1123Subdomain().validate(self).hasValue()",
        "format.qualifiedName().validate(self).hasValue() && format.labelValue().validate(self).hasValue()",
        "format.uri().validate(self).hasValue() && format.uuid().validate(self).hasValue()",
        "format.byte().validate(self).hasValue() && format.date().validate(self).hasValue() && format.datetime().validate(self).hasValue()",
    ];
    assert_eq!(uncheckable(&functions), vec![None; functions.len()]);
    let rules: Vec<Value> = functions
        .iter()
        .map(|rule| json!({ "rule": rule }))
        .collect();
    let schema = json!({ "type": "string", "x-kubernetes-validations": rules });
    let schema = Schema::new(&json!({ "type": "object", "properties": { "a": schema } })).unwrap();
    let repeated = [
        "1", "-", ".", "1.", "1:", ":", "é", "\0", "%", "%41", "1Ei", "1s", "a.", "-a", "a/",
        "a=b&", "AAAA", "=", "(", "\\", "[", " ",
    ];
    let starts = [
        "",
        "1e",
        "1e-",
        "0.",
        "1.2.3-",
        "1.2.3+",
        "1.2.3.4/",
        "::1%",
        "http://[",
        "http://a/?",
        "2021-01-01T00:00:00.",
    ];
    let short = [
        "+",
        "e",
        "1e9999",
        "1e-9999",
        "-9223372036854775808",
        "170141183460469231731687303715884105728Ei",
        "::ffff:1.2.3.4",
        "::1%é",
        "1é.",
        "2021-01-01T00:00:60Z",
        "+10000-01-01T00:00:00Z",
        "http://%41é",
        "http://[é]:é",
        "//é@%",
        "a{1000}{1000}",
        "[[:alpha:]",
        "\\pN{",
        "𝟙",
        "１",
        "\u{202e}",
    ];
    let long = |start: &&str| repeated.map(|part| format!("{start}{}", part.repeat(300)));
    let starts = match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => &starts[..],
        None => &starts[..1],
    };
    let texts = starts.iter().flat_map(long).chain(short.map(str::to_owned));
    for text in texts {
        let outcome = schema.validate(&json!({ "a": text }));
        assert!(!outcome.is_valid());
    }
}

/// A value in many others.
fn nested(levels: usize, mut value: Value, outer: impl Fn(Value) -> Value) -> Value {
    for _ in 0..levels {
        value = outer(value);
    }
    value
}

/// Takes a deep value apart, which overflows the stack when it is dropped as a whole.
fn dismantle(value: Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => open.extend(fields.into_iter().map(|(_, value)| value)),
            Value::Array(elements) => open.extend(elements),
            _ => {}
        }
    }
}

#[test]
fn deep_values_do_not_overflow_the_stack() {
    let branch = |value| Value::Object([("not".to_owned(), value)].into_iter().collect());
    let field = |value| Value::Object([("a".to_owned(), value)].into_iter().collect());
    let element = |value| Value::Array(vec![value]);
    let tree = json!({
        "properties": { "a": { "$ref": "#/$defs/A" } },
        "items": { "$ref": "#/$defs/A" },
        "x-kubernetes-validations": [{ "rule": "self == self && (oldSelf == oldSelf || true)" }],
    });
    let tree = Definitions::new(&json!({ "A": tree })).unwrap();
    Schema::new(&nested(127, json!({}), branch)).unwrap();
    assert_eq!(
        tree.validate("A", &nested(128, json!(1), field))
            .unwrap()
            .violations,
        []
    );
    let outcome = tree.validate_update(
        "A",
        &nested(128, json!(1), field),
        &nested(128, json!(2), field),
    );
    assert_eq!(outcome.unwrap().violations, []);
    for levels in [129, 100_000] {
        let schema = nested(levels, json!({}), branch);
        let error = Schema::new(&schema).unwrap_err().to_string();
        assert_eq!(error, "the schema: must have at most 128 levels");
        let error = Definitions::new(&schema).unwrap_err().to_string();
        assert_eq!(error, "the schema: must have at most 128 levels");
        dismantle(schema);
        for outer in [&field as &dyn Fn(Value) -> Value, &element] {
            let value = nested(levels, json!(1), outer);
            let outcomes = [
                tree.validate("A", &value),
                tree.validate_update("A", &value, &json!({})),
                tree.validate_update("A", &json!({}), &value),
            ];
            dismantle(value);
            for outcome in outcomes {
                let reason = &outcome.unwrap().not_checked[0].reason;
                assert!(
                    reason.ends_with("object has more than 128 levels"),
                    "{reason}"
                );
            }
        }
    }
}

/// Definitions in branches of each other, for one value and for each of its fields.
#[test]
fn many_definitions_in_branches_do_not_overflow_the_stack() {
    let mut definitions = serde_json::Map::new();
    for number in 0..20_000 {
        let next = json!({ "allOf": [{ "$ref": format!("#/$defs/A{}", number + 1) }] });
        definitions.insert(format!("A{number}"), next);
    }
    definitions.insert("A20000".to_owned(), json!({ "type": "object" }));
    let definitions = Definitions::new(&Value::Object(definitions)).unwrap();
    assert!(
        definitions
            .validate("A19900", &json!({}))
            .unwrap()
            .is_valid()
    );
    assert_eq!(definitions.not_checked("A0"), []);
    let outcome = definitions.validate("A0", &json!({})).unwrap();
    let reason = &outcome.not_checked[0].reason;
    assert_eq!(
        reason,
        "its fields and the branches of the schema have more than 400 levels"
    );
}

/// Each level of branches doubles the number of checks.
#[test]
fn definitions_in_two_branches_of_each_other_come_to_an_end() {
    let mut definitions = serde_json::Map::new();
    for number in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/A{}", number + 1) });
        definitions.insert(format!("A{number}"), json!({ "allOf": [next, next] }));
    }
    definitions.insert("A60".to_owned(), json!({ "maxLength": 3 }));
    let definitions = Definitions::new(&Value::Object(definitions)).unwrap();
    let violations = |name| {
        let outcome = definitions.validate(name, &json!("four")).unwrap();
        assert_eq!(outcome.not_checked, [], "{name}");
        outcome.violations.len()
    };
    assert!(violations("A52") > 0);
    let outcome = definitions.validate("A0", &json!("four")).unwrap();
    let reason = &outcome.not_checked[0].reason;
    assert_eq!(
        reason,
        "the branches of the schema have more than 10000 schemas for each value"
    );
    assert_eq!(definitions.not_checked("A0"), []);
    let outcome = definitions.validate_update("A0", &json!("four"), &json!("five"));
    assert!(!outcome.unwrap().is_valid());
}
