//! The command line of Parikh. See `parikh_cli`.

fn main() -> std::process::ExitCode {
    parikh_cli::main()
}
