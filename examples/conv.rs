use windowpane::content::{MemoryBytes, Watch};
use windowpane::document::*;
fn main() {
    let mut limits = None;
    for a in std::env::args().skip(1) {
        if a == "--limits" {
            limits = Some(Limits::default());
            continue;
        }
        let b = MemoryBytes(std::fs::read(&a).unwrap());
        let w = Watch::default();
        let t = std::time::Instant::now();
        let mut c =
            collect(&Request { name: &a, bytes: &b, limits: limits.as_ref(), max_bytes: 64 << 20, watch: &w }).unwrap();
        if let Some(l) = &limits {
            cut_whole(&mut c, l, windowpane::tokens::Encoding::Cl100kBase);
        }
        println!("{}", c.markdown);
        eprintln!(
            "--- {a} [{}] {:?}\nfacts {:?}\nnotes {:?}\nshown {:?}\nanchors {} outline {}",
            c.format,
            t.elapsed(),
            c.facts,
            c.notes,
            shown_line(&c.shown),
            c.anchors.len(),
            c.outline.len()
        );
    }
}
