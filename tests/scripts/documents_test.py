"""What the documents show happens, and what they name exists.

Examples (a line of a code block that begins with "$ ") are run in order, each document in a folder of its own that has
data/. The lines shown below an example must be among those that it prints, in this order; how wide the blanks between words
are does not matter, and "..." stands for what is left out. What a terminal gets as a table is run as a table. Commands without "$ " are not run, but read: each
command and option that a document names must exist, and each column that a table names must be printed by an example of
the same document, as a head of tsv, a key of json, or in a file that the example writes.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FASTID = os.environ["FASTID"]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("data/*.md"), *ROOT.glob("configs/*.md")])
COLUMN_TABLES = sorted([*ROOT.glob("docs/commands/*.md"), ROOT / "docs/output.md", ROOT / "docs/file-formats.md"])
# Options of other programs that documents name without the program's name in front.
FOREIGN = {"--bind-to", "--indep-pairwise", "--try"}
CODE_BLOCK = re.compile(r"^```\w*\n(?P<fenced>(?:.*\n)*?)```$|(?<=\n\n)(?:    .*\n)+", re.MULTILINE)
INVOCATION = re.compile(r"(?<![\w/.-])fastid(?:-mpi)? (?P<words>[a-z|-]+(?: [a-z][a-z-]*(?![\w./]))?)(?P<rest>.*)")
OPTION = re.compile(r"(?<![\w-])(--?[a-zA-Z][\w-]*)")


def name_of(path):
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def code_blocks(text):
    """The lines of each block of code, whether fenced or indented by four blanks."""
    for found in CODE_BLOCK.finditer(text):
        lines = found["fenced"] if found["fenced"] is not None else re.sub(r"^    ", "", found[0], flags=re.MULTILINE)
        yield lines.replace("\\\n", " ").splitlines()


def examples(text):
    """[(command, the lines shown below it)], in order."""
    found = []
    for lines in code_blocks(text):
        begun = len(found)
        for line in lines:
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif len(found) > begun:
                found[-1][1].append(line)
    return found


def missing_lines(shown, streams):
    """The lines shown that no stream has, after those before them. "..." stands for lines, or for words of a line."""
    rest = [[" ".join(line.split()) for line in stream.splitlines()] for stream in streams]
    for line in shown:
        wanted = re.compile(".*".join(map(re.escape, " ".join(line.split()).split("..."))))
        if line.strip() in ("", "..."):
            continue
        for lines in rest:
            place = next((i for i, printed in enumerate(lines) if wanted.fullmatch(printed)), None)
            if place is not None:
                del lines[: place + 1]
                break
        else:
            yield line


def code_of(text):
    """Each span of code, and each line of a block of code."""
    for lines in code_blocks(text):
        for line in lines:
            yield from re.findall(r"`([^`]+)`", line) if "`" in line else [line]
    prose = re.sub(CODE_BLOCK, "", text)
    for span in re.findall(r"`([^`]+)`", prose):
        yield " ".join(span.split())


def tables(text):
    """Each table of a document, as rows of cells."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        yield [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in block.splitlines()]


def named(text, heads):
    """The names in backticks below those heads of a document's tables."""
    for head, _, *rows in tables(text):
        places = [i for i, cell in enumerate(head) if cell in heads]
        for row in rows:
            for place in places:
                for span in re.findall(r"`([^`]+)`", row[place]):
                    yield from span.split()


@cache
def commands():
    """{command: its options}, from the help of each; a group's name is one of them."""
    found = {"": options_of("")}
    for name in commands_of(""):
        found[name] = options_of(name)
        for inner in commands_of(name):
            found[f"{name} {inner}"] = options_of(f"{name} {inner}")
    return found


@cache
def help_of(command):
    arguments = ["help", *command.split()] if command else ["--help"]
    return subprocess.run([FASTID, *arguments], check=True, capture_output=True, text=True).stdout


def commands_of(command):
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", help_of(command), re.MULTILINE)
    return re.findall(r"^  (\w[\w-]*)", listed[1], re.MULTILINE) if listed else []


def options_of(command):
    lines = re.findall(r"^  (-.*)$", help_of(command), re.MULTILINE)
    return {option for line in lines for option in OPTION.findall(line.split("  ")[0])} | {"-h", "--help"}


class Session:
    """A folder in which a document's examples are run, and the names that they have printed."""

    def __init__(self, folder):
        self.work = Path(folder)
        (self.work / ".bin").mkdir()
        (self.work / ".bin/fastid").symlink_to(FASTID)
        (self.work / "data").symlink_to(ROOT / "data")
        paths = {"PATH": f"{self.work}/.bin:{os.environ['PATH']}", "HOME": folder, "XDG_CONFIG_HOME": folder, "COLUMNS": "80"}
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("FASTID")} | paths
        self.names = set()

    def run(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.work, text=True, capture_output=True, check=False,
                              env=self.environment)

    def show(self, command):
        """Runs an example as a terminal would have it. Returns what was printed: (exit code, stdout, stderr)."""
        done = self.run(command + (" --format table" if self.takes(command, "table (default") else ""))
        return done.returncode, done.stdout, done.stderr

    @staticmethod
    def takes(command, format_help):
        words = command.split()
        if words[0] != "fastid" or re.search(r"[|>]|--(format|summary|columns)\b| -o | --output ", command):
            return False
        return format_help in help_of(next(c for c in (" ".join(words[1:3]), words[1]) if c in commands()))

    def collect(self, shown):
        """Keeps the names that examples print in tsv and json too, once all are done, and those in files that they wrote."""
        for command in shown:
            if self.takes(command, "tsv (default"):
                self.names_of_text(self.run(command).stdout)
            if self.takes(command, "json"):
                self.names_of_json(self.run(command + " --format json").stdout or self.run(command + " --format jsonl").stdout)
        for path in self.work.iterdir():
            if path.suffix in (".tsv", ".kin0", ".csv", ".txt"):
                self.names_of_text(path.read_text(encoding="utf-8"))

    def names_of_text(self, text):
        for line in [line for line in text.splitlines() if "\t" in line or "  " in line][:1]:
            self.names.update(re.split(r"\t|  +", line.removeprefix("#").strip()))

    def names_of_json(self, text):
        whole = text.startswith(("{\n", "[\n"))
        for document in [text] if whole else [line for line in text.splitlines() if line.startswith("{")]:
            self.names_of_value(json.loads(document))

    def names_of_value(self, value):
        if isinstance(value, dict):
            self.names.update(value)
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            self.names_of_value(inner)


def problems_of(path, columns=None):
    """What of a document's examples, and of its tables of columns, is not so."""
    columns = path in COLUMN_TABLES if columns is None else columns
    text = path.read_text(encoding="utf-8")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder)
        for command, shown in examples(text):
            code, *printed = session.show(command)
            if code != 0:
                found.append(f"$ {command}\n  exit code {code}: {printed[1].strip()}")
            found += [f"$ {command}\n  does not print, or not in this order: {line}" for line in missing_lines(shown, printed)]
            session.names_of_text(printed[0])
        if columns:
            session.collect([command for command, _ in examples(text)])
            for name in dict.fromkeys(named(text, {"column", "columns"})):
                if not name.startswith("--") and name not in session.names:
                    found.append(f"`{name}`: no example of this document prints a column of this name")
    return [f"{name_of(path)}: {each}" for each in found]


def wrong_names(path):
    """Commands and options that a document names and the program has not."""
    return wrong_names_of(name_of(path), code_of(path.read_text(encoding="utf-8")))


def wrong_names_of(document, codes):
    every = set().union(*commands().values())
    for code in codes:
        for part in re.split(r" [|;] |;| && ", code):
            bare = re.match(r"(--[a-z][\w-]*)(?= |$|=)", part)
            if bare and bare[1] not in every | FOREIGN:
                yield f"{document}: `{part}`: no command has the option {bare[1]}"
            for found in INVOCATION.finditer(part):
                yield from (f"{document}: `{part.strip()}`: {wrong}" for wrong in wrong_words(found, part))


def wrong_words(found, part):
    first, _, second = found["words"].partition(" ")
    for name in first.split("|"):
        command = f"{name} {second}" if f"{name} {second}" in commands() else name
        if name == "help":
            continue
        if name.startswith("-"):
            if name not in commands()[""]:
                yield f"fastid has no option {name}"
            continue
        if command not in commands():
            if found.start() == 0 or part.lstrip().startswith("$ "):
                yield f"there is no command {command}"
            continue
        for option in OPTION.findall(found["rest"].split(" #")[0]):
            if option not in commands()[command]:
                yield f"{command} has no option {option}"


class Checks(unittest.TestCase):
    """The checks themselves find what is wrong."""

    def test_lines(self):
        printed = ["a  b\nc d\ne f\n", "said\n"]
        self.assertEqual([], list(missing_lines(["a b", "...", "said", "c ...", "e f"], printed)))
        self.assertEqual(["a b"], list(missing_lines(["c d", "a b"], printed)))
        self.assertEqual(["c e"], list(missing_lines(["c e"], printed)))

    def test_documents(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text("`fastid serch x`, `fastid search --to 3`, `--columms`\n\n    $ echo one\n    two\n    $ false\n\n"
                            "| column | |\n|---|---|\n| `LOD` | |\n", encoding="utf-8")
            self.assertEqual(3, len(list(wrong_names(page))))
            self.assertEqual(["two", "exit code 1", "LOD"], [next(word for word in ("two", "exit code 1", "LOD") if word in each)
                                                              for each in problems_of(page, columns=True)])


class Documents(unittest.TestCase):
    def test_examples_print_what_is_shown(self):
        with ThreadPoolExecutor(2) as pool:
            found = [problem for each in pool.map(problems_of, DOCUMENTS) for problem in each]
        self.assertEqual([], found, "\n" + "\n".join(found))

    def test_there_are_examples(self):
        for path in COLUMN_TABLES:
            with self.subTest(name_of(path)):
                self.assertTrue(examples(path.read_text(encoding="utf-8")))
        self.assertGreaterEqual(len(examples((ROOT / "README.md").read_text(encoding="utf-8"))), 6)

    def test_commands_and_options_exist(self):
        found = [problem for path in DOCUMENTS for problem in wrong_names(path)]
        self.assertEqual([], found, "\n" + "\n".join(found))

    def test_commands_and_options_of_the_demo_exist(self):
        shown = re.findall(r"^ *show (.*)", (ROOT / "scripts/demo").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertGreaterEqual(len(shown), 6)
        self.assertEqual([], list(wrong_names_of("scripts/demo", ["fastid " + line for line in shown])))

    def test_options_of_a_page_are_of_its_command(self):
        for path in ROOT.glob("docs/commands/*.md"):
            whose = next(name for name in (path.stem, path.stem.split("-")[0]) if name in commands())
            own = set().union(*(options for name, options in commands().items() if name.split(" ")[0] == whose))
            for option in named(path.read_text(encoding="utf-8"), {"option"}):
                if option.startswith("-"):
                    with self.subTest(name_of(path), option=option):
                        self.assertIn(option, own)

    def test_each_command_has_a_page(self):
        listed = (ROOT / "README.md").read_text(encoding="utf-8") + (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
        for name in commands_of(""):
            with self.subTest(name):
                self.assertIn(f"`{name}`", listed)
        for path in ROOT.glob("docs/commands/*.md"):
            with self.subTest(path.name):
                self.assertEqual(2, len(set(re.findall(rf"\]\((?:docs/)?commands/{path.name}\)", listed))))

    def test_columns_of_the_key_to_the_figures_have_a_page(self):
        explained = {name for path in COLUMN_TABLES for name in named(path.read_text(encoding="utf-8"), {"column"})}
        for name in named((ROOT / "docs/statistics.md").read_text(encoding="utf-8"), {"column"}):
            if not name.startswith("--"):
                with self.subTest(name):
                    self.assertIn(name, explained)

    def test_columns_that_readme_explains_are_shown(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        heads = " ".join(line for _, shown in examples(text) for line in shown if line.startswith("#"))
        for name in ("LR", "v. sib", "suggests", "chance", "kinship", "margin", "degree", "cM"):
            self.assertIn(f"`{name}`", text)
            self.assertIn(name, heads)


if __name__ == "__main__":
    unittest.main()
