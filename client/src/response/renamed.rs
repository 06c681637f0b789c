//! Fields whose name differs between the version on the wire and the type.

use crate::error::Error;
use crate::meta::Status;

/// A field's path on the wire, and its path in the type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenamedField {
    pub(crate) wire: &'static str,
    pub(crate) own: &'static str,
}

impl RenamedField {
    /// Replaces the field's path on the wire in an error's message and causes.
    pub(crate) fn translate(self, mut error: Error) -> Error {
        if let Some(status) = error.status_mut() {
            self.translate_status(status);
        }
        error
    }

    fn translate_status(self, status: &mut Status) {
        let Self { wire, own } = self;
        // A message names a path before a colon, and in a conflict after a dot. Quoted values stay unchanged.
        if let Some(message) = &mut status.message {
            *message = message
                .replace(&format!("{wire}: "), &format!("{own}: "))
                .replace(&format!(".{wire}"), &format!(".{own}"));
        }
        let details = status.details.iter_mut();
        for cause in details.flat_map(|details| &mut details.causes) {
            if let Some(field) = &mut cause.field
                && let Some(dot) = field.strip_suffix(wire)
                && matches!(dot, "" | ".")
            {
                *field = format!("{dot}{own}");
            }
        }
    }
}
