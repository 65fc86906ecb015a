//! Build script of the packages that make programs or tests with Z3 and HiGHS in them: shows the
//! linker and cargo where the two libraries are, beyond the relative paths in `.cargo/config.toml`.
//!
//! - The directory in which the linker finds the library.
//! - An absolute run path, for programs built into a `CARGO_TARGET_DIR` elsewhere, and under a
//!   `RUSTFLAGS` variable, which replaces the flags of the configuration.
//! - A link to the library in `OUT_DIR`: cargo puts search paths below its target directory, and
//!   only those, on the library path of `cargo test` and `cargo run`. That also serves the packages
//!   without this script.
//!
//! Without the features `z3` and `highs`, and on systems other than Linux, the script does nothing.
//! With a variable `PARIKH_RELEASE` there is no absolute run path. A released program names no
//! directory of the machine that built it, and finds its libraries in its own directory or in
//! `../lib`.

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
    for library in &LIBRARIES {
        println!("cargo::rerun-if-env-changed={}", library.directory);
        if env::var_os(library.feature).is_some() && linux {
            emit_link_path(library);
        }
    }
}

fn emit_link_path(library: &Library) {
    let Some(directory) = env::var_os(library.directory).map(PathBuf::from) else {
        return;
    };
    let path = directory.join(library.link);
    println!("cargo::rerun-if-changed={}", path.display());
    if !path.exists() {
        println!(
            "cargo::error=no {} in {}: run scripts/setup.sh, or build with --no-default-features",
            library.link,
            directory.display()
        );
        return;
    }
    println!("cargo::rustc-link-search=native={}", directory.display());
    if env::var_os("PARIKH_RELEASE").is_none() {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", directory.display());
    }
    if let Some(out) = env::var_os("OUT_DIR") {
        let out = PathBuf::from(out);
        if link(&directory.join(library.soname), &out.join(library.soname)) {
            println!("cargo::rustc-link-search=native={}", out.display());
        }
    }
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
