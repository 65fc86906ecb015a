//! A stack deep enough: operations go down one call or two per level, and nets have thousands of
//! places.

/// Bytes of stack for each level: saturation's three functions call each other once. A test with
/// many levels shows that it suffices; what is not used is only addresses.
const PER_LEVEL: usize = 4 << 10;
/// Bytes of stack beside these.
const BASE: usize = 2 << 20;

/// Runs `work` on a thread of its own whose stack is deep enough for diagrams of `levels` levels.
///
/// # Panics
///
/// When `work` panics, with what it panicked with.
///
/// # Errors
///
/// When the system gives no thread with such a stack.
pub fn with_stack<T: Send>(levels: usize, work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    let bytes = BASE + levels.saturating_mul(PER_LEVEL);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work)?;
        match thread.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
