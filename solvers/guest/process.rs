//! The processes: how one is started, spoken to and seen off, and the idle ones. In what words, and
//! where a message ends, is for those who speak with them.

use crate::budget::{self, Budget};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How a guest is started: a program, and what it is told to begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.arguments.iter().try_for_each(|it| write!(f, " {}", it.to_string_lossy()))
    }
}

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// From now on native solvers run as guests of this process, in processes of `program`, which calls
/// `serve` with these arguments, and `serve_smt` where [`SMT2`](super::SMT2) comes after them. Only
/// the first call counts. Without one they run in this process.
pub fn invite(program: Program) {
    let _ = PROGRAM.set(program);
}

/// Starts a guest, so that it is there when it is needed.
pub fn prepare() {
    if let Some(program) = program() {
        // Whoever needs one tries again, and says what is wrong.
        let start = || Process::start(program).map(Process::leave_idle);
        let _ = std::thread::Builder::new().spawn(start);
    }
}

/// What [`invite`] was told.
pub fn program() -> Option<&'static Program> {
    PROGRAM.get()
}

/// Guests without a question, for the next program.
static IDLE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// More idle guests of a program than this are seen off.
const MOST_IDLE: usize = 2;

/// Bytes that a pipe holds, if the system lets us.
#[cfg(target_os = "linux")]
const PIPE: usize = 1 << 20;

/// So many bytes are read when the time is over: what is in the pipe.
const MOST_LATE: usize = 1 << 20;

/// How often a budget is looked at while a guest works.
const GLANCE: Duration = Duration::from_millis(5);

/// A guest.
#[derive(Debug)]
pub(crate) struct Process {
    program: Program,
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    heard: Vec<u8>,
}

/// Why waiting for a guest came to an end without a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// It is gone.
    Dead,
    /// So long.
    Enough,
}

impl Process {
    /// An idle one, or a new one.
    pub(crate) fn get(program: &Program) -> io::Result<Process> {
        loop {
            let idle = {
                let mut all = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
                let at = all.iter().rposition(|process| process.program == *program);
                at.map(|at| all.swap_remove(at))
            };
            let Some(mut process) = idle else { return Process::start(program) };
            // Unless somebody killed it meanwhile.
            if let Ok(None) = process.child.try_wait() {
                return Ok(process);
            }
        }
    }

    fn start(program: &Program) -> io::Result<Process> {
        let mut child = Command::new(&program.path)
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What a library has to say when it aborts is for nobody's screen.
            .stderr(Stdio::null())
            .spawn()?;
        budget::count_child(child.id());
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let (Some(to), Some(from)) = (to, from) else {
            see_off(&mut child);
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let process = Process { program: program.clone(), child, to, from, heard: Vec::new() };
        // Otherwise a guest that does not read could keep us writing.
        fcntl_setfl(&process.to, fcntl_getfl(&process.to)? | OFlags::NONBLOCK)?;
        // Fewer switches for large programs and points; a system may grant less.
        #[cfg(target_os = "linux")]
        {
            let _ = rustix::pipe::fcntl_setpipe_size(&process.to, PIPE);
            let _ = rustix::pipe::fcntl_setpipe_size(&process.from, PIPE);
        }
        tracing::debug!(process = process.child.id(), "a guest: {program}");
        Ok(process)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says all of `out`, unless the guest is dead, does not listen for that long, or `budget` is
    /// spent; what was not said is left in `out`, and to be said first.
    pub(crate) fn say(
        &mut self,
        out: &mut Vec<u8>,
        patience: Duration,
        budget: Option<&Budget>,
    ) -> Result<(), Waited> {
        let mut said = 0;
        let mut since = Instant::now();
        let end = loop {
            if said == out.len() {
                break Ok(());
            }
            match self.to.write(&out[said..]) {
                Ok(0) => break Err(Waited::Dead),
                Ok(count) => {
                    said += count;
                    since = Instant::now();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if since.elapsed() >= patience || budget.is_some_and(Budget::is_exhausted) {
                        break Err(Waited::Enough);
                    }
                    ready(&mut [PollFd::new(&self.to, PollFlags::OUT)], GLANCE)?;
                }
                Err(_) => break Err(Waited::Dead),
            }
        };
        out.drain(..said);
        end
    }

    /// The next message, which `first` takes off what was heard once it is whole; gives up after
    /// `patience`, or as soon as `budget` is spent.
    pub(crate) fn hear<T>(
        &mut self,
        mut first: impl FnMut(&mut Vec<u8>) -> Option<T>,
        patience: Duration,
        budget: Option<&Budget>,
    ) -> Result<T, Waited> {
        let since = Instant::now();
        let mut late = 0;
        loop {
            if let Some(message) = first(&mut self.heard) {
                return Ok(message);
            }
            let left = patience.saturating_sub(since.elapsed());
            let wait = GLANCE
                .min(left)
                .min(budget.and_then(Budget::remaining).unwrap_or(GLANCE))
                .max(Duration::from_micros(50));
            if ready(&mut [PollFd::new(&self.from, PollFlags::IN)], wait)? {
                let mut bytes = [0; 1 << 16];
                match self.from.read(&mut bytes) {
                    Ok(0) => return Err(Waited::Dead),
                    Ok(count) => {
                        self.heard.extend_from_slice(&bytes[..count]);
                        late += if is_over(left, budget) { count } else { 0 };
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                    Err(_) => return Err(Waited::Dead),
                }
                // What is there by now is read, but who never ends a message is not listened to for
                // ever.
                if late > MOST_LATE {
                    return Err(Waited::Enough);
                }
            } else if is_over(left, budget) {
                return Err(Waited::Enough);
            }
        }
    }

    /// Whether it is gone because it took too much memory.
    #[cfg(feature = "highs")]
    pub(crate) fn took_too_much(&mut self) -> bool {
        use super::TOO_MUCH_MEMORY;
        use std::os::unix::process::ExitStatusExt as _;
        // Its pipes close a moment before it is gone.
        let since = Instant::now();
        while since.elapsed() < 10 * GLANCE {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.signal() == Some(TOO_MUCH_MEMORY.as_raw()),
                Ok(None) => std::thread::sleep(GLANCE / 10),
                Err(_) => return false,
            }
        }
        false
    }

    /// For the next program, if there is room for one more idle guest. It must not owe an answer.
    pub(crate) fn leave_idle(self) {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let of_its_kind = idle.iter().filter(|process| process.program == self.program);
        if of_its_kind.count() < MOST_IDLE {
            idle.push(self);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        see_off(&mut self.child);
    }
}

/// It may be stopped, or far from any place where it would notice that nobody asks any more. What
/// it has started goes with it: the command of a user is often a script around a solver.
fn see_off(child: &mut Child) {
    let others = budget::descendants(child.id());
    // Its number may be another's once we have waited for it.
    budget::forget_child(child.id());
    let _ = child.kill();
    kill_all(&others);
    let _ = child.wait();
}

/// Ends all guests, for who leaves without going home: a solver that is somebody's command may work
/// on for hours before it notices that nobody asks any more.
pub fn end_all() {
    for child in budget::children() {
        let others = budget::descendants(child);
        kill_all(&[child]);
        kill_all(&others);
    }
}

fn kill_all(processes: &[u32]) {
    for &process in processes {
        if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

impl From<rustix::io::Errno> for Waited {
    fn from(_: rustix::io::Errno) -> Self {
        Waited::Dead
    }
}

fn is_over(left: Duration, budget: Option<&Budget>) -> bool {
    left.is_zero() || budget.is_some_and(Budget::is_exhausted)
}

/// Whether one of these is ready, or gone, within `wait`.
fn ready(descriptors: &mut [PollFd<'_>], wait: Duration) -> rustix::io::Result<bool> {
    let wait = Timespec { tv_sec: wait.as_secs() as _, tv_nsec: wait.subsec_nanos() as _ };
    match poll(descriptors, Some(&wait)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error),
    }
}
