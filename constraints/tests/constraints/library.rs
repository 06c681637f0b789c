//! Kubernetes' functions for addresses, URLs, quantities, versions and formats.

use k8s_flowcontrol_constraints::{Schema, Validation};
use serde_json::json;

fn outcome(rule: &str) -> Validation {
    let schema = json!({ "type": "object", "x-kubernetes-validations": [{ "rule": rule }] });
    Schema::new(&schema).unwrap().validate(&json!({}))
}

#[track_caller]
fn are_true(rules: &[&str]) {
    for rule in rules {
        let outcome = outcome(rule);
        assert!(outcome.is_valid(), "{rule}: {outcome:?}");
    }
}

/// The rules fail on a server too, with these words.
#[track_caller]
fn fail(rules: &[(&str, &str)]) {
    for (rule, words) in rules {
        let outcome = outcome(rule);
        let message = &outcome.violations[0].message;
        let expected = format!("Invalid value: \"object\": {words} evaluating rule: {rule}");
        assert_eq!(*message, expected, "{rule}");
        assert_eq!(outcome.not_checked, [], "{rule}");
    }
}

#[test]
fn addresses_are_those_of_netip() {
    are_true(&[
        "ip('127.0.0.1').family() == 4 && ip('::1').family() == 6",
        "isIP('2001:db8::abcd') && isIP('64:ff9b::1.2.3.4')",
        "!isIP('127.0.0.256') && !isIP(':::1') && !isIP('01.2.3.4') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')",
        "ip.isCanonical('127.0.0.1') && ip.isCanonical('2001:db8::abcd')",
        "!ip.isCanonical('2001:DB8::ABCD') && !ip.isCanonical('2001:db8::0:0:0:abcd')",
        "ip('0.0.0.0').isUnspecified() && ip('::').isUnspecified() && !ip('::1').isUnspecified()",
        "ip('127.9.0.1').isLoopback() && ip('::1').isLoopback() && !ip('192.168.0.1').isLoopback()",
        "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()",
        "!ip('224.0.1.1').isLinkLocalMulticast() && !ip('ff05::1').isLinkLocalMulticast()",
        "ip('169.254.169.254').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast()",
        "!ip('192.168.0.1').isLinkLocalUnicast() && !ip('fd80::1').isLinkLocalUnicast()",
        "ip('192.168.0.1').isGlobalUnicast() && ip('2001:db8::abcd').isGlobalUnicast()",
        "!ip('255.255.255.255').isGlobalUnicast() && !ip('ff00::1').isGlobalUnicast() && !ip('::1').isGlobalUnicast()",
        "string(ip('2001:DB8::0:1')) == '2001:db8::1' && ip('::1') == ip('0:0::1')",
        "type(ip('::1')) == net.IP && type(cidr('::/0')) == net.CIDR",
        // A variable with the name of a function and a namespace.
        "['::1'].all(ip, ip.size() == 3 && isIP(ip) && ip.isCanonical(ip))",
    ]);
    fail(&[
        (
            "ip('a').family() == 4",
            "IP Address \"a\" parse error during conversion from string: ParseAddr(\"a\"): unable to parse IP",
        ),
        (
            "ip('10.0.0.1.').family() == 4",
            "IP Address \"10.0.0.1.\" parse error during conversion from string: ParseAddr(\"10.0.0.1.\"): IPv4 field must have at \
             least one digit (at \".\")",
        ),
        (
            "ip.isCanonical('fd00::1::2')",
            "IP Address \"fd00::1::2\" parse error during conversion from string: ParseAddr(\"fd00::1::2\"): multiple :: in address \
             (at \":2\")",
        ),
        (
            "ip('fe80::1%eth0').family() == 6",
            "IP address \"fe80::1%eth0\" with zone value is not allowed",
        ),
        (
            "ip.isCanonical('::ffff:1.2.3.4')",
            "IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed",
        ),
    ]);
}

/// The faults of an address that a server names.
#[test]
fn the_fault_of_an_address_is_named() {
    for (text, fault) in [
        ("", "unable to parse IP"),
        ("localhost", "unable to parse IP"),
        ("eth0%1", "missing IPv6 address"),
        ("10.0.0", "IPv4 address too short"),
        ("10.0.0.1.2", "IPv4 address too long"),
        ("10.0.0.256", "IPv4 field has value >255"),
        ("10.0.0.01", "IPv4 field has octet with leading zero"),
        (
            "10..0.1",
            "IPv4 field must have at least one digit (at \".0.1\")",
        ),
        (
            ".10.0.1",
            "IPv4 field must have at least one digit (at \".10.0.1\")",
        ),
        ("10.0.x.1", "unexpected character (at \"x.1\")"),
        ("fd00::%", "zone must be a non-empty string"),
        ("fd00", "unable to parse IP"),
        ("fd00:1", "address string too short"),
        (
            "fd00:::2",
            "each colon-separated field must have at least one digit (at \":2\")",
        ),
        (
            "fd00::12345",
            "each group must have 4 or less digits (at \"12345\")",
        ),
        ("fd00::1g", "unexpected character, want colon (at \"g\")"),
        (
            "fd00::1:",
            "colon must be followed by more characters (at \":\")",
        ),
        (
            "1:2:3:4:5:6:7:8:9",
            "trailing garbage after address (at \"9\")",
        ),
        (
            "1:2:3:4::5:6:7:8",
            "the :: must expand to at least one field of zeros",
        ),
        (
            "1:2:10.0.0.1",
            "embedded IPv4 address must replace the final 2 fields of the address (at \"10.0.0.1\")",
        ),
        (
            "::1:2:3:4:5:6:7:10.0.0.1",
            "too many hex fields to fit an embedded IPv4 at the end of the address (at \"10.0.0.1\")",
        ),
        ("fd00::10.0.0", "IPv4 address too short"),
    ] {
        let words = "parse error during conversion from string: ParseAddr";
        let expected = format!("IP Address \"{text}\" {words}(\"{text}\"): {fault}");
        fail(&[(&format!("ip('{text}').family() == 4"), &expected)]);
        are_true(&[&format!("!isIP('{text}')")]);
    }
}

#[test]
fn networks_are_those_of_netip() {
    are_true(&[
        "isCIDR('192.168.0.0/16') && isCIDR('::1/128') && isCIDR('192.168.0.1/16') && isCIDR('10.0.0.0/0')",
        "!isCIDR('192.168.0.0/33') && !isCIDR('::1/129') && !isCIDR('10.0.0.0/08') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/+8')",
        "cidr('192.168.0.0/24').containsIP(ip('192.168.0.1')) && cidr('192.168.0.0/24').containsIP('192.168.0.1')",
        "!cidr('192.168.0.0/24').containsIP('192.168.1.1') && !cidr('::/0').containsIP('192.168.1.1')",
        "cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24')) && cidr('0.0.0.0/0').containsCIDR('192.168.10.1/32')",
        "!cidr('192.168.1.0/24').containsCIDR('192.168.2.0/24') && !cidr('192.168.1.0/24').containsCIDR('192.168.1.0/23')",
        "cidr('192.168.0.1/24').ip() == ip('192.168.0.1') && cidr('::1/128').prefixLength() == 128",
        "cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24') && cidr('192.168.0.1/24') != cidr('192.168.0.1/24').masked()",
        "string(cidr('2001:db8::ff/64').masked()) == '2001:db8::/64' && cidr('ff::/0').masked() == cidr('::/0')",
    ]);
    for (text, fault) in [
        ("10.0.0.0/33", "prefix length out of range"),
        ("10.0.0.0/", "bad bits after slash: \"\""),
        ("10.0.0.0/08", "bad bits after slash: \"08\""),
        ("10.0.0.0/-1", "bad bits after slash: \"-1\""),
        ("10.0.0.0", "no '/'"),
        ("10.0.0/8", "ParseAddr(\"10.0.0\"): IPv4 address too short"),
        (
            "fe80::1%eth0/64",
            "IPv6 zones cannot be present in a prefix",
        ),
    ] {
        let words = "network address parse error during conversion from string: ";
        let expected = format!("{words}{words}netip.ParsePrefix(\"{text}\"): {fault}");
        fail(&[(&format!("cidr('{text}').prefixLength() == 8"), &expected)]);
    }
}

#[test]
fn urls_are_those_of_requests() {
    are_true(&[
        "url('https://example.com:80/').getScheme() == 'https' && url('/path').getScheme() == ''",
        "url('https://example.com:80/').getHost() == 'example.com:80' && url('https://[::1]/').getHost() == '[::1]'",
        "url('https://[::1]:80/').getHostname() == '::1' && url('/path').getHostname() == ''",
        "url('https://example.com:80/').getPort() == '80' && url('https://example.com/').getPort() == ''",
        "url('https://example.com/path with spaces/').getEscapedPath() == '/path%20with%20spaces/'",
        "url('https://example.com').getEscapedPath() == '' && url('HTTPS://a/%2f').getEscapedPath() == '/%2f'",
        "url('https://a/p?k1=a&k2=b&k2=c').getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
        "url('https://a/p?key with spaces=value+with%20spaces').getQuery() == {'key with spaces': ['value with spaces']}",
        "url('https://a/p?').getQuery() == {} && url('https://a/p?a;b&%zz=1&=x').getQuery() == {'': ['x']}",
        "url('https://a/p#top').getEscapedPath() == '/p' && url('//host/a').getHost() == 'host'",
        "isURL('https://user:pass@example.com/') && isURL('mailto:a@b') && isURL('/path') && isURL('*')",
        "!isURL('example.com') && !isURL('') && !isURL('../a') && !isURL(':a') && !isURL('http://a:b/') && !isURL('http://a b/')",
        "!isURL('http://a/%zz') && !isURL('http://[::1/') && !isURL('http://a%41/') && !isURL('http://a\\n/')",
        "url('https://a/') == url('HTTPS://a/') && url('https://a/') != url('https://a')",
    ]);
    let words = "URL parse error during conversion from string: parse ";
    fail(&[
        (
            "url('a').getHost() == ''",
            &format!("{words}\"a\": invalid URI for request"),
        ),
        (
            "url('http://a:b').getHost() == ''",
            &format!("{words}\"http://a:b\": invalid port \":b\" after host"),
        ),
    ]);
}

#[test]
fn quantities_are_exact() {
    are_true(&[
        "isQuantity('1.3Gi') && isQuantity('10000k') && isQuantity('-5e3') && isQuantity('1E') && isQuantity('.5')",
        "!isQuantity('200K') && !isQuantity('1,3G') && !isQuantity('Three') && !isQuantity('') && !isQuantity('10Mo')",
        "quantity('200M').compareTo(quantity('0.2G')) == 0 && quantity('200M') == quantity('0.2G')",
        "quantity('50M').compareTo(quantity('50Mi')) == -1 && quantity('50Mi').compareTo(quantity('50M')) == 1",
        "quantity('150Mi').isGreaterThan(quantity('100Mi')) && quantity('50M').isLessThan(quantity('100M'))",
        "quantity('50k').asInteger() == 50000 && quantity('50000000G').isInteger() && quantity('1Ki').asInteger() == 1024",
        "!quantity('1.5').isInteger() && !quantity('9999999999999999999G').isInteger()",
        // A server does not reduce fractions.
        "!quantity('1000m').isInteger() && quantity('1000m') == quantity('1')",
        "quantity('50k').add(quantity('20k')) == quantity('70k') && quantity('50k').add(20) == quantity('50020')",
        "quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')",
        "quantity('50k').sub(20000).asApproximateFloat() == 30000.0 && quantity('100m').asApproximateFloat() == 0.1",
        "sign(quantity('-1m')) == -1 && sign(quantity('0')) == 0 && quantity('0.1n') == quantity('1n')",
        "quantity('16Ei') == quantity('9223372036854775807')",
        "['1Gi', '512Mi'].map(x, quantity(x)).all(q, q.isLessThan(quantity('2Gi')))",
    ]);
    fail(&[
        (
            "quantity('10Mo').isInteger()",
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            "quantity('200K').isInteger()",
            "unable to parse quantity's suffix",
        ),
        (
            "quantity('1.5').asInteger() == 1",
            "cannot convert value to integer",
        ),
    ]);
    // Exponents end there in this library.
    let large = outcome("quantity('1e10000').isGreaterThan(quantity('1'))");
    assert_eq!(large.violations, []);
    let reason = &large.not_checked[0].reason;
    assert!(reason.contains("not between -9999 and 9999"), "{large:?}");
}

#[test]
fn quantities_have_any_size() {
    are_true(&[
        "quantity('1e99').isGreaterThan(quantity('1')) && quantity('-1e99').isLessThan(quantity('-1e98'))",
        "quantity('1e99').sub(quantity('1n')).isLessThan(quantity('1e99')) && sign(quantity('-1e99')) == -1",
        "!quantity('123456789012345678901234567890P').isInteger() && isQuantity('123456789012345678901234567890P')",
        "quantity('1e30').asApproximateFloat() == 1e30 && quantity('12.345k').asApproximateFloat() == 12345.0",
        "quantity('0.0000000001').asApproximateFloat() == 1e-9",
        // A sum that does not fit in 64 bits is not an integer any more, and does not become one again.
        "!quantity('9223372036854775807').add(1).isInteger() && !quantity('9223372036854775807').add(1).sub(1).isInteger()",
        // The largest number of 128 bits in nano units, and one more.
        "quantity('170141183460469231731687303715.884105727').add(quantity('1n')) == quantity('170141183460469231731687303715.884105728')",
    ]);
    fail(&[(
        "quantity('123456789012345678901234567890P').asInteger() == 1",
        "cannot convert value to integer",
    )]);
}

#[test]
fn versions_are_semantic() {
    are_true(&[
        "isSemver('1.0.0') && isSemver('0.1.0-alpha.1+build.7') && !isSemver('v1.0.0') && !isSemver('1.0') && !isSemver('01.0.0')",
        "!isSemver('1.0.0-') && !isSemver('1.0.0-01') && !isSemver('1.0.0+') && !isSemver('1.0.0-a_b') && !isSemver('1..0')",
        "isSemver('v1.0', true) && isSemver('01.01.01', true) && !isSemver('1.0-a', true) && !isSemver('v1.0', false)",
        "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
        "semver('1.2.3').compareTo(semver('1.2.3+x')) == 0 && semver('1.2.3') == semver('1.2.3+x')",
        "semver('1.2.3').isLessThan(semver('2.0.0')) && semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1'))",
        "semver('1.0.0-1').isLessThan(semver('1.0.0-a')) && semver('1.0.0-a').isLessThan(semver('1.0.0-a.1'))",
        "semver('1.0.0-2').isLessThan(semver('1.0.0-11')) && semver('v001.0', true) == semver('1.0.0')",
    ]);
    fail(&[
        (
            "semver('1.0').major() == 1",
            "No Major.Minor.Patch elements found",
        ),
        (
            "semver('1.02.0').major() == 1",
            "Minor number must not contain leading zeroes \"02\"",
        ),
    ]);
}

#[test]
fn formats_have_names() {
    are_true(&[
        "!format.dns1123Label().validate('my-name').hasValue() && format.dns1123Label().validate('My').hasValue()",
        "!format.dns1123Subdomain().validate('a.b').hasValue() && format.dns1123Label().validate('a.b').hasValue()",
        "!format.dns1123LabelPrefix().validate('my-').hasValue() && format.dns1123Label().validate('my-').hasValue()",
        "format.dns1035Label().validate('1a').hasValue() && !format.dns1035Label().validate('a1').hasValue()",
        "!format.qualifiedName().validate('a.io/B_c').hasValue() && format.qualifiedName().validate('a/b/c').hasValue()",
        "!format.labelValue().validate('').hasValue() && format.labelValue().validate('-').hasValue()",
        "!format.uri().validate('/a').hasValue() && format.uri().validate('a').value()[0].startsWith('parse')",
        "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
        "!format.byte().validate('aGVsbG8=').hasValue() && format.date().validate('2021-02-30').hasValue()",
        "!format.datetime().validate('2021-01-01T00:00:00Z').hasValue()",
        "format.named('uuid').value().validate('x').value() == ['does not match the UUID format']",
        "!format.named('nobody').hasValue()",
        "format.labelValue().validate('a'.format([]) + '-').value().size() == 1",
        "!format.dns1123SubdomainPrefix().validate('a.prefix.-').hasValue() && !format.dns1035LabelPrefix().validate('a-').hasValue()",
        "format.byte().validate('aGk').value() == ['invalid base64'] && format.date().validate('2020-01-32').value() == ['invalid date']",
        "format.datetime().validate('2020-01-32T00:00:00Z').value() == ['invalid datetime']",
        "format.dns1035Label().validate('a b').value()[0].startsWith('a DNS-1035 label must consist of')",
        "format.qualifiedName().validate('a b').value()[0].startsWith('name part must consist of')",
    ]);
    let names = [
        "dns1123Label",
        "dns1123Subdomain",
        "dns1035Label",
        "qualifiedName",
        "dns1123LabelPrefix",
        "dns1123SubdomainPrefix",
        "dns1035LabelPrefix",
        "labelValue",
        "uri",
        "uuid",
        "byte",
        "date",
        "datetime",
    ];
    for name in names {
        are_true(&[&format!(
            "format.named('{name}').value() == format.{name}()"
        )]);
        for other in names.iter().filter(|other| **other != name) {
            are_true(&[&format!("format.{name}() != format.{other}()")]);
        }
    }
}

/// What Kubernetes has and this library has not, is left to the server.
#[test]
fn other_functions_are_not_checked() {
    for rule in [
        "quantity('1').mul(2) == quantity('2')",
        "authorizer.group('').resource('pods').check('get').allowed()",
        "image('a').registry() == ''",
    ] {
        let outcome = outcome(rule);
        assert_eq!(outcome.violations, [], "{rule}");
        let reason = &outcome.not_checked[0].reason;
        assert!(reason.ends_with("is not supported"), "{rule}: {reason}");
    }
}

#[test]
fn names_and_urls_have_the_faults_of_a_server() {
    let long = "a".repeat(64);
    for (format, text, fault) in [
        ("dns1123Label", "a.b", "must not contain dots"),
        ("dns1123Label", &*long, "must be no more than 63 characters"),
        ("dns1035Label", &*long, "must be no more than 63 characters"),
        ("labelValue", &*long, "must be no more than 63 bytes"),
        (
            "qualifiedName",
            &*long,
            "name part must be no more than 63 bytes",
        ),
        (
            "uri",
            "http://[x]:y/",
            "parse \"http://[x]:y/\": invalid port \":y\" after host",
        ),
    ] {
        let rule = format!(
            "format.{format}().validate('{text}').value() == ['{}']",
            fault.replace('"', "\\\"")
        );
        are_true(&[&rule]);
    }
    are_true(&[
        "format.qualifiedName().validate('a/b/c').value()[0].startsWith('a valid label key must consist of')",
        // The fragment is not looked at.
        "isURL('http://h/?#%zz') && !format.uri().validate('http://h/?#%zz').hasValue()",
    ]);
}
