//! Bars made of characters.

/// A bar of `width` characters for the amount `of`. Each part covers the amount by which it exceeds the parts before it.
pub(crate) fn bar<const N: usize>(parts: [(char, i64); N], of: i64, width: usize) -> String {
    let cells = |amount: i64| {
        let share = amount.clamp(0, of.max(1)) as f64 / of.max(1) as f64;
        let cells = (share * width as f64).round() as usize;
        // A positive amount gets at least one character.
        if amount > 0 { cells.max(1) } else { cells }
    };
    let mut bar = String::new();
    let mut length = 0;
    for (cell, amount) in parts {
        let until = cells(amount).max(length);
        bar.extend(std::iter::repeat_n(cell, until - length));
        length = until;
    }
    bar
}
