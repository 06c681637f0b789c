//! Aligned columns, as Go's tab writer formats them.

/// The minimum width of every column but the last.
const MIN_WIDTH: usize = 8;

/// A table whose cells, except the last of each line, end with a comma and are padded with spaces.
pub(super) fn write(titles: &[&str], rows: &[Vec<String>]) -> String {
    let last = titles.len().saturating_sub(1);
    let length = |cell: &str| cell.chars().count() + 2;
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| length(cell)).max().unwrap_or_default();
        widest.max(length(titles[column])).max(MIN_WIDTH)
    };
    let widths: Vec<usize> = (0..last).map(width).collect();
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        for (column, cell) in cells.enumerate() {
            text.push_str(cell);
            if let Some(width) = widths.get(column) {
                text.push(',');
                let missing = width.saturating_sub(cell.chars().count() + 1);
                text.extend(std::iter::repeat_n(' ', missing));
            }
        }
        text.push('\n');
    };
    line(&mut titles.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
    text
}
