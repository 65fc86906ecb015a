//! Output of the harness. Names of instances, answers of tools and messages may hold any character,
//! so each line goes through [`Printable`], which escapes control characters.

use parikh_net::printable::Printable;
use std::fmt;

/// Prints lines on stdout.
pub fn print_lines(text: fmt::Arguments<'_>) {
    text.to_string().lines().for_each(|line| println!("{}", Printable(line)));
}

/// Prints lines on stderr.
pub fn print_notes(text: fmt::Arguments<'_>) {
    text.to_string().lines().for_each(|line| eprintln!("{}", Printable(line)));
}

/// Prints lines on stdout, formatted as by `format!`.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => { $crate::terminal::print_lines(format_args!($($words)*)) };
}

/// Prints lines on stderr, formatted as by `format!`.
#[macro_export]
macro_rules! note {
    ($($words:tt)*) => { $crate::terminal::print_notes(format_args!($($words)*)) };
}
