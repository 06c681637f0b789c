//! Open enums. The runtime's macro writes all but the names, and nothing lays out a macro's input, so
//! this is text.

use super::docs;
use super::emitter::Emitter;
use crate::names;
use crate::plan::{Body, Origin};

impl Emitter<'_> {
    pub(super) fn enumeration(&self, index: usize, values: &[String]) -> String {
        let item = &self.plan.items[index];
        let variants = names::variants(&item.ident, values);
        let runtime = self.runtime_text();
        let mut text = format!("{runtime}::rt::v1::open_enum! {{\n");
        for line in docs::of_enum(item, self.owner(index)) {
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

    /// The Rust name of the type whose field an inline enum is the value of, if there is only one such type.
    fn owner(&self, index: usize) -> Option<&str> {
        let item = &self.plan.items[index];
        match &item.origin {
            Origin::Inline(places) if places.len() == 1 => {}
            _ => return None,
        }
        let items = self.plan.modules[item.module].items.iter();
        let mut items = items.map(|&other| &self.plan.items[other]);
        let owner = items.find(|other| match &other.body {
            Body::Struct(body) => body.fields.iter().any(|f| f.shape.item() == Some(index)),
            Body::Enum(_) => false,
        });
        owner.map(|owner| owner.ident.as_str())
    }
}

fn comment(indent: usize, line: &str) -> String {
    let space = if line.is_empty() { "" } else { " " };
    format!("{:indent$}///{space}{line}\n", "")
}
