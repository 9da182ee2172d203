#!/usr/bin/env python3
"""Input that is malformed in every way we could think of: fastid must refuse it as its contract says.

For each: exit 3; nothing on standard output; one error line that names the file and has no sign of a crash; no output
file, and no temporary file left behind. Every run has an address-space limit, so that a size that a file merely claims
shows up as a failure, and a time limit. Needs h5py and numpy (for damaged databases), bgzip and bcftools.

usage: hostile.py [WORD]     FASTID names the program; WORD: only checks whose name contains it
"""

import itertools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fixtures
import hostile_databases
import hostile_inputs as inputs

HERE = Path(__file__).resolve().parent
if not os.access(os.environ.get("FASTID", ""), os.X_OK):
    sys.exit("hostile.py: FASTID must name the program")
FASTID = Path(os.environ["FASTID"]).resolve()
# A library may lose memory on a damaged file; what is looked for here is what fastid says and leaves behind.
os.environ["LSAN_OPTIONS"] = "detect_leaks=0"
MEMORY, SECONDS = 2 << 30, 60
EVERY_CASE = "FASTID_TEST_ALL" in os.environ  # each file with each command
SANITIZED = b"__asan_init" in FASTID.read_bytes() or b"__tsan_init" in FASTID.read_bytes()  # they reserve terabytes
CRASH = re.compile(r"traceback|terminate|abort|core dumped|segmentation|sanitizer|defect of fastid|std::|assert|HDF5-DIAG", re.I)

USES = {
    "query": ["search", "{}", "people.h5", "-o", "out"],
    "mixture": ["mixture", "{}", "people.h5", "-o", "out"],
    "stdin": ["search", "-", "people.h5", "-o", "out"],
    "build": ["db", "build", "-o", "out", "--panel", "panel.tsv", "{}"],
    "derive": ["db", "build", "-o", "out", "{}"],
    "panel": ["db", "build", "-o", "out", "--panel", "{}", "cohort.vcf"],
    "search": ["search", "suspect.snp", "{}", "-o", "out"],
    "info": ["db", "info", "{}"],
    "verify": ["db", "verify", "{}"],
    "append": ["db", "append", "{}", "suspect.snp"],
    "export": ["db", "export", "{}", "-o", "out"],
}


def limit_what_is_started():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Checks:
    """Runs checks on a few threads; each in a folder of its own with the fixtures at hand."""

    def __init__(self, root, word):
        self.base, self.root, self.word, self.program = root / "base", root, word, FASTID
        shutil.copytree(HERE / "fixtures", self.base)
        shutil.copy(FASTID, root / "fastid")  # where nobody, the user, may run it too
        fixtures.derive(self.base)
        self.fastid("db", "build", "-q", "--shared", "-o", "people.h5", "--panel", "panel.tsv", "cohort.vcf")
        self.fastid("db", "simulate", "-q", "-o", "hundred.h5", "--encoding", "minor", "--profiles", "100", "--panel", "panel.tsv",
                    "--no-call-rate", "0.1")
        self.pool, self.futures = ThreadPoolExecutor(3), []

    def fastid(self, *arguments):
        subprocess.run([FASTID, *arguments], cwd=self.base, check=True, timeout=SECONDS)

    def read(self, name):
        return (self.base / name).read_bytes()

    def submit(self, name, check, *arguments):
        if self.word in name:
            self.futures.append((name, self.pool.submit(check, *arguments)))

    def files(self, uses, made, in_turn=1):
        """One check for each use of each file where each case is asked for. Else for so many of the uses, which go round
        from file to file: where one reader refuses for all commands, each file and each command is tried, but not each
        with each."""
        uses, made = uses.split(), list(made)
        turn = itertools.cycle(uses)
        each = len(uses) if EVERY_CASE else max(in_turn, -(-len(uses) // len(made)))
        for name, content, *says in made:
            unsure = says == [None]
            for use in itertools.islice(turn, each):
                self.submit(f"{use}/{name}", self.refuses, use, {name: content}, name, unsure, says[0] if says else None)

    def folder(self, files):
        work = Path(tempfile.mkdtemp(dir=self.root))
        for path in self.base.iterdir():
            (work / path.name).symlink_to(path)
        for name, content in files.items():
            (work / name).unlink(missing_ok=True)
            (work / name).write_bytes(content)
        return work

    def refuses(self, use, files, name, unsure=False, says=None, code=3):
        """What is wrong with how fastid took it; nothing where all is well. `name`: the file to read; messages must name it,
        or for the .bed of a PLINK set one of the set."""
        work = self.folder(files)
        command = [FASTID] + [word.format(name) for word in USES[use]]
        stdin = open(work / name, "rb") if use == "stdin" else subprocess.DEVNULL
        named = "standard input" if use == "stdin" else name.removesuffix("bed")
        problems = run_refused(work, command, named, unsure, says, code, stdin)
        shutil.rmtree(work, ignore_errors=True)
        return problems

    def report(self):
        failed = 0
        for name, future in self.futures:
            for problem in future.result() or []:
                failed += 1
                print(f"{name}: {problem}")
        print(f"{len(self.futures)} checks, {failed} problems")
        return 1 if failed or not self.futures else 0


def run_refused(work, command, name, unsure=False, says=None, code=3, stdin=subprocess.DEVNULL):
    before = sorted(os.listdir(work))
    try:
        done = subprocess.run(command, cwd=work, stdin=stdin, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return [f"took more than {SECONDS} seconds"]
    stderr = done.stderr.decode("utf-8", "backslashreplace")
    if unsure and done.returncode == 0:
        return ["crash?\n" + stderr] if CRASH.search(stderr) else []
    errors = [line for line in stderr.splitlines() if line.startswith("fastid: error: ")]
    checks = {
        f"exit {done.returncode}, not {code}": done.returncode != code,
        f"something on standard output: {done.stdout[:80]}": done.stdout != b"",
        "not one error line": len(errors) != 1,
        "a line that is not fastid's": any(not line.startswith("fastid: ") for line in stderr.splitlines()),
        "signs of a crash": CRASH.search(stderr),
        f"does not name {name}": errors and name not in errors[0],
        f"does not say {says}": errors and says and not re.search(says, errors[0]),
        "longer than two lines": errors and len(errors[0]) > 400,
        "control characters": re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\\\\x", stderr),
        f"files changed: {sorted(os.listdir(work))}": sorted(os.listdir(work)) != before,
    }
    return [f"{problem}\n    {stderr}" for problem, found in checks.items() if found]


def plink_sets(checks):
    """Damage to one file of a PLINK set, which is then read by its .bed."""
    bed, bim, fam = (checks.read("cohort." + part) for part in ("bed", "bim", "fam"))
    turn = itertools.cycle(("query", "build", "derive"))
    def check(name, files, unsure=False, says=None, missing=None):
        whole = {"x.bed": bed, "x.bim": bim, "x.fam": fam, **files}
        whole.pop(missing, None)
        for use in itertools.islice(turn, 2 if EVERY_CASE else 1):
            checks.submit(f"{use}/plink-{name}", checks.refuses, use, whole, "x.bed", unsure, says)
    for end in inputs.cuts(bed):
        check(f"bed-cut{end}", {"x.bed": bed[:end]})
    for end in inputs.cuts(bim):
        check(f"bim-cut{end}", {"x.bim": bim[:end]}, unsure=end == len(bim) - 1)
    for end in inputs.cuts(fam):  # 9 to 12 people take the same bytes
        people = sum(len(line.split()) >= 2 for line in fam[:end].split(b"\n"))
        check(f"fam-cut{end}", {"x.fam": fam[:end]}, unsure=9 <= people)
    check("no-fam", {}, missing="x.fam", says="fam")
    check("no-bim", {}, missing="x.bim", says="bim")
    check("sample-major", {"x.bed": bed[:2] + b"\x00" + bed[3:]}, says="sample-major|individual-major")
    check("longer", {"x.bed": bed + b"\x00"})
    check("empty-fam", {"x.fam": b""})
    check("junk-bim", {"x.bim": inputs.junk(40)})
    check("junk-fam", {"x.fam": inputs.junk(41)})
    check("same-person", {"x.fam": fam.replace(b"P02", b"P01")}, says="P01")
    check("same-variant", {"x.bim": bim.replace(b"rs1002", b"rs1001")}, says="rs1001")
    check("negative", {"x.bim": bim.replace(b"\t144128\t", b"\t-144128\t")}, unsure=True)  # PLINK takes such a variant for one to skip
    check("huge-position", {"x.bim": bim.replace(b"\t144128\t", b"\t99999999999999\t")})
    for part, content in (("bim", bim), ("fam", fam), ("bed", bed)):
        for name, changed, _ in inputs.mutated(part, content, 12, 50):
            check(name, {"x." + part: changed}, unsure=True)




def odd_paths(checks):
    def run(name, command, says_name, **more):
        def check():
            work = checks.folder({})
            (work / "folder").mkdir()
            (work / "locked.snp").write_text("")
            (work / "locked.snp").chmod(0)
            return run_refused(work, ["bash", "-c", command, str(checks.root / "fastid")], says_name, **more)
        checks.submit("path/" + name, check)
    run("missing-query", "$0 search nothing.snp people.h5 -o out", "nothing.snp")
    run("missing-database", "$0 search suspect.snp nothing.h5 -o out", "nothing.h5")
    run("folder-query", "$0 search folder people.h5 -o out", "folder")
    run("folder-database", "$0 search suspect.snp folder -o out", "folder")
    run("folder-panel", "$0 db build -o out --panel folder cohort.vcf", "folder")
    run("folder-verify", "$0 db verify folder", "folder")
    run("piped-zeros", "head -c 50000000 /dev/zero | $0 search - people.h5 -o out", "standard input")
    run("piped-line", "yes | tr -d '\\n' | head -c 50000000 | $0 search - people.h5 -o out", "standard input")
    run("pipe-database", "$0 search suspect.snp <(cat people.h5) -o out", "/dev/fd/")
    run("stdin-database", "$0 search suspect.snp - -o out < people.h5", "-")
    run("empty-name", "$0 search '' people.h5 -o out", "empty", code=2)
    run("control-name", "$0 search $'bell\\a.snp' people.h5 -o out", "bell")
    for kind, value in hostile_databases.EVIL.items():
        if kind not in ("nul", "line"):
            shown = "".join(f"\\x{byte:02x}" for byte in value)
            run(f"{kind}-name", f"$0 search $'odd{shown}.snp' people.h5 -o out", "odd?")
            run(f"{kind}-database", f"$0 db info $'odd{shown}.h5'", "odd?")
    run("long-name", f"$0 search {'x' * 300} people.h5 -o out", "xxx")
    run("read-only-folder", "mkdir sub && cp cohort.vcf panel.tsv sub && cd sub && chmod 555 . && "
        + ("setpriv --reuid 65534 --clear-groups " if os.geteuid() == 0 else "")
        + "$0 db build -o out --panel panel.tsv cohort.vcf; s=$?; chmod 755 .; cd ..; rm -r sub; exit $s", "out", code=1)
    run("unreadable", "chmod 755 .; " + ("setpriv --reuid 65534 --clear-groups " if os.geteuid() == 0 else "")
        + "$0 search locked.snp people.h5 -o /dev/null", "locked.snp", says="denied")


def interrupted(checks):
    """SIGINT and SIGTERM while a file is being written: its temporary file is there, then nothing."""
    def check(command, number, code, stdin=subprocess.DEVNULL):
        work = checks.folder({})
        before = sorted(os.listdir(work))
        process = subprocess.Popen([FASTID, *command], cwd=work, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        give_up = time.monotonic() + SECONDS
        while not any(".part-" in name for name in os.listdir(work)) and process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.002)
        process.send_signal(number)
        try:
            stderr = process.communicate(timeout=SECONDS)[1].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return [f"goes on after signal {number}"]
        problems = [f"exit {process.returncode}, not {code}\n    {stderr}"] if process.returncode != code else []
        if "interrupted" not in stderr:
            problems.append(f"does not say that it was interrupted: {stderr}")
        if sorted(os.listdir(work)) != before:
            problems.append(f"left files behind: {sorted(os.listdir(work))}")
        return problems
    simulate = ["db", "simulate", "-o", "out", "--profiles", "50000000", "--sites", "64"]  # minutes, and 1 GB
    checks.submit("signal/simulate-int", check, simulate, signal.SIGINT, 130)
    checks.submit("signal/simulate-term", check, simulate, signal.SIGTERM, 143)
    for name in ("int", "term"):
        number = signal.SIGINT if name == "int" else signal.SIGTERM
        reader, writer = os.pipe()  # a query that never comes
        checks.submit(f"signal/search-waiting-{name}", check, ["search", "-", "people.h5", "-o", "out"], number, 128 + number, reader)
        interrupted.kept_open.append(writer)


interrupted.kept_open = []


def all_checks(checks):
    snp, vcf, panel = checks.read("suspect.snp"), checks.read("cohort.vcf"), checks.read("panel.tsv")
    bcf, bgz = inputs.bcf(vcf), inputs.bgzip(vcf)
    checks.files("query mixture stdin build derive", inputs.wrong_types(snp), in_turn=2)
    checks.files("panel search info verify", inputs.wrong_types(snp), in_turn=2)
    checks.files("query build", inputs.bad_snps(snp))
    checks.files("query build", inputs.bad_vcfs(vcf))
    checks.files("panel", inputs.panels(panel))
    checks.files("query", inputs.truncated_text("suspect.snp", snp, 4))
    checks.files("build derive", inputs.truncated_text("cohort.vcf", vcf, 21))
    checks.files("panel", inputs.truncated_text("panel.tsv", panel, 6))
    checks.files("query derive", inputs.truncated("cohort.vcf.gz", bgz))
    checks.files("query derive", inputs.truncated("cohort.bcf", bcf))
    checks.files("query", [(f"no-eof-{name}", content[:-28], "truncated") for name, content in (("x.bcf", bcf), ("x.vcf.gz", bgz))])
    for name, content, uses in (("x.snp", snp, "query"), ("x.vcf", vcf, "derive"), ("x.bcf", bcf, "query"),
                                ("x.tsv", panel, "panel"), ("x.vcf.gz", bgz, "build")):
        checks.files(uses, inputs.mutated(name, content, 25 if EVERY_CASE else 12, 60))
    raw_bcf = inputs.bcf_uncompressed(vcf)
    checks.files("query derive", inputs.mutated("raw.bcf", raw_bcf, 60 if EVERY_CASE else 30, 61))
    plink_sets(checks)
    odd_paths(checks)
    interrupted(checks)
    hostile_databases.add(checks)


def main():
    limit_what_is_started()
    with tempfile.TemporaryDirectory(prefix="fastid-hostile-") as name:
        root = Path(name)
        root.chmod(0o755)
        checks = Checks(root, sys.argv[1] if len(sys.argv) > 1 else "")
        all_checks(checks)
        return checks.report()


if __name__ == "__main__":
    sys.exit(main())
