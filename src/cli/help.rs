//! Man page and completion scripts, both made from the words of the command line.

use clap::CommandFactory;

use super::args::Cli;
use super::error::Error;

/// The man page: the program, then each of its commands.
pub fn man() -> Result<String, Error> {
    let mut root = Cli::command();
    root.build();
    let mut pages = Vec::new();
    page(&root, "fleetdeck", &mut pages)?;
    Ok(pages.join("\n"))
}

fn page(command: &clap::Command, name: &str, pages: &mut Vec<String>) -> Result<(), Error> {
    let mut text = Vec::new();
    let titled = command.clone().bin_name(name);
    let man = clap_mangen::Man::new(titled);
    if pages.is_empty() {
        man.render(&mut text)?;
    } else {
        // One page: the commands follow as sections of their own.
        man.render_synopsis_section(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let text = if pages.is_empty() {
        text
    } else {
        let heading = format!(".SH \"{}\"\n", name.to_uppercase());
        heading + &text.replace(".SH ", ".SS ")
    };
    pages.push(text);
    let below = command.get_subcommands();
    for sub in below.filter(|s| !s.is_hide_set() && s.get_name() != "help") {
        page(sub, &format!("{name} {}", sub.get_name()), pages)?;
    }
    Ok(())
}

/// The completion script of a shell.
pub fn completion(shell: clap_complete::Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "fleetdeck", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_man_page_has_every_command_and_the_exit_codes() {
        let man = super::man().unwrap();
        for word in ["RUN CREATE", "GATE APPROVE", "Exit codes", "REHEARSE"] {
            assert!(man.contains(word), "{word} is not in the man page");
        }
        assert!(!man.contains("DEV GENERATE"));
    }

    #[test]
    fn completions_know_the_words() {
        let script = super::completion(clap_complete::Shell::Bash);
        assert!(script.contains("approve") && script.contains("--kubeconfig"));
    }
}
