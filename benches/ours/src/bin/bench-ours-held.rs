//! Our memory of a list: its own program, since its allocator counts, which takes time.

use bench_data::{list, report};
use cap::Cap;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::{List, json};
use std::alloc::System;
use std::error::Error;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).ok_or("usage: COUNT")?.parse()?;
    let text = list(count);
    let before = HEAP.allocated();
    let list: List<FlowSchema> = json::from_str(&text)?;
    report(&[
        ("bytes", (HEAP.allocated() - before) as f64),
        ("objects", list.items.len() as f64),
    ]);
    Ok(())
}
