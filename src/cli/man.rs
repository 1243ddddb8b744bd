//! `windowpane man`: the manual page, made from the arguments.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;

use super::args::{Cli, Common};
use super::print::Printer;

/// Prints one page: the program, then each command as a section.
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
    whole.render_version_section(&mut page)?;
    let mut printer = Printer::new(common);
    printer.bytes(&page)?;
    printer.done()
}
