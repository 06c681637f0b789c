//! Our side, with the system's allocator.

#[tokio::main]
async fn main() -> bench_ours::Outcome {
    bench_ours::run().await
}
