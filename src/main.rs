//! The command line of Parikh. See [`parikh::cli`].

fn main() -> std::process::ExitCode {
    parikh::cli::main()
}
