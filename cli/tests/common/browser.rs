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
    let Some(browser) = browser() else {
        return;
    };
    let folder = Folder::new();
    let watched = html.replace("</body>", &format!("{LOOK}</body>"));
    let watched = folder.file("watched.html", watched);
    for (size, is_dark) in [("1280,900", false), ("1280,900", true), ("390,844", false)] {
        let window = format!("--window-size={size}");
        let dark = "--blink-settings=preferredColorScheme=0";
        let options = [window.as_str(), dark];
        let count = if is_dark { 2 } else { 1 };
        let (dom, console) = load(browser, &folder, &watched, &options[..count]);
        assert!(!console.contains("CONSOLE"), "{console}");
        let found = found(&dom);
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

/// The browser that is installed, or `None` with a word.
fn browser() -> Option<&'static str> {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let is_installed = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = browsers.into_iter().find(is_installed);
    if found.is_none() {
        eprintln!("skipped: no browser is installed");
    }
    found
}

/// The page as the browser has it after it was loaded, and what the browser says.
fn load(browser: &str, folder: &Folder, file: &str, options: &[&str]) -> (String, String) {
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--dump-dom",
    ]);
    command
        .args(options)
        .arg(format!("--user-data-dir={}", folder.path("browser")));
    let output = command.arg(format!("file://{file}")).output().unwrap();
    (stdout(&output), stderr(&output))
}

/// The value that a script of the page has put into its title.
fn found(dom: &str) -> Value {
    let (_, rest) = dom.split_once("FOUND").unwrap();
    let (found, _) = rest.split_once("END").unwrap();
    let found = found
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    serde_json::from_str(&found).unwrap()
}

/// A script that counts what no report has, and everything that has run.
const SPY: &str = r#"<script>
addEventListener('load', () => {
  for (const element of document.querySelectorAll('*')) element.dispatchEvent(new Event('mouseover'));
  const all = [...document.querySelectorAll('*')];
  const odd = all.filter(element => element.localName.match(/^(script|img|image|iframe|object|embed|base|form|input|foreignobject|animate|set|a|use)$/i)
    && !element.textContent.trim().startsWith('addEventListener'));
  const handlers = all.flatMap(element => [...element.attributes]).filter(one => one.name.startsWith('on')
    || /^\s*(javascript|http|https):/i.test(one.value) && !one.name.startsWith('xmlns'));
  const found = {ran: typeof ran, odd: odd.map(one => one.outerHTML), handlers: handlers.map(one => one.name),
    styles: document.querySelectorAll('style').length, links: document.querySelectorAll('link').length,
    metas: document.querySelectorAll('meta').length, visible: getComputedStyle(document.body).display,
    loaded: performance.getEntriesByType('resource').map(one => one.name).filter(name => !name.startsWith('data:'))};
  document.title = 'FOUND' + JSON.stringify(found) + 'END';
});
</script>"#;

/// Loads a page, or a chart in a page, and checks that nothing in it runs, loads or leads elsewhere. Skipped, with a word, if no
/// browser is installed.
pub(crate) fn runs_nothing(text: &str) {
    let is_page = text.contains("</body>");
    let watched = match is_page {
        true => text.replace("</body>", &format!("{SPY}</body>")),
        false => format!(
            "<!DOCTYPE html><html><head><title></title></head><body>{text}{SPY}</body></html>"
        ),
    };
    let Some(browser) = browser() else {
        return;
    };
    let folder = Folder::new();
    let file = folder.file("watched.html", watched);
    let (dom, console) = load(browser, &folder, &file, &[]);
    assert!(!console.contains("CONSOLE"), "{console}");
    let own = u8::from(is_page);
    let expected = json!({
        "ran": "undefined", "odd": [], "handlers": [], "styles": own, "links": own, "metas": 3 * own, "visible": "block", "loaded": [],
    });
    assert_eq!(found(&dom), expected);
}
