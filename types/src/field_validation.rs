//! The query parameter `fieldValidation`.

use crate::__named as named;

named! {
    /// The treatment of unknown and duplicate fields in a request body: the query parameter `fieldValidation`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum FieldValidation {
        /// The server answers 400.
        Strict = "Strict",
        /// The server drops them and returns a warning; the default.
        #[default]
        Warn = "Warn",
        /// The server drops them silently.
        Ignore = "Ignore",
    }
    /// The value on the wire.
    pub fn as_str;
}
