//! The explicit engine when the system grants no more memory: it ends and claims nothing.
//!
//! The test is its own program, because its allocator applies to the whole process. The allocator
//! refuses large requests once a share is used, and grants small requests. (A limit on the address
//! space would refuse any request, including one of 80 bytes whose failure cannot be handled.)

use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::Task;
use parikh::engine::explicit::{self, ExplicitConfig, ExplorationError, SearchOrder};
use parikh::net::{Facts, Goal, GoalId, LinearSum, Net, PlaceId, Predicate, marking_goals, text};
use parikh::solvers::Budget;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Requests of fewer bytes are always granted.
const SMALL: usize = 64 << 10;
/// Limit on the memory of large requests together, in bytes.
const SHARE: usize = 24 << 20;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

struct Sparing;

// SAFETY: every granted request goes to the system's allocator as it came; a null pointer is how an
// allocator refuses. `realloc` is the trait's own: allocate, copy, free.
unsafe impl GlobalAlloc for Sparing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= SMALL && IN_USE.fetch_add(layout.size(), Relaxed) >= SHARE {
            IN_USE.fetch_sub(layout.size(), Relaxed);
            REFUSED.fetch_add(1, Relaxed);
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if layout.size() >= SMALL {
            IN_USE.fetch_sub(layout.size(), Relaxed);
        }
        // SAFETY: the caller's promise about `pointer` and `layout` is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Sparing = Sparing;

/// Returns a line of 200 places with 50 tokens that move one by one: too many markings for any
/// memory.
fn line() -> Net {
    let mut text = "net line\nplace p0 50\n".to_string();
    for i in 1..200 {
        let before = i - 1;
        write!(text, "place p{i}\ntransition t{i}: p{before} -> p{i}\n").unwrap();
    }
    text::parse(&text).unwrap()
}

#[test]
fn a_refused_allocation_ends_the_search_without_results() {
    let net = line();
    let places: Vec<PlaceId> = net.places().collect();
    let goals = vec![
        Goal::Reach(Predicate::and(places.iter().map(|&p| Predicate::at_least(p, 2)))),
        Goal::Maximise(LinearSum::new([(places[3], 2), (places[4], 1)]).unwrap()),
    ];
    let facts = Facts::empty(&net);
    let budget = Budget::unlimited();
    for order in [SearchOrder::BreadthFirst, SearchOrder::BestFirst] {
        let refused = REFUSED.load(Relaxed);
        let board = Board::new(&net, goals.clone());
        let named: Vec<(GoalId, Goal)> = board.ids().zip(goals.iter().cloned()).collect();
        let task = Task {
            net: &net,
            goals: &marking_goals(&named),
            facts: &facts,
            board: &board,
            budget: &budget,
            seed: 0,
        };
        let config = ExplicitConfig {
            order,
            order_per_goal: order,
            uses_stubborn_sets: false,
            ..ExplicitConfig::default()
        };
        explicit::run(
            &task,
            board.witness_reporter("EXPLICIT"),
            board.proof_reporter("EXPLICIT"),
            &config,
        );
        assert!(REFUSED.load(Relaxed) > refused, "{order:?} was never refused anything");
        assert_eq!((board.open_count(), board.faults()), (2, 0), "{order:?}");
        assert!(matches!(
            board.knowledge(GoalId::new(0)),
            Some(Knowledge::Reach(ReachKnowledge::Open))
        ));
    }
    let refused = REFUSED.load(Relaxed);
    for threads in [1, 3] {
        assert_eq!(explicit::count(&net, &facts, threads, &budget), Err(ExplorationError::Full));
    }
    assert!(explicit::ExplicitGraph::explore(&net, &facts, &budget).is_err());
    assert!(REFUSED.load(Relaxed) >= refused + 3);
}
