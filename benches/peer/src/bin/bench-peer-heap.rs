//! The peer's allocations: its own program, since its allocator counts, which takes time.

use bench_data::{Outcome, list, report_heap};
use futures_util::{StreamExt, TryStreamExt};
use k8s_openapi::List;
use k8s_openapi::api::flowcontrol::v1::FlowSchema;
use kube::api::WatchParams;
use kube::{Api, Client, Config};
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
            let list: List<FlowSchema> = serde_json::from_str(&text)?;
            report_heap(&region, list.items.len());
        }
        // The fewest allocations that these types allow.
        ["clone", count] => {
            let list: List<FlowSchema> = serde_json::from_str(&list(count.parse()?))?;
            let region = Region::new(HEAP);
            let copy = black_box(list.clone());
            report_heap(&region, copy.items.len());
        }
        ["encode", count] => {
            let list: List<FlowSchema> = serde_json::from_str(&list(count.parse()?))?;
            let region = Region::new(HEAP);
            for schema in &list.items {
                black_box(serde_json::to_vec(schema)?);
            }
            report_heap(&region, list.items.len());
        }
        ["watch", url, count] => {
            let api: Api<FlowSchema> = Api::all(Client::try_from(Config::new(url.parse()?))?);
            let mut events = api.watch(&WatchParams::default(), "0").await?.boxed();
            let count = count.parse()?;
            let region = Region::new(HEAP);
            for _ in 0..count {
                black_box(events.try_next().await?.ok_or("the watch ended early")?);
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
