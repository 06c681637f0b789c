//! Our side, with mimalloc.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> bench_data::Outcome {
    bench_ours::run().await
}
