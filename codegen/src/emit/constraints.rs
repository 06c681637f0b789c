//! The constraints of types, for `validate()`.

use super::Emitter;
use crate::constraints::Constraints;

impl Emitter<'_> {
    /// The types with constraints, and the definitions as a raw string.
    pub(super) fn constraints(&self, constraints: &Constraints) -> String {
        let types = constraints.types.iter().map(|(item, name)| {
            format!(
                "    {} => \"{}\",\n",
                self.plan.items[*item].ident,
                name.escape_default()
            )
        });
        let text = &constraints.text;
        let mut hashes = "#".to_owned();
        while text.contains(&format!("\"{hashes}")) {
            hashes.push('#');
        }
        format!(
            "{}::rt::v1::validate! {{\n{}    r{hashes}\"{text}\"{hashes}\n}}\n",
            self.runtime_text(),
            types.collect::<String>(),
        )
    }
}
