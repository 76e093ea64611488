//! Redraws lines on a terminal in place.

use std::io::{self, Write};

use super::{table, width::cut};

/// A terminal on standard output. The lines that were drawn last are directly above the cursor.
pub(crate) struct Screen {
    /// Columns and rows at the last drawing.
    size: (usize, usize),
    lines: usize,
}

impl Screen {
    /// Returns the terminal; none if standard output is not a terminal.
    pub(crate) fn of_stdout() -> Option<Self> {
        table::size().map(|size| Self { size, lines: 0 })
    }

    /// Returns the usable columns and rows. The last column and the last row stay empty, because writing to them makes a
    /// terminal wrap or scroll.
    pub(crate) fn room(&self) -> (usize, usize) {
        let (width, height) = table::size().unwrap_or(self.size);
        (width.saturating_sub(1), height.saturating_sub(1))
    }

    pub(crate) fn was_resized(&self) -> bool {
        table::size().is_some_and(|size| size != self.size)
    }

    /// Replaces the lines that were drawn last.
    pub(crate) fn draw(&mut self, text: &str) -> io::Result<()> {
        let size = table::size().unwrap_or(self.size);
        let (drawn, lines) = frame(text, size, if size == self.size { Some(self.lines) } else { None });
        (self.size, self.lines) = (size, lines);
        let mut out = io::stdout().lock();
        out.write_all(drawn.as_bytes()).and_then(|()| out.flush())
    }
}

/// Returns the output that draws a text over the last `before` lines, and its number of lines. After a resize, `before`
/// is none and the output covers the whole screen, because the position of the old lines is unknown.
///
/// It clears only the rest of each line, to avoid flicker.
fn frame(text: &str, (width, height): (usize, usize), before: Option<usize>) -> (String, usize) {
    let mut drawn = match before {
        None => "\x1b[H".into(),
        Some(0) => String::new(),
        Some(lines) => format!("\x1b[{lines}A\r"),
    };
    let mut lines = 0;
    for line in text.lines().take(height.saturating_sub(1)) {
        drawn += &format!("{}\x1b[K\n", cut(line, width.saturating_sub(1)));
        lines += 1;
    }
    (drawn + "\x1b[J", lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_text_leaves_nothing_of_a_longer_one() {
        assert_eq!(frame("a\nb", (80, 24), Some(0)), ("a\x1b[K\nb\x1b[K\n\x1b[J".into(), 2));
        assert_eq!(frame("c", (80, 24), Some(2)), ("\x1b[2A\rc\x1b[K\n\x1b[J".into(), 1));
    }

    #[test]
    fn nothing_scrolls_or_wraps() {
        let text = "0123456789\n".repeat(10);
        let (drawn, lines) = frame(&text, (10, 4), Some(0));
        assert_eq!((drawn.matches("01234567…\x1b[K\n").count(), lines), (3, 3));
        assert_eq!(frame(&text, (0, 0), Some(0)), ("\x1b[J".into(), 0));
    }

    #[test]
    fn a_resize_redraws_the_whole_screen() {
        assert_eq!(frame("a", (40, 24), None), ("\x1b[Ha\x1b[K\n\x1b[J".into(), 1));
    }
}
