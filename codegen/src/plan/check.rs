//! What must hold of a plan before anything is written.

use super::{Body, Options, Origin, Plan};
use crate::error::Error;
use crate::known::{RUNTIME_META, runtime_meta};

impl Plan {
    pub(crate) fn check(&self, options: Options) -> Result<(), Error> {
        if options.own_meta {
            self.check_meta()
        } else {
            Ok(())
        }
    }

    /// The generator knows the runtime's shared types by a list, which must be true.
    fn check_meta(&self) -> Result<(), Error> {
        let mut found = 0;
        let mut missing = Vec::new();
        for module in self.modules.iter().filter(|module| module.is_meta) {
            for item in module.items.iter().map(|&index| &self.items[index]) {
                let (Origin::Schema(key), Body::Struct(_)) = (&item.origin, &item.body) else {
                    continue;
                };
                if runtime_meta(key) == Some(item.ident.as_str()) {
                    found += 1;
                } else {
                    missing.push(format!("\n    (\"{key}\", \"{}\"),", item.ident));
                }
            }
        }
        if missing.is_empty() && found == RUNTIME_META.len() {
            return Ok(());
        }
        Err(Error::new(format!(
            "the list of the runtime's shared types has {} entries, of which {found} were generated; \
             it lacks:{}",
            RUNTIME_META.len(),
            missing.concat()
        ))
        .help("correct RUNTIME_META in the generator's source"))
    }
}
