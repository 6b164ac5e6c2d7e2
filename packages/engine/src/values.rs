//! The text form of values: numbers as in JavaScript, dates as in RFC 3339.

use std::ops::Range;

/// The microseconds of one day.
pub const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Formats a number as `String(number)` does in JavaScript (ECMA-262, Number::toString), so that facet values look like the client's.
pub fn number_text(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&size) {
        return format!("{number}");
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// Turns -0 into 0.
pub fn plain_zero(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { number }
}

/// Parses a date into the first and the last moment of its range, in microseconds since 1970. An RFC 3339 date-time is a single moment, a
/// date is a whole UTC day.
pub fn parse_date(text: &str) -> Option<(i64, i64)> {
    let bytes = text.as_bytes();
    if bytes.len() < 10 || !bytes.is_ascii() || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (digits(bytes, 0, 4)?, digits(bytes, 5, 7)?, digits(bytes, 8, 10)?);
    if !(1..=12).contains(&month) || day < 1 || day > month_days(year, month) {
        return None;
    }
    let midnight = days_from_civil(year, month, day) * DAY_MICROS;
    if bytes.len() == 10 {
        return Some((midnight, midnight + DAY_MICROS - 1));
    }
    if !matches!(bytes[10], b'T' | b't' | b' ') || bytes.len() < 20 || bytes[13] != b':' || bytes[16] != b':' {
        return None;
    }
    let (hour, minute, second) = (digits(bytes, 11, 13)?, digits(bytes, 14, 16)?, digits(bytes, 17, 19)?);
    // RFC 3339 section 5.6 allows second 60, a leap second. Unix time does not have it, so it becomes second 59.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction, zone_start) = fraction_micros(bytes)?;
    let zone = zone_seconds(&bytes[zone_start..])?;
    let moment = midnight + (hour * 3600 + minute * 60 + second.min(59) - zone) * 1_000_000 + fraction;
    Some((moment, moment))
}

/// Formats a moment in UTC, without trailing zeros in the fraction.
pub fn date_text(micros: i64) -> String {
    let (year, month, day) = civil_from_days(micros.div_euclid(DAY_MICROS));
    let in_day = micros.rem_euclid(DAY_MICROS);
    let (seconds, fraction) = (in_day / 1_000_000, in_day % 1_000_000);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction != 0 {
        text.push_str(format!(".{fraction:06}").trim_end_matches('0'));
    }
    text.push('Z');
    text
}

/// Whether no other number has the same value in JavaScript (https://tc39.es/ecma262/#sec-number.max_safe_integer).
pub fn is_exact(number: &str) -> bool {
    number.len() <= 15 || number.parse::<f64>().is_ok_and(|value| value.abs() <= 9_007_199_254_740_991.0)
}

/// Whether the text is a date or a UTC date-time in the form that JavaScript writes, and not on February 29. Other texts may be dates too.
pub fn is_plain_date(text: &str) -> bool {
    let number = |range: Range<usize>| text.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<u32>().ok();
    let has_marks = |positions: &[(usize, u8)]| positions.iter().all(|(position, mark)| text.as_bytes().get(*position) == Some(mark));
    let is_day = || {
        let day_max = match number(5..7)? {
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        number(0..4)?;
        (1..=day_max).contains(&number(8..10)?).then_some(())
    };
    let is_time = || (number(11..13)? <= 23 && number(14..16)? <= 59 && number(17..19)? <= 59).then_some(());
    if !has_marks(&[(4, b'-'), (7, b'-')]) || is_day().is_none() {
        return false;
    }
    // Without milliseconds, or with them as JavaScript writes dates.
    let has_end = match text.len() {
        20 => has_marks(&[(19, b'Z')]),
        24 => has_marks(&[(19, b'.'), (23, b'Z')]) && number(20..23).is_some(),
        _ => false,
    };
    text.len() == 10 || (has_end && has_marks(&[(10, b'T'), (13, b':'), (16, b':')]) && is_time().is_some())
}

fn digits(bytes: &[u8], start: usize, end: usize) -> Option<i64> {
    bytes[start..end].iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

/// Returns the fraction of the second in microseconds, without further digits, and the start of the zone.
fn fraction_micros(bytes: &[u8]) -> Option<(i64, usize)> {
    if bytes[19] != b'.' {
        return Some((0, 19));
    }
    let length = bytes[20..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 {
        return None;
    }
    let micros = (0..6).fold(0, |sum, place| sum * 10 + if place < length { i64::from(bytes[20 + place] - b'0') } else { 0 });
    Some((micros, 20 + length))
}

fn zone_seconds(zone: &[u8]) -> Option<i64> {
    match zone {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (digits(zone, 1, 3)?, digits(zone, 4, 6)?);
            let size = hours * 3600 + minutes * 60;
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -size } else { size })
        }
        _ => None,
    }
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

// Both algorithms are from Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". Years start in March, so the leap day comes last.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days - era * 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_as_in_javascript() {
        for (number, text) in
            [(1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (1e21, "1e+21"), (1.5e-7, "1.5e-7"), (123456789.25, "123456789.25"), (-2.5, "-2.5")]
        {
            assert_eq!(number_text(number), text);
        }
    }

    #[test]
    fn numbers_beyond_2_to_the_53rd_are_not_exact() {
        for (number, exact) in [("-12", true), ("9007199254740991", true), ("9007199254740992", false), ("-100000000000000000000", false)] {
            assert_eq!(is_exact(number), exact, "{number}");
        }
    }

    #[test]
    fn dates_round_trip_in_utc() {
        for text in ["1970-01-01T00:00:00Z", "2024-02-29T23:59:59.5Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"] {
            let (moment, _) = parse_date(text).unwrap();
            assert_eq!(date_text(moment), text);
        }
        assert_eq!(parse_date("2024-01-01T01:00:00+01:00"), parse_date("2024-01-01T00:00:00Z"));
        assert_eq!(parse_date("2024-01-01t00:00:00z"), parse_date("2024-01-01T00:00:00Z"));
        assert_eq!(parse_date("2016-12-31T23:59:60Z"), parse_date("2016-12-31T23:59:59Z"));
        assert_eq!(parse_date("2024-01-01"), Some((1_704_067_200_000_000, 1_704_067_200_000_000 + DAY_MICROS - 1)));
    }

    #[test]
    fn other_texts_are_not_dates() {
        for text in ["", "2024", "2023-02-29", "2024-01-01T", "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z", "2024-13-01", "éééééééééé"]
        {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn plain_dates_are_those_that_javascript_writes() {
        for text in ["2024-02-28", "2024-12-31T23:59:59Z", "2024-12-31T23:59:59.125Z"] {
            assert!(is_plain_date(text), "{text}");
        }
        for text in
            ["2024-02-29", "2024-12-31T24:00:00.000Z", "2024-12-31T23:59:59.12xZ", "2024-12-31T23:59:59.1Z", "2024-12-31T23:59:59,125Z"]
        {
            assert!(!is_plain_date(text), "{text}");
        }
    }
}
