//! Build script: gives the program and the tests of this package an absolute run path to Z3 and
//! HiGHS. The build script of `parikh-solvers` finds the directories, and says when they are
//! needed.

fn main() {
    let paths = std::env::var("DEP_PARIKH_SOLVERS_RUN_PATHS").unwrap_or_default();
    for path in paths.split(':').filter(|path| !path.is_empty()) {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{path}");
    }
}
