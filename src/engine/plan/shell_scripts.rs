//! What scripts of Python, Node, Ruby and Perl change of files.

use std::sync::LazyLock;

use regex::Regex;

use super::changes::{FILES, FileChange};
use super::shell::written;
use super::shell_commands::{all_untold, copied, gone, moved};

/// What a script of Python plainly writes: `open('a', 'w').write('text')`, `Path('a').write_text('text')`, or to a path
/// that it names so. Of a file that it also reads, nobody can tell what stays.
pub(super) fn of_python<'p>(script: &'p str) -> Vec<FileChange> {
    static WRITTEN: LazyLock<Option<[Regex; 2]>> = LazyLock::new(|| {
        let path = r#"['"]([^'"\n]+)['"]"#;
        let opened =
            format!(r#"\bopen\(\s*{path}\s*,\s*(?:mode\s*=\s*)?['"]([wax])[bt+]*['"][^)\n]*\)(?:\.write\(\s*{path})?"#);
        let held = format!(r"\bPath\(\s*{path}\s*\)\.write_(?:text|bytes)\((?:\s*{path})?");
        let named = format!(r"(?m)^\s*(\w+)\s*=\s*(?:(?:pathlib\.)?Path\()?\s*{path}");
        Some([Regex::new(&format!("{opened}|{held}")).ok()?, Regex::new(&named).ok()?])
    });
    let Some([written, named]) = WRITTEN.as_ref() else { return Vec::new() };
    let bare: String = script.chars().filter(|sign| !sign.is_whitespace() && !matches!(sign, '\'' | '"')).collect();
    let reads = |path: &str| [").read", ",r"].iter().any(|reads| bare.contains(&format!("{path}{reads}")));
    let by_path = written.captures_iter(script).filter_map(|found| {
        let text = |at: usize| found.get(at).map(|text| text.as_str());
        let path = text(1).or_else(|| text(4))?;
        let whole = text(2) != Some("a") && !reads(path);
        let mut change = FileChange::of(path, whole).untold_if(reads(path));
        change.puts.extend(text(3).or_else(|| text(5)).map(str::to_owned));
        Some(change)
    });
    let by_name = named.captures_iter(script).filter_map(|found| {
        let (name, path) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        let has = |uses: &[String]| uses.iter().any(|uses| bare.contains(uses));
        let whole = [format!("{name}.write_text("), format!("open({name},w"), format!("{name}.open(w")];
        let adds = [format!("open({name},a"), format!("{name}.open(a")];
        let reads = [format!("{name}.read_"), format!("open({name})"), format!("open({name},r")];
        let untold = has(&whole) && has(&reads);
        let change = || FileChange::of(path, has(&whole) && !untold).untold_if(untold);
        (has(&whole) || has(&adds)).then(change)
    });
    let known = |found: regex::Captures<'p>| Some((found.get(1)?.as_str(), found.get(2)?.as_str()));
    let known: Vec<(&str, &str)> = named.captures_iter(script).filter_map(known).collect();
    let others = taken_by(script, &known);
    by_path.chain(by_name).chain(others).take(FILES).collect()
}

/// What a script of Python takes away, puts elsewhere, or writes to a path that only it knows.
fn taken_by(script: &str, known: &[(&str, &str)]) -> Vec<FileChange> {
    static CALLS: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
        let path = r#"\s*(?:['"]([^'"\n]+)['"])?"#;
        let takes = r"\b(?:os\.(?:remove|unlink|rmdir|removedirs)|shutil\.rmtree)";
        let puts = r"\b(?:os\.(?:rename|renames|replace)|shutil\.(?:move|copy\w*))";
        let own = r#"\bopen\(\s*([^'"(),\s]+(?:\([^()\n]*\))?|f['"][^\n]*?['"])\s*,\s*(?:mode\s*=\s*)?['"][wax]"#;
        let held = r"(\w+)\.(?:write_text|write_bytes|unlink|rename|rmdir)\(";
        Some([
            Regex::new(&format!(r#"{takes}\({path}|\bPath\({path}\s*\)\.(?:unlink|rmdir)\("#)).ok()?,
            Regex::new(&format!(r"{puts}\({path}(?:\s*,{path})?")).ok()?,
            Regex::new(&format!(r"{own}|{held}|(\bfileinput\.\w+\([^)\n]*inplace)")).ok()?,
        ])
    });
    let Some([takes, puts, own]) = CALLS.as_ref() else { return Vec::new() };
    let any = || vec![all_untold(".")];
    let taken = takes.captures_iter(script).flat_map(|found| {
        let path = found.get(1).or_else(|| found.get(2));
        path.map_or_else(any, |path| vec![gone(path.as_str())])
    });
    let put = puts.captures_iter(script).flat_map(|found| {
        let moves = !found.get(0).is_some_and(|call| call.as_str().contains("copy"));
        match found.get(1).zip(found.get(2)).map(|(from, to)| vec![from.as_str(), to.as_str()]) {
            Some(paths) => {
                if moves {
                    moved(paths, None)
                } else {
                    copied(paths, None)
                }
            }
            None => any(),
        }
    });
    let written = own.captures_iter(script).flat_map(|found| {
        let name = found.get(1).or_else(|| found.get(2)).map(|name| name.as_str());
        let path = known.iter().find(|(own, _)| Some(*own) == name).map(|(_, path)| *path);
        match (path, found.get(0).map(|call| call.as_str())) {
            // Those of its modules are told above.
            _ if matches!(name, Some("os" | "shutil")) => Vec::new(),
            (None, _) => any(),
            (Some(_), Some(call)) if call.contains("open") || call.contains(".write_") => Vec::new(),
            (Some(path), _) => vec![gone(path)],
        }
    });
    taken.chain(put).chain(written).take(FILES).collect()
}

/// What the commands change that a script of another language runs: `os.system("rm a")`, `execSync('rm a')`; where they are
/// not there to read, whatever is below the folder.
pub(super) fn of_commands(script: &str) -> Vec<FileChange> {
    static RUN: LazyLock<Option<[Regex; 2]>> = LazyLock::new(|| {
        let text = r#""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"#;
        let name = r"subprocess\.(?:run|call|check_call|check_output|Popen)|os\.(?:system|popen)|execSync|execFileSync|execFile|spawnSync|spawn|shell_exec|passthru|system|proc_open|popen";
        let given = format!(r"\s*((?:{text})?\s*,?\s*(?:\[[^\]\n]*\])?)");
        // A pattern has an `exec` of its own, which is given no command.
        let run = format!(r#"(?:\b(?:{name})\(?|(?:^|[;{{}}(=@!\s]|child_process['"]?\)?\.)exec\(){given}"#);
        Some([Regex::new(&run).ok()?, Regex::new(text).ok()?])
    });
    let Some([run, text]) = RUN.as_ref() else { return Vec::new() };
    let of = |found: regex::Captures<'_>| {
        let given = found.get(1).map_or("", |given| given.as_str());
        let words = text.find_iter(given).map(|word| word.as_str().get(1..word.len() - 1).unwrap_or_default());
        let command = words.collect::<Vec<_>>().join(" ");
        if command.trim().is_empty() { vec![all_untold(".")] } else { written(&command, "") }
    };
    run.captures_iter(script).take(FILES).flat_map(of).take(FILES).collect()
}

/// What a script of another language changes: the file that a call of it plainly names, else any below its folder.
pub(super) fn of_other(script: &str) -> Vec<FileChange> {
    static CALLS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let node =
            r"\b(?:writeFile|appendFile|unlink|rm|rmdir|rename|copyFile|cp|truncate|createWriteStream)(?:Sync)?\(";
        let others =
            r"\b(?:Deno\.(?:write(?:Text)?File|remove|create)(?:Sync)?|Bun\.write|file_put_contents|copy|os\.remove)\(";
        let ruby =
            r"\b(?:File|IO)\.(?:write|binwrite|delete|unlink|rename|truncate|rm|rm_rf|cp)\b\(?|\bFileUtils\.\w+\(?";
        let perl = r"\b(?:unlink|rename|rmtree|rmdir)\b\(?";
        let opens = r#"\bf?open\b[^;\n]*['"](?:[waxc][bt+]*(?::[\w-]+)?['"]|r[bt]?\+['"]|\+?>{1,2})"#;
        // These name it elsewhere, or run a command.
        let unnamed = r"\bDeno\.open(?:Sync)?\([^)\n]*write|\bDeno\.Command\(|\$`|\bfile\.(?:remove|rename|copy|create)\(|\b(?:writeLines|saveRDS|sink|write\.\w+)\(";
        let calls = format!("({opens}|{unnamed})|(?:{node}|{others}|{ruby}|{perl})");
        Regex::new(&format!(r#"(?:{calls})\s*(?:['"`]([^'"`\n$]+)['"`]\s*([,)]|;|$))?"#)).ok()
    });
    let Some(calls) = CALLS.as_ref() else { return Vec::new() };
    let of = |found: regex::Captures<'_>| {
        let several = ["rename", "copy", "cp", "FileUtils"];
        let call = found.get(0).map_or("", |call| call.as_str());
        let named = found.get(2).filter(|_| found.get(1).is_none() && !several.iter().any(|name| call.contains(name)));
        named.map_or_else(|| all_untold("."), |path| all_untold(path.as_str()))
    };
    calls.captures_iter(script).map(of).take(FILES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_takes_away_or_may_write_is_told() {
        assert!(of_python("p = 'a'\ns = open(p).read()\nopen(p, 'w').write(s)")[0].is_untold());
        let meets = |script: &str| written(script, "").iter().any(|change| change.concerns("/w/d/f", "/w"));
        for script in [
            "python3 -c \"import os; os.remove('d/f')\"",
            "python3 -c \"import shutil; shutil.rmtree('d')\"",
            "python3 -c \"import pathlib; pathlib.Path('d/f').unlink()\"",
            "python3 -c \"import os; os.rename('a', 'd/f')\"",
            "python3 -c \"import shutil; shutil.copy('a', 'd/f')\"",
            "python3 <<'E'\nimport glob\nfor p in glob.glob('d/*'):\n    s = open(p).read()\n    open(p, 'w').write(s)\nE",
            "python3 <<'E'\nimport os, sys\nos.remove(sys.argv[1])\nE",
            "node -e \"require('fs').writeFileSync('d/f', 'x')\"",
            "node -e \"require('fs').unlinkSync(process.argv[1])\"",
            "node - <<'E'\nconst fs = require('fs');\nfs.rmSync('d', {recursive: true});\nE",
            "ruby -e \"File.write('d/f', 'x')\"",
            "perl -e 'unlink \"d/f\"'",
            "python3.11 -c \"import subprocess; subprocess.run(['rm', 'd/f'])\"",
            "python3 -c \"import os; os.system('rm -rf d')\"",
            "uv run python - <<'E'\nimport os\nos.remove('d/f')\nE",
            "node -e \"require('child_process').execSync('rm d/f')\"",
            "perl -e 'system(\"rm d/f\")'",
            "php -r 'unlink(\"d/f\");'",
            "php -r 'file_put_contents(\"d/f\", \"x\");'",
            "php -r '$f = fopen(\"d/f\", \"w\");'",
            "php -r 'exec(\"rm d/f\");'",
            "php -r 'copy(\"a\", \"d/f\");'",
            "deno eval \"Deno.removeSync('d/f')\"",
            "deno eval --ext=ts \"await Deno.writeTextFile('d/f', 'x')\"",
            "deno eval \"await new Deno.Command('rm', {args: ['d/f']}).output()\"",
            "bun -e \"await Bun.write('d/f', 'x')\"",
            "bun -e 'await Bun.$`rm d/f`'",
            "bun --eval=\"require('fs').unlinkSync('d/f')\"",
            "lua -e 'os.remove(\"d/f\")'",
            "Rscript -e 'writeLines(\"x\", \"d/f\")'",
            "node <<'E'\nrequire('fs').rmSync('d/f')\nE",
            "awk 'BEGIN { system(\"rm d/f\") }'",
            "bash -euo pipefail -c 'rm d/f'",
            "cp -r x/d .",
            "cp -rf x/. .",
            "cp -r x/* .",
            "rsync -a x/d .",
            "ln -sfn /tmp/d d",
        ] {
            assert!(meets(script), "{script}");
        }
        for script in [
            "python3 -c \"import os; os.remove('d/g'); print(open('d/f').read().replace('a', 'b'))\"",
            "python3 -c \"open('/tmp/o', 'w').write(open('d/f').read())\"",
            "python3 -c \"import subprocess; subprocess.run(['git', 'log', 'd/f'])\"",
            "node -e \"console.log(require('fs').readFileSync('d/f', 'utf8'))\"",
            "node -e \"require('fs').writeFileSync('/tmp/o', 'x')\"",
            "ruby -e \"puts File.read('d/f')\"",
            "ruby -e \"puts File.open('app.d/f').read\"",
            "php -r 'echo file_get_contents(\"d/f\");'",
            "deno eval \"console.log(Deno.readTextFileSync('d/f'))\"",
            "bun -e \"console.log(await Bun.file('d/f').text())\"",
            "node -e \"console.log(/x/.exec('a'))\"",
            "php -l d/f.php",
            "perl -ne 'print if /x/' d/f",
            "cp -r d /tmp/b",
            "rsync -a d /tmp/b",
        ] {
            assert!(!meets(script), "{script}");
        }
    }
}
