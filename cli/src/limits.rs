//! Limits on time and memory: the syntax on the command line, and limits set by the machine.

use parikh::run::RunConfig;
use parikh_solvers::Budget;
use std::time::Duration;

/// The limits of a command that runs engines.
#[derive(clap::Args)]
pub(super) struct LimitOptions {
    /// Time limit, including reading the model: 90s, 5m, 1h.
    #[arg(short, long, value_parser = duration, default_value = "60s")]
    pub(super) timeout: Duration,
    /// Memory limit of the process: 4G, 500M. By default the memory of the machine or of its
    /// container. Engines may use 85 % of the limit.
    #[arg(short, long, value_parser = memory)]
    pub(super) memory: Option<u64>,
    /// The number of engines that run in parallel. By default one per processor.
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: Option<u16>,
}

impl LimitOptions {
    /// Returns the budget of the run.
    pub(super) fn budget(&self) -> Budget {
        budget(Some(self.timeout), self.memory)
    }

    /// Returns a budget without a deadline, for a run over several problems. The time limit applies
    /// to each [`budget_within`](Self::budget_within) it.
    pub(super) fn budget_of_problems(&self) -> Budget {
        budget(None, self.memory)
    }

    /// Returns the budget of one problem of a run. It ends when the run is cancelled.
    pub(super) fn budget_within(&self, whole_run: &Budget) -> Budget {
        whole_run.slice(self.timeout)
    }

    /// Returns the number of engines that run in parallel.
    pub(super) fn threads(&self) -> usize {
        self.threads.map_or_else(|| RunConfig::default().threads, usize::from)
    }
}

/// Parses a duration: `90`, `90s`, `1.5m`, `2h`, `500ms`. A number without a unit means seconds.
/// Returns a message for the user if the text is no duration.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time like 90, 90s, 500ms, 1.5m or 2h".into()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a time like 90s or 1.5m".to_owned())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "the time is too long".into())
}

/// Parses an amount of memory: `4G`, `500M`, `1.5GiB`. Returns bytes. Returns a message for the
/// user if the text is no size, has no unit, or is less than one byte.
pub(super) fn memory(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let bytes = match unit.trim().trim_end_matches("iB").trim_end_matches('B') {
        "K" | "k" => 1u64 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        // A number without a unit is ambiguous: gigabytes to some users, megabytes to others.
        "" if number.parse().is_ok_and(|number: f64| number > 0.0) => {
            return Err(format!("the size {number} has no unit: expected {number}G or {number}M"));
        }
        // Zero needs no unit. The check below refuses it with the right message.
        "" if number.parse().is_ok_and(|number: f64| number == 0.0) => 1,
        _ => return Err("expected a size like 4G or 500M".into()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a size like 4G or 500M".to_owned())?;
    match (number * bytes as f64) as u64 {
        0 => Err("expected a size above 0".into()),
        bytes => Ok(bytes),
    }
}

/// The share of a memory limit that engines may fill. The rest allows for growth between two
/// checks.
const USABLE: f64 = 0.85;

/// Returns the budget of a run. The memory limit is the least of the given limit, the machine's
/// memory and the container's limit. Engines may fill the share [`USABLE`] of this limit.
pub(super) fn budget(time: Option<Duration>, memory: Option<u64>) -> Budget {
    let budget = match time {
        Some(time) => Budget::lasting(time),
        None => Budget::unlimited(),
    };
    let limits = [memory, physical_memory(), control_group_limit()];
    match limits.into_iter().flatten().min() {
        Some(limit) => budget.with_memory_ceiling((limit as f64 * USABLE) as u64),
        None => budget,
    }
}

/// Returns the memory of the machine in bytes. Returns `None` if `/proc/meminfo` does not exist or
/// does not state the memory.
fn physical_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Returns the memory limit of the container in bytes (control groups, version 2). Returns `None`
/// if there is no limit or no such control group.
fn control_group_limit() -> Option<u64> {
    std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_memory_at_all_is_refused() {
        let none = Err("expected a size above 0".to_owned());
        for text in ["0M", "0.0000001K", "0", "0.0"] {
            assert_eq!(memory(text), none, "{text}");
        }
        assert_eq!(memory("1K"), Ok(1024));
    }

    #[test]
    fn times_and_sizes_are_read_with_their_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert!(duration("5 parsecs").is_err());
        assert!(duration("-5").is_err());
        assert!(duration("").is_err());
        assert_eq!(memory("4G"), Ok(4 << 30));
        assert_eq!(memory("16384M"), Ok(16 << 30));
        assert_eq!(memory("4"), Err("the size 4 has no unit: expected 4G or 4M".to_owned()));
        assert_eq!(memory("1.5GiB"), Ok(3 << 29));
        assert!(memory("lots").is_err());
    }
}
