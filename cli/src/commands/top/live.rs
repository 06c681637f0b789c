//! The view on a terminal: readings and keys as they come, until the user quits.

use super::draw::draw;
use super::reading::{Readings, read_all};
use super::screen::{Input, Screen, inputs};
use super::view::{Snapshot, Step, View};
use crate::cluster::ControlPlane;
use crate::exit::Exit;
use crate::failure::Failure;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Shows the view, beginning with a reading.
pub(super) async fn show(
    control_plane: ControlPlane,
    first: Readings,
    interval: u64,
    has_color: bool,
) -> Result<Exit, Failure> {
    let mut view = View::new(Snapshot::of(&first));
    let mut read_at = first.at;
    let mut readings = readings(control_plane, first, Duration::from_secs(interval));
    let mut screen = Screen::enter(has_color)?;
    let mut inputs = inputs();
    // The time of a lost connection goes on.
    let mut clock = tokio::time::interval(Duration::from_secs(1));
    loop {
        view.age = read_at.elapsed();
        screen.draw(|lines| draw(&mut view, interval, has_color, lines))?;
        tokio::select! {
            input = inputs.recv() => match input {
                Some(Input::Resized) => {}
                Some(Input::Key(key)) => match view.press(key) {
                    Step::Stay => {}
                    Step::Quit => return Ok(Exit::Success),
                    Step::Interrupt => return Ok(Exit::Interrupted),
                },
                None => return Err(Failure::input("the terminal is gone")),
            },
            Some(reading) = readings.recv() => {
                if reading.is_ok() {
                    read_at = Instant::now();
                }
                view.receive(reading);
            }
            _ = clock.tick() => {}
        }
    }
}

/// Reads again and again. An error is not the end: the next reading may succeed.
fn readings(
    control_plane: ControlPlane,
    first: Readings,
    interval: Duration,
) -> UnboundedReceiver<Result<Snapshot, String>> {
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(async move {
        let mut earlier = first;
        loop {
            tokio::time::sleep(interval).await;
            let reading = read_all(&control_plane).await.map(|mut later| {
                later.rates_since(&earlier);
                let snapshot = Snapshot::of(&later);
                earlier = later;
                snapshot
            });
            if sender
                .send(reading.map_err(|failure| failure.to_string()))
                .is_err()
            {
                return;
            }
        }
    });
    receiver
}
