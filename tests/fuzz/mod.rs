//! The corpora of the fuzz targets, through the same checks, with the stable toolchain.

use std::fs;
use std::path::Path;

/// Runs the check of a target on its corpus.
macro_rules! target {
    ($name:ident, $path:literal) => {
        #[path = $path]
        mod $name;

        #[test]
        fn $name() {
            corpus(stringify!($name), $name::check);
        }
    };
}

target!(json, "../../fuzz/checks/json.rs");
target!(yaml, "../../fuzz/checks/yaml.rs");
target!(objects, "../../fuzz/checks/objects.rs");
target!(watch_line, "../../fuzz/checks/watch_line.rs");
target!(kubeconfig, "../../fuzz/checks/kubeconfig.rs");
target!(patch, "../../fuzz/checks/patch.rs");
target!(migrate, "../../fuzz/checks/migrate.rs");
target!(audit, "../../fuzz/checks/audit.rs");
target!(metrics, "../../fuzz/checks/metrics.rs");
target!(openapi, "../../fuzz/checks/openapi.rs");
target!(generated, "../../fuzz/checks/generated.rs");
target!(load, "../../fuzz/checks/load.rs");

fn corpus(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        // The name of the file is the context of a failure.
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
        count += 1;
    }
    assert!(count >= 20, "{count} files in {}", folder.display());
}
