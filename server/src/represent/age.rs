//! Ages, as `kubectl get` shows them.

use jiff::Timestamp;

/// The age of an object created at `created`, in at most two units. Own code, because the rounding is the server's.
pub(super) fn age(created: Option<&str>, now: Timestamp) -> String {
    let Some(created) = created.and_then(|text| text.parse::<Timestamp>().ok()) else {
        return "<unknown>".into();
    };
    human(now.as_second().saturating_sub(created.as_second()))
}

fn human(seconds: i64) -> String {
    const DAY: i64 = 24;
    const YEAR: i64 = 365 * DAY;
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let pair = |big: i64, unit: char, small: i64, small_unit: char| match small {
        0 => format!("{big}{unit}"),
        small => format!("{big}{unit}{small}{small_unit}"),
    };
    match () {
        () if seconds < -1 => "<invalid>".into(),
        () if seconds < 0 => "0s".into(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => pair(minutes, 'm', seconds % 60, 's'),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => pair(hours, 'h', minutes % 60, 'm'),
        () if hours < 2 * DAY => format!("{hours}h"),
        () if hours < 8 * DAY => pair(hours / DAY, 'd', hours % DAY, 'h'),
        () if hours < 2 * YEAR => format!("{}d", hours / DAY),
        () if hours < 8 * YEAR => pair(hours / YEAR, 'y', hours / DAY % 365, 'd'),
        () => format!("{}y", hours / YEAR),
    }
}
