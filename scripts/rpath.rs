//! Build script of the packages that make programs or tests with Z3 in them: shows the linker and
//! cargo where `libz3` is, beyond the relative paths in `.cargo/config.toml`.
//!
//! - An absolute run path, for programs built into a `CARGO_TARGET_DIR` elsewhere, and under a
//!   `RUSTFLAGS` variable, which replaces the flags of the configuration.
//! - A link to the library in `OUT_DIR`: cargo puts search paths below its target directory, and
//!   only those, on the library path of `cargo test` and `cargo run`. That also serves the packages
//!   without this script.
//!
//! Without the feature `z3` it does nothing.

use std::env;
use std::path::{Path, PathBuf};

const LIBRARY: &str = "libz3.so.5.3";

fn main() {
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if env::var_os("CARGO_FEATURE_Z3").is_none() || !linux {
        return;
    }
    // Set in `.cargo/config.toml`, so it is there unless somebody builds from outside the checkout
    // and means a library of his own.
    let Some(directory) = env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from) else {
        return;
    };
    let library = directory.join("libz3.so");
    println!("cargo::rerun-if-changed={}", library.display());
    if !library.exists() {
        println!(
            "cargo::error=no libz3.so in {}: run scripts/setup.sh, or build with \
             --no-default-features",
            directory.display()
        );
        return;
    }
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", directory.display());
    if let Some(out) = env::var_os("OUT_DIR") {
        let out = PathBuf::from(out);
        if link(&directory.join(LIBRARY), &out.join(LIBRARY)) {
            println!("cargo::rustc-link-search=native={}", out.display());
        }
    }
}

/// Whether `link` now leads to `library`.
fn link(library: &Path, link: &Path) -> bool {
    let _ = std::fs::remove_file(link);
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(library, link).is_ok();
    #[cfg(not(unix))]
    let made = false;
    made
}
