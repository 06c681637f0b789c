//! A day of audit logs, and the configuration for twenty intents.

use crate::built_in;
use bench_data::{Meter, peak_resident, report};
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::seats::Stored;
use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::size::{Answer, Collector, Intents, Sizer};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const MINUTES: usize = 24 * 60;
/// The controllers that have an intent each.
const CONTROLLERS: usize = 20;
/// The minutes from one burst of a controller to its next one.
const BURSTS: usize = 180;
/// The time in which the requests of a burst come.
const BURST_MS: u32 = 4_000;

/// Sizes a server for twenty intents with a log of so many requests, so many of them in each burst. `seats` is a number, or `unknown`, or
/// the first and the last number of servers whose present objects are checked, such as `40-45`; the search ends after `budget`; with
/// `is_checked` the checks of the answer are repeated event by event, and compared.
pub(crate) fn size(
    (requests, burst): (usize, usize),
    seats: &str,
    budget: Duration,
    is_checked: bool,
) -> Result<(), Box<dyn Error>> {
    let release = Release::NEWEST;
    let (schemas, levels) = built_in();
    let servers = seats.split_once('-');
    let seats = if servers.is_some() { "unknown" } else { seats };
    let intents = Intents::read(intents(seats)?.as_bytes())?;
    let meter = Meter::start();
    let mut collector = Collector::new(&schemas, &levels, 600, release)?;
    let mut log = AuditLog::new();
    let mut add = |event: &Event<'_>| {
        let attributes = event.attributes();
        // As many objects as make a list of them cost three seats.
        let stored = match attributes.resource.as_str() {
            "pods" => Stored::Known {
                objects: 300,
                average_bytes: 3000,
            },
            _ => Stored::NotFound,
        };
        collector.add(event, &attributes, stored);
        Ok::<(), io::Error>(())
    };
    let mut day = Day::new(requests, burst);
    log.read(BufReader::with_capacity(1 << 20, &mut day), &mut add)?;
    log.finish(&mut add)?;
    let requests = collector.finish()?;
    let (read, read_cpu) = meter.stop();
    let (read, read_cpu) = (read - day.made.0, read_cpu - day.made.1);
    let after_reading = peak_resident();
    let meter = Meter::start();
    let sizer = Sizer::new(&intents, &schemas, &levels, release, Some(&requests))?;
    if let Some((first, last)) = servers {
        for seats in first.parse()?..=last.parse::<u32>()? {
            let checks = sizer.check(&schemas, &levels, seats)?;
            let failing: Vec<_> = checks.iter().filter(|check| !check.is_met()).collect();
            println!(
                "{seats} seats: {} of {} checks fail",
                failing.len(),
                checks.len()
            );
            for check in failing.iter().take(3) {
                println!("  {}: {check}", check.name);
            }
        }
        return Ok(());
    }
    let start = Instant::now();
    let answer = sizer.size(|progress| {
        if std::env::var_os("PROGRESS").is_some() {
            eprintln!(
                "{:8.2} s: {} trials, {} seats",
                start.elapsed().as_secs_f64(),
                progress.trials,
                progress.seats
            );
        }
        match start.elapsed() < budget {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    })?;
    let (wall, cpu) = meter.stop();
    let sizing = match answer {
        Answer::Sized(sizing) => sizing,
        Answer::Impossible(impossible) => {
            let (given_up, not_tried) = (impossible.give_up.len(), impossible.not_tried.len());
            report(&[
                ("requests", requests.count() as f64),
                ("seconds to read", read.as_secs_f64()),
                ("cpu seconds to read", read_cpu.as_secs_f64()),
                ("seconds to size", wall.as_secs_f64()),
                ("cpu seconds to size", cpu.as_secs_f64()),
                ("peak of resident MB", peak_resident() as f64 / 1e6),
                ("simulations", impossible.trials as f64),
                ("needed seats", impossible.needed.unwrap_or_default().into()),
                ("intents that can be given up", given_up as f64),
                ("not known of intents", not_tried as f64),
                ("complete", f64::from(u8::from(impossible.is_complete))),
            ]);
            return Ok(());
        }
        other => return Err(format!("no answer: {other:?}").into()),
    };
    let quiet: u64 = sizing.proof.examined[1..]
        .iter()
        .map(|load| load.quiet)
        .sum();
    let all: u64 = sizing.proof.examined[1..]
        .iter()
        .map(|load| load.requests)
        .sum();
    report(&[
        ("requests", requests.count() as f64),
        ("seconds to read", read.as_secs_f64()),
        ("cpu seconds to read", read_cpu.as_secs_f64()),
        ("seconds to size", wall.as_secs_f64()),
        ("cpu seconds to size", cpu.as_secs_f64()),
        (
            "peak of resident MB after reading",
            after_reading as f64 / 1e6,
        ),
        ("peak of resident MB", peak_resident() as f64 / 1e6),
        ("simulations", sizing.trials as f64),
        ("complete", f64::from(u8::from(sizing.is_complete))),
        ("changed levels", sizing.changes.len() as f64),
        ("seats", sizing.seats.into()),
        (
            "percent of the requests without events",
            quiet as f64 / all as f64 * 100.0,
        ),
    ]);
    if is_checked {
        let (schemas, levels) = (&sizing.flow_schemas, &sizing.priority_levels);
        let meter = Meter::start();
        let leaps = sizer.check(schemas, levels, sizing.seats)?;
        let (with, _) = meter.stop();
        let meter = Meter::start();
        let all = sizer.without_leaps().check(schemas, levels, sizing.seats)?;
        let (without, _) = meter.stop();
        if leaps != all {
            return Err(format!("{leaps:?}\n{all:?}").into());
        }
        report(&[
            ("equal checks", all.len() as f64),
            ("seconds with leaps", with.as_secs_f64()),
            ("seconds without", without.as_secs_f64()),
        ]);
    }
    Ok(())
}

fn intents(seats: &str) -> Result<String, Box<dyn Error>> {
    let mut text = format!("server: {{seats: {seats}}}\nintents:\n");
    for number in 0..CONTROLLERS {
        let (percent, limit) =
            [("p99", 100), ("p90", 20), ("p99.9", 2000), ("p99", 1000)][number % 4];
        writeln!(
            text,
            "- client: {{serviceAccount: team-{number}/controller}}\n  waits: {{{percent}: {limit}ms}}"
        )?;
    }
    Ok(text)
}

struct Random(u64);

impl Random {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(most.max(1))) as u32
    }
}

/// A log, minute after minute: more requests at noon than at night, short ones and few long ones, a burst of each controller every three
/// hours, and a client that waits for its responses for an hour.
struct Day {
    requests: usize,
    burst: usize,
    minute: usize,
    text: Vec<u8>,
    at: usize,
    random: Random,
    number: usize,
    /// The time that the log took to make, and the time of processors.
    made: (Duration, Duration),
}

impl Day {
    fn new(requests: usize, burst: usize) -> Self {
        Self {
            requests,
            burst,
            minute: 0,
            text: Vec::new(),
            at: 0,
            random: Random(7),
            number: 0,
            made: (Duration::ZERO, Duration::ZERO),
        }
    }

    fn fill(&mut self) {
        let minute = self.minute;
        self.minute += 1;
        self.at = 0;
        self.text.clear();
        // Half as many at midnight, and half more at noon.
        let noon = 1.0 - (minute as f64 / MINUTES as f64 * 2.0 - 1.0).abs();
        let many = (self.requests as f64 / MINUTES as f64 * (0.5 + noon)) as usize;
        let mut planned = Vec::new();
        for controller in 0..CONTROLLERS {
            if minute % BURSTS == controller * BURSTS / CONTROLLERS {
                for _ in 0..self.burst {
                    let at = 20_000_000 + self.random.below(BURST_MS * 1000);
                    let took = 5_000 + self.random.below(150_000);
                    planned.push((at, took, 1000 + controller));
                }
            }
        }
        if (600..660).contains(&minute) {
            let mut at = 0;
            while at < 60_000_000 {
                let took = 10_000 + self.random.below(40_000);
                planned.push((at, took, 2000));
                at += took + self.random.below(30_000);
            }
        }
        while planned.len() < many {
            let at = self.random.below(60_000_000);
            let took = match self.random.below(1000) {
                0 => 1_000_000 + self.random.below(2_000_000),
                1..20 => 50_000 + self.random.below(200_000),
                _ => 1_000 + self.random.below(25_000),
            };
            let who = match self.random.below(10) {
                0..4 => self.random.below(500) as usize,
                4..7 => 1000 + self.random.below(CONTROLLERS as u32) as usize,
                _ => 3000 + self.random.below(300) as usize,
            };
            planned.push((at, took, who));
        }
        planned.sort_unstable_by_key(|(at, took, _)| at + took);
        let mut text = String::with_capacity(planned.len() * 700);
        for (at, took, who) in planned {
            self.number += 1;
            line(&mut text, self.number, minute, (at, took), who);
        }
        self.text = text.into_bytes();
    }
}

fn line(text: &mut String, number: usize, minute: usize, (at, took): (u32, u32), who: usize) {
    let pods = "{\"resource\":\"pods\",\"namespace\":\"a\",\"apiVersion\":\"v1\"}";
    let (user, groups, verb, object, uri) = match who {
        0..1000 => (
            format!("system:node:node-{who}"),
            "\"system:nodes\"",
            "update",
            "{\"resource\":\"leases\",\"namespace\":\"kube-node-lease\",\"name\":\"node-17\",\"apiGroup\":\"coordination.k8s.io\",\"apiVersion\":\"v1\"}",
            "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-17?timeout=10s",
        ),
        1000..2000 => (
            format!("system:serviceaccount:team-{}:controller", who - 1000),
            "\"system:serviceaccounts\"",
            if number.is_multiple_of(20) {
                "list"
            } else {
                "get"
            },
            pods,
            "/api/v1/namespaces/a/pods?limit=500",
        ),
        2000 => (
            "ci".to_owned(),
            "\"ci\"",
            "create",
            pods,
            "/api/v1/namespaces/a/pods",
        ),
        _ => (
            format!("system:serviceaccount:other-{}:builder", who - 3000),
            "\"system:serviceaccounts\"",
            "patch",
            "{\"resource\":\"configmaps\",\"namespace\":\"default\",\"name\":\"x\",\"apiVersion\":\"v1\"}",
            "/api/v1/namespaces/default/configmaps/x",
        ),
    };
    let time = |us: u32| {
        let at = minute as u64 * 60_000_000 + u64::from(us);
        let (day, second, us) = (
            22 + at / 86_400_000_000,
            at / 1_000_000 % 86_400,
            at % 1_000_000,
        );
        format!(
            "2026-11-{day:02}T{:02}:{:02}:{:02}.{us:06}Z",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    };
    let (start, end) = (time(at), time(at + took));
    // A string has room for everything.
    let _ = writeln!(
        text,
        "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\",\"auditID\":\"00000000-3e2b-40b8-a4cf-{number:012x}\",\"stage\":\"ResponseComplete\",\"requestURI\":\"{uri}\",\"verb\":\"{verb}\",\"user\":{{\"username\":\"{user}\",\"uid\":\"bc1a6b94\",\"groups\":[{groups},\"system:authenticated\"]}},\"sourceIPs\":[\"10.0.0.1\"],\"userAgent\":\"client/v1.36.2 (linux/amd64) kubernetes/0123456\",\"objectRef\":{object},\"responseStatus\":{{\"metadata\":{{}},\"code\":200}},\"requestReceivedTimestamp\":\"{start}\",\"stageTimestamp\":\"{end}\",\"annotations\":{{\"authorization.k8s.io/decision\":\"allow\",\"authorization.k8s.io/reason\":\"RBAC: allowed by ClusterRoleBinding \\\"all\\\" of ClusterRole \\\"edit\\\" to Group \\\"system:authenticated\\\"\"}}}}"
    );
}

impl Read for Day {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            if self.minute == MINUTES {
                return Ok(0);
            }
            let meter = Meter::start();
            self.fill();
            let (wall, cpu) = meter.stop();
            self.made = (self.made.0 + wall, self.made.1 + cpu);
        }
        let length = (&self.text[self.at..]).read(into)?;
        self.at += length;
        Ok(length)
    }
}
