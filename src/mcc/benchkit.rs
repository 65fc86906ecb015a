//! One call as BenchKit makes it: environment variables and the current directory.

use std::time::Duration;

/// What the environment says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// `BK_EXAMINATION`.
    pub examination: Option<String>,
    /// The instance's name, for messages only: some harnesses put a path into `BK_INPUT`.
    pub instance: String,
    /// `BK_TIME_CONFINEMENT`.
    pub time: Duration,
    /// `BK_MEMORY_CONFINEMENT`, in bytes.
    pub memory: u64,
}

impl Call {
    /// Reads the process's environment.
    pub fn from_environment() -> Call {
        Call::from_variables(|name| std::env::var(name).ok())
    }

    /// Reads variables by name; what is missing or no number is the contest's default.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Call {
        let number = |name: &str| -> Option<u64> { variable(name)?.trim().parse().ok() };
        let input = variable("BK_INPUT").unwrap_or_default();
        let instance = input.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let megabytes = number("BK_MEMORY_CONFINEMENT").or_else(|| number("BK_MEM_CONFINEMENT"));
        Call {
            examination: variable("BK_EXAMINATION").map(|name| name.trim().to_owned()),
            instance: instance.to_owned(),
            time: Duration::from_secs(number("BK_TIME_CONFINEMENT").unwrap_or(3600)),
            memory: megabytes.unwrap_or(16384).saturating_mul(1 << 20),
        }
    }

    /// The time to plan with: answers after the limit are lost, so stop a twentieth before it, at
    /// least 1.2 s (a machine under load may be late) and at most 10 s; of a few seconds, a
    /// quarter.
    pub fn usable_time(&self) -> Duration {
        let margin = (self.time / 20).clamp(Duration::from_millis(1200), Duration::from_secs(10));
        let margin = margin.min(self.time / 4);
        self.time.saturating_sub(margin)
    }

    /// The memory to plan with, in bytes: some of it is the program itself.
    pub fn usable_memory(&self) -> u64 {
        self.memory.saturating_sub(200 << 20).max(self.memory / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_variables_are_the_contests_defaults() {
        let call = Call::from_variables(|_| None);
        assert_eq!((call.time.as_secs(), call.memory), (3600, 16 << 30));
        assert_eq!(call.usable_time().as_secs(), 3590);
        assert_eq!(call.examination, None);
    }

    #[test]
    fn paths_as_instances_and_short_limits_are_understood() {
        let call = Call::from_variables(|name| match name {
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
