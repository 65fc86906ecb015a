//! Dates in the format `xsd:dateTime`.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current time in UTC: `2018-01-01T10:00:05Z`. If the environment variable
/// `SOURCE_DATE_EPOCH` is a number of seconds since the beginning of 1970, its time is used
/// instead, so that files are reproducible.
pub fn now() -> String {
    let pinned = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse().ok());
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    format(pinned.unwrap_or_else(clock))
}

/// Returns the date from seconds since the beginning of 1970.
fn format(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // In this computation a year starts in March, so that the leap day is its last day. An era is
    // 400 years or 146,097 days, and `day` is first the day in the era, then in the year, then in
    // the month (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013).
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let day = day - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns true if `text` is an `xsd:dateTime`, with or without a time zone.
pub(super) fn is_valid(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    let before_year_1 = date.starts_with('-');
    let date: Vec<&str> = date.strip_prefix('-').unwrap_or(date).split('-').collect();
    let [year, month, day] = date[..] else { return false };
    let zone = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (time, zone) = time.split_at(zone);
    let time: Vec<&str> = time.split(':').collect();
    let [hour, minute, second] = time[..] else { return false };
    let (second, fraction) = second.split_once('.').unwrap_or((second, "0"));
    let number = |text: &str, digits: usize| -> Option<u32> {
        let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse().ok()).flatten()
    };
    let within = |text, min, max| number(text, 2).is_some_and(|n| (min..=max).contains(&n));
    let zone_is_valid = match zone.strip_prefix(['+', '-']) {
        None => zone.is_empty() || zone == "Z",
        // The largest offset is 14:00. All other offsets have at most 13 hours.
        Some("14:00") => true,
        Some(offset) => match offset.split_once(':') {
            Some((hours, minutes)) => within(hours, 0, 13) && within(minutes, 0, 59),
            None => false,
        },
    };
    // A year has four or more digits. With more than four, the first digit is not zero. There is no
    // year 0.
    let year_is_valid = year.bytes().all(|byte| byte.is_ascii_digit())
        && (year.len() == 4 || year.len() > 4 && !year.starts_with('0'))
        && year != "0000";
    let fraction_is_valid =
        !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    // Leap years repeat every 400 years, so the last four digits suffice.
    let last_digits =
        year.get(year.len().saturating_sub(4)..).and_then(|last_digits| number(last_digits, 4));
    let last_digits = last_digits.unwrap_or_default();
    // The year before year 1 is written -0001, so leap years are shifted by one year.
    let shifted_year = if before_year_1 { last_digits + 399 } else { last_digits };
    let is_leap = shifted_year.is_multiple_of(4)
        && (!shifted_year.is_multiple_of(100) || shifted_year.is_multiple_of(400));
    let days_in_month = match number(month, 2) {
        Some(2) if is_leap => 29,
        Some(2) => 28,
        Some(4 | 6 | 9 | 11) => 30,
        _ => 31,
    };
    let is_midnight = hour == "24" && minute == "00" && second == "00";
    let is_time = within(hour, 0, 23) && within(minute, 0, 59) && within(second, 0, 59);
    year_is_valid
        && within(month, 1, 12)
        && within(day, 1, days_in_month)
        && (is_time || is_midnight && fraction.bytes().all(|digit| digit == b'0'))
        && fraction_is_valid
        && zone_is_valid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(format(0), "1970-01-01T00:00:00Z");
        assert_eq!(format(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(format(1_514_800_805), "2018-01-01T10:00:05Z");
        assert!(is_valid(&now()));
    }

    #[test]
    fn dates_of_real_files_are_valid_and_others_are_not() {
        assert!(is_valid("2021-04-30T09:49:19.563+02:00"));
        assert!(is_valid("2018-01-01T10:00:05"));
        assert!(is_valid("2018-01-01T24:00:00Z"));
        assert!(is_valid("2018-01-01T10:00:05+14:00"));
        assert!(is_valid("12020-02-29T10:00:05Z"));
        for wrong in [
            "",
            "2021-02-29T10:00:05Z",
            "1900-02-29T10:00:05Z",
            "2018-01-01T24:00:01Z",
            "2018-01-01T10:00:05Z05:00",
            "2018-01-01T10:00:05+14:30",
            "0000-01-01T10:00:05Z",
            "02018-01-01T10:00:05Z",
            "é018-01-01T10:00:05Z",
            "2018",
            "2018-13-01T10:00:05Z",
            "2018-01-01 10:00:05",
            "2018-02-30T10:00:05Z",
            "2018-01-01T10:00Z",
            "2018-01-01T10:00:05+2",
        ] {
            assert!(!is_valid(wrong), "{wrong}");
        }
    }
}
