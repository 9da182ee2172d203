"""scripts/python/check_docs.py against small trees."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check(tree):
    """Exit status and messages of the script over a tree {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        script = ROOT / "scripts/python/check_docs.py"
        done = subprocess.run([sys.executable, "-B", script, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr.replace(f"{folder}/", "")


class CheckDocs(unittest.TestCase):
    def expect(self, tree, message=""):
        found, messages = check(tree)
        self.assertEqual(found, 1 if message else 0, messages)
        self.assertIn(message, messages)

    def test_links(self):
        other = {"docs/other.md": "# Other\n\n## X, `y` and M: `--all`\n"}
        for link in ("docs/other.md", "docs/other.md#other", "docs/other.md#x-y-and-m---all", "#read-me", "https://a.b/c.md#d"):
            self.expect({"README.md": f"# Read me\n\n[it]({link})\n", **other})
        self.expect({"README.md": "[it](docs/none.md)\n", **other}, "README.md:1: the link to docs/none.md leads nowhere")
        self.expect({"README.md": "[it](docs/other.md#more)\n", **other}, "README.md:1: docs/other.md has no heading #more")
        self.expect({"README.md": "\n[it](#more)\n"}, "README.md:2: README.md has no heading #more")

    def test_scripts(self):
        self.expect({"README.md": "Run scripts/go.\n", "scripts/go": ""})
        self.expect({"README.md": "Run scripts/go.\n"}, "README.md:1: there is no scripts/go")

    def test_fences(self):
        self.expect({"README.md": "```\na -> b\n```\n\n```c++\nint a;\n```\n\n- listed:\n\n  ```python\n  a = 1\n  ```\n"})
        self.expect({"README.md": "\n``` a -> b\n| v\n```\n"}, "README.md:2: text behind a fence")
        self.expect({"README.md": "```\na -> b ```\n"}, "README.md:2: a fence within a line")
        self.expect({"README.md": "\n```\na -> b\n"}, "README.md:2: the fence is not closed")
        self.expect({"README.md": "```\na\n```\n```\nb\n"}, "README.md:4: the fence is not closed")

    def test_lengths(self):
        for name, most in (("README.md", 1300), ("CHANGELOG.md", 1200), ("docs/commands/ld.md", 1500), ("docs/other.md", 4000)):
            self.expect({name: "word " * most})
            self.expect({name: "word " * (most + 1)}, f"{name}: {most + 1} words, where {most} are the most")


if __name__ == "__main__":
    unittest.main()
