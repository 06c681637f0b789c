//! The peer's side, with the system's allocator.

#[tokio::main]
async fn main() -> bench_data::Outcome {
    bench_peer::run().await
}
