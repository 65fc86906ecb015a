//! Evidence about parallel systems: its files, and the audit of them.

use super::arguments::Arguments;
use super::{Audited, Refusal, contents, in_file};
use parikh_evidence::audit::Watch;
use parikh_evidence::systems::audit::SystemAudit;
use parikh_evidence::systems::{Endings, properties, read_dot};
use std::path::{Path, PathBuf};

/// Whether a model is a system.
pub(crate) fn is_system(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"digraph")
}

/// Why a system in another language is not audited: only nets and RERS's language are read here.
pub(crate) fn of_another_language(path: &Path, bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let rest = bytes.strip_prefix(b"des");
    let is_aut = rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"("));
    let is_fsm = path.extension().is_some_and(|it| it == "fsm");
    let name = path.display();
    (is_aut || is_fsm).then(|| {
        format!(
            "{name}: transition systems in this language are not audited; as a net they are: parikh convert \
             {name} -o model.pnml, and ask about that"
        )
    })
}

/// Audits evidence about the system in `path`, whose content is `bytes`.
pub(crate) fn audit(
    arguments: &Arguments,
    path: &Path,
    bytes: &[u8],
    files: &[PathBuf],
    watch: &Watch,
) -> Result<Audited, Refusal> {
    let system = read_dot(bytes).map_err(|error| in_file(path, &error))?;
    let mut audited = Audited::default();
    for file in files {
        let asked = property_file(arguments, path, file)?;
        let content = contents(&asked, arguments.memory)?;
        let properties = properties::read(&content).map_err(|error| in_file(&asked, &error))?;
        let endings = if arguments.spin { Endings::Stutter } else { Endings::Ignored };
        let mut audit =
            SystemAudit::new(&system, &properties, endings, arguments.visit, watch.clone());
        let name = file.display().to_string();
        let text = String::from_utf8(contents(file, arguments.memory)?)
            .map_err(|_| format!("{name}: the file is no UTF-8"))?;
        audited.broken.extend(audit.file(&name, &text).err());
        audited.report.extend(audit.finish());
    }
    Ok(audited)
}

/// The properties that a file of evidence is about: those named, or those of its name beside the
/// system.
fn property_file(arguments: &Arguments, model: &Path, file: &Path) -> Result<PathBuf, String> {
    if let Some(named) = &arguments.queries {
        return Ok(named.clone());
    }
    let name = file.with_extension("txt");
    let beside = model.with_file_name(name.file_name().unwrap_or_default());
    match beside.is_file() {
        true => Ok(beside),
        false => Err(format!(
            "{}: there is no such file; name the properties with --queries, or, if examinations were asked \
             about, ask them of the net that `parikh convert` makes of the system",
            beside.display()
        )),
    }
}
