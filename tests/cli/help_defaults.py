#!/usr/bin/env python3
"""Help says what happens: an option with a printed default, given that default, changes nothing; limits say that they are off;
-h of every command is one screen.

Each option of which the help ends in "(N)" is given N, and the output must stay as it was. Reads of alleles are in the query,
few of them, so that a rule on reads that is said to be on would be seen.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

FASTID = os.environ.get("FASTID", "fastid")
COMMANDS = ("search", "mixture", "kin", "pairs", "ld", "epistasis", "similarity", "db build", "db append", "db simulate", "call",
            "bench", "validate", "panel check")
LIMITS = re.compile(r"--(min|max)-")
MODES = {"--min-people"}  # their default is a share, in words


def run(*arguments, folder=None):
    done = subprocess.run([FASTID, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


def options_of(command):
    """The options that take a value, with their help on one line."""
    found, name = {}, None
    for line in run(*command.split(), "--help").splitlines():
        option = re.match(r" {2}((?:-\w, )?--[\w, -]*[\w] [A-Z][\w,./]*)(?: {2,}(.*))?$", line)
        if option:
            name = option[1].split()[-2]
            found[name] = option[2] or ""
        elif name and line.startswith(" " * 20):
            found[name] += " " + line.strip()
        else:
            name = None
    return found


def commands_below(command):
    """The commands that -h of a command lists, and those below them."""
    lines = run(*command, "-h").splitlines()
    if not lines[1].endswith(" COMMAND"):
        return []
    names = [[*command, line.split()[0]] for line in lines if re.match(r" {2}[a-z]", line)]
    return [found for name in names for found in [name, *commands_below(name)]]


class BriefHelp(unittest.TestCase):
    def test_every_command_fits_a_screen(self):
        commands = [[], *commands_below([])]
        self.assertGreater(len(commands), 35)
        for command in commands:
            lines = run(*command, "-h").splitlines()
            with self.subTest(command=command):
                self.assertLessEqual(len(lines), 24)
                self.assertLessEqual(max(map(len, lines)), 80)
                self.assertEqual(lines[-1], "--help lists all options")
                self.assertTrue(lines[1].startswith("Usage: " + " ".join(["fastid", *command])))

    def test_what_is_brief_is_in_the_whole_help_too(self):
        for command in filter(None, commands_below([])):
            whole = run(*command, "--help")
            listed = re.findall(r"^  ((?:-\w, )?--[\w-]+)", run(*command, "-h"), re.MULTILINE)
            with self.subTest(command=command):
                self.assertLessEqual(len(listed), 13)
                self.assertGreater(len(re.findall(r"^  (?:-\w, )?--[\w-]+", whole, re.MULTILINE)), len(listed))
                for option in listed:
                    self.assertIn(f"\n  {option}", whole)


class HelpDefaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.keep.name)
        run("db", "simulate", "-q", "-o", "people.h5", "--profiles", 60, "--sites", 400, "--seed", 1, "--parent-child", 2,
            folder=cls.folder)
        run("db", "export", "-q", "people.h5", "-o", "one.vcf", "--profile", "P000000003", folder=cls.folder)
        lines = (cls.folder / "one.vcf").read_text().splitlines()
        with open(cls.folder / "query.vcf", "w", encoding="ascii") as out:
            for number, line in enumerate(lines):
                if line.startswith("#CHROM"):
                    out.write('##FORMAT=<ID=AD,Number=R,Type=Integer,Description="Reads">\n')
                if not line.startswith("#"):
                    fields = line.split("\t")
                    fields[8] += ":AD"
                    fields[9] += f":{1 + number % 20},{number % 7}"
                    line = "\t".join(fields)
                out.write(line + "\n")

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def test_limits_say_their_default_or_that_they_are_off(self):
        n = 0
        for command in COMMANDS:
            for name, text in options_of(command).items():
                if LIMITS.match(name) and name not in MODES:
                    n += 1
                    with self.subTest(command=command, option=name):
                        self.assertRegex(text, r"\((off|-?[.\d])[^()]*\)$")
        self.assertGreater(n, 40)

    def test_a_printed_default_changes_nothing(self):
        tried = 0
        for command, files in (("search", ["query.vcf", "people.h5"]), ("mixture", ["query.vcf", "people.h5"]),
                               ("kin", ["query.vcf", "people.h5"]), ("pairs", ["people.h5"])):
            plain = run(command, "-q", *files, folder=self.folder)
            for name, text in options_of(command).items():
                default = re.search(r"\((-?[.\d]+)(; FASTID_\w+)?\)$", text)
                if default is None:
                    continue
                tried += 1
                with self.subTest(command=command, option=name, default=default[1]):
                    try:
                        seen = run(command, "-q", name, default[1], *files, folder=self.folder)
                    except AssertionError as refused:  # an option of reads, and there are none
                        self.assertIn(f"{name}: no file holds aligned reads", str(refused))
                        continue
                    self.assertEqual(seen, plain)
        self.assertGreater(tried, 15)

    def test_reads_decide_only_where_they_are_asked_for(self):
        text = options_of("search")
        self.assertTrue(text["--min-depth"].endswith("(off; with --min-share 10)"), text["--min-depth"])
        self.assertTrue(text["--min-allele-fraction"].endswith("(off; with --min-reads 0.02)"))
        plain = run("search", "-q", "query.vcf", "people.h5", folder=self.folder)
        by_reads = run("search", "-q", "--min-reads", 10, "query.vcf", "people.h5", folder=self.folder)
        self.assertNotEqual(by_reads, plain)
        self.assertEqual(run("search", "-q", "--min-share", 0.02, "query.vcf", "people.h5", folder=self.folder), by_reads)


if __name__ == "__main__":
    unittest.main()
