//! `windowpane man`: the manual page, made from the arguments and the declarations of the policy's settings.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::content::one_line;
use crate::policy::{SECTIONS, Setting};

use super::args::{Cli, Common};
use super::print::Printer;

/// Prints one page: the program, then each command as a section, then the settings of a policy.
pub fn man(common: &Common) -> anyhow::Result<ExitCode> {
    let mut page = Vec::new();
    let program = Cli::command();
    let whole = Man::new(program.clone());
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    whole.render_options_section(&mut page)?;
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = format!("windowpane {}", command.get_name());
        let section =
            Man::new(command.clone().bin_name(name.clone()).display_name(name.clone()).disable_help_flag(true));
        page.extend_from_slice(format!(".SH {}\n", name.to_uppercase()).as_bytes());
        let mut part = Vec::new();
        section.render_synopsis_section(&mut part)?;
        section.render_description_section(&mut part)?;
        section.render_options_section(&mut part)?;
        let part = String::from_utf8_lossy(&part).replace(".SH ", ".SS ");
        page.extend_from_slice(part.as_bytes());
    }
    page.extend_from_slice(settings().as_bytes());
    whole.render_version_section(&mut page)?;
    let mut printer = Printer::new(common);
    printer.bytes(&page)?;
    printer.done()
}

/// Every setting of a policy, section by section: type, unit, range, default, meaning and source.
fn settings() -> String {
    let mut page = String::from(".SH POLICY SETTINGS\n");
    line(
        &mut page,
        "What a policy file, \\-\\-set KEY=VALUE and the tune view set. A replay follows a setting that is instant by \
         numbers alone; recount: text is cut or counted anew; reembed: vectors are made anew.",
    );
    for (section, about, settings) in SECTIONS {
        let _ = writeln!(page, ".SS {section}");
        line(&mut page, &plain(about));
        for setting in *settings {
            of_setting(&mut page, setting);
        }
    }
    page
}

// Writing into a string cannot fail.
fn of_setting(page: &mut String, setting: &Setting) {
    let unit = if setting.unit.is_empty() { String::new() } else { format!(" in {}", plain(setting.unit)) };
    let _ = writeln!(page, ".TP\n\\fB{}\\fR ({}{unit})", plain(setting.key), plain(setting.kind.name()));
    line(page, &plain(setting.meaning));
    for (name, value) in [
        ("Default", setting.default().to_string()),
        ("Allowed", setting.allowed()),
        ("Follows", setting.follows.name().to_owned()),
        ("Source", setting.source.to_owned()),
    ] {
        page.push_str(".br\n");
        line(page, &format!("{name}: {}", plain(&value)));
    }
}

/// A line of text: none begins with what a formatter takes for a request of its own.
fn line(page: &mut String, text: &str) {
    let guard = if text.starts_with(['.', '\'']) { "\\&" } else { "" };
    let _ = writeln!(page, "{guard}{text}");
}

/// Text as a formatter prints it, on one line.
fn plain(text: &str) -> String {
    let words = one_line(text);
    words.replace('\\', "\\e").replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_in_the_manual_as_it_is_declared() {
        let page = settings();
        for (section, about, settings) in SECTIONS {
            assert!(page.contains(&format!("\n.SS {section}\n{}\n", plain(about))), "{section}");
            for setting in *settings {
                let begins = format!("\n.TP\n\\fB{}\\fR ({}", setting.key, setting.kind.name());
                let at = page.find(&begins).unwrap_or_else(|| panic!("{} is missing", setting.key)) + 1;
                let row = &page[at..];
                let row = &row[..row[1..].find("\n.TP").or(row[1..].find("\n.SS")).map_or(row.len(), |end| end + 1)];
                let told = [
                    setting.unit,
                    setting.meaning,
                    &format!("Default: {}", setting.default()),
                    &format!("Allowed: {}", setting.allowed()),
                    &format!("Source: {}", setting.source),
                ];
                for part in told {
                    assert!(row.contains(&plain(part)), "{}: {part:?} is not in {row}", setting.key);
                }
            }
        }
    }

    #[test]
    fn what_a_formatter_would_take_for_its_own_is_kept_from_it() {
        assert_eq!(plain("a\\b -c\n d"), "a\\eb \\-c d");
        let mut page = String::new();
        line(&mut page, ".SH no");
        assert_eq!(page, "\\&.SH no\n");
    }
}
