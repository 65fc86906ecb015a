//! Checks links between documents, and file names mentioned in documents.

use super::{CRATES, files, read, repository};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Returns the documents whose links are checked.
fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(PathBuf::from).into();
    found.extend(files("docs", "md"));
    found.extend(files("benchmarks", "md"));
    found
}

/// Returns the lines outside of code blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        (!code && !fence).then_some((at + 1, line))
    })
}

/// Returns the targets of `[text](target)` in a line.
fn targets(line: &str) -> Vec<&str> {
    let after = line.match_indices("](").map(|(at, _)| &line[at + 2..]);
    after.filter_map(|rest| rest.split_once(')').map(|(target, _)| target)).collect()
}

/// Returns the anchors of headings as on GitHub: lower case, blanks as `-`, no other punctuation.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = prose(text).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        let is_one = title.len() < line.len() && title.starts_with(' ');
        is_one.then(|| title.trim().to_lowercase())
    });
    headings
        .map(|title| {
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            let name = title.chars().filter(kept).collect::<String>().replace(' ', "-");
            let times = seen.entry(name.clone()).or_default();
            *times += 1;
            if *times == 1 { name } else { format!("{name}-{}", *times - 1) }
        })
        .collect()
}

#[test]
fn every_link_has_a_target() {
    let mut broken = Vec::new();
    let mut followed = 0;
    for document in documents() {
        let text = read(&document);
        for (line, target) in prose(&text)
            .flat_map(|(at, line)| targets(line).into_iter().map(move |target| (at, target)))
        {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            followed += 1;
            let (file, anchor) = match target.split_once('#') {
                Some((file, anchor)) => (file, Some(anchor)),
                None => (target, None),
            };
            let folder = document.parent().unwrap_or(Path::new(""));
            let to = if file.is_empty() { document.clone() } else { folder.join(file) };
            let at = format!("{}:{line}: {target}", document.display());
            if !repository().join(&to).exists() {
                broken.push(format!("{at}: there is no {}", to.display()));
            } else if let Some(anchor) = anchor
                && !anchors(&read(&to)).contains(anchor)
            {
                broken.push(format!("{at}: {} has no such heading", to.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links lead nowhere:\n{}", broken.join("\n"));
    assert!(followed >= 4, "only {followed} links were found");
}

#[test]
fn every_file_that_the_map_names_is_there() {
    let mut broken = Vec::new();
    let mut named = 0;
    for document in ["README.md", "ARCHITECTURE.md"] {
        let text = read(Path::new(document));
        for (line, text) in prose(&text) {
            for word in text.split('`').skip(1).step_by(2) {
                let Some((folder, rest)) = word.split_once('/') else { continue };
                let is_path = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
                let others = ["tests", "scripts", "examples"];
                if !CRATES.iter().chain(&others).any(|it| *it == folder)
                    || !rest.chars().all(is_path)
                {
                    continue;
                }
                named += 1;
                if !repository().join(word).exists() {
                    broken.push(format!("{document}:{line}: there is no {word}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "documents name what is not there:\n{}", broken.join("\n"));
    assert!(named > 20, "only {named} files are named");
}

#[test]
fn headings_and_links_are_read_as_they_are_shown() {
    let text = "# Two commands\n```\n# no heading\n[x](y)\n```\n## `a.b` & c\n## Two commands\n";
    let expected = ["two-commands", "ab--c", "two-commands-1"].map(str::to_owned);
    assert_eq!(anchors(text), BTreeSet::from(expected));
    assert_eq!(prose(text).flat_map(|(_, line)| targets(line)).count(), 0);
    assert_eq!(targets("see [a](b.md#c), and [d](e)."), ["b.md#c", "e"]);
}
