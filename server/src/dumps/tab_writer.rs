//! Aligned columns, as Go's tab writer formats them.

/// The minimum width of every column but the last.
const MIN_WIDTH: usize = 8;

/// A table whose cells, except the last of each line, end with a comma and are padded with spaces. The cells of a row are made twice
/// and not kept.
pub(super) fn write<R>(titles: &[&str], rows: &[R], cells: impl Fn(&R) -> Vec<String>) -> String {
    let last = titles.len().saturating_sub(1);
    let length = |cell: &str| (cell.chars().count() + 2).max(MIN_WIDTH);
    let mut widths: Vec<usize> = titles.iter().map(|title| length(title)).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(cells(row)) {
            *width = length(&cell).max(*width);
        }
    }
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        for (column, cell) in cells.enumerate() {
            text.push_str(cell);
            if column < last {
                text.push(',');
                let missing = widths[column].saturating_sub(cell.chars().count() + 1);
                text.extend(std::iter::repeat_n(' ', missing));
            }
        }
        text.push('\n');
    };
    line(&mut titles.iter().copied());
    for row in rows {
        line(&mut cells(row).iter().map(String::as_str));
    }
    text
}
