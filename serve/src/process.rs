//! Runs one command of the `parikh` program, within limits that the operating system enforces.
//!
//! The output goes straight into files. So nothing is lost when a reader or the server goes away,
//! and no output fills the memory of the server.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{LazyLock, mpsc};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// The time and memory limits of a `parikh` command.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessLimits {
    /// The time limit that the command gets as an option. The command is ended
    /// [`OVERTIME`] later.
    pub(super) time: Duration,
    /// The memory limit in bytes that the command gets as an option.
    pub(super) memory: u64,
}

/// The end of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProcessEnd {
    /// The command ended by itself, with this exit code.
    Exited(i32),
    /// The command was ended by a signal that the server did not send.
    Killed(i32),
    /// The command did not end in time, and the server ended it.
    TimedOut,
    /// The job was cancelled.
    Cancelled,
}

/// The time after the time limit in which a command writes its last answers. Reports take up to six
/// seconds after the limit.
const OVERTIME: Duration = Duration::from_secs(10);

/// The time between SIGTERM and SIGKILL. `parikh` ends within 0.8 s of SIGTERM.
const TERM_GRACE: Duration = Duration::from_millis(1500);

/// The time between two checks of the output's size.
const POLL_INTERVAL: Duration = Duration::from_millis(60);

/// The largest file that a command may write, in bytes. Evidence of large nets takes megabytes.
const LARGEST_FILE: u64 = 1 << 30;

/// The limit on the address space of a process: a factor of its memory limit, and further bytes.
/// Threads and libraries reserve addresses without using them.
const ADDRESS_SPACE: (u64, u64) = (2, 2 << 30);

/// Runs `program` with `arguments` in the directory `folder`. Standard output goes to the file
/// `output`, and standard error to `notes`. `on_output` is called after the files have grown.
/// `cancelled` ends the command when it becomes ready.
///
/// # Errors
/// The program cannot be started, or a file cannot be made.
pub(super) async fn run(
    program: &Path,
    arguments: &[String],
    folder: &Path,
    [output, notes]: [&Path; 2],
    limits: ProcessLimits,
    on_output: &mut (dyn FnMut() + Send),
    cancelled: impl Future<Output = ()>,
) -> io::Result<ProcessEnd> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(output)?)
        .stderr(File::create(notes)?)
        // Options come from the server only, and commands need no token.
        .env_remove("PARIKH_LOG")
        .env_remove("PARIKH_SERVE_TOKEN")
        .env(PARENT_VARIABLE, std::process::id().to_string())
        .process_group(0)
        .kill_on_drop(true);
    let mut child = spawn(command).await?;
    let mut group = ProcessGroup::of(&child);
    group.limit(limits);
    // A time limit without an end on the clock is none.
    let deadline = limits.time.checked_add(OVERTIME).and_then(|it| Instant::now().checked_add(it));
    let time_out = async {
        match deadline {
            Some(deadline) => tokio::time::sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    let mut time_out = std::pin::pin!(time_out);
    let mut cancelled = std::pin::pin!(cancelled);
    let mut size = 0;
    let length = |path: &Path| fs::metadata(path).map_or(0, |it| it.len());
    loop {
        let early = tokio::select! {
            status = child.wait() => {
                let status = status?;
                group.kill();
                use std::os::unix::process::ExitStatusExt as _;
                let signal = status.signal().unwrap_or_default();
                return Ok(status.code().map_or(ProcessEnd::Killed(signal), ProcessEnd::Exited));
            }
            () = &mut cancelled => Some(ProcessEnd::Cancelled),
            () = &mut time_out => Some(ProcessEnd::TimedOut),
            () = tokio::time::sleep(POLL_INTERVAL) => None,
        };
        if let Some(end) = early {
            group.terminate();
            let _ = tokio::time::timeout(TERM_GRACE, child.wait()).await;
            group.kill();
            child.wait().await?;
            return Ok(end);
        }
        let now = length(output) + length(notes);
        if now != size {
            size = now;
            on_output();
        }
    }
}

/// The environment variable with the process id of the server.
const PARENT_VARIABLE: &str = "PARIKH_SERVE_PARENT";

/// A start of a command, for the thread that starts commands.
type Start = Box<dyn FnOnce() + Send>;

/// Starts a command from a thread that lives as long as the server. Linux signals a child when the
/// thread that started it ends ([`end_with_server`]), and threads of the runtime may end early.
async fn spawn(mut command: Command) -> io::Result<Child> {
    static STARTS: LazyLock<mpsc::Sender<Start>> = LazyLock::new(|| {
        let (starts, received) = mpsc::channel::<Start>();
        std::thread::spawn(move || received.into_iter().for_each(|start| start()));
        starts
    });
    let runtime = tokio::runtime::Handle::current();
    let (reply, child) = oneshot::channel();
    let start = move || {
        let _runtime = runtime.enter();
        // An error means that nobody waits for the command any more. Then it is killed.
        let _ = reply.send(command.spawn());
    };
    let lost = || io::Error::other("the thread that starts commands has ended");
    STARTS.send(Box::new(start)).map_err(|_| lost())?;
    child.await.map_err(|_| lost())?
}

/// Lets this process end by SIGTERM when the server that started it ends, even if the server is
/// killed. Does nothing in a process that no server started, and on other systems than Linux.
pub fn end_with_server() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
        let Ok(text) = std::env::var(PARENT_VARIABLE) else { return };
        let Some(server) = text.parse().ok().and_then(Pid::from_raw) else { return };
        let is_set = set_parent_process_death_signal(Some(Signal::TERM)).is_ok();
        // The server may have ended before the signal was set.
        if is_set && getppid() != Some(server) {
            std::process::exit(1);
        }
    }
}

/// The process group of a `parikh` command and its worker processes.
struct ProcessGroup(Option<rustix::process::Pid>);

impl ProcessGroup {
    fn of(child: &Child) -> Self {
        let pid = child.id().and_then(|id| i32::try_from(id).ok());
        ProcessGroup(pid.and_then(rustix::process::Pid::from_raw))
    }

    /// Sets limits that hold even if the program does not obey its options.
    #[cfg(target_os = "linux")]
    fn limit(&self, limits: ProcessLimits) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let address_space =
            limits.memory.saturating_mul(ADDRESS_SPACE.0).saturating_add(ADDRESS_SPACE.1);
        for (resource, most) in
            [(Resource::As, address_space), (Resource::Fsize, LARGEST_FILE), (Resource::Core, 0)]
        {
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            // A process that has ended already needs no limit.
            let _ = prlimit(self.0, resource, limit);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn limit(&self, _: ProcessLimits) {}

    fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Kills what is left of the group. Afterwards the number may belong to another group, so it is
    /// forgotten.
    fn kill(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        self.0 = None;
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(pid) = self.0 {
            // An error means that no process of the group is left.
            let _ = rustix::process::kill_process_group(pid, signal);
        }
    }
}

/// Drops a running group: the future of [`run`] was dropped.
impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, time: Duration, cancel: Duration) -> (ProcessEnd, String) {
        let folder = tempfile::tempdir().unwrap();
        let files = [folder.path().join("out"), folder.path().join("err")];
        let limits = ProcessLimits { time, memory: 1 << 30 };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let end = runtime.block_on(async {
            run(
                Path::new("/bin/sh"),
                &["-c".to_owned(), script.to_owned()],
                folder.path(),
                [&files[0], &files[1]],
                limits,
                &mut || {},
                tokio::time::sleep(cancel),
            )
            .await
        });
        (end.unwrap(), fs::read_to_string(&files[0]).unwrap())
    }

    #[test]
    fn a_command_ends_with_its_code_and_its_output() {
        let hour = Duration::from_secs(3600);
        let end = shell("echo hello; exit 3", hour, hour);
        assert_eq!(end, (ProcessEnd::Exited(3), "hello\n".to_owned()));
    }

    #[test]
    fn a_cancelled_command_ends_with_its_children_even_if_it_ignores_signals() {
        let hour = Duration::from_secs(3600);
        let script = "trap '' TERM; echo begun; sleep 3600 & sleep 3600";
        let end = shell(script, hour, Duration::from_millis(300));
        assert_eq!(end, (ProcessEnd::Cancelled, "begun\n".to_owned()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_command_has_limits_on_its_memory_and_its_files() {
        let hour = Duration::from_secs(3600);
        // The limits are set just after the start.
        let (end, output) = shell("sleep 0.5; ulimit -v; ulimit -c", hour, hour);
        assert_eq!(end, ProcessEnd::Exited(0));
        assert_eq!(output, format!("{}\n0\n", (4_u64 << 30) >> 10));
    }
}
