//! The output files of a reduction: the net as PNML and the log as JSON. The files are written
//! piece by piece, so no text is held in memory as a whole.

use anyhow::{Context, Result};
use parikh_net::Net;
use parikh_net::pnml::write_pnml;
use parikh_reduction::LogFile;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

/// A text sink that writes to a file. Keeps the I/O error, because `fmt::Error` has no contents.
struct TextFile {
    file: BufWriter<File>,
    error: Option<io::Error>,
}

impl fmt::Write for TextFile {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.file.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

pub(in super::super) fn write_net(net: &Net, path: &Path) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut text = TextFile { file: BufWriter::new(File::create(path)?), error: None };
        if write_pnml(net, &mut text).is_err() {
            return Err(text.error.unwrap_or_else(|| io::ErrorKind::Other.into()));
        }
        text.file.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

pub(super) fn write_log(log: &LogFile, path: &Path) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        serde_json::to_writer(&mut file, log)?;
        writeln!(file)?;
        file.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Reads a log without checking its steps.
pub(in super::super) fn read_log(path: &Path) -> Result<LogFile> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("{shown}: cannot be read"))?;
    serde_json::from_reader(BufReader::new(file))
        .with_context(|| format!("{shown}: expected the log of a reduction, as --log writes it"))
}
