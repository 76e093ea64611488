//! Tables for a terminal: aligned, cut to its width, with control characters escaped.

use std::io::{self, IsTerminal};

use indicatif::HumanCount;
use unicode_width::UnicodeWidthStr;

use super::{terminal::escape, width::cut};

/// The space between two columns.
const GAP: &str = "  ";
/// The minimum width of a column of text, and the minimum for a very narrow terminal.
const MIN_WIDTH: usize = 6;
const LAST_RESORT_WIDTH: usize = 4;
/// Columns and rows of a terminal that does not report its size.
const DEFAULT_SIZE: (usize, usize) = (80, 24);

/// The alignment of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Rows under a header line.
pub(crate) struct Table<const N: usize> {
    header: [(&'static str, Side); N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(header: [(&'static str, Side); N]) -> Self {
        Self { header, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells);
    }

    /// Returns the lines of the table, without the last column if it is empty. If the table is too wide, it cuts texts, the
    /// widest column first, and then omits the last columns. It never cuts a number.
    pub(crate) fn lines(&self, width: usize) -> String {
        let header = self.header.map(|(name, _)| name.to_owned());
        let rows: Vec<[String; N]> =
            self.rows.iter().map(|row| row.each_ref().map(|cell| shown(cell, width))).collect();
        let rows = || std::iter::once(&header).chain(&rows);
        let (mut widths, cells) = (widest(rows()), widest(rows().skip(1)));
        let is_empty = !self.rows.is_empty() && cells.last() == Some(&0);
        let widths = &mut widths[..N - usize::from(is_empty)];
        let minimums = |texts| {
            let minimum = |((_, side), cell): (&(_, Side), usize)| if *side == Side::Left { texts } else { cell };
            self.header.iter().zip(cells).map(minimum).collect::<Vec<_>>()
        };
        narrow(widths, &minimums(MIN_WIDTH), width);
        narrow(widths, &minimums(LAST_RESORT_WIDTH), width);
        let fitting = fitting(widths, width);
        rows().map(|row| self.line(row, &widths[..fitting])).collect::<Vec<_>>().join("\n")
    }

    /// Formats a row, with as many columns as there are widths.
    fn line(&self, row: &[String; N], widths: &[usize]) -> String {
        let cells = row.iter().zip(widths).zip(&self.header).map(|((cell, width), (_, side))| {
            let cell = cut(cell, *width);
            let space = " ".repeat(width.saturating_sub(cell.width()));
            if *side == Side::Left { cell + &space } else { space + &cell }
        });
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    }
}

/// Returns the width of the terminal on standard output; none if it is not a terminal.
pub(crate) fn width() -> Option<usize> {
    size().map(|(width, _)| width)
}

/// Returns the columns and rows of the terminal on standard output; none if it is not a terminal.
pub(super) fn size() -> Option<(usize, usize)> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| (size.ws_col.into(), size.ws_row.into()));
    Some(size.filter(|(width, height)| *width > 0 && *height > 0).unwrap_or(DEFAULT_SIZE))
}

/// `1 document`, `2,019 documents`
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", HumanCount(count), if count == 1 { "" } else { "s" })
}

/// Returns the line below a page, which states the rows that the page does not show; none if it shows the last one.
pub(crate) fn rest(shown: usize, limit: u32, offset: u32, count: u64, what: &str) -> Option<String> {
    let next = u64::from(offset) + shown as u64;
    match count.saturating_sub(next) {
        _ if count == 0 => Some(format!("there are no {what}s")),
        _ if limit == 0 => Some(format!("{}; --limit 0 shows none of them", counted(count, what))),
        _ if shown == 0 => Some(format!("{}; --offset {offset} is after the last one", counted(count, what))),
        0 => None,
        more => Some(format!("… {} more of {}; to continue: --offset {next}", HumanCount(more), HumanCount(count))),
    }
}

fn widest<'r, const N: usize>(rows: impl Iterator<Item = &'r [String; N]>) -> [usize; N] {
    let mut widths = [0; N];
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = cell.width().max(*widest);
        }
    }
    widths
}

/// Returns the width of a row with these columns.
fn row_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

/// Reduces the widest columns until all fit, none below its minimum.
fn narrow(widths: &mut [usize], minimums: &[usize], room: usize) {
    while row_width(widths) > room {
        let above = widths.iter_mut().zip(minimums).filter(|(width, minimum)| **width > **minimum);
        match above.map(|(width, _)| width).max() {
            Some(widest) => *widest -= 1,
            None => return,
        }
    }
}

/// Returns the number of columns that fit, at least 1.
fn fitting(widths: &[usize], room: usize) -> usize {
    (2..=widths.len()).rev().find(|columns| row_width(&widths[..*columns]) <= room).unwrap_or(1)
}

/// Returns the visible part of a cell, on one line.
fn shown(cell: &str, width: usize) -> String {
    // One character more than fits, so that a cut is marked by an ellipsis.
    let start: String = cell.chars().take(width + 1).collect();
    escape(&start.replace(['\n', '\t'], " ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 2]]) -> Table<2> {
        let mut table = Table::new([("KEY", Side::Left), ("N", Side::Right)]);
        rows.iter().for_each(|row| table.row(row.map(String::from)));
        table
    }

    #[test]
    fn columns_are_aligned_by_what_is_seen() {
        let lines = table(&[["ada", "1"], ["日本", "1,000"]]).lines(80);
        assert_eq!(lines, "KEY       N\nada       1\n日本  1,000");
    }

    #[test]
    fn the_widest_column_is_cut_first() {
        let lines = table(&[["a long key that has no room", "1,000"], ["日本日本日本日本", "2"]]).lines(20);
        assert_eq!(lines, "KEY                N\na long key t…  1,000\n日本日本日本…      2");
    }

    #[test]
    fn no_number_is_cut() {
        let mut table = Table::new([("KEY", Side::Left), ("CHECKED OUT", Side::Right), ("DEAD", Side::Right)]);
        table.row(["a long key".into(), "1,000,000".into(), "100,000".into()]);
        assert_eq!(table.lines(26), "KEY      CHECKED…     DEAD\na lon…  1,000,000  100,000");
        assert_eq!(table.lines(24), "KEY    CHECKED…     DEAD\na l…  1,000,000  100,000");
        assert_eq!(table.lines(20), "KEY    CHECKED…\na l…  1,000,000");
        assert_eq!(table.lines(6), "KEY\na l…");
    }

    #[test]
    fn an_empty_last_column_is_left_out() {
        assert_eq!(table(&[["ada", ""], ["b", ""]]).lines(80), "KEY\nada\nb");
        assert_eq!(table(&[["ada", ""], ["b", "1"]]).lines(80), "KEY  N\nada\nb    1");
    }

    #[test]
    fn no_cell_moves_the_cursor() {
        let lines = table(&[["a\nb\x1b[2J\u{202e}", "\r"]]).lines(80);
        assert_eq!(lines, "KEY                    N\na b\\x1b[2J\\u{202e}  \\x0d");
    }

    #[test]
    fn a_long_cell_costs_no_more_than_is_seen() {
        let lines = table(&[[&"x".repeat(1 << 20), "1"]]).lines(40);
        assert!(lines.lines().all(|line| line.width() <= 40), "{lines}");
    }

    #[test]
    fn the_last_line_states_what_the_page_omits() {
        let rest = |shown, limit, offset, count| rest(shown, limit, offset, count, "item").unwrap_or_default();
        assert_eq!(rest(0, 100, 0, 0), "there are no items");
        assert_eq!(rest(3, 100, 0, 3), "");
        assert_eq!(rest(3, 3, 2, 2_019), "… 2,014 more of 2,019; to continue: --offset 5");
        assert_eq!(rest(0, 0, 0, 3), "3 items; --limit 0 shows none of them");
        assert_eq!(rest(0, 100, 9, 1), "1 item; --offset 9 is after the last one");
    }

    #[test]
    fn counts_are_read_easily() {
        assert_eq!([counted(0, "row"), counted(1, "row"), counted(2_019, "row")], ["0 rows", "1 row", "2,019 rows"]);
    }
}
