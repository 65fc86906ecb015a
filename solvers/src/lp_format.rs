//! Writing of linear programs in CPLEX LP format.
//!
//! Readers of the format refuse lines of more than [`MAX_LINE`] characters. So a constraint that is
//! longer continues in the next line, and so does a comment.

use crate::linear_program::{Column, Interval, LinearProgram, Row, Sense};
use std::io;

/// The largest number of characters in a line. CPLEX cuts longer lines.
pub const MAX_LINE: usize = 510;

/// The beginning of the second and each further line of a constraint.
const CONTINUATION: &str = "  ";

/// The beginning of the second and each further line of a comment.
const COMMENT_CONTINUATION: &str = "\\    ";

impl LinearProgram {
    /// Writes the program in CPLEX LP format. Column `i` is called `x<i>` and row `i` is called
    /// `r<i>`. A row with two different bounds gets a second constraint, named `r<i>u`. A row
    /// without bounds is not written.
    ///
    /// # Errors
    /// Returns the errors of `out`.
    pub fn write_lp(&self, out: &mut dyn io::Write) -> io::Result<()> {
        self.write_lp_with(|column| format!("x{}", column.0), false, out)
    }

    /// Writes the program in CPLEX LP format with column names given by `name`. Names must be
    /// unique, have at most 255 characters, and consist of letters, digits and underscores, not
    /// starting with a digit, `e` or `E`. With `are_integers`, all columns are declared as
    /// integers.
    ///
    /// # Errors
    /// Returns the errors of `out`.
    pub fn write_lp_with(
        &self,
        name: impl Fn(Column) -> String,
        are_integers: bool,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let name: &dyn Fn(Column) -> String = &name;
        writeln!(
            out,
            "{}",
            match self.sense() {
                Sense::Minimise => "Minimize",
                Sense::Maximise => "Maximize",
            }
        )?;
        let costs = self.objective().iter().enumerate().filter(|&(_, &cost)| cost != 0);
        let costs: Vec<_> = costs.map(|(index, &cost)| (Column(index as u32), cost)).collect();
        write_constraint("objective", &costs, name, "", out)?;
        writeln!(out, "Subject To")?;
        for (Row(index), entries, bounds) in self.iter_rows() {
            let label = format!("r{index}");
            let Interval { lower, upper } = bounds;
            match (lower, upper) {
                (Some(lower), Some(upper)) if lower == upper => {
                    write_constraint(&label, entries, name, &format!("= {lower}"), out)?;
                }
                (lower, upper) => {
                    if let Some(lower) = lower {
                        write_constraint(&label, entries, name, &format!(">= {lower}"), out)?;
                    }
                    if let Some(upper) = upper {
                        let suffix = if lower.is_some() { "u" } else { "" };
                        let (label, end) = (format!("{label}{suffix}"), format!("<= {upper}"));
                        write_constraint(&label, entries, name, &end, out)?;
                    }
                }
            }
        }
        writeln!(out, "Bounds")?;
        for (index, bounds) in self.columns().iter().enumerate() {
            let x = name(Column(index as u32));
            match (bounds.lower, bounds.upper) {
                (None, None) => writeln!(out, " {x} free")?,
                (Some(lower), None) => writeln!(out, " {x} >= {lower}")?,
                (None, Some(upper)) => writeln!(out, " -inf <= {x} <= {upper}")?,
                (Some(lower), Some(upper)) => writeln!(out, " {lower} <= {x} <= {upper}")?,
            }
        }
        if are_integers {
            writeln!(out, "General")?;
            for index in 0..self.columns().len() {
                writeln!(out, " {}", name(Column(index as u32)))?;
            }
        }
        writeln!(out, "End")
    }
}

/// Writes `label: SUM end`, in several lines if the constraint is long. The empty sum is written as
/// a term with coefficient 0, which readers accept.
fn write_constraint(
    label: &str,
    entries: &[(Column, i64)],
    name: &dyn Fn(Column) -> String,
    end: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut line = format!(" {label}:");
    let mut add = |part: &str, out: &mut dyn io::Write| -> io::Result<()> {
        if line.len() + 1 + part.len() > MAX_LINE {
            writeln!(out, "{line}")?;
            line = CONTINUATION.to_owned();
        }
        line.push(' ');
        line.push_str(part);
        Ok(())
    };
    if entries.is_empty() {
        add(&format!("0 {}", name(Column(0))), out)?;
    }
    for (position, &(column, coefficient)) in entries.iter().enumerate() {
        let sign = match (position, coefficient < 0) {
            (0, false) => "",
            (_, false) => "+ ",
            (_, true) => "- ",
        };
        add(&format!("{sign}{} {}", coefficient.unsigned_abs(), name(column)), out)?;
    }
    if !end.is_empty() {
        add(end, out)?;
    }
    writeln!(out, "{line}")
}

/// Writes a comment of one line of text. If the comment is too long for a line, it continues in the
/// next line after four more blanks. Lines are broken after a blank, which they keep, or inside a
/// word that is longer than a line. So the text is the lines without their beginnings, joined.
///
/// # Errors
/// Returns the errors of `out`.
pub fn write_comment(text: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let (mut rest, mut begin) = (text, "\\ ");
    while begin.len() + rest.len() > MAX_LINE {
        let mut end = MAX_LINE - begin.len();
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        // The blanks at the beginning of a text are its indentation.
        let indentation = rest.len() - rest.trim_start_matches(' ').len();
        let blank = rest[..end].rfind(' ').filter(|&blank| blank > indentation);
        let (line, next) = rest.split_at(blank.map_or(end, |blank| blank + 1));
        writeln!(out, "{begin}{line}")?;
        (rest, begin) = (next, COMMENT_CONTINUATION);
    }
    writeln!(out, "{begin}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_program_has_the_right_meaning() {
        let mut program = LinearProgram::new(Sense::Maximise);
        let x = program.add_column(Interval::NON_NEGATIVE).unwrap();
        let y = program.add_column(Interval::FREE).unwrap();
        let z = program.add_column(Interval::between(-2, 5)).unwrap();
        program.add_row(Interval::exactly(4), [(x, 1), (y, -2)]).unwrap();
        program.add_row(Interval::between(0, 9), [(y, -1), (z, 1)]).unwrap();
        program.set_objective(Sense::Maximise, [(x, 3), (z, -1)]).unwrap();
        let mut text = Vec::new();
        program.write_lp(&mut text).unwrap();
        let expected = "Maximize\n objective: 3 x0 - 1 x2\nSubject To\n r0: 1 x0 - 2 x1 = 4\n \
                        r1: - 1 x1 + 1 x2 >= 0\n r1u: - 1 x1 + 1 x2 <= 9\nBounds\n x0 >= 0\n \
                        x1 free\n -2 <= x2 <= 5\nEnd\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn no_line_is_longer_than_readers_accept() {
        let mut program = LinearProgram::new(Sense::Minimise);
        let columns: Vec<Column> =
            (0..200).map(|_| program.add_column(Interval::NON_NEGATIVE).unwrap()).collect();
        let entries = || columns.iter().map(|&column| (column, i64::MIN + 1));
        program.add_row(Interval::between(i64::MIN, i64::MAX), entries()).unwrap();
        program.set_objective(Sense::Minimise, entries()).unwrap();
        for length in [1, 90, 250] {
            let mut text = Vec::new();
            let name = |column: Column| format!("{:x>length$}", format!("y{}", column.0));
            program.write_lp_with(name, true, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert!(text.lines().all(|line| line.len() <= MAX_LINE), "{text}");
            let names = columns.iter().map(|&column| format!("{} ", name(column)));
            let text = text.replace("\n", " ");
            assert!(names.into_iter().all(|name| text.matches(&name).count() == 5));
        }
    }

    #[test]
    fn long_comments_keep_their_text() {
        let word = "é".repeat(700);
        let text = format!("  is {} {word} and more", "a b ".repeat(300));
        let mut written = Vec::new();
        write_comment(&text, &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(written.lines().all(|line| line.len() <= MAX_LINE && line.starts_with('\\')));
        let parts = written.lines().enumerate().map(|(index, line)| match index {
            0 => &line[2..],
            _ => &line[COMMENT_CONTINUATION.len()..],
        });
        assert_eq!(parts.collect::<String>(), text);
    }
}
