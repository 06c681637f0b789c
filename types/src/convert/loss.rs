//! The losses of a conversion.

use std::fmt;

/// A field that a conversion loses, or whose meaning it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The field's path in the source version, such as `spec.limited.nominalConcurrencyShares`.
    pub path: String,
    /// What happens to the field, and why.
    pub why: String,
    /// Whether the field has no effect in the source version and takes effect in the target version.
    pub takes_effect: bool,
}

impl Loss {
    /// The loss of the field at `path`, with the reason.
    pub fn new(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            why: why.into(),
            takes_effect: false,
        }
    }

    /// The loss of item `index` of a list.
    pub fn of_item(self, index: usize) -> Self {
        Self {
            path: format!("items[{index}].{}", self.path),
            ..self
        }
    }

    /// The index of the list item that the path begins with, and the loss with its path within that item: the inverse
    /// of [`of_item`](Self::of_item). `None` for a loss outside the items.
    pub fn split_item(&self) -> Option<(usize, Self)> {
        let (index, path) = self.path.strip_prefix("items[")?.split_once("].")?;
        let path = path.to_owned();
        Some((
            index.parse().ok()?,
            Self {
                path,
                ..self.clone()
            },
        ))
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path, self.why)
    }
}

/// The error of a conversion that loses data: the object as far as it could be converted, and the losses.
///
/// ```
/// use k8s_flowcontrol_types::api::{v1, v1beta2};
///
/// let mut level = v1::PriorityLevelConfiguration::default();
/// level.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(0);
/// let lossy = v1beta2::PriorityLevelConfiguration::try_from(level).unwrap_err();
/// assert_eq!(lossy.losses[0].path, "spec.limited.nominalConcurrencyShares");
/// assert_eq!(lossy.object.spec.limited.unwrap().assured_concurrency_shares, Some(0));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Lossy<T> {
    /// The object as far as it could be converted.
    pub object: Box<T>,
    /// The losses; never empty.
    pub losses: Vec<Loss>,
}

impl<T> Lossy<T> {
    /// The object as far as it could be converted.
    pub fn into_object(self) -> T {
        *self.object
    }

    /// The object and the losses of a conversion, successful or not.
    ///
    /// ```
    /// use k8s_flowcontrol_types::Release;
    /// use k8s_flowcontrol_types::api::{v1, v1beta2};
    /// use k8s_flowcontrol_types::convert::{Convert, Lossy};
    ///
    /// let level = v1::PriorityLevelConfiguration::default();
    /// let converted = level.convert_shape(Release::NEWEST);
    /// let (level, losses): (v1beta2::PriorityLevelConfiguration, _) = Lossy::parts(converted);
    /// assert!(losses.is_empty());
    /// # drop(level);
    /// ```
    pub fn parts(converted: Result<T, Self>) -> (T, Vec<Loss>) {
        match converted {
            Ok(object) => (object, Vec::new()),
            Err(Self { object, losses }) => (*object, losses),
        }
    }

    /// The outcome of a conversion: `object`, as an error when there are losses.
    ///
    /// # Errors
    /// [`Lossy`] when `losses` is not empty.
    pub fn outcome(object: T, losses: Vec<Loss>) -> Result<T, Self> {
        if losses.is_empty() {
            return Ok(object);
        }
        Err(Self {
            object: Box::new(object),
            losses,
        })
    }
}

impl<T> fmt::Display for Lossy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the conversion loses ")?;
        for (index, loss) in self.losses.iter().enumerate() {
            write!(f, "{}{loss}", if index > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl<T: fmt::Debug> std::error::Error for Lossy<T> {}
