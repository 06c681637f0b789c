//! The view on a screen of any size.

use super::flow::Flow;
use super::lines::Lines;
use super::print::{borrowed, limit, number, rate};
use super::reading::Level;
use super::view::{Order, View};
use crate::output::{bar, one_line, plural};
use crossterm::style::{Color, ContentStyle, Stylize};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of the columns with numbers, each with a blank before it. A narrow screen lacks the last ones.
const NUMBERS: [(&str, usize); 5] = [
    ("INUSE", 7),
    ("LIMIT", 6),
    (Order::Waiting.title(), 8),
    (Order::Rejected.title(), 11),
    (Order::Borrowed.title(), 9),
];
/// The least width of the column with the names of levels.
const LEAST_NAME: usize = 13;
/// The least and the largest width of the bars.
const BAR: (usize, usize) = (8, 40);
/// The least lines of the flows below the levels: a blank line, the header, and a flow.
const LEAST_FLOWS: u16 = 3;

/// A screen with the styles that it has.
pub(super) struct Canvas<'a> {
    lines: &'a mut Lines,
    has_color: bool,
    /// The next line.
    y: u16,
    /// The line below the last one.
    end: u16,
}

/// Draws the view, which is updated every `interval` seconds.
pub(super) fn draw(view: &mut View, interval: u64, has_color: bool, lines: &mut Lines) {
    let height = lines.height();
    let end = height.saturating_sub(1 + u16::from(!view.snapshot.notes.is_empty()));
    let mut canvas = Canvas {
        lines,
        has_color,
        y: 0,
        // On a low screen, the lines below are cut: they would overlap the foot.
        end,
    };
    canvas.head(view, interval);
    match view.open().is_some() {
        true => canvas.level(view),
        false => canvas.levels(view, end),
    }
    canvas.flows(view, end);
    (canvas.y, canvas.end) = (end, height);
    canvas.foot(view);
}

impl Canvas<'_> {
    /// The title, and the state of the connection.
    fn head(&mut self, view: &View, interval: u64) {
        let servers = plural(view.snapshot.servers, "API server");
        let title = format!("kubectl flowcontrol top   {servers}, every {interval} s");
        self.at(0, &title, ContentStyle::new().bold());
        if view.is_paused {
            let x = (title.width() + 3).min(self.lines.width().saturating_sub(6));
            self.at(x, "PAUSED", ContentStyle::new().reverse());
        }
        self.y += 1;
        if let Some(reason) = &view.lost {
            let (since, reason) = (view.age.as_secs(), one_line(reason));
            let text = format!("connection lost for {since} s: {reason}");
            self.line(&text, self.colored(Color::DarkRed).bold());
        } else {
            self.y += 1;
        }
    }

    /// The levels, with room for flows below them if there is enough.
    fn levels(&mut self, view: &mut View, end: u16) {
        let width = self.lines.width();
        let levels = view.levels();
        let longest = levels.iter().map(|level| level.name.width()).max();
        let mut shown = NUMBERS.len();
        let taken = |shown: usize| {
            NUMBERS[..shown]
                .iter()
                .map(|(_, width)| width)
                .sum::<usize>()
        };
        while shown > 1 && taken(shown) + LEAST_NAME > width {
            shown -= 1;
        }
        let rest = width.saturating_sub(taken(shown));
        let name = longest.unwrap_or_default().max(LEAST_NAME).min(rest);
        let bar_width = rest.saturating_sub(name + 1).min(BAR.1);
        let bar_width = if bar_width < BAR.0 { 0 } else { bar_width };
        let gap = usize::from(bar_width > 0);
        let head = |title: &str| match (title == view.order.title(), view.is_reversed) {
            (false, _) => title.to_owned(),
            (true, false) => format!("▾{title}"),
            (true, true) => format!("▴{title}"),
        };
        let title = padded(&head(Order::Name.title()), name + gap + bar_width);
        let titles = NUMBERS[..shown].iter();
        let titles = titles.map(|(title, width)| format!("{:>width$}", head(title)));
        let titles = titles.collect::<String>();
        self.line(&format!("{title}{titles}"), ContentStyle::new().bold());

        let room = end.saturating_sub(self.y);
        let wanted = u16::try_from(levels.len()).unwrap_or(u16::MAX);
        let rows = match room >= LEAST_FLOWS + 3 {
            true => wanted.min(room - LEAST_FLOWS),
            false => wanted.min(room),
        };
        let rows = usize::from(rows);
        let selected = view.selected_row();
        let first = (selected + 1).saturating_sub(rows);
        for (index, level) in levels.iter().enumerate().skip(first).take(rows) {
            let numbers = numbers(level);
            let numbers = numbers.iter().zip(NUMBERS).take(shown);
            let numbers = numbers.map(|(cell, (_, width))| format!("{cell:>width$}"));
            let numbers = numbers.collect::<String>();
            let (gap, bar) = (" ".repeat(gap), padded(&load(level, bar_width), bar_width));
            let text = format!("{}{gap}{bar}{numbers}", padded(&level.name, name));
            let mut style = self.alarm(level);
            if index == selected {
                style = style.reverse();
            }
            self.line(&text, style);
        }
        view.set_page(rows);
    }

    /// The numbers of the open level.
    fn level(&mut self, view: &View) {
        let Some((name, level)) = view.open() else {
            return;
        };
        self.line(
            &format!("PRIORITYLEVEL {}", one_line(name)),
            ContentStyle::new().bold(),
        );
        let Some(level) = level else {
            self.line(
                "no API server has this level any more",
                self.colored(Color::DarkRed),
            );
            return;
        };
        let (in_use, limit) = (number(level.seats_in_use), number(level.seats));
        let width = self.lines.width().saturating_sub(32).min(BAR.1);
        match level.is_exempt() {
            true => self.plain(&format!(
                "in use     {in_use} {}, without a limit",
                if in_use == "1" { "seat" } else { "seats" }
            )),
            false => {
                let unit = if limit == "1" { "seat" } else { "seats" };
                let text = format!("in use     {in_use} of {limit} {unit}");
                let text = format!("{}{}", padded(&text, 32), load(level, width));
                self.line(&text, self.alarm(level));
                let nominal = number(level.nominal_seats);
                let change = match level.borrowed() {
                    None => String::new(),
                    Some(seats @ 1..) => format!(", {seats} borrowed from other levels"),
                    Some(0) => ", none borrowed or lent".to_owned(),
                    Some(seats) => format!(", {} lent to other levels", seats.saturating_neg()),
                };
                self.plain(&format!("limit      {limit}, nominal {nominal}{change}"));
            }
        }
        let (executing, waiting) = (number(level.executing), number(level.waiting));
        self.plain(&format!(
            "requests   {executing} executing, {waiting} waiting"
        ));
        let rate = rate(level.rejected_per_second);
        let total = number(level.rejected);
        self.plain(&format!(
            "rejected   {rate} per second, {total} since the start of the server"
        ));
    }

    /// The flows with the most requests, down to a line.
    fn flows(&mut self, view: &mut View, end: u16) {
        let is_open = view.open().is_some();
        self.y += 1;
        if self.y >= end {
            return;
        }
        let rows = usize::from(end - self.y - 1);
        if is_open {
            view.set_page(rows);
        }
        let cells = |flow: &Flow| {
            let flow_name = match flow.distinguisher.as_str() {
                "" => "-".to_owned(),
                name => one_line(name).into_owned(),
            };
            let mut cells = vec![flow_name, one_line(&flow.schema).into_owned()];
            if !is_open {
                cells.push(one_line(&flow.level).into_owned());
            }
            cells
        };
        let flows: Vec<_> = view.flows().skip(view.first_flow()).take(rows).collect();
        let mut titles = vec!["BUSIEST FLOWS", "FLOWSCHEMA", "PRIORITYLEVEL"];
        titles.truncate(if is_open { 2 } else { 3 });
        let mut widths: Vec<_> = titles.iter().map(|title| title.width()).collect();
        for flow in &flows {
            for (width, cell) in widths.iter_mut().zip(cells(flow)) {
                *width = (*width).max(cell.width());
            }
        }
        let text = self.lines.width().saturating_sub(18);
        fit(&mut widths, text);
        let row = |cells: &[String], executing: &str, waiting: &str| {
            let cells = cells.iter().zip(&widths);
            let cells = cells.map(|(cell, width)| format!("{} ", padded(cell, *width)));
            format!("{}{executing:>9}{waiting:>8}", cells.collect::<String>())
        };
        let titles: Vec<_> = titles.into_iter().map(str::to_owned).collect();
        self.line(
            &row(&titles, "EXECUTING", "WAITING"),
            ContentStyle::new().bold(),
        );
        for flow in &flows {
            let (executing, waiting) = (flow.executing.to_string(), flow.waiting.to_string());
            self.plain(&row(&cells(flow), &executing, &waiting));
        }
        if flows.is_empty() && view.snapshot.has_flows && rows > 0 {
            self.line("no request executes or waits", ContentStyle::new().dim());
        }
    }

    /// The first missing part, and the keys.
    fn foot(&mut self, view: &View) {
        if let [first, others @ ..] = &view.snapshot.notes[..] {
            let others = match others.len() {
                0 => String::new(),
                others => format!(" (and {others} more)"),
            };
            self.line(
                &format!("{}{others}", one_line(first)),
                ContentStyle::new().dim(),
            );
        }
        let keys = match view.open() {
            Some(_) => "esc back  ↑↓ scroll  p pause  q quit",
            None => "enter open  ↑↓ select  s sort  r reverse  p pause  q quit",
        };
        self.line(keys, ContentStyle::new().dim());
    }

    /// Writes a line without a style.
    fn plain(&mut self, text: &str) {
        self.line(text, ContentStyle::new());
    }

    /// Writes a line, and goes to the next one.
    fn line(&mut self, text: &str, style: ContentStyle) {
        self.at(0, text, style);
        self.y = self.y.saturating_add(1);
    }

    /// Writes text in the current line, as far as it fits.
    fn at(&mut self, x: usize, text: &str, style: ContentStyle) {
        if self.y < self.end {
            let text = cut(text, self.lines.width().saturating_sub(x));
            self.lines.add(self.y, x, text, style);
        }
    }

    /// The style of a level whose requests wait or are rejected.
    fn alarm(&self, level: &Level) -> ContentStyle {
        if level.rejected_per_second.is_some_and(|rate| rate > 0.0) {
            self.colored(Color::DarkRed)
        } else if level.waiting.is_some_and(|waiting| waiting > 0) {
            self.colored(Color::DarkYellow)
        } else {
            ContentStyle::new()
        }
    }

    fn colored(&self, color: Color) -> ContentStyle {
        match self.has_color {
            true => ContentStyle::new().with(color),
            false => ContentStyle::new(),
        }
    }
}

/// The cells of the columns with numbers.
fn numbers(level: &Level) -> [String; NUMBERS.len()] {
    [
        number(level.seats_in_use),
        limit(level),
        number(level.waiting),
        rate(level.rejected_per_second),
        borrowed(level),
    ]
}

/// The seats in use, as a part of the limit.
fn load(level: &Level, width: usize) -> String {
    match (level.seats_in_use, level.seats) {
        (Some(in_use), Some(limit @ 1..)) if !level.is_exempt() => {
            bar([('█', in_use), ('░', limit)], limit, width)
        }
        _ => String::new(),
    }
}

/// Narrows the widest columns until they fit into a width, with a blank after each.
fn fit(widths: &mut [usize], width: usize) {
    while widths.iter().sum::<usize>() + widths.len() > width {
        match widths.iter_mut().max() {
            Some(widest) if *widest > 1 => *widest -= 1,
            _ => return,
        }
    }
}

/// The text in exactly this width.
fn padded(text: &str, width: usize) -> String {
    let text = cut(&one_line(text), width);
    let blanks = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(blanks))
}

/// The text, or its beginning with an ellipsis if it is wider than `width`.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let mut cut: String = text
        .chars()
        .take_while(|c| {
            let fits = c.width().unwrap_or_default() <= room;
            room = room.saturating_sub(c.width().unwrap_or_default());
            fits
        })
        .collect();
    if width > 0 {
        cut.push('…');
    }
    cut
}
