//! Looking at a web page with a real browser.

use super::{Folder, stderr, stdout};
use serde_json::{Value, json};
use std::process::Command;

/// A script that notes texts which are cut off or too small, and the width of the page, in its title.
const LOOK: &str = r#"<script>
const cut = [];
for (const svg of document.querySelectorAll('svg')) {
  const box = svg.getBoundingClientRect();
  if (box.width === 0) continue;
  for (const text of svg.querySelectorAll('text')) {
    const at = text.getBoundingClientRect();
    if (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1) cut.push(text.textContent);
    if (at.height < 9) cut.push('small: ' + text.textContent);
  }
}
const color = getComputedStyle(document.body).backgroundColor;
const found = {wide: document.documentElement.scrollWidth - innerWidth, width: innerWidth, cut, color, charts: [...document.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width > 0).length};
document.title = 'FOUND' + JSON.stringify(found) + 'END';
</script>"#;

/// Checks that a page with so many charts is complete by itself and reads well: on a laptop, light and dark, and on a phone, without
/// errors on the console. The second part is skipped, with a word, if no browser is installed.
pub(crate) fn reads_well(html: &str, charts: usize) {
    for foreign in ["http://", "https://", "<script"] {
        assert!(!html.contains(foreign), "{foreign}");
    }
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let is_installed = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let Some(browser) = browsers.into_iter().find(is_installed) else {
        eprintln!("skipped: no browser is installed");
        return;
    };
    let folder = Folder::new();
    let watched = html.replace("</body>", &format!("{LOOK}</body>"));
    let watched = folder.file("watched.html", watched);
    for (size, is_dark) in [("1280,900", false), ("1280,900", true), ("390,844", false)] {
        let mut command = Command::new(browser);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--dump-dom",
        ]);
        command
            .arg(format!("--window-size={size}"))
            .arg(format!("--user-data-dir={}", folder.path("browser")));
        if is_dark {
            command.arg("--blink-settings=preferredColorScheme=0");
        }
        let output = command.arg(format!("file://{watched}")).output().unwrap();
        assert!(!stderr(&output).contains("CONSOLE"), "{}", stderr(&output));
        let dom = stdout(&output);
        let found = dom
            .split_once("FOUND")
            .and_then(|(_, rest)| rest.split_once("END"))
            .unwrap()
            .0
            .replace("&amp;", "&")
            .replace("&lt;", "<")
            .replace("&gt;", ">");
        let found: Value = serde_json::from_str(&found).unwrap();
        assert!(found["wide"].as_i64().unwrap() <= 0, "{size}: {found}");
        assert_eq!(
            (&found["cut"], &found["charts"]),
            (&json!([]), &json!(charts)),
            "{size}"
        );
        if is_dark {
            assert_eq!(found["color"], "rgb(13, 17, 23)");
        }
    }
}
