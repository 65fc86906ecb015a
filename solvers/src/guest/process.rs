//! Worker processes: starting, writing, reading, ending, and the pool of idle processes. The format
//! of messages is left to the callers.

use crate::budget::{self, Budget};
use crate::locked;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The command line of a worker process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program.
    pub path: PathBuf,
    /// Command-line arguments of the process.
    pub arguments: Vec<OsString>,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.arguments.iter().try_for_each(|it| write!(f, " {}", it.to_string_lossy()))
    }
}

/// The command given to [`set_worker_program`].
static PROGRAM: OnceLock<Program> = OnceLock::new();

/// Makes native solvers run in worker processes from now on. The command `program` must call
/// `serve`, and `serve_smt` if [`SMT2`](super::SMT2) follows its arguments. Only the first call
/// counts. Without a call, native solvers run in this process.
pub fn set_worker_program(program: Program) {
    let _ = PROGRAM.set(program);
}

/// Starts an idle process in the background, so that it is ready when it is needed. Does nothing
/// before [`set_worker_program`] is called.
pub fn prepare() {
    if let Some(program) = program() {
        // An error here is ignored: the first real use tries again and reports it.
        let start = || Process::start(program).map(Process::leave_idle);
        let _ = std::thread::Builder::new().spawn(start);
    }
}

/// Returns the command given to [`set_worker_program`].
pub fn program() -> Option<&'static Program> {
    PROGRAM.get()
}

/// Idle processes, available for the next program.
static IDLE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// Limit on the number of idle processes of one command; further ones are ended.
const MAX_IDLE: usize = 2;

/// Requested capacity of a pipe in bytes.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// Limit on the bytes read after the time is over: the content of the pipe.
const MAX_LATE_BYTES: usize = 1 << 20;

/// Interval between two checks of the budget while a process works.
const BUDGET_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// A worker process.
#[derive(Debug)]
pub(crate) struct Process {
    /// The command line that started the process.
    program: Program,
    /// The process, as a child of this process.
    child: Child,
    /// The standard input of the process; writing does not block.
    input: ChildStdin,
    /// The standard output of the process.
    output: ChildStdout,
    /// Output of the process that no caller has taken as a message yet.
    received: Vec<u8>,
}

/// The reason why waiting ended without a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitError {
    /// The process has ended.
    Dead,
    /// The time or the budget is over.
    TimeOver,
}

impl Process {
    /// Returns an idle process of this command, or starts a new one.
    pub(crate) fn get(program: &Program) -> io::Result<Process> {
        loop {
            let idle = {
                let mut idle_processes = locked(&IDLE);
                let index = idle_processes.iter().rposition(|process| process.program == *program);
                index.map(|index| idle_processes.swap_remove(index))
            };
            let Some(mut process) = idle else { return Process::start(program) };
            // The process may have been killed while idle.
            if let Ok(None) = process.child.try_wait() {
                return Ok(process);
            }
        }
    }

    /// Starts a new process.
    fn start(program: &Program) -> io::Result<Process> {
        let mut child = Command::new(&program.path)
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Messages of an aborting library are not shown to the user.
            .stderr(Stdio::null())
            .spawn()?;
        budget::count_child(child.id());
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let (Some(to), Some(from)) = (to, from) else {
            end_process(&mut child);
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let process = Process {
            program: program.clone(),
            child,
            input: to,
            output: from,
            received: Vec::new(),
        };
        // Non-blocking, so that a process that does not read cannot block this process.
        fcntl_setfl(&process.input, fcntl_getfl(&process.input)? | OFlags::NONBLOCK)?;
        // Larger pipes save process switches for large programs and points. The system may grant
        // less.
        #[cfg(target_os = "linux")]
        {
            let _ = rustix::pipe::fcntl_setpipe_size(&process.input, PIPE_BYTES);
            let _ = rustix::pipe::fcntl_setpipe_size(&process.output, PIPE_BYTES);
        }
        tracing::debug!(process = process.child.id(), "started a worker process: {program}");
        Ok(process)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes all of `out`. Fails if the process is dead or accepts no bytes for `patience`. Also
    /// fails if the process accepts no bytes at a moment when `budget` is exhausted. Unwritten
    /// bytes stay in `out` and must be written first.
    pub(crate) fn send(
        &mut self,
        out: &mut Vec<u8>,
        patience: Duration,
        budget: Option<&Budget>,
    ) -> Result<(), WaitError> {
        let mut written = 0;
        let mut last_progress = Instant::now();
        let result = loop {
            if written == out.len() {
                break Ok(());
            }
            match self.input.write(&out[written..]) {
                Ok(0) => break Err(WaitError::Dead),
                Ok(count) => {
                    written += count;
                    last_progress = Instant::now();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if last_progress.elapsed() >= patience
                        || budget.is_some_and(Budget::is_exhausted)
                    {
                        break Err(WaitError::TimeOver);
                    }
                    wait_until_ready(
                        &mut [PollFd::new(&self.input, PollFlags::OUT)],
                        BUDGET_CHECK_INTERVAL,
                    )?;
                }
                Err(_) => break Err(WaitError::Dead),
            }
        };
        out.drain(..written);
        result
    }

    /// Waits for the next message. `take_message` takes a complete message off the received bytes.
    /// Gives up when the process ends, after `patience`, or when `budget` is exhausted.
    pub(crate) fn receive<T>(
        &mut self,
        mut take_message: impl FnMut(&mut Vec<u8>) -> Option<T>,
        patience: Duration,
        budget: Option<&Budget>,
    ) -> Result<T, WaitError> {
        let start = Instant::now();
        let mut late_bytes = 0;
        loop {
            if let Some(message) = take_message(&mut self.received) {
                return Ok(message);
            }
            let patience_left = patience.saturating_sub(start.elapsed());
            let wait = BUDGET_CHECK_INTERVAL
                .min(patience_left)
                .min(budget.and_then(Budget::remaining).unwrap_or(BUDGET_CHECK_INTERVAL))
                .max(Duration::from_micros(50));
            if wait_until_ready(&mut [PollFd::new(&self.output, PollFlags::IN)], wait)? {
                let mut bytes = [0; 1 << 16];
                match self.output.read(&mut bytes) {
                    Ok(0) => return Err(WaitError::Dead),
                    Ok(count) => {
                        self.received.extend_from_slice(&bytes[..count]);
                        late_bytes += if is_over(patience_left, budget) { count } else { 0 };
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                    Err(_) => return Err(WaitError::Dead),
                }
                // Bytes that have arrived are still read, but a message that never ends is not read
                // forever.
                if late_bytes > MAX_LATE_BYTES {
                    return Err(WaitError::TimeOver);
                }
            } else if is_over(patience_left, budget) {
                return Err(WaitError::TimeOver);
            }
        }
    }

    /// Returns true if the process ended itself because it took too much memory. Returns false if
    /// its exit status is not available within ten intervals of [`BUDGET_CHECK_INTERVAL`].
    #[cfg(feature = "highs")]
    pub(crate) fn exceeded_memory(&mut self) -> bool {
        use super::TOO_MUCH_MEMORY;
        use std::os::unix::process::ExitStatusExt as _;
        // The pipes of a process close a moment before the process ends, so its exit status may
        // come late.
        let since = Instant::now();
        while since.elapsed() < 10 * BUDGET_CHECK_INTERVAL {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.signal() == Some(TOO_MUCH_MEMORY.as_raw()),
                Ok(None) => std::thread::sleep(BUDGET_CHECK_INTERVAL / 10),
                Err(_) => return false,
            }
        }
        false
    }

    /// Keeps the process for the next program if fewer than [`MAX_IDLE`] idle processes have the
    /// same command, and otherwise ends it. No reply may be outstanding.
    pub(crate) fn leave_idle(self) {
        let mut idle = locked(&IDLE);
        let same_program = idle.iter().filter(|process| process.program == self.program);
        if same_program.count() < MAX_IDLE {
            idle.push(self);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        end_process(&mut self.child);
    }
}

/// Ends a process and its descendants. The process may be stopped or unable to notice that its
/// client is gone. The command of a user is often a script around a solver.
fn end_process(child: &mut Child) {
    let its_descendants = budget::descendants(child.id());
    // Once the process is waited for, its number may belong to another process.
    budget::forget_child(child.id());
    let _ = child.kill();
    kill_all(&its_descendants);
    let _ = child.wait();
}

/// Ends all worker processes, for an exit without destructors. A user's solver may otherwise run
/// for hours before it notices that its client is gone.
pub fn end_all() {
    for child in budget::children() {
        let its_descendants = budget::descendants(child);
        kill_all(&[child]);
        kill_all(&its_descendants);
    }
}

fn kill_all(processes: &[u32]) {
    for &process in processes {
        if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

impl From<rustix::io::Errno> for WaitError {
    fn from(_: rustix::io::Errno) -> Self {
        WaitError::Dead
    }
}

fn is_over(patience_left: Duration, budget: Option<&Budget>) -> bool {
    patience_left.is_zero() || budget.is_some_and(Budget::is_exhausted)
}

/// Waits up to `wait`, and returns true if one of the descriptors is ready or closed. Returns false
/// after the time, or earlier if a signal interrupts the wait.
fn wait_until_ready(descriptors: &mut [PollFd<'_>], wait: Duration) -> rustix::io::Result<bool> {
    let wait = Timespec { tv_sec: wait.as_secs() as _, tv_nsec: wait.subsec_nanos() as _ };
    match poll(descriptors, Some(&wait)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error),
    }
}
