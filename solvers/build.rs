//! Build script: shows the linker and cargo where Z3 and HiGHS are, beyond the relative paths in
//! `.cargo/config.toml`.
//!
//! - A search path for `libhighs`. The crate `z3-sys` gives the one for `libz3`.
//! - An absolute run path for this package's tests. Relative paths are not enough for programs in a
//!   `CARGO_TARGET_DIR` elsewhere, or where a variable `RUSTFLAGS` replaces the configuration. A
//!   dependent package that makes programs gets the paths in its build script's variable
//!   `DEP_PARIKH_SOLVERS_RUN_PATHS`, separated by colons.
//! - A link to each library in `OUT_DIR`. Cargo puts search paths below its target directory, and
//!   no others, on the library path of `cargo test` and `cargo run`, for all packages.
//!
//! Without the features `z3` and `highs`, and on systems other than Linux, the script does nothing.
//! If the variable `PARIKH_RELEASE` is set, it gives no absolute run path: a released program finds
//! its libraries beside itself, and must not contain directories of the machine that built it.

use std::env;
use std::path::{Path, PathBuf};

struct Library {
    /// The environment variable that cargo sets if the feature is enabled.
    feature: &'static str,
    /// The environment variable with the directory of the library. The file `.cargo/config.toml`
    /// sets it. Builds from outside of the checkout may set it to another directory.
    directory: &'static str,
    /// The file name that the linker looks for.
    link: &'static str,
    /// The file name that programs load at run time.
    soname: &'static str,
}

const LIBRARIES: [Library; 2] = [
    Library {
        feature: "CARGO_FEATURE_Z3",
        directory: "Z3_LIBRARY_PATH_OVERRIDE",
        link: "libz3.so",
        soname: "libz3.so.5.3",
    },
    Library {
        feature: "CARGO_FEATURE_HIGHS",
        directory: "HIGHS_LIBRARY_PATH",
        link: "libhighs.so",
        soname: "libhighs.so.1",
    },
];

fn main() {
    let linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    println!("cargo::rerun-if-env-changed=PARIKH_RELEASE");
    let mut run_paths = Vec::new();
    for library in &LIBRARIES {
        println!("cargo::rerun-if-env-changed={}", library.directory);
        if env::var_os(library.feature).is_some() && linux {
            run_paths.extend(emit_search_paths(library));
        }
    }
    if env::var_os("PARIKH_RELEASE").is_none() {
        run_paths.dedup();
        for path in &run_paths {
            println!("cargo::rustc-link-arg=-Wl,-rpath,{path}");
        }
        println!("cargo::metadata=RUN_PATHS={}", run_paths.join(":"));
    }
}

/// Emits the search paths for a library. Returns its directory, or `None` if there is no library:
/// then an error has been emitted if the configuration names a directory.
fn emit_search_paths(library: &Library) -> Option<String> {
    let directory = PathBuf::from(env::var_os(library.directory)?);
    let path = directory.join(library.link);
    println!("cargo::rerun-if-changed={}", path.display());
    if !path.exists() {
        println!(
            "cargo::error=no {} in {}: run scripts/setup.sh, or build with --no-default-features",
            library.link,
            directory.display()
        );
        return None;
    }
    println!("cargo::rustc-link-search=native={}", directory.display());
    if let Some(out) = env::var_os("OUT_DIR") {
        let out = PathBuf::from(out);
        if link(&directory.join(library.soname), &out.join(library.soname)) {
            println!("cargo::rustc-link-search=native={}", out.display());
        }
    }
    Some(directory.display().to_string())
}

/// Makes `link` a symbolic link to `library`, in place of an existing file. Returns true on
/// success, and always false on systems other than Unix.
fn link(library: &Path, link: &Path) -> bool {
    let _ = std::fs::remove_file(link);
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(library, link).is_ok();
    #[cfg(not(unix))]
    let made = false;
    made
}
