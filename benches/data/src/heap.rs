//! The memory that a piece of work allocated.

/// A count of allocations, by whatever counts them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap {
    /// Allocations, and changes of an allocation's size.
    pub allocations: usize,
    pub reallocations: usize,
    /// The bytes of all allocations, and the freed bytes.
    pub allocated: usize,
    pub freed: usize,
}

impl Heap {
    /// Prints the figures of `count` objects for one of them.
    pub fn report(&self, count: usize) {
        let each = |number: usize| number as f64 / count as f64;
        crate::report(&[
            ("allocations", each(self.allocations)),
            ("reallocations", each(self.reallocations)),
            ("bytes", each(self.allocated)),
            ("held bytes", each(self.allocated) - each(self.freed)),
        ]);
    }
}
