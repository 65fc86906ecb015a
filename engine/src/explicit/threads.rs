//! Work sharing among several threads.

use parikh_solvers::locked;
use std::sync::Mutex;
use std::thread::Builder;

/// A queue of tasks. Several threads may take the next task from it.
pub(crate) struct Tasks<I>(Mutex<I>);

impl<I: Iterator> Tasks<I> {
    pub(crate) fn new(tasks: I) -> Self {
        Tasks(Mutex::new(tasks))
    }

    /// Takes the next task. Returns `None` if no task is left.
    pub(crate) fn next(&self) -> Option<I::Item> {
        locked(&self.0).next()
    }
}

/// Stack size of the threads in bytes, sufficient for deeply nested formulas.
const STACK: usize = 8 << 20;

/// Runs `work` on one thread per entry of `thread_states`, including the current thread. If the
/// system refuses a thread, its entry and all later entries are left out. So the work should be
/// taken from [`Tasks`].
pub(crate) fn run_on_threads<L: Send>(thread_states: &mut [L], work: impl Fn(&mut L) + Sync) {
    let Some((own_state, other_states)) = thread_states.split_first_mut() else { return };
    let work = &work;
    std::thread::scope(|scope| {
        for state in other_states {
            if Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(state)).is_err() {
                break;
            }
        }
        work(own_state);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_processed_once() {
        for threads in [1, 2, 7] {
            let mut tasks_by_thread = vec![Vec::new(); threads];
            let tasks = Tasks::new(0..1000);
            run_on_threads(&mut tasks_by_thread, |mine| {
                while let Some(task) = tasks.next() {
                    mine.push(task);
                }
            });
            let mut all = tasks_by_thread.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1000));
        }
    }
}
