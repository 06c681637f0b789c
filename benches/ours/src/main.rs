//! Our side, with the system's allocator.

#[tokio::main]
async fn main() -> bench_data::Outcome {
    bench_ours::run().await
}
