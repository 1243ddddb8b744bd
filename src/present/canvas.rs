//! A picture made of signs: rows of cells with tones, lines between them, and places that can be clicked.

use super::{Tone, width};

/// A picture of signs.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Its rows, each cell a sign and its tone.
    pub rows: Vec<Vec<(char, Tone)>>,
    /// What stands where: first column, row, columns, and the number of the run.
    pub places: Vec<(u16, u16, u16, usize)>,
}

impl Picture {
    /// An empty picture.
    #[must_use]
    pub fn new(columns: u16, rows: u16) -> Picture {
        Picture { rows: vec![vec![(' ', Tone::Plain); usize::from(columns)]; usize::from(rows)], places: Vec::new() }
    }

    /// Puts a sign; beyond the picture, nothing.
    pub fn put(&mut self, column: u16, row: u16, sign: char, tone: Tone) {
        if let Some(cell) = self.rows.get_mut(usize::from(row)).and_then(|row| row.get_mut(usize::from(column))) {
            *cell = (sign, tone);
        }
    }

    /// Writes text from a column on.
    pub fn write(&mut self, column: u16, row: u16, text: &str, tone: Tone) {
        for (at, sign) in (column..).zip(text.chars()) {
            self.put(at, row, sign, tone);
        }
    }

    /// Writes text that ends before a column.
    pub fn write_before(&mut self, column: u16, row: u16, text: &str, tone: Tone) {
        self.write(column.saturating_sub(u16::try_from(width(text)).unwrap_or(column)), row, text, tone);
    }

    /// Writes a name above a place or below it, where nothing stands yet.
    pub fn label(&mut self, column: u16, row: u16, text: &str) {
        let size = u16::try_from(width(text)).unwrap_or(u16::MAX);
        let from = column.saturating_sub(size / 2);
        let free = |y: u16| {
            let row = self.rows.get(usize::from(y))?;
            let cells = row.get(usize::from(from.saturating_sub(1))..usize::from(from.saturating_add(size)) + 1)?;
            cells.iter().all(|(sign, _)| *sign == ' ').then_some(y)
        };
        let found = row.checked_sub(1).and_then(free).or_else(|| free(row + 1));
        if let Some(y) = found {
            self.write(from, y, text, Tone::Faint);
        }
    }

    /// Draws a dotted line between two places, over blanks only.
    pub fn line(&mut self, from: (u16, u16), to: (u16, u16), tone: Tone) {
        let wide = |place: (u16, u16)| (i64::from(place.0), i64::from(place.1));
        let ((x, y), (to_x, to_y)) = (wide(from), wide(to));
        let steps = (to_x - x).abs().max((to_y - y).abs()).max(1);
        for at in 0..=steps {
            let half = steps / 2 * (to_y - y).signum();
            let (column, row) = (x + (to_x - x) * at / steps, y + ((to_y - y) * at + half) / steps);
            if let (Ok(column), Ok(row)) = (u16::try_from(column), u16::try_from(row)) {
                self.blank(column, row, '·', tone);
            }
        }
    }

    /// Draws a step from a place to another at its right: level to its column, then up or down.
    pub fn step(&mut self, (x, y): (u16, u16), (to_x, to_y): (u16, u16), tone: Tone) {
        for column in x + 1..to_x {
            self.put(column, y, '─', tone);
        }
        if to_x > x && to_y != y {
            self.put(to_x, y, if to_y < y { '┘' } else { '┐' }, tone);
        }
        for row in y.min(to_y) + 1..y.max(to_y) {
            self.put(to_x, row, '│', tone);
        }
    }

    /// Puts a sign where nothing stands.
    fn blank(&mut self, column: u16, row: u16, sign: char, tone: Tone) {
        let here = self.rows.get(usize::from(row)).and_then(|row| row.get(usize::from(column)));
        if here.is_some_and(|(sign, _)| *sign == ' ') {
            self.put(column, row, sign, tone);
        }
    }

    /// The run at a cell.
    #[must_use]
    pub fn at(&self, column: u16, row: u16) -> Option<usize> {
        let under = |(x, y, columns, _): &&(u16, u16, u16, usize)| *y == row && (*x..*x + *columns).contains(&column);
        self.places.iter().rev().find(under).map(|(.., run)| *run)
    }

    /// Its rows as pieces of one tone each, without the blanks at their ends.
    #[must_use]
    pub fn lines(&self) -> Vec<Vec<(String, Tone)>> {
        let line = |row: &Vec<(char, Tone)>| {
            let end = row.iter().rposition(|(sign, _)| *sign != ' ').map_or(0, |at| at + 1);
            let mut pieces: Vec<(String, Tone)> = Vec::new();
            for (sign, tone) in row.iter().take(end) {
                match pieces.last_mut() {
                    Some((text, last)) if last == tone => text.push(*sign),
                    _ => pieces.push((sign.to_string(), *tone)),
                }
            }
            pieces
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_drawn_within_the_picture() {
        let mut picture = Picture::new(6, 3);
        picture.line((0, 2), (5, 0), Tone::Faint);
        picture.line((4, 2), (60, 40), Tone::Faint);
        assert!(picture.rows[2][0].0 == '·' && picture.rows[0][5].0 == '·');
        picture.step((0, 2), (3, 0), Tone::Accent);
        assert_eq!((picture.rows[2][1].0, picture.rows[2][3].0, picture.rows[1][3].0), ('─', '┘', '│'));
        picture.write_before(3, 1, "abcdef", Tone::Plain);
        picture.put(99, 99, 'x', Tone::Plain);
        assert_eq!(picture.lines().len(), 3);
    }
}
