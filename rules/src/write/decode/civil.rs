//! A moment of the calendar, and the same moment in UTC.

use std::fmt;

/// A date and a time of the Gregorian calendar, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i32,
    month: i32,
    day: i32,
    hour: i32,
    minute: i32,
    second: i32,
}

impl Civil {
    /// `None` if the month does not have the day. The other parts are in their ranges.
    pub(super) fn new(
        [year, month, day]: [i32; 3],
        [hour, minute, second]: [i32; 3],
    ) -> Option<Self> {
        (1..=days_of(year, month)).contains(&day).then_some(Self {
            year,
            month,
            day,
            hour,
            minute,
            second,
        })
    }

    /// The moment so many minutes earlier, or later if they are negative: at most two days.
    pub(super) fn minus_minutes(self, minutes: i32) -> Self {
        let minutes = self.hour * 60 + self.minute - minutes;
        let mut moved = Self {
            day: self.day + minutes.div_euclid(24 * 60),
            hour: minutes.rem_euclid(24 * 60) / 60,
            minute: minutes.rem_euclid(60),
            ..self
        };
        if moved.day < 1 {
            (moved.year, moved.month) = match moved.month {
                1 => (moved.year - 1, 12),
                month => (moved.year, month - 1),
            };
            moved.day += days_of(moved.year, moved.month);
        } else if moved.day > days_of(moved.year, moved.month) {
            moved.day -= days_of(moved.year, moved.month);
            (moved.year, moved.month) = match moved.month {
                12 => (moved.year + 1, 1),
                month => (moved.year, month + 1),
            };
        }
        moved
    }
}

/// As RFC 3339 writes it, without a zone.
impl fmt::Display for Civil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            year,
            month,
            day,
            hour,
            minute,
            second,
        } = self;
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )
    }
}

fn days_of(year: i32, month: i32) -> i32 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
