//! One call in the BenchKit protocol: environment variables and the current directory.

use std::time::Duration;

/// The environment variables with which BenchKit, the harness of the contest, calls the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchKitCall {
    /// The value of `BK_EXAMINATION`.
    pub examination: Option<String>,
    /// The name of the instance, for messages only. Some harnesses put a path into `BK_INPUT`.
    pub instance: String,
    /// The time limit, `BK_TIME_CONFINEMENT`.
    pub time: Duration,
    /// The memory limit in bytes, from `BK_MEMORY_CONFINEMENT` or otherwise `BK_MEM_CONFINEMENT`.
    pub memory: u64,
    /// One message per variable with an invalid limit, which names the default used instead.
    pub remarks: Vec<String>,
}

/// The contest's limits in seconds and megabytes, used if a variable is missing or invalid.
const DEFAULT_LIMITS: (u64, u64) = (3600, 16384);

impl BenchKitCall {
    /// Reads the environment of the process.
    pub fn from_environment() -> BenchKitCall {
        BenchKitCall::from_variables(|name| std::env::var(name).ok())
    }

    /// Reads variables by name. A limit that is missing or not a positive integer is replaced by
    /// the contest's default. An invalid limit gives a remark.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> BenchKitCall {
        let mut remarks = Vec::new();
        let mut number = |names: &[&str], unit: &str, default: u64| -> u64 {
            let found = names.iter().find_map(|name| Some((name, variable(name)?)));
            let Some((name, text)) = found else { return default };
            match text.trim().parse() {
                Ok(number) if number > 0 => number,
                _ => {
                    remarks.push(format!(
                        "{name} is `{text}`, expected a whole number of {unit}, at least 1; using \
                         {default}"
                    ));
                    default
                }
            }
        };
        let time = number(&["BK_TIME_CONFINEMENT"], "seconds", DEFAULT_LIMITS.0);
        let memory = ["BK_MEMORY_CONFINEMENT", "BK_MEM_CONFINEMENT"];
        let memory = number(&memory, "megabytes", DEFAULT_LIMITS.1);
        let input = variable("BK_INPUT").unwrap_or_default();
        let instance = input.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        BenchKitCall {
            examination: variable("BK_EXAMINATION").map(|name| name.trim().to_owned()),
            instance: instance.to_owned(),
            time: Duration::from_secs(time),
            memory: memory.saturating_mul(1 << 20),
            remarks,
        }
    }

    /// Returns the time limit minus a margin, because answers after the limit are lost. The margin
    /// is 5 % of the limit, at least 1.2 s (for a machine under load), and at most 10 s. It never
    /// exceeds a quarter of the limit.
    pub fn usable_time(&self) -> Duration {
        let margin = (self.time / 20).clamp(Duration::from_millis(1200), Duration::from_secs(10));
        let margin = margin.min(self.time / 4);
        self.time.saturating_sub(margin)
    }

    /// Returns the memory limit in bytes minus 200 MiB for the program itself, but at least half of
    /// the limit.
    pub fn usable_memory(&self) -> u64 {
        self.memory.saturating_sub(200 << 20).max(self.memory / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_variables_are_the_contests_defaults() {
        let call = BenchKitCall::from_variables(|_| None);
        assert_eq!((call.time.as_secs(), call.memory), (3600, 16 << 30));
        assert_eq!(call.usable_time().as_secs(), 3590);
        assert_eq!((call.examination, call.remarks), (None, Vec::new()));
    }

    #[test]
    fn an_invalid_limit_is_reported_and_the_default_applies() {
        for wrong in ["soon", "0", "-5", "", "3.5", "60s"] {
            let call = BenchKitCall::from_variables(|name| match name {
                "BK_TIME_CONFINEMENT" | "BK_MEMORY_CONFINEMENT" => Some(wrong.into()),
                _ => None,
            });
            assert_eq!((call.time.as_secs(), call.memory), (3600, 16 << 30));
            let said = format!(
                "BK_TIME_CONFINEMENT is `{wrong}`, expected a whole number of seconds, at least 1; \
                 using 3600"
            );
            assert_eq!((call.remarks.len(), &call.remarks[0]), (2, &said));
        }
    }

    #[test]
    fn paths_as_instances_and_short_limits_are_understood() {
        let call = BenchKitCall::from_variables(|name| match name {
            "BK_INPUT" => Some("/tmp/INPUTS/Peterson-PT-2/".into()),
            "BK_TIME_CONFINEMENT" => Some("30".into()),
            "BK_MEM_CONFINEMENT" => Some("2000".into()),
            "BK_EXAMINATION" => Some("OneSafe\n".into()),
            _ => None,
        });
        assert_eq!(call.instance, "Peterson-PT-2");
        assert_eq!(call.usable_time(), Duration::from_millis(28_500));
        assert_eq!(call.usable_memory(), 1800 << 20);
        assert_eq!(call.examination.as_deref(), Some("OneSafe"));
    }
}
