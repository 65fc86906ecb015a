//! A thread with a deep stack: operations recurse one or two calls per level, and nets have
//! thousands of places.

/// Bytes of stack per level: the three functions of saturation call each other once per level. A
/// test with 20,000 levels shows that 4 KiB suffice. Unused stack costs only address space.
const BYTES_PER_LEVEL: usize = 4 << 10;
/// Bytes of stack in addition to those per level.
const BASE_BYTES: usize = 2 << 20;

/// Runs `work` on a thread whose stack is deep enough for diagrams of `levels` levels.
///
/// # Panics
///
/// Panics if `work` panics, with the same payload.
///
/// # Errors
///
/// Returns an error if the system cannot start a thread with such a stack.
pub fn with_stack<T: Send>(levels: usize, work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    let bytes = BASE_BYTES + levels.saturating_mul(BYTES_PER_LEVEL);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work)?;
        match thread.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
