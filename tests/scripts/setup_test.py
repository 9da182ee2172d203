"""scripts/setup with stand-ins for dpkg-query, apt-get, sudo and id, in a copy of the scripts."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

STAND_INS = {
    # Asked for one package at a time; installed are those in $INSTALLED, or those of which apt-get was told.
    "dpkg-query": 'for p in $INSTALLED; do [ "$p" = "$4" ] && { printf installed; exit 0; }; done; exit 1',
    "apt-get": 'echo "$DEBIAN_FRONTEND apt-get $*" >>"$CALLS"; case "$*" in *"$APT_FAILS"*) echo "E: no"; exit 100;; esac',
    "sudo": 'echo "sudo $*" >>"$CALLS"; [ "$SUDO_WORKS" = yes ] || exit 1; [ "$1" = -n ] && shift; exec "$@"',
    "id": 'echo "$USER_ID"',
}


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "scripts").mkdir()
        (self.folder / "bin").mkdir()
        for name in ("setup", "common.sh"):
            shutil.copy(ROOT / "scripts" / name, self.folder / "scripts")
        for name, body in STAND_INS.items():
            path = self.folder / "bin" / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)

    def setup_script(self, *arguments, **settings):
        """Exit status, all output and the calls of apt-get and sudo."""
        calls = self.folder / "calls"
        calls.write_text("")
        defaults = {"INSTALLED": "", "APT_FAILS": "nothing fails", "SUDO_WORKS": "no", "USER_ID": "0"}
        environment = {**os.environ, **defaults, **settings, "CALLS": str(calls)}
        environment["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run([self.folder / "scripts" / "setup", *arguments], env=environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout, calls.read_text().splitlines()

    def packages(self, *groups):
        return self.setup_script("--list", *groups)[1].split()

    def test_groups_hold_what_they_say(self):
        build, test, check = self.packages("build"), self.packages("test"), self.packages("check")
        self.assertIn("g++", build)
        self.assertNotIn("libgtest-dev", build)
        self.assertLessEqual({*build, "libgtest-dev"}, set(test))
        self.assertCountEqual(self.packages(), {*test, *check})

    def test_asks_nothing_of_apt_where_all_is_there(self):
        everything = " ".join(self.packages())
        self.assertEqual(self.setup_script(INSTALLED=everything), (0, "", []))

    def test_installs_only_what_is_missing(self):
        some = [name for name in self.packages("build") if name not in ("cmake", "libhts-dev")]
        status, output, calls = self.setup_script("build", INSTALLED=" ".join(some))
        self.assertEqual(status, 0, output)
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].endswith(" update"), calls)
        self.assertTrue(calls[1].endswith("install --no-install-recommends cmake libhts-dev"), calls)
        self.assertTrue(calls[1].startswith("noninteractive "), calls)

    def test_a_failed_update_leaves_the_lists_that_are_there(self):
        status, output, calls = self.setup_script("build", APT_FAILS="update")
        self.assertEqual((status, len(calls)), (0, 2), output)

    def test_a_failed_installation_is_a_failure_that_shows_why(self):
        status, output, _ = self.setup_script("build", APT_FAILS="install")
        self.assertEqual(status, 1)
        self.assertIn("E: no", output)
        self.assertIn("could not be installed", output)

    def test_goes_through_sudo_where_that_works(self):
        status, output, calls = self.setup_script("build", USER_ID="1000", SUDO_WORKS="yes")
        self.assertEqual(status, 0, output)
        self.assertTrue(any(call.startswith("sudo env") and " install " in call for call in calls), calls)

    def test_says_what_to_run_where_this_user_may_not_install(self):
        status, output, calls = self.setup_script("build", USER_ID="1000")
        self.assertEqual(status, 1)
        self.assertIn("apt-get install --no-install-recommends", output)
        self.assertIn("cmake", output)
        self.assertFalse(any("apt-get" in call for call in calls), calls)

    def test_an_unknown_group_is_a_usage_error(self):
        for arguments in (["nonsense"], ["build", "nonsense"], ["--list", "nonsense"]):
            status, output, calls = self.setup_script(*arguments)
            self.assertEqual((status, calls), (2, []), output)
            self.assertIn("nonsense", output)


if __name__ == "__main__":
    unittest.main()
