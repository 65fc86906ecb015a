//! `parikh completions` and `parikh man`: shell completions and manual pages, generated from the
//! definition of the command line.

use super::terminal::print_verbatim;
use super::{ProgramArguments, ProgramOutcome};
use anyhow::{Context, Result};
use clap::{Arg, ArgAction, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use parikh_evidence::AUDITOR_HELP;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  parikh completions bash > ~/.local/share/bash-completion/completions/parikh
  parikh completions zsh > ~/.zfunc/_parikh
  parikh completions fish > ~/.config/fish/completions/parikh.fish
  parikh completions zsh parikh-certify > ~/.zfunc/_parikh-certify")]
pub(super) struct CompletionArguments {
    /// The shell.
    shell: Shell,
    /// The program to complete.
    #[arg(value_enum, default_value = "parikh")]
    program: CompletedProgram,
}

/// The programs for which `parikh completions` writes a script. `parikh-bench` has its own command
/// for its script.
#[derive(Clone, Copy, clap::ValueEnum)]
enum CompletedProgram {
    Parikh,
    ParikhCertify,
}

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  parikh man ~/.local/share/man/man1      # then: man parikh-check")]
pub(super) struct ManArguments {
    /// The directory for the pages parikh.1, parikh-check.1, … and parikh-certify.1; created if
    /// necessary.
    directory: PathBuf,
}

pub(super) fn completions(arguments: &CompletionArguments) -> Result<ProgramOutcome> {
    let mut script = Vec::new();
    let mut command = match arguments.program {
        CompletedProgram::Parikh => ProgramArguments::command(),
        CompletedProgram::ParikhCertify => certify_command(),
    };
    let name = command.get_name().to_owned();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    print_verbatim(&String::from_utf8_lossy(&script))?;
    Ok(ProgramOutcome::Complete)
}

pub(super) fn man(arguments: &ManArguments) -> Result<ProgramOutcome> {
    let directory = &arguments.directory;
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let write_pages = |command| write_all_pages(command, directory);
    [ProgramArguments::command(), certify_command()]
        .into_iter()
        .try_for_each(write_pages)
        .with_context(|| format!("cannot write the manual pages to {}", directory.display()))?;
    Ok(ProgramOutcome::Complete)
}

/// Writes the pages of a command and of its subcommands.
fn write_all_pages(mut command: Command, directory: &Path) -> std::io::Result<()> {
    command = command.disable_help_subcommand(true);
    // `build` sets the full names of the subcommands, which become the names of their pages.
    command.build();
    write_page(command, directory)
}

/// Writes the page of a command, and the pages of its visible subcommands.
fn write_page(command: Command, directory: &Path) -> std::io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_page(subcommand.clone(), directory)?;
    }
    let manual = clap_mangen::Man::new(command);
    let mut text = Vec::new();
    manual.render(&mut text)?;
    let text = with_tables(&String::from_utf8_lossy(&text));
    std::fs::write(directory.join(manual.get_filename()), text)
}

/// Marks lines of a manual page that begin with two blanks as verbatim text (`.nf`, `.fi` in roff),
/// so that tables and examples keep their line breaks.
fn with_tables(page: &str) -> String {
    let (mut text, mut is_verbatim) = (String::new(), false);
    for line in page.lines() {
        if line.starts_with("  ") != is_verbatim {
            is_verbatim = !is_verbatim;
            text += if is_verbatim { ".nf\n" } else { ".fi\n" };
        }
        text += line;
        text.push('\n');
    }
    if is_verbatim {
        text += ".fi\n";
    }
    text
}

/// Builds the command line of `parikh-certify` from its help text: the options with their values,
/// and the text around them. That program does not use clap, so only the text has its options.
fn certify_command() -> Command {
    let (head, rest) = AUDITOR_HELP.split_once("\nOptions:\n").unwrap_or((AUDITOR_HELP, ""));
    let (options, tail) = rest.split_once("\n\n").unwrap_or((rest, ""));
    let (about, usage) = head.split_once('\n').unwrap_or((head, ""));
    let file = |name: &'static str, is_repeatable| {
        let action = if is_repeatable { ArgAction::Append } else { ArgAction::Set };
        Arg::new(name).required(true).value_hint(ValueHint::AnyPath).action(action)
    };
    let command = Command::new("parikh-certify")
        .about(about)
        .long_about(format!("{about}\n{usage}"))
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(tail)
        .arg(file("MODEL", false))
        .arg(file("EVIDENCE", true));
    parse_options(options)
        .into_iter()
        .filter(|(name, ..)| !["help", "version"].contains(name))
        .fold(command, |command, (name, value, help)| {
            let arg = Arg::new(name).long(name).help(help);
            command.arg(match value {
                Some(value) => arg.value_name(value),
                None => arg.action(ArgAction::SetTrue),
            })
        })
}

/// Parses the options of a help text: name, value and description. The value is `None` for an
/// option without a value. A description may span several lines.
fn parse_options(options: &'static str) -> Vec<(&'static str, Option<&'static str>, String)> {
    let mut all: Vec<(&str, Option<&str>, String)> = Vec::new();
    for line in options.lines() {
        let Some(option) = line.strip_prefix("  --") else {
            if let Some((_, _, help)) = all.last_mut() {
                help.push(' ');
                help.push_str(line.trim());
            }
            continue;
        };
        let (name_and_value, help) = option.split_once("  ").unwrap_or((option, ""));
        let (name, value) = match name_and_value.split_once(' ') {
            Some((name, value)) => (name, Some(value)),
            None => (name_and_value, None),
        };
        all.push((name, value, help.trim().to_owned()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stay_tables_on_manual_pages() {
        let page = ".SH EXTRA\nAll of it:\n  a   first\n  bc  second\nAnd more.\n  end\n";
        let expected = ".SH EXTRA\nAll of it:\n.nf\n  a   first\n  bc  second\n.fi\nAnd more.\n\
                        .nf\n  end\n.fi\n";
        assert_eq!(with_tables(page), expected);
    }

    #[test]
    fn the_auditors_options_are_those_of_its_help() {
        let command = certify_command();
        command.clone().debug_assert();
        let long: Vec<&str> = command.get_arguments().filter_map(|it| it.get_long()).collect();
        for option in
            ["queries", "final", "unfold", "visit", "timeout", "memory", "quiet", "format"]
        {
            assert!(long.contains(&option), "{long:?}");
        }
        let timeout = command.get_arguments().find(|it| it.get_long() == Some("timeout"));
        assert!(timeout.is_some_and(|it| it.get_help().is_some()));
    }
}
