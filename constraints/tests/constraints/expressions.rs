//! Expressions on the values of a schema, with the results that Kubernetes documents and tests.

use k8s_flowcontrol_constraints::{Schema, Validation};
use serde_json::{Value, json};

/// The outcome of one rule of `spec`.
fn outcome(properties: &Value, spec: &Value, rule: &str) -> Validation {
    let schema = json!({
        "type": "object",
        "properties": { "spec": { "type": "object", "properties": properties, "x-kubernetes-validations": [{ "rule": rule }] } },
    });
    Schema::new(&schema)
        .unwrap()
        .validate(&json!({ "spec": spec }))
}

#[track_caller]
pub(crate) fn are_true(properties: &Value, spec: &Value, rules: &[&str]) {
    for rule in rules {
        let outcome = outcome(properties, spec, rule);
        assert!(outcome.is_valid(), "{rule}: {outcome:?}");
    }
}

#[track_caller]
pub(crate) fn fail(properties: &Value, spec: &Value, rules: &[(&str, &str)]) {
    for (rule, words) in rules {
        let outcome = outcome(properties, spec, rule);
        assert_eq!(outcome.not_checked, [], "{rule}");
        let message = &outcome.violations[0].message;
        assert!(message.contains(words), "{rule}: {message}");
    }
}

#[test]
fn strings_are_sequences_of_code_points() {
    let properties =
        json!({ "s": { "type": "string" }, "b": { "type": "string", "format": "byte" } });
    let spec = json!({ "s": "Grüße 🦀!", "b": "w7w=" });
    are_true(
        &properties,
        &spec,
        &[
            "size(self.s) == 8 && self.s.size() == 8 && self.s.charAt(6) == '🦀' && self.s.charAt(8) == ''",
            "self.s.indexOf('e') == 4 && self.s.indexOf('x') == -1 && self.s.indexOf('') == 0 && self.s.lastIndexOf('') == 8",
            "'abcabc'.indexOf('b', 2) == 4 && 'abcabc'.lastIndexOf('b', 3) == 1 && 'abcabc'.indexOf('c', 2) == 2",
            "self.s.substring(6) == '🦀!' && self.s.substring(0, 5) == 'Grüße' && self.s.substring(8) == ''",
            "self.s.replace('ü', 'ue').replace('ß', 'ss', 1) == 'Gruesse 🦀!' && 'aaa'.replace('a', 'b', 2) == 'bba'",
            "'aaa'.replace('a', 'b', 0) == 'aaa' && 'aaa'.replace('a', 'b', -1) == 'bbb' && 'ab'.replace('', '-') == '-a-b-'",
            "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'abc'.split('') == ['a', 'b', 'c']",
            "'a,b'.split(',', 0) == [] && 'a,b'.split(',', 1) == ['a,b'] && 'a,b'.split(',', -1) == ['a', 'b'] && ''.split(',') == ['']",
            "' \\t\\na \\r '.trim() == 'a' && self.s.upperAscii() == 'GRüßE 🦀!' && 'ÄB'.lowerAscii() == 'Äb'",
            "self.s.startsWith('Grü') && self.s.endsWith('🦀!') && self.s.contains(' ') && !self.s.contains('g')",
            "self.s.matches('^Gr') && !self.s.matches('^r') && self.s.matches('🦀') && 'a\\nb'.matches('^b$') == false",
            "'٣'.matches('^[0-9]$') == false && '٣'.matches(r'\\d') == false && matches('3', r'^\\d$') && 'é'.matches(r'^\\w$') == false",
            "['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b' && [].join('-') == ''",
            "self.b == bytes('ü') && self.b == b'ü' && size(self.b) == 2 && string(self.b) == 'ü' && type(self.b) == bytes",
            "b'\\x41\\102' == b'AB' && 'a' + \"b\" == '''ab''' && r'\\d' == '\\\\d' && '\\u00fc' == 'ü'",
            "'%s is %d of %.2f %%'.format(['a', 3, 4.5]) == 'a is 3 of 4.50 %'",
            "'%x %X %b %o %e'.format([255, 255, 5, 8, 1234.5]) == 'ff FF 101 10 1.234500e+03'",
            "'%s'.format([[1, 'a', true, null]]) == '[1, a, true, null]' && '%s'.format([{'k': 1.5}]) == '{k: 1.5}'",
            "'this 12 and 345'.find('[0-9]+') == '12' && 'none'.find('[0-9]+') == ''",
            "'1 22 333'.findAll('[0-9]+') == ['1', '22', '333'] && '1 22 333'.findAll('[0-9]+', 2) == ['1', '22']",
            "'1 22'.findAll('[0-9]+', 0) == [] && '1 22'.findAll('[0-9]+', -1) == ['1', '22'] && 'x'.findAll('[0-9]+', 1) == []",
        ],
    );
    fail(
        &properties,
        &spec,
        &[
            ("self.s.charAt(9) == ''", "index out of range: 9"),
            ("self.s.substring(9) == ''", "index out of range: 9"),
            (
                "'abc'.substring(2, 1) == ''",
                "invalid substring range. start: 2, end: 1",
            ),
            ("'abc'.indexOf('a', -1) == 0", "index out of range: -1"),
        ],
    );
}

#[test]
fn numbers_are_of_64_bits() {
    let properties = json!({
        "i": { "type": "integer" },
        "j": { "type": "integer", "format": "int32" },
        "n": { "type": "number" },
        "m": { "type": "number" },
        "p": { "x-kubernetes-int-or-string": true },
    });
    let spec = json!({ "i": i64::MAX, "j": i32::MAX, "n": 1, "m": 10.49, "p": "25%" });
    are_true(
        &properties,
        &spec,
        &[
            "self.i == 9223372036854775807 && self.j + 1 == 2147483648 && type(self.i) == int && type(self.n) == double",
            "self.n == 1.0 && int(self.m) == 10 && int(-10.9) == -10 && int('12') == 12 && double('1.5') == 1.5 && double(2) == 2.0",
            "string(self.n) == '1' && string(self.m) == '10.49' && string(true) == 'true' && string(-0.5) == '-0.5'",
            "string(1e21) == '1e+21' && string(1048576.0) == '1.048576e+06' && string(999999.5) == '999999.5' && string(0.00001) == '1e-05'",
            "7 / 2 == 3 && -7 / 2 == -3 && -7 % 2 == -1 && 7.0 / 2.0 == 3.5 && 1 < 2.5 && 2u > 1",
            "1 == 1.0 && dyn(1) == 1.0 && dyn(1u) == 1 && 1 in [1.0] && !(dyn('1') == 1)",
            "uint(3) == 3u && int(3u) == 3 && 0x1F == 31 && 1e3 == 1000.0 && timestamp(0) == timestamp('1970-01-01T00:00:00Z')",
            "self.p == '25%' && self.p != 25 && type(self.p) == string && self.p != ['x'] && type(self.p) != int",
            "double(self.p.replace('%', '')) / 100.0 == 0.25",
            "1 == 1 || 1 / 0 == 1",
            "1 / 0 == 1 || 1 == 1",
        ],
    );
    fail(
        &properties,
        &spec,
        &[
            ("self.i + 1 > 0", "integer overflow"),
            ("-self.i - 2 > 0", "integer overflow"),
            ("1 / 0 == 1", "division by zero"),
            ("1 % 0 == 1", "modulus by zero"),
        ],
    );
}

#[test]
fn times_and_durations_have_parts() {
    let properties = json!({
        "d": { "type": "string", "format": "duration" },
        "day": { "type": "string", "format": "date" },
        "t": { "type": "string", "format": "date-time" },
    });
    let spec =
        json!({ "d": "26h3m4s5ms", "day": "2024-02-29", "t": "2024-03-10T01:02:03.25+02:00" });
    are_true(
        &properties,
        &spec,
        &[
            "self.d == duration('26h3m4.005s') && self.d == duration('26h') + duration('3m4s5ms') && self.d > duration('1ns')",
            "self.d.getHours() == 26 && self.d.getMinutes() == 1563 && self.d.getSeconds() == 93784 && self.d.getMilliseconds() == 93784005",
            "string(self.d) == '93784.005s' && string(duration('-1h')) == '-3600s' && string(duration('1ns')) == '0.000000001s'",
            "type(self.d) == google.protobuf.Duration && type(self.t) == google.protobuf.Timestamp",
            "self.day == timestamp('2024-02-29T00:00:00Z') && self.day.getFullYear() == 2024 && self.day.getMonth() == 1",
            "self.day.getDate() == 29 && self.day.getDayOfMonth() == 28 && self.day.getDayOfYear() == 59 && self.day.getDayOfWeek() == 4",
            "self.t == timestamp('2024-03-09T23:02:03.25Z')",
            "self.t.getMilliseconds() == 250",
            "self.t.getHours('UTC') == 23",
            "self.t.getHours('02:00') == 1 && self.t.getHours('-02:30') == 20 && self.t.getHours('UTC') == 23 && self.t.getDate('02:00') == 10",
            "self.t.getHours('Europe/Berlin') == 0 && self.t.getMinutes('Asia/Kolkata') == 32",
            "self.t - self.day == duration('239h2m3.25s') && self.day + duration('24h') < self.t && self.t - duration('1h') < self.t",
            "string(self.day) == '2024-02-29T00:00:00Z' && string(self.t) == '2024-03-10T01:02:03.25+02:00'",
            "int(timestamp('1970-01-01T00:01:00Z')) == 60 && duration('1h30m') == duration('5400s')",
        ],
    );
}

#[test]
fn macros_ignore_faults_that_do_not_decide() {
    let element = json!({
        "type": "object",
        "properties": { "k": { "type": "string" }, "v": { "type": "integer" }, "w": { "type": "string" } },
    });
    let properties = json!({
        "l": { "type": "array", "items": element },
        "m": { "type": "object", "additionalProperties": { "type": "integer" } },
        "o": { "type": "object", "properties": { "a": { "type": "object", "properties": { "b": { "type": "string" } } } } },
    });
    let spec = json!({
        "l": [{ "k": "a", "v": 1 }, { "k": "b", "v": 2, "w": "x" }, { "k": "c", "v": 3 }],
        "m": { "a": 1, "b": 2, "./-": 3, "in": 4 },
        "o": {},
    });
    are_true(
        &properties,
        &spec,
        &[
            "self.l.exists(e, e.w == 'x') && !self.l.all(e, e.w != 'x') && self.l.exists_one(e, has(e.w))",
            "self.l.filter(e, has(e.w)).size() == 1 && self.l.map(e, e.v) == [1, 2, 3] && self.l.map(e, has(e.w), e.w) == ['x']",
            "self.l.map(self, self.v) == [1, 2, 3] && [1, 2].map(oldSelf, oldSelf) == [1, 2]",
            "self.l.map(e, e.v * 2).exists(v, v == 6) && self.l.map(e, self.l.filter(f, f.v < e.v).size()) == [0, 1, 2]",
            "self.m.all(k, self.m[k] > 0) && self.m.exists(k, k == '/' || self.m[k] == 3) && self.m.exists_one(k, self.m[k] == 2)",
            "'a' in self.m && !('z' in self.m) && self.m['./-'] == 3 && self.m['in'] == 4 && self.m.a == 1 && has(self.m.a) && !has(self.m.z)",
            "self.m == {'b': 2, 'a': 1, './-': 3, 'in': 4} && size(self.m) == 4 && self.m.map(k, self.m[k]).sum() == 10",
            "!has(self.o.a) && !(has(self.o.a) && has(self.o.a.b)) && [1, 2] + [3] == [1, 2, 3] && 2 in [1, 2]",
            "{'a': {'b': 1}}.a.b == 1 && [[1, 2], [3]][0][1] == 2 && {1: 'x'}[1] == 'x' && {true: 1}[true] == 1",
        ],
    );
    fail(
        &properties,
        &spec,
        &[
            ("self.l.all(e, e.w == 'x')", "no such key: w"),
            ("self.l.exists_one(e, e.w == 'x')", "no such key: w"),
            ("self.l.filter(e, e.w == 'x').size() == 1", "no such key: w"),
            ("self.l.map(e, e.w).size() == 1", "no such key: w"),
            ("self.m['z'] == 1", "no such key: z"),
            ("has(self.o.a.b)", "no such key: a"),
            ("self.l[3].v == 1", "index out of bounds: 3"),
            ("self.l[-1].v == 1", "index out of bounds: -1"),
        ],
    );
}

#[test]
fn lists_have_an_order_and_a_sum() {
    let list = |kind: &str, format: Option<&str>| {
        let mut items = json!({ "type": kind });
        if let Some(format) = format {
            items["format"] = json!(format);
        }
        json!({ "type": "array", "items": items })
    };
    let properties = json!({
        "i": list("integer", None),
        "n": list("number", None),
        "s": list("string", None),
        "d": list("string", Some("duration")),
        "day": list("string", Some("date")),
        "none": list("integer", None),
        "flags": list("boolean", None),
    });
    let spec = json!({
        "i": [3, 1, 3], "n": [1, 2.5], "s": ["a", "b", "b"], "d": ["1s", "1m"], "day": ["2024-01-02", "2023-05-06"],
        "none": [], "flags": [false, true],
    });
    are_true(
        &properties,
        &spec,
        &[
            "self.i.sum() == 7 && self.i.min() == 1 && self.i.max() == 3 && !self.i.isSorted() && self.none.sum() == 0",
            "self.i.indexOf(3) == 0 && self.i.lastIndexOf(3) == 2 && self.i.indexOf(9) == -1 && self.none.isSorted()",
            "self.n.sum() == 3.5 && self.n.max() == 2.5 && self.n.isSorted() && [1.5, 2.5].sum() == 4.0",
            "self.s.min() == 'a' && self.s.max() == 'b' && self.s.isSorted() && self.s.lastIndexOf('b') == 2",
            "self.d.sum() == duration('61s') && self.d.max() == duration('1m') && self.d.isSorted()",
            "self.day.min() == timestamp('2023-05-06T00:00:00Z') && !self.day.isSorted() && self.flags.isSorted() && self.flags.max()",
            "[[1], [2]].indexOf([2]) == 1 && [{'a': 1}].lastIndexOf({'a': 1}) == 0 && ([0] + self.none).max() == 0",
            "dyn([]).sum() == 0 && dyn([1.0, 2.0]).sum() == 3.0",
            "sets.contains([1, 2], [2, 2]) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1], [1.0]) && !sets.intersects([], [1])",
        ],
    );
    fail(
        &properties,
        &spec,
        &[
            ("self.none.min() == 0", "min called on empty list"),
            ("self.none.max() == 0", "max called on empty list"),
        ],
    );
}

#[test]
fn absent_values_are_optional() {
    let properties = json!({
        "a": { "type": "object", "properties": { "b": { "type": "string" }, "c": { "type": "string" } } },
        "l": { "type": "array", "items": { "type": "integer" } },
        "m": { "type": "object", "additionalProperties": { "type": "string" } },
        "z": { "type": "object", "properties": { "b": { "type": "string" } } },
    });
    let spec = json!({ "a": { "b": "x", "c": "" }, "l": [1], "m": { "k": "v" } });
    are_true(
        &properties,
        &spec,
        &[
            "self.?a.?b.orValue('') == 'x' && self.?z.?b.orValue('none') == 'none' && self.?z.b.orValue('none') == 'none'",
            "self.?a.hasValue() && !self.?z.hasValue() && self.a.?b.value() == 'x' && self.l[?0].value() == 1 && !self.l[?1].hasValue()",
            "self.m[?'k'].orValue('') == 'v' && self.m[?'z'].or(optional.of('y')).value() == 'y' && self.?m['k'].value() == 'v'",
            "optional.none() == self.?z && optional.of(1) == optional.of(1) && optional.of(1) != optional.none()",
            "!optional.ofNonZeroValue('').hasValue() && optional.ofNonZeroValue(self.a.b).hasValue() && !optional.ofNonZeroValue(0).hasValue()",
            "self.?a.?b.optMap(v, v + '!').orValue('') == 'x!' && self.a.?b.optFlatMap(v, self.m[?v]).hasValue() == false",
            "{?'a': self.?z, ?'b': self.?a.b} == {'b': 'x'} && [?self.?z, ?optional.of(2), 3] == [2, 3]",
        ],
    );
    fail(
        &properties,
        &spec,
        &[("self.?z.value().b == 'x'", "optional.none() dereference")],
    );
}

/// A field that is `null` is absent; an element and the value of a map are `null`.
#[test]
fn null_is_absent_only_in_objects() {
    let text = json!({ "type": "string", "nullable": true });
    let properties = json!({
        "f": text,
        "m": { "type": "object", "additionalProperties": text },
        "l": { "type": "array", "items": text },
    });
    let spec = json!({ "f": null, "m": { "a": null, "b": "x" }, "l": [null, "x"] });
    are_true(
        &properties,
        &spec,
        &[
            "!has(self.f)",
            "size(self.m) == 2 && 'a' in self.m && type(self.m['a']) == null_type",
            "size(self.l) == 2 && type(self.l[0]) == null_type && self.l[1] == 'x'",
        ],
    );
}

/// Names that are words of CEL, or that have other letters than names of CEL.
#[test]
fn names_are_escaped() {
    let names = [
        ("in", "__in__"),
        ("namespace", "__namespace__"),
        ("package", "__package__"),
        ("true", "__true__"),
        ("null", "__null__"),
        ("if", "__if__"),
        ("self", "self"),
        ("int", "int"),
        ("type", "type"),
        ("size", "size"),
        ("all", "all"),
        ("_true", "_true"),
        ("a.b", "a__dot__b"),
        ("a-b", "a__dash__b"),
        ("a/b", "a__slash__b"),
        ("a_b", "a_b"),
        ("a__b", "a__underscores__b"),
    ];
    for (name, escaped) in names {
        let properties = json!({ name: { "type": "integer" } });
        are_true(
            &properties,
            &json!({ name: 5 }),
            &[&format!("self.{escaped} == 5 && has(self.{escaped})")],
        );
    }
}

/// Objects with fields that the schema does not name are compared as a whole.
#[test]
fn unknown_fields_count_in_comparisons() {
    let element = json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "x-kubernetes-preserve-unknown-fields": true });
    let properties = json!({ "l": { "type": "array", "items": element } });
    let spec = json!({ "l": [{ "a": 1, "x": "p" }, { "a": 1, "x": "q" }, { "a": 1, "x": "q" }, { "a": 1 }, { "a": 1 }] });
    are_true(
        &properties,
        &spec,
        &[
            "self.l[0] != self.l[1] && self.l[1] == self.l[2] && self.l[0] != self.l[3] && self.l[3] == self.l[4]",
        ],
    );
}

#[test]
fn lists_that_are_sets_or_maps_have_no_order() {
    let element = json!({ "type": "object", "properties": { "k": { "type": "string" }, "v": { "type": "integer" } } });
    let set =
        json!({ "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } });
    let map = json!({ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": element });
    let properties = json!({ "s": set, "t": set, "m": map, "n": map });
    let spec = json!({
        "s": ["a", "b", "c"], "t": ["c", "a", "b"],
        "m": [{ "k": "a", "v": 1 }, { "k": "b", "v": 2 }], "n": [{ "k": "b", "v": 2 }, { "k": "a", "v": 1 }],
    });
    are_true(
        &properties,
        &spec,
        &[
            "self.s == self.t && self.s == ['c', 'b', 'a'] && self.s[0] == 'a' && self.t[0] == 'c'",
            "self.s + self.t == ['a', 'b', 'c'] && self.s + ['c', 'd'] == ['a', 'b', 'c', 'd'] && size(self.s + ['a']) == 3",
            "self.m == self.n && self.m == [self.n[0], self.n[1]] && self.m + self.n == self.m && size(self.m + self.n) == 2",
        ],
    );
}
