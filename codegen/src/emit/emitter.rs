//! The emitter's state, and helpers for names, paths and formatted text.

use crate::constraints::Constraints;
use crate::error::Error;
use crate::plan::Plan;
use crate::sharing::Sharing;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::BTreeMap;

/// Writes the modules of a plan.
pub(crate) struct Emitter<'a> {
    pub(super) plan: &'a Plan,
    pub(super) sharing: &'a Sharing,
    /// The path of the runtime crate.
    pub(super) runtime: TokenStream,
    /// The constraints of modules, if types check them.
    pub(super) constraints: BTreeMap<usize, Constraints>,
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        sharing: &'a Sharing,
        runtime: &syn::Path,
        constraints: BTreeMap<usize, Constraints>,
    ) -> Self {
        Self {
            plan,
            sharing,
            runtime: quote!(#runtime),
            constraints,
        }
    }

    /// The path of the runtime crate, for text that nothing lays out.
    pub(super) fn runtime_text(&self) -> String {
        path_text(&self.runtime)
    }
}

/// A path or type as text without spaces.
pub(super) fn path_text(tokens: &TokenStream) -> String {
    tokens.to_string().replace(' ', "")
}

/// Formats items, with a blank line between them.
pub(super) fn layout(tokens: TokenStream) -> Result<String, Error> {
    let mut file: syn::File = syn::parse2(tokens).map_err(|error| {
        Error::new(format!(
            "the generator wrote text that is not Rust: {error}"
        ))
        .help("this is a mistake in the generator: report it with the document")
    })?;
    let mut text = String::new();
    for item in std::mem::take(&mut file.items) {
        if !text.is_empty() && !matches!(item, syn::Item::Use(_)) {
            text.push('\n');
        }
        file.items = vec![item];
        text.push_str(&prettyplease::unparse(&file));
    }
    Ok(text)
}

/// An identifier, which may be raw: `r#type`.
pub(super) fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}
