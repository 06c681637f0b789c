//! Reads an audit log and prints which flow schema takes how many requests of whom, and who was rejected.
//!
//! `cargo run --example audit LOG`, plain or compressed, in any format of `AuditLog`. It does not need a server; with other objects
//! than the built-in ones, give `Classifier::new` the objects of the cluster.

use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::bootstrap;
use k8s_flowcontrol::rules::matching::Classifier;
use k8s_flowcontrol_analysis::audit::AuditLog;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("give the path of an audit log")?;
    let schemas = bootstrap::flow_schemas(Release::NEWEST);
    let levels = bootstrap::priority_levels(Release::NEWEST);
    let classifier = Classifier::new(&schemas, &levels, Release::NEWEST);

    // The number of requests, and of rejections, by schema and user.
    let mut tally: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    let mut log = AuditLog::new();
    let mut each = |event: &k8s_flowcontrol_analysis::audit::Event<'_>| {
        let request = event.attributes();
        let schema = classifier
            .classify(&request)
            .map_or("none", |taken| taken.flow_schema);
        let entry = tally
            .entry((schema.to_owned(), request.user.name.clone()))
            .or_default();
        entry.0 += 1;
        entry.1 += u64::from(event.is_rejected_by_flow_control());
        Ok::<(), io::Error>(())
    };
    log.read(BufReader::new(File::open(path)?), &mut each)?;
    // Requests whose last event is missing, such as those that still ran when the log ended.
    let counts = log.finish(&mut each)?;
    for ((schema, user), (requests, rejected)) in &tally {
        println!("{schema}: {requests} requests of {user}, {rejected} rejected");
    }
    println!(
        "{} requests, {} broken lines",
        counts.requests, counts.broken
    );
    Ok(())
}
