//! A check of the generator's list of the runtime's types.

use super::inline;
use super::types::{Body, Origin, Plan};
use crate::error::Error;
use crate::runtime::{RUNTIME_META, RUNTIME_SHAPES, runtime_meta};

impl Plan {
    /// Compares the generator's list of the runtime's shared types with the types of the plan.
    pub(crate) fn check_runtime_types(&self) -> Result<(), Error> {
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
                    let (package, name) = (&key.package, &key.name);
                    missing.push(format!(
                        "\n    (\"{package}\", \"{name}\", \"{}\"),",
                        item.ident
                    ));
                }
            }
        }
        if missing.is_empty() && found == RUNTIME_META.len() {
            return self.check_runtime_shapes();
        }
        Err(Error::new(format!(
            "the list of the runtime's types has {} entries, of which {found} were generated; these are \
             missing from it:{}",
            RUNTIME_META.len(),
            missing.concat()
        ))
        .help("correct RUNTIME_META in the generator's source"))
    }

    /// Compares the generator's list of their fields.
    fn check_runtime_shapes(&self) -> Result<(), Error> {
        for shape in &RUNTIME_SHAPES {
            let agrees = self.items.iter().any(|item| match &item.body {
                Body::Struct(body) if item.ident == shape.name => {
                    inline::is_equal(&self.items, body, shape)
                }
                _ => false,
            });
            if !agrees {
                return Err(Error::new(format!(
                    "the runtime's type `{}` differs from the generator's list",
                    shape.name
                ))
                .help("correct RUNTIME_SHAPES in the generator's source"));
            }
        }
        Ok(())
    }
}
