//! Measured reductions as a result file, and summed up: tables in Markdown.

use crate::reductions::{Measurement, Purpose, median};
use parikh::reduction::rules;
use std::fmt::Write;

/// The columns before those of the rules.
const COLUMNS: [&str; 18] = [
    "instance",
    "question",
    "formulas",
    "places",
    "transitions",
    "arcs",
    "places_after",
    "transitions_after",
    "arcs_after",
    "ratio",
    "seconds",
    "rounds",
    "complete",
    "slowest_rule",
    "slowest_s",
    "memory_ratio",
    "alone",
    "alone_ratio",
];

/// The first line of a result file: [`COLUMNS`], then the applications of each rule.
pub fn header() -> Vec<&'static str> {
    COLUMNS.iter().copied().chain(rules::names()).collect()
}

/// The line of a measurement.
pub fn fields(m: &Measurement) -> Vec<String> {
    let statistics = &m.statistics;
    let (before, after) = (statistics.before, statistics.after);
    let optional = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    let slowest = m.slowest_rule();
    let mut fields = vec![m.instance.clone(), m.purpose.name().to_owned(), m.goals.to_string()];
    for size in [before, after] {
        fields.extend([size.places, size.transitions, size.arcs].map(|n| n.to_string()));
    }
    fields.push(format!("{:.4}", m.transition_ratio()));
    fields.push(format!("{:.3}", statistics.time.as_secs_f64()));
    fields.push(statistics.rounds.to_string());
    fields.push((!statistics.cut_short).to_string());
    fields.push(slowest.map_or(String::new(), |rule| rule.name.to_owned()));
    fields.push(slowest.map_or(String::new(), |rule| format!("{:.3}", rule.time.as_secs_f64())));
    fields.push(optional(m.memory_ratio()));
    fields.push(m.alone.len().to_string());
    fields.push(optional(m.alone_ratio()));
    fields.extend(rules::names().map(|rule| statistics.applied(rule).to_string()));
    fields
}

/// The tables over all measurements. `slow` is how many seconds are too many.
pub fn print(all: &[Measurement], slow: f64) -> String {
    format!("{}\n{}\n{}\n{}", purposes(all, slow), costs(all), used_rules(all), instances(all))
}

fn of(all: &[Measurement], purpose: Purpose) -> Vec<&Measurement> {
    all.iter().filter(|m| m.purpose == purpose).collect()
}

fn two_digits(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.2}"))
}

fn purposes(all: &[Measurement], slow: f64) -> String {
    let mut text = format!(
        "| question | instances | places | after | transitions | after | median ratio places | \
         median ratio transitions | formulas alone | their median | to nothing | total s | \
         over {slow} s | not complete |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for purpose in Purpose::ALL {
        let these = of(all, purpose);
        let sum =
            |size: &dyn Fn(&Measurement) -> usize| these.iter().map(|m| size(m)).sum::<usize>();
        let count =
            |wanted: &dyn Fn(&Measurement) -> bool| these.iter().filter(|m| wanted(m)).count();
        let alone: Vec<f64> = these
            .iter()
            .flat_map(|m| {
                let before = m.statistics.before.transitions;
                let ratio = move |after| crate::reductions::ratio(before, after);
                m.alone.iter().map(move |one| ratio(one.after.transitions))
            })
            .collect();
        let seconds = |m: &Measurement| m.statistics.time.as_secs_f64();
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {} | {} |",
            purpose.name(),
            these.len(),
            sum(&|m| m.statistics.before.places),
            sum(&|m| m.statistics.after.places),
            sum(&|m| m.statistics.before.transitions),
            sum(&|m| m.statistics.after.transitions),
            two_digits(median(these.iter().map(|m| m.place_ratio()).collect())),
            two_digits(median(these.iter().map(|m| m.transition_ratio()).collect())),
            alone.len(),
            two_digits(median(alone)),
            count(&|m| m.statistics.after.transitions == 0),
            these.iter().map(|m| seconds(m)).sum::<f64>(),
            count(&|m| seconds(m) > slow),
            count(&|m| m.statistics.cut_short),
        );
    }
    text
}

fn costs(all: &[Measurement]) -> String {
    let mut slowest: Vec<&Measurement> = all.iter().collect();
    slowest.sort_by_key(|m| std::cmp::Reverse(m.statistics.time));
    let mut text = String::from(
        "The slowest:\n\n| instance | question | transitions | after | s | most of it | s | \
         memory of the net's |\n|---|---|---|---|---|---|---|---|\n",
    );
    for m in slowest.iter().take(15) {
        let rule = m.slowest_rule();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} | {} | {:.2} | {} |",
            m.instance,
            m.purpose.name(),
            m.statistics.before.transitions,
            m.statistics.after.transitions,
            m.statistics.time.as_secs_f64(),
            rule.map_or("", |rule| rule.name),
            rule.map_or(0.0, |rule| rule.time.as_secs_f64()),
            two_digits(m.memory_ratio()),
        );
    }
    text.push_str(&memory(all));
    text
}

/// Nets of fewer bytes are left out: there, what rules set up at all counts.
const LARGE: usize = 500_000;

/// How many reductions are named.
const NAMED: usize = 10;

fn memory(all: &[Measurement]) -> String {
    let large = all.iter().filter(|m| m.net_bytes >= LARGE);
    let mut large: Vec<(f64, &Measurement)> =
        large.filter_map(|m| Some((m.memory_ratio()?, m))).collect();
    large.sort_by(|a, b| b.0.total_cmp(&a.0));
    let over = large.iter().filter(|(ratio, _)| *ratio > 4.0).count();
    let named: Vec<String> = large
        .iter()
        .take(NAMED)
        .map(|(ratio, m)| format!("{} {} {ratio:.1}", m.instance, m.purpose.name()))
        .collect();
    format!(
        "\nMemory besides the net, in nets, of the {} reductions of nets of 500 kB and more: median \
         {}; over 4 in {over}; the most: {}.\n",
        large.len(),
        two_digits(median(large.iter().map(|(ratio, _)| *ratio).collect())),
        if named.is_empty() { "none".to_owned() } else { named.join(", ") },
    )
}

fn used_rules(all: &[Measurement]) -> String {
    let mut text = String::from(
        "| rule | deadlock: instances | applied | RC: instances | applied | RF: instances | \
         applied | places fewer | transitions fewer | s |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for name in rules::names() {
        let _ = write!(text, "| {name} |");
        for purpose in Purpose::ALL {
            let applied = || all.iter().filter(|m| m.purpose == purpose);
            let applied = || applied().map(|m| m.statistics.applied(name));
            let instances = applied().filter(|&n| n > 0).count();
            let _ = write!(text, " {instances} | {} |", applied().sum::<u64>());
        }
        let entries = || {
            let rules = all.iter().flat_map(|m| &m.statistics.rules);
            rules.filter(|rule| rule.name == name)
        };
        let _ = writeln!(
            text,
            " {} | {} | {:.1} |",
            entries().map(|rule| rule.places_removed).sum::<u64>(),
            entries().map(|rule| rule.transitions_removed).sum::<i64>(),
            entries().map(|rule| rule.time.as_secs_f64()).sum::<f64>(),
        );
    }
    text
}

fn instances(all: &[Measurement]) -> String {
    let mut text = String::from(
        "| instance | places | transitions | deadlock | s | RC | s | alone | RF | s | alone |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for of_one in all.chunk_by(|a, b| a.instance == b.instance) {
        let before = of_one[0].statistics.before;
        let _ =
            write!(text, "| {} | {} | {} |", of_one[0].instance, before.places, before.transitions);
        for purpose in Purpose::ALL {
            let Some(m) = of_one.iter().find(|m| m.purpose == purpose) else {
                text.push_str(if purpose == Purpose::Deadlock { " | |" } else { " | | |" });
                continue;
            };
            let after = m.statistics.after;
            let seconds = m.statistics.time.as_secs_f64();
            let _ = write!(text, " {}, {} | {seconds:.2} |", after.places, after.transitions);
            if purpose != Purpose::Deadlock {
                let _ = write!(text, " {} |", two_digits(m.alone_ratio()));
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reductions::tests::chain;

    #[test]
    fn a_line_has_a_field_for_each_column() {
        let chain = chain();
        let header = header();
        let fields = fields(&chain[1]);
        assert_eq!(header.len(), fields.len());
        let field = |name| fields[header.iter().position(|c| *c == name).unwrap()].as_str();
        assert_eq!(
            (field("question"), field("transitions"), field("ratio")),
            ("RC", "4", "0.7500")
        );
        assert_eq!((field("alone"), field("alone_ratio")), ("2", "0.3750"));
        assert_eq!((field("complete"), field("memory_ratio")), ("true", ""));
        let agglomerated: u64 = header[COLUMNS.len()..]
            .iter()
            .filter(|name| name.ends_with("agglomeration"))
            .map(|name| field(name).parse::<u64>().unwrap())
            .sum();
        assert!(agglomerated > 0, "{fields:?}");
    }

    #[test]
    fn tables_sum_up_and_list() {
        let chain = chain();
        let text = print(&chain, 5.0);
        assert!(text.contains("| RC | 1 | 5 | 4 | 4 | 3 | 0.80 | 0.75 | 2 | 0.38 | 0 |"), "{text}");
        assert!(text.contains("| RF | 0 | 0 | 0 | 0 | 0 | – | – | 0 | – | 0 |"), "{text}");
        assert!(text.contains("| Chain-PT-1 | 5 | 4 |"), "{text}");
    }
}
