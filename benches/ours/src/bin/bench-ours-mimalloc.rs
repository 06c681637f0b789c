//! Our side, with mimalloc.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> bench_ours::Outcome {
    bench_ours::run().await
}
