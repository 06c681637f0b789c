//! Our allocations: its own program, since its allocator counts, which takes time.

use bench_data::{Outcome, list, report_heap};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::{Client, List, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::hint::black_box;

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[tokio::main]
async fn main() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["decode", count] => {
            let text = list(count.parse()?);
            let region = Region::new(HEAP);
            let list: List<FlowSchema> = json::from_str(&text)?;
            report_heap(&region, list.items.len());
        }
        // The fewest allocations that these types allow.
        ["clone", count] => {
            let list: List<FlowSchema> = json::from_str(&list(count.parse()?))?;
            let region = Region::new(HEAP);
            let copy = black_box(list.clone());
            report_heap(&region, copy.items.len());
        }
        ["encode", count] => {
            let list: List<FlowSchema> = json::from_str(&list(count.parse()?))?;
            let region = Region::new(HEAP);
            for schema in &list.items {
                black_box(json::to_vec(schema));
            }
            report_heap(&region, list.items.len());
        }
        ["watch", url, count] => {
            let schemas = Client::from_url(url)?.flow_schemas();
            let mut events = schemas.watch().resource_version("0").await?;
            let count = count.parse()?;
            let region = Region::new(HEAP);
            for _ in 0..count {
                black_box(events.next().await.ok_or("the watch ended early")??);
            }
            report_heap(&region, count);
        }
        _ => {
            return Err(
                "usage: decode COUNT | clone COUNT | encode COUNT | watch URL COUNT".into(),
            );
        }
    }
    Ok(())
}
