//! The peer's memory of a list: its own program, since its allocator counts, which takes time.

use bench_data::{list, report};
use cap::Cap;
use k8s_openapi::List;
use k8s_openapi::api::flowcontrol::v1::FlowSchema;
use std::alloc::System;
use std::error::Error;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).ok_or("usage: COUNT")?.parse()?;
    let text = list(count);
    let before = HEAP.allocated();
    let list: List<FlowSchema> = serde_json::from_str(&text)?;
    report(&[
        ("bytes", (HEAP.allocated() - before) as f64),
        ("objects", list.items.len() as f64),
    ]);
    Ok(())
}
