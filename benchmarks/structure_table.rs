//! Structural measurements as a result file, and summed up: tables in Markdown.

use crate::structure::{Agreement, Basis, Deadlock, Measurement, Timed};
use parikh_solvers::Exhausted;
use std::fmt::{Display, Write};

/// The columns before those of the keys.
const COLUMNS: [&str; 21] = [
    "instance",
    "places",
    "transitions",
    "classes",
    "read_s",
    "p_flows",
    "p_refuted",
    "p_s",
    "t_flows",
    "t_refuted",
    "t_s",
    "check_s",
    "ranks_agree",
    "bounded",
    "constant",
    "bounds_s",
    "deadlock",
    "traps",
    "deadlock_s",
    "oracle",
    "key_differences",
];

/// The first line of a result file, for these keys.
pub fn header(measurement: &Measurement) -> Vec<String> {
    let keys = measurement.keys.iter().map(|(key, _)| *key);
    COLUMNS.into_iter().chain(keys).map(str::to_owned).collect()
}

/// The line of an instance.
pub fn fields(m: &Measurement) -> Vec<String> {
    let seconds = |seconds: f64| format!("{seconds:.3}");
    let mut fields = vec![m.instance.clone()];
    fields.extend(m.size.map(|size| size.to_string()));
    fields.push(seconds(m.read));
    for basis in [&m.place_flows, &m.transition_flows] {
        fields.push(or_reason(&basis.result, |basis| basis.flows.to_string()));
        fields.push(basis.result.map_or(String::new(), |basis| basis.refuted.to_string()));
        fields.push(seconds(basis.seconds));
    }
    fields.push(seconds(m.check));
    fields.push(m.ranks_agree.map_or(String::new(), |agree| agree.to_string()));
    fields.push(or_reason(&m.bounds.result, |[bounded, _]| bounded.to_string()));
    fields.push(or_reason(&m.bounds.result, |[_, constant]| constant.to_string()));
    fields.push(seconds(m.bounds.seconds));
    fields.push(deadlock(m));
    fields.push(match &m.siphon_trap.result {
        Ok(Deadlock::Excluded(traps)) => traps.to_string(),
        _ => String::new(),
    });
    fields.push(seconds(m.siphon_trap.seconds));
    fields.push(m.oracle.clone());
    let differences: Vec<String> =
        differences(m).map(|(key, own)| format!("{key} {own}")).collect();
    fields.push(differences.join("; "));
    fields.extend(m.keys.iter().map(|(_, agreement)| {
        match agreement {
            Agreement::Agrees => "agrees",
            Agreement::Unknown => "unknown",
            Agreement::Absent => "absent",
            Agreement::Differs(_) => "differs",
        }
        .to_owned()
    }));
    fields
}

fn or_reason<T>(result: &Result<T, Exhausted>, value: impl Fn(&T) -> String) -> String {
    result.as_ref().map_or_else(Exhausted::to_string, value)
}

/// The words of the column `deadlock`.
fn deadlock(m: &Measurement) -> String {
    or_reason(&m.siphon_trap.result, |deadlock| match deadlock {
        Deadlock::Excluded(_) => "excluded".to_owned(),
        Deadlock::Open => "open".to_owned(),
        Deadlock::Refused(problem) => format!("refused: {problem}"),
    })
}

fn differences(m: &Measurement) -> impl Iterator<Item = (&'static str, &str)> {
    m.keys.iter().filter_map(|(key, agreement)| match agreement {
        Agreement::Differs(own) => Some((*key, own.as_str())),
        _ => None,
    })
}

/// Whether something is wrong: a refuted flow or certificate, ranks that differ, a conclusion
/// against the oracle. (A key that differs may be the form's mistake.)
pub fn is_wrong(m: &Measurement) -> bool {
    let refuted = |basis: &Timed<Basis>| basis.result.is_ok_and(|basis| basis.refuted > 0);
    let deadlock = match &m.siphon_trap.result {
        Ok(Deadlock::Excluded(_)) => m.oracle == "TRUE",
        Ok(Deadlock::Refused(_)) => true,
        _ => false,
    };
    refuted(&m.place_flows)
        || refuted(&m.transition_flows)
        || m.ranks_agree == Some(false)
        || deadlock
}

/// The tables over all instances.
pub fn print(all: &[Measurement]) -> String {
    format!("{}\n{}\n{}", flows(all), siphon_traps(all), keys(all))
}

fn line(text: &mut String, cells: &[&dyn Display]) {
    text.push('|');
    for cell in cells {
        // Writing to a String does not fail.
        let _ = write!(text, " {cell} |");
    }
    text.push('\n');
}

fn flows(all: &[Measurement]) -> String {
    let mut text = String::from(
        "| | instances | complete | out of time | out of memory | results | refuted | total s | worst s | worst |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    let places: Vec<_> = all.iter().map(|m| (m, &m.place_flows)).collect();
    let transitions: Vec<_> = all.iter().map(|m| (m, &m.transition_flows)).collect();
    for (name, bases) in [("P-flows", places), ("T-flows", transitions)] {
        let ended = |reason| bases.iter().filter(|(_, b)| b.result == Err(reason)).count();
        let done = || bases.iter().filter_map(|(_, basis)| basis.result.ok());
        let worst = bases.iter().max_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
        let (slowest, longest) =
            worst.map_or(("", 0.0), |(m, basis)| (m.instance.as_str(), basis.seconds));
        let total: f64 = bases.iter().map(|(_, basis)| basis.seconds).sum();
        line(
            &mut text,
            &[
                &name,
                &bases.len(),
                &done().count(),
                &ended(Exhausted::Time),
                &ended(Exhausted::Memory),
                &done().map(|basis| basis.flows).sum::<usize>(),
                &done().map(|basis| basis.refuted).sum::<usize>(),
                &format!("{total:.1}"),
                &format!("{longest:.1}"),
                &slowest,
            ],
        );
    }
    let bounded: usize = all.iter().filter_map(|m| m.bounds.result.ok()).map(|[b, _]| b).sum();
    let constant: usize = all.iter().filter_map(|m| m.bounds.result.ok()).map(|[_, c]| c).sum();
    let places: usize = all.iter().map(|m| m.size[0]).sum();
    let sum = |seconds: &dyn Fn(&Measurement) -> f64| all.iter().map(seconds).sum::<f64>();
    let _ = writeln!(
        text,
        "\nRanks of both bases agree on {} instances and differ on {}. Reading took {:.1} s in all, \
         checking the flows {:.1} s, bounds {:.1} s. Of {places} places {bounded} have an upper \
         bound, {constant} are constant.",
        all.iter().filter(|m| m.ranks_agree == Some(true)).count(),
        all.iter().filter(|m| m.ranks_agree == Some(false)).count(),
        sum(&|m| m.read),
        sum(&|m| m.check),
        sum(&|m| m.bounds.seconds),
    );
    text
}

fn siphon_traps(all: &[Measurement]) -> String {
    let mut text = String::from(
        "| ReachabilityDeadlock | instances | excluded | open | not decided |\n|---|---|---|---|---|\n",
    );
    let mut oracles: Vec<&str> = all.iter().map(|m| m.oracle.as_str()).collect();
    oracles.sort_unstable();
    oracles.dedup();
    for oracle in oracles {
        let these = || all.iter().filter(|m| m.oracle == oracle);
        let count = |wanted: &dyn Fn(&Measurement) -> bool| these().filter(|m| wanted(m)).count();
        let excluded = |m: &Measurement| matches!(m.siphon_trap.result, Ok(Deadlock::Excluded(_)));
        line(
            &mut text,
            &[
                &if oracle.is_empty() { "no oracle" } else { oracle },
                &these().count(),
                &count(&excluded),
                &count(&|m| m.siphon_trap.result == Ok(Deadlock::Open)),
                &count(&|m| m.siphon_trap.result.is_err()),
            ],
        );
    }
    text
}

fn keys(all: &[Measurement]) -> String {
    let mut text =
        String::from("| key | agrees | unknown | absent | differs |\n|---|---|---|---|---|\n");
    let mut totals = [0; 4];
    let names = all.first().map_or(&[][..], |m| &m.keys).iter().map(|(name, _)| *name);
    for (at, name) in names.enumerate() {
        let mut counts = [0; 4];
        for m in all {
            let column = match m.keys[at].1 {
                Agreement::Agrees => 0,
                Agreement::Unknown => 1,
                Agreement::Absent => 2,
                Agreement::Differs(_) => 3,
            };
            counts[column] += 1;
            totals[column] += 1;
        }
        let [a, b, c, d] = counts;
        line(&mut text, &[&name, &a, &b, &c, &d]);
    }
    let [a, b, c, d] = totals;
    line(&mut text, &[&"all", &a, &b, &c, &d]);
    for m in all {
        for (key, own) in differences(m) {
            let _ = writeln!(text, "\n{}: {key} is {own}", m.instance);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::tests::ring;

    #[test]
    fn a_line_has_a_field_for_each_column() {
        let ring = ring();
        let (header, fields) = (header(&ring), fields(&ring));
        assert_eq!(header.len(), fields.len());
        let field = |name| &fields[header.iter().position(|column| column == name).unwrap()];
        assert_eq!(field("p_flows"), "1");
        assert_eq!(field("deadlock"), "excluded");
        assert_eq!(field("SINK_PLACE"), "differs");
        assert_eq!(field("key_differences"), "SINK_PLACE false: there is no sink place");
    }

    #[test]
    fn tables_count_and_mistakes_are_seen() {
        let ring = ring();
        assert!(!is_wrong(&ring));
        let text = print(std::slice::from_ref(&ring));
        assert!(text.contains("| P-flows | 1 | 1 | 0 | 0 | 1 | 0 |"), "{text}");
        assert!(text.contains("| FALSE | 1 | 1 | 0 | 0 |"), "{text}");
        assert!(text.contains("| all | 1 | 1 | 12 | 1 |"), "{text}");
        assert!(text.contains("Ring-PT-1: SINK_PLACE is false: there is no sink place"), "{text}");
        let mut wrong = ring.clone();
        wrong.oracle = "TRUE".to_owned();
        assert!(is_wrong(&wrong));
        let mut wrong = ring;
        wrong.place_flows.result = Ok(Basis { flows: 1, refuted: 1 });
        assert!(is_wrong(&wrong));
    }
}
