#!/usr/bin/env python3
"""Tests of run.py itself: whatever a case expects wrongly, or does not say, must fail it.

A shell script stands in for fastid, so that what it prints is known.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import run

HERE = Path(__file__).resolve().parent
PROGRAM = """#!/bin/sh
case $1 in
  hello) echo hello; echo 'took 12 ms' >&2; printf 'two\\n\\nlines' > out.txt ;;
  fail) exit 7 ;;
  leave) touch .out.part-Xy ;;
  remove) rm anna.snp ;;
esac
"""
PASSES = """# a comment
run: fastid hello
exit: 0
changes: out.txt
stdout:
| hello
stderr:
~ took \\d+ ms
file out.txt:
| two
|
| lines
\\ no newline
"""


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def run_case(self, text, *options):
        self.case = self.folder / "x.case"
        self.case.write_text(text)
        command = [sys.executable, "-B", HERE / "run.py", *options, self.case]
        env = {**os.environ, "FASTID": str(self.program)}
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout

    def assert_fails(self, text, saying):
        code, output = self.run_case(text)
        self.assertEqual(code, 1, output)
        self.assertIn(saying, output)

    def test_passes(self):
        self.assertEqual(self.run_case(PASSES), (0, ""))

    def test_every_wrong_expectation_fails(self):
        for right, wrong, saying in [
            ("| hello", "| hallo", "-| hallo\n+| hello"),
            ("| hello", "| hello\n| more", "-| more"),
            ("stdout:\n| hello", "stdout:", "+| hello"),
            ("exit: 0", "exit: 1", "-exit: 1\n+exit: 0"),
            ("\\d+ ms", "\\d ms", "+| took 12 ms"),
            ("~ took \\d+ ms\n", "", "+| took 12 ms"),
            ("changes: out.txt\n", "", "+changes: out.txt"),
            ("changes: out.txt", "changes: out.txt two.txt", "+changes: out.txt"),
            ("|\n| lines", "| lines", "+|"),
            ("\\ no newline\n", "", "+\\ no newline"),
            ("file out.txt:", "file other.txt:", "there is no such file"),
        ]:
            with self.subTest(wrong):
                self.assertIn(right, PASSES)
                self.assert_fails(PASSES.replace(right, wrong), saying)

    def test_what_is_not_said_fails(self):
        for missing in ["exit: 0\n", "stdout:\n| hello\n", "stderr:\n~ took \\d+ ms\n"]:
            with self.subTest(missing):
                self.assert_fails(PASSES.replace(missing, ""), "does not say its exit, stdout and stderr")
        self.assert_fails("# nothing\n", "it runs nothing")
        self.assert_fails("prepare: fastid hello\n", "it runs nothing")

    def test_malformed_cases_fail(self):
        for text, saying in [
            ("| hello\n", "outside"),
            (PASSES + "stdut:\n", "'stdut' is not known"),
            (PASSES + "stdout:\n", "given twice"),
            ("exit: 0\n", "does not belong here"),
        ]:
            with self.subTest(text):
                self.assert_fails(text, saying)

    def test_files_left_behind_or_removed_fail(self):
        quiet = "run: fastid {}\nexit: 0\nstdout:\nstderr:\n"
        self.assertEqual(self.run_case(quiet.format("nothing"))[0], 0)
        self.assert_fails(quiet.format("leave"), "+changes: .out.part-Xy")
        self.assert_fails(quiet.format("remove"), "+changes: anna.snp")

    def test_is_skipped_only_where_there_is_no_terminal(self):
        case = self.folder / "terminal.case"
        case.write_text("needs: terminal\n" + PASSES)
        hide = "import os, sys, run\ndef none(): raise OSError\nos.openpty = none\nsys.exit(run.main())"
        for start, status, words in (([HERE / "run.py"], 0, ""), (["-c", hide], 77, "skipped: it needs a pseudo-terminal")):
            if status == 0 and not run.has_terminals():
                continue
            done = subprocess.run([sys.executable, "-B", *start, case], env={**os.environ, "FASTID": str(self.program)},
                                  cwd=HERE, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertIn(words, done.stdout)

    def test_preparing_must_succeed(self):
        self.assert_fails("prepare: fastid fail\n" + PASSES, "preparing failed with 7")

    def test_refresh_writes_what_passes_and_keeps_expressions(self):
        stale = PASSES.replace("| hello", "| old").replace("exit: 0", "exit: 3")
        self.assertEqual(self.run_case(stale, "--refresh")[0], 0)
        self.assertEqual(self.case.read_text(), PASSES)


if __name__ == "__main__":
    unittest.main()
