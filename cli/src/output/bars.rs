//! Bars made of characters.

/// A bar of `width` characters: a full part up to `full`, a light part up to `light`, all of `of`.
pub(crate) fn bar(full: i64, light: i64, of: i64, width: usize) -> String {
    let cells = |value: i64| {
        let share = value.clamp(0, of.max(1)) as f64 / of.max(1) as f64;
        let cells = (share * width as f64).round() as usize;
        // What is there is seen.
        if value > 0 { cells.max(1) } else { cells }
    };
    let full = cells(full);
    let light = cells(light).max(full);
    format!("{}{}", "█".repeat(full), "░".repeat(light - full))
}
