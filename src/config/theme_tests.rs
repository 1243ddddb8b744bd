//! Themes: the shipped ones are whole and safe for colour-blind eyes; wrong ones are refused with their place.

use super::*;

/// How colour-blind eyes see linear RGB: Machado, Oliveira and Fernandes, "A Physiologically-based Model for
/// Simulation of Color Vision Deficiency" (2009), severity 1.0.
const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    ("usual", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
    ),
    (
        "deuteranopia",
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
    ),
    (
        "tritanopia",
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ),
];

fn linear(colour: Colour) -> [f64; 3] {
    let Colour::Rgb(red, green, blue) = colour else { panic!("{colour} has no fixed look") };
    [red, green, blue].map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

fn times(rows: &[[f64; 3]; 3], by: [f64; 3]) -> [f64; 3] {
    rows.map(|row| row.iter().zip(by).map(|(one, other)| one * other).sum())
}

/// CIE L*a*b* (D65), in which distances are near to those that eyes see.
fn lab(linear: [f64; 3]) -> [f64; 3] {
    let to_xyz =
        [[0.412_456, 0.357_576, 0.180_438], [0.212_673, 0.715_152, 0.072_175], [0.019_334, 0.119_192, 0.950_304]];
    let [x, y, z] = times(&to_xyz, linear.map(|part| part.clamp(0.0, 1.0)));
    let bend = |part: f64| if part > 0.008_856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 };
    let (x, y, z) = (bend(x / 0.950_47), bend(y), bend(z / 1.088_83));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(one: Colour, other: Colour) -> (f64, &'static str) {
    let far = |(eyes, rows): &(&'static str, [[f64; 3]; 3])| {
        let (one, other) = (lab(times(rows, linear(one))), lab(times(rows, linear(other))));
        (one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt(), *eyes)
    };
    EYES.iter().map(far).min_by(|one, other| one.0.total_cmp(&other.0)).expect("eyes")
}

/// WCAG 2's contrast ratio.
fn contrast(one: Colour, other: Colour) -> f64 {
    let light = |colour| times(&[[0.2126, 0.7152, 0.0722]; 3], linear(colour))[0];
    let (one, other) = (light(one), light(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn shipped_themes_are_whole() {
    for (name, text) in SHIPPED {
        if let Err(faults) = Theme::parse(name, text) {
            panic!("{name}: {faults:?}");
        }
    }
    assert_eq!(Theme::default().name, "dark");
}

#[test]
fn layers_beside_each_other_stay_apart_for_all_eyes() {
    for name in ["dark", "light", "high-contrast"] {
        let theme = Theme::shipped(name).expect(name);
        let stack: Vec<(Layer, Colour)> = ALL_LAYERS[..=Layer::Unlogged as usize]
            .iter()
            .map(|info| (info.layer, theme.style(Role::Layer(info.layer)).fg.expect("a colour")))
            .collect();
        for (at, (layer, colour)) in stack.iter().enumerate() {
            for (apart, (other, against)) in stack[at + 1..].iter().enumerate() {
                let least = [24.0, 20.0, 14.0].get(apart).copied().unwrap_or(8.0);
                let (far, eyes) = distance(*colour, *against);
                assert!(far >= least, "{name}: {layer:?} and {other:?} are {far:.1} apart with {eyes}");
            }
        }
    }
}

#[test]
fn every_colour_can_be_read_on_its_ground() {
    let grounds = [("dark", "#16181d"), ("light", "#ffffff"), ("high-contrast", "#000000")];
    for (name, ground) in grounds {
        let theme = Theme::shipped(name).expect(name);
        let quiet = [Role::Border, Role::Layer(Layer::Reserve), Role::Layer(Layer::Free)];
        for role in Role::all().filter(|role| !quiet.contains(role)) {
            let style = theme.style(role);
            let Some(front) = style.fg else { continue };
            let ratio = contrast(front, style.bg.unwrap_or(ground.parse().expect("a colour")));
            let least = match role {
                Role::Layer(_) => 2.9,
                _ if name == "high-contrast" => 7.0,
                _ => 4.5,
            };
            assert!(ratio >= least, "{name}: {} has a contrast of {ratio:.1}", role.name());
        }
    }
}

#[test]
fn a_selected_row_can_be_read() {
    for (name, ground) in [("dark", "#c5c8c6"), ("light", "#000000"), ("high-contrast", "#ffffff")] {
        let theme = Theme::shipped(name).expect(name);
        let bar = theme.style(Role::Selection).bg.expect("a colour");
        for role in [Role::Text, Role::Dim, Role::Key, Role::Name, Role::Accent, Role::Warning, Role::Error] {
            let front = theme.style(role).fg.unwrap_or(ground.parse().expect("a colour"));
            let ratio = contrast(front, bar);
            assert!(ratio >= 3.5, "{name}: {} has a contrast of {ratio:.1}", role.name());
        }
    }
}

#[test]
fn the_theme_without_colour_has_none_and_tells_layers_apart() {
    let theme = Theme::shipped("no-color").expect("shipped");
    assert!(Role::all().all(|role| theme.style(role).fg.is_none() && theme.style(role).bg.is_none()));
    let mut fills: Vec<&str> = ALL_LAYERS.iter().map(|info| theme.fill(info.layer)).collect();
    fills.sort_unstable();
    fills.dedup();
    assert_eq!(fills.len(), Layer::COUNT);
}

#[test]
fn a_theme_inherits_what_it_does_not_give() {
    let text = "inherits = 'light'\n[palette]\nsea = '#004466'\n[roles]\ntitle = 'sea'\n[layers]\nuser = { fg = 33, fill = 'u' }";
    let theme = Theme::parse("mine", text).expect("a good theme");
    let light = Theme::shipped("light").expect("shipped");
    assert_eq!(theme.style(Role::Title), Style { fg: Some(Colour::Rgb(0, 0x44, 0x66)), ..Style::default() });
    assert_eq!(theme.style(Role::Layer(Layer::User)).fg, Some(Colour::Index(33)));
    assert_eq!((theme.fill(Layer::User), theme.name.as_str()), ("u", "mine"));
    assert_eq!(theme.style(Role::Hit), light.style(Role::Hit));
}

#[test]
fn wrong_themes_are_refused_with_their_place() {
    for (text, expected) in [
        ("inherits = 'drak'", "line 1: inherits: there is no shipped theme \"drak\"; did you mean \"dark\"?"),
        (
            "inherits = 'dark'\n[roles]\ntitel = 'red'",
            "line 3: roles.titel: there is no role \"titel\"; did you mean \"title\"?",
        ),
        (
            "inherits = 'dark'\n[roles]\ntitle = 'rde'",
            "line 3: roles.title: there is no colour \"rde\"; did you mean \"red\"?",
        ),
        (
            "inherits = 'dark'\n[roles]\ntitle = 256",
            "line 3: roles.title: a colour of the terminal's palette is from 0 to 255",
        ),
        (
            "inherits = 'dark'\n[roles]\ntitle = {fg = '#12'}",
            "line 3: roles.title.fg: \"#12\" is not of the form #rrggbb",
        ),
        (
            "inherits = 'dark'\n[roles]\ntitle = {fill = 'x'}",
            "line 3: roles.title.fill: expected fg, bg, emphasis, or for a layer fill",
        ),
        (
            "inherits = 'dark'\n[roles]\ntitle = {emphasis = ['blod']}",
            "line 3: roles.title.emphasis: there is no emphasis \"blod\"; did you mean \"bold\"?",
        ),
        (
            "inherits = 'dark'\n[layers]\nuser = {fill = '漢'}",
            "line 3: layers.user.fill: expected one character, one column wide",
        ),
        ("inherits = 'dark'\nlayers = 3", "line 2: layers: expected a table"),
        ("inherits = 'dark'\n[layer]", "line 2: layer: there is no key \"layer\"; did you mean \"layers\"?"),
    ] {
        let faults = Theme::parse("mine", text).expect_err(text);
        assert_eq!(faults.iter().map(Fault::to_string).collect::<Vec<_>>(), [expected]);
    }
    assert_eq!(Theme::parse("mine", "").expect_err("an empty theme").len(), Role::COUNT);
}
