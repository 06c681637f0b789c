//! Open enums. The runtime's macro writes all but the names, and nothing lays out a macro's input, so
//! this is text.

use super::docs;
use super::emitter::Emitter;
use crate::names;
use crate::plan::Origin;

impl Emitter<'_> {
    pub(super) fn enumeration(&self, index: usize, values: &[String]) -> String {
        let item = &self.plan.items[index];
        let variants = names::variants(&item.ident, values);
        let runtime = self.runtime_text();
        let mut text = format!("{runtime}::rt::open_enum! {{\n");
        let parent = match item.origin {
            Origin::Inline { parent, .. } => Some(&self.plan.items[parent]),
            Origin::Schema(_) => None,
        };
        for line in docs::of_enum(item, parent) {
            text.push_str(&comment(4, &line));
        }
        text.push_str(&format!("    pub enum {} {{\n", item.ident));
        for (value, variant) in values.iter().zip(&variants) {
            for line in docs::of_value(item, value) {
                text.push_str(&comment(8, &line));
            }
            text.push_str(&format!("        {variant} = {value:?},\n"));
        }
        text.push_str("    }\n}\n");
        text
    }
}

fn comment(indent: usize, line: &str) -> String {
    let space = if line.is_empty() { "" } else { " " };
    format!("{:indent$}///{space}{line}\n", "")
}
