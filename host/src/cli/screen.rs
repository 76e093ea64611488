//! The lines of a terminal that are written over and over.

use std::io::{self, Write};

use super::{table, width::cut};

/// Standard output, where that is a terminal. What was drawn last stands right above the cursor.
pub(crate) struct Screen {
    /// Columns and rows, as they were when something was drawn last.
    size: (usize, usize),
    lines: usize,
}

impl Screen {
    /// None when standard output is no terminal.
    pub(crate) fn of_stdout() -> Option<Self> {
        table::size().map(|size| Self { size, lines: 0 })
    }

    /// How wide and how many the lines may be. The last column and the last row stay empty: from there a terminal goes on to
    /// the next line, or scrolls.
    pub(crate) fn room(&self) -> (usize, usize) {
        let (width, height) = table::size().unwrap_or(self.size);
        (width.saturating_sub(1), height.saturating_sub(1))
    }

    pub(crate) fn was_resized(&self) -> bool {
        table::size().is_some_and(|size| size != self.size)
    }

    /// Writes over what was drawn last.
    pub(crate) fn draw(&mut self, text: &str) -> io::Result<()> {
        let size = table::size().unwrap_or(self.size);
        let (drawn, lines) = frame(text, size, if size == self.size { Some(self.lines) } else { None });
        (self.size, self.lines) = (size, lines);
        let mut out = io::stdout().lock();
        out.write_all(drawn.as_bytes()).and_then(|()| out.flush())
    }
}

/// What draws a text over so many lines, or over the whole screen when it was resized: nobody knows where what was drawn
/// has gone then. Also how many lines it draws.
///
/// It is written line by line, and only what is left of a line is cleared: nothing flickers.
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
    fn after_a_resize_all_is_drawn_anew() {
        assert_eq!(frame("a", (40, 24), None), ("\x1b[Ha\x1b[K\n\x1b[J".into(), 1));
    }
}
