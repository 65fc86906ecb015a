//! No cyclic imports: the files and folders inside a folder do not use each other in a cycle.
//!
//! The `mod.rs` of a folder and the files in the folder may use each other. All other uses are
//! acyclic, so the code can be read from the bottom up. A name that a `mod.rs` re-exports (`pub
//! use`) counts as used from the file that defines it.

use super::imports::{Route, mentions, module};
use super::{files, read};
use std::collections::{BTreeMap, BTreeSet};

/// The folders of the workspace's crates.
const CRATES: [&str; 18] = [
    "temporal/src",
    "net/src",
    "files/src",
    "systems/src",
    "evidence/src",
    "solvers/src",
    "encodings/src",
    "symbolic/src",
    "structure/src",
    "reduction/src",
    "formula/src",
    "unfolding/src",
    "input/src",
    "engine/src",
    "pictures/src",
    "src",
    "serve/src",
    "cli/src",
];

/// The files of a crate by module, with their uses of each other.
struct Imports {
    files: BTreeMap<Route, String>,
    /// The used routes, by module.
    uses: BTreeMap<Route, BTreeSet<Route>>,
    /// The origin of each re-exported name, by module and name.
    handed_on: BTreeMap<(Route, String), Route>,
}

impl Imports {
    fn of(root: &str) -> Imports {
        let is_library = |path: &std::path::Path| {
            let apart = ["tests", "benches", "examples", "bin"];
            let is_apart = |part: &std::ffi::OsStr| apart.iter().any(|name| part == *name);
            !path.components().any(|part| is_apart(part.as_os_str()))
                && path.file_name().is_some_and(|name| name != "main.rs" && name != "tests.rs")
        };
        let paths = files(root, "rs").into_iter().filter(|path| is_library(path));
        let files: BTreeMap<Route, String> =
            paths.map(|path| (module(&path, root), read(&path))).collect();
        let mut imports =
            Imports { files: BTreeMap::new(), uses: BTreeMap::new(), handed_on: BTreeMap::new() };
        for (module, text) in &files {
            let below =
                |name: &str| files.contains_key(&[&module[..], &[name.to_owned()]].concat());
            for mention in mentions(module, text, below) {
                match mention.route.last().filter(|_| mention.handed_on) {
                    Some(name) => {
                        let key = (module.clone(), name.clone());
                        imports.handed_on.insert(key, mention.route);
                    }
                    None => {
                        imports.uses.entry(module.clone()).or_default().insert(mention.route);
                    }
                }
            }
        }
        imports.files = files;
        imports
    }

    /// Returns the file that defines a name, following re-exports.
    fn file_of(&self, route: &[String]) -> Option<&Route> {
        let known = |end: &usize| self.files.contains_key(&route[..*end]);
        let end = (0..=route.len()).rev().find(known)?;
        let handed_on = route
            .get(end)
            .and_then(|name| self.handed_on.get(&(route[..end].to_vec(), name.clone())));
        match handed_on {
            Some(from) if from[..] != *route => self.file_of(&[from, &route[end + 1..]].concat()),
            _ => self.files.get_key_value(&route[..end]).map(|(file, _)| file),
        }
    }

    /// Returns the uses between the entries of a folder, without its `mod.rs`, by name.
    fn inside(&self, folder: &[String]) -> BTreeMap<&str, BTreeSet<&str>> {
        let below = |route: &'_ Route| route.len() > folder.len() && route.starts_with(folder);
        let mut inside: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (user, used) in self.uses.iter().filter(|(user, _)| below(user)) {
            let used = used.iter().filter_map(|route| self.file_of(route));
            for used in used.filter(|used| below(used)) {
                let [user, used] = [user, used].map(|route| route[folder.len()].as_str());
                if user != used {
                    inside.entry(user).or_default().insert(used);
                }
            }
        }
        inside
    }
}

/// Returns the names on cycles and between two cycles. Names without uses, or without users, are
/// removed repeatedly.
fn circles<'n>(uses: &BTreeMap<&'n str, BTreeSet<&'n str>>) -> BTreeSet<&'n str> {
    let mut left: BTreeSet<&str> = uses.keys().copied().collect();
    loop {
        let uses_some = |name: &str| uses[name].iter().any(|used| left.contains(used));
        let is_used = |name: &str| left.iter().any(|user| uses[user].contains(name));
        let kept: BTreeSet<&str> =
            left.iter().copied().filter(|name| uses_some(name) && is_used(name)).collect();
        if kept.len() == left.len() {
            return kept;
        }
        left = kept;
    }
}

#[test]
fn nothing_side_by_side_uses_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    let mut edges = 0;
    for root in CRATES {
        let imports = Imports::of(root);
        let folders: BTreeSet<&[String]> =
            imports.files.keys().flat_map(|file| (0..file.len()).map(|end| &file[..end])).collect();
        for folder in folders {
            let uses = imports.inside(folder);
            edges += uses.values().map(BTreeSet::len).sum::<usize>();
            let place = [&[root.to_owned()], folder].concat().join("/");
            let found = circles(&uses);
            for name in &found {
                let used: Vec<_> = uses[name].intersection(&found).collect();
                wrong.push(format!("{place}: `{name}` stands in a circle, and uses {used:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "circles:\n{}", wrong.join("\n"));
    assert!(edges > 1000, "{edges} uses: this is not the source");
}

#[test]
fn a_circle_is_seen_and_what_hangs_on_it_is_not() {
    let uses = [("a", "b"), ("b", "c"), ("c", "a"), ("above", "a"), ("c", "below")];
    let mut map: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (user, used) in uses {
        map.entry(user).or_default().insert(used);
    }
    assert_eq!(circles(&map), BTreeSet::from(["a", "b", "c"]));
    map.remove("b");
    assert_eq!(circles(&map), BTreeSet::new());
}
