//! `parikh completions` and `parikh man`: the command line as shells and manuals want it, made of
//! the same description that parses it.

use super::terminal::whole;
use super::{Arguments, Outcome};
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  parikh completions bash > ~/.local/share/bash-completion/completions/parikh
  parikh completions zsh > ~/.zfunc/_parikh
  parikh completions fish > ~/.config/fish/completions/parikh.fish")]
pub(super) struct Completions {
    /// Whose completions.
    shell: Shell,
}

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  parikh man ~/.local/share/man/man1      # then: man parikh-check")]
pub(super) struct Man {
    /// Where the pages parikh.1, parikh-check.1, … are written; made if it is not there.
    directory: PathBuf,
}

pub(super) fn completions(arguments: &Completions) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "parikh", &mut script);
    whole(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Complete)
}

pub(super) fn man(arguments: &Man) -> Result<Outcome> {
    let directory = &arguments.directory;
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make {}", directory.display()))?;
    clap_mangen::generate_to(Arguments::command(), directory)
        .with_context(|| format!("cannot write pages to {}", directory.display()))?;
    Ok(Outcome::Complete)
}
