//! The contest's names of techniques, and which of them apply to an answer.
//!
//! Engines have their own names, some of which are more precise than the contest's. The contest's
//! list is closed (rule E-1.12 with table 2 of the submission manual; the schema of verdict files
//! repeats it). So the names of the list are printed in addition to the engines' names.

/// The names of the contest's list.
pub const TECHNIQUES: [&str; 16] = [
    "SEQUENTIAL_PROCESSING",
    "PARALLEL_PROCESSING",
    "COLLATERAL_PROCESSING",
    "ABSTRACTIONS",
    "DECISION_DIAGRAMS",
    "EXPLICIT",
    "NET_UNFOLDING",
    "UNFOLDING_TO_PT",
    "STRUCTURAL_REDUCTION",
    "SAT_SMT",
    "STATE_COMPRESSION",
    "STUBBORN_SETS",
    "SYMMETRIES",
    "TOPOLOGICAL",
    "USE_NUPN",
    // `IMPLICIT` was added in version 2.0 of verdict files.
    "IMPLICIT",
];

/// The circumstances of an answer besides the engines that found it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances {
    /// True if several threads work.
    pub parallel: bool,
    /// True if the net is the unfolding of a coloured net.
    pub unfolded: bool,
    /// True if the net merges colours that no arc or guard distinguishes.
    pub merged_colours: bool,
    /// True if a proof is about an abstraction of the coloured net.
    pub abstracted: bool,
    /// True if a witness or a proof comes from a reduced net.
    pub reduced: bool,
    /// True if a search fired only stubborn sets.
    pub stubborn: bool,
    /// True if the answer assumes the model's claim that its units are safe (NUPN).
    pub units: bool,
}

/// Returns the techniques of an answer without duplicates: the kind of parallelism, then each
/// engine's name with the contest's name, then the circumstances.
pub fn techniques(engines: &[&'static str], circumstances: Circumstances) -> Vec<&'static str> {
    let Circumstances { parallel, unfolded, merged_colours, abstracted, reduced, stubborn, units } =
        circumstances;
    let mut words = vec![if parallel { "PARALLEL_PROCESSING" } else { "SEQUENTIAL_PROCESSING" }];
    for &engine in engines {
        words.extend([engine, contest_name(engine)]);
    }
    let conditional = [
        (unfolded, "UNFOLDING_TO_PT"),
        (merged_colours, "SYMMETRIES"),
        (abstracted, "ABSTRACTIONS"),
        (reduced, "STRUCTURAL_REDUCTION"),
        (stubborn, "STUBBORN_SETS"),
        (units, "USE_NUPN"),
    ];
    words.extend(conditional.into_iter().filter(|(applies, _)| *applies).map(|(_, word)| word));
    let mut kept: Vec<&str> = Vec::new();
    words.retain(|word| {
        let is_new = !kept.contains(word);
        kept.push(word);
        is_new
    });
    words
}

/// Returns the contest's name for an engine's technique.
fn contest_name(engine: &'static str) -> &'static str {
    match engine {
        "ABSTRACTION" => "ABSTRACTIONS",
        // These techniques fire transitions from single markings.
        "INITIAL_STATE" | "RANDOM_WALK" | "PARIKH_WALK" | "LOOPS" | "COVERABILITY" => "EXPLICIT",
        "SIPHON_TRAP" | "PLACE_INVARIANTS" => "TOPOLOGICAL",
        // The engine uses integer and SAT solvers.
        "STATE_EQUATION" => "SAT_SMT",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_engine::registry::{BY_NAME, ENGINES};

    #[test]
    fn each_engine_has_a_technique_of_the_contest() {
        for engine in ENGINES.iter().chain(BY_NAME) {
            let name = contest_name(engine.technique);
            assert!(TECHNIQUES.contains(&name), "engine {}: {name}", engine.name);
        }
    }

    #[test]
    fn each_technique_is_listed_once_by_its_contest_name() {
        let plain = Circumstances::default();
        assert_eq!(
            techniques(&["EXPLICIT", "RANDOM_WALK"], plain),
            ["SEQUENTIAL_PROCESSING", "EXPLICIT", "RANDOM_WALK"]
        );
        let all = Circumstances {
            parallel: true,
            unfolded: true,
            merged_colours: true,
            abstracted: true,
            reduced: true,
            stubborn: true,
            units: true,
        };
        assert_eq!(
            techniques(&["STATE_EQUATION", "SAT_SMT"], all),
            [
                "PARALLEL_PROCESSING",
                "STATE_EQUATION",
                "SAT_SMT",
                "UNFOLDING_TO_PT",
                "SYMMETRIES",
                "ABSTRACTIONS",
                "STRUCTURAL_REDUCTION",
                "STUBBORN_SETS",
                "USE_NUPN",
            ]
        );
        for word in techniques(&["ABSTRACTION", "SIPHON_TRAP"], all) {
            let own = ["ABSTRACTION", "SIPHON_TRAP"].contains(&word);
            assert!(own || TECHNIQUES.contains(&word), "{word}");
        }
    }
}
