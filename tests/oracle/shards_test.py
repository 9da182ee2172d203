"""Runs whose work is shared among machines: the parts of 2 and 7 shards (1 and 3, too, where each case is asked for) are
merged to the bytes of one run.

Of search, mixture, kin, dvi, pairs, ld and epistasis, in each format, on people of whom many tie across the borders of shards, and on real
ones where FASTID_REAL_DATA names their folder. Also what becomes of parts that are wrong.
"""

import json
import os
import random
import re
import struct
import subprocess
import unittest

import program
import xxhash

SHARDS = (1, 2, 3, 7) if program.EVERY_CASE else (2, 7)
# Facts of a run, which differ from run to run, and the day.
OF_A_RUN = re.compile(r"<dt>(Command line|Device|Work|Started|Seconds)</dt><dd>.*?</dd>\n", re.DOTALL)
RANDOM = random.Random(4)


def without_run(text):
    return OF_A_RUN.sub("", text)


class Sharded(program.Case):
    def parts_of(self, command, n, name):
        """The parts of a run's shards, in another order."""
        parts = []
        for i in range(1, n + 1):
            part = self.scratch / f"{name}-{n}-{i}.part"
            self.run_fastid(*command, "-q", "--shard", f"{i}/{n}", "-o", part)
            parts.append(part)
        return RANDOM.sample(parts, n)

    def expect_same(self, command, formats, name, shards=SHARDS):
        """Merged parts are what one run prints: the first format of each number of shards, the others of the last."""
        whole = [self.run_fastid(*command, "-q", *options).stdout for options in formats]
        self.assertGreater(min(map(len, whole)), 100)
        for n in shards:
            parts = self.parts_of(command, n, name)
            last = n == shards[-1]
            for options, expected in list(zip(formats, whole, strict=True))[: None if last else 1]:
                merged = self.run_fastid("merge", "-q", *parts, *options).stdout
                self.expect_same_text(without_run(merged), without_run(expected), f"{name} of {n} shards, {options}")


FORMATS = [["--format", "tsv"], ["--format", "json"], ["--format", "jsonl"], ["--format", "html", "--date", "today"],
           ["--format", "table"], ["--summary"]]


class Simulated(Sharded):
    """3,000 people: some of them stored often, so that they tie, in all shards."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database, cases = cls.scratch / "people.h5", cls.scratch / "cases"
        cls.run_fastid("db", "simulate", "-q", "-o", cls.database, "--profiles", 3000, "--sites", 96, "--seed", 5,
                       "--no-call-rate", 0.02, "--full-siblings", 40, "--duplicates", 40, "--twins", 40,
                       "--parent-child", 40, "--cases", 3, "--cases-dir", cases)
        cls.people = [cases / f"identity-000{i}.snp" for i in (1, 2, 3)]
        cls.mixtures = [cases / f"mixture-000{i}.snp" for i in (1, 2, 3)]

    def test_search(self):
        self.expect_same(["search", *self.people, self.database, "--top", 7], FORMATS, "search")

    def test_ties_across_shards(self):
        """By bits, at seven sites, and by the rate alone: many tie with the last one listed."""
        few = self.scratch / "few.h5"
        self.run_fastid("db", "simulate", "-q", "-o", few, "--profiles", 2500, "--sites", 7, "--seed", 6, "--cases", 2,
                        "--cases-dir", self.scratch / "few")
        queries = [self.scratch / "few" / f"identity-000{i}.snp" for i in (1, 2)]
        for options in (["--sort", "evidence"], ["--top", 300, "--sort", "rate"], *[["--sort", "rate"]] * program.EVERY_CASE):
            command = ["search", *queries, few, "--by", "bits", *options]
            whole = self.run_fastid(*command, "--format", "json").stdout
            self.assertGreater(max(map(int, re.findall(r'"ties_cut": (\d+)', whole))), 20)
            self.expect_same(command, [["--format", "json"]], "ties")

    def test_all_that_match(self):
        self.expect_same(["search", self.people[0], self.database, "--top", "all", "--max-mismatches", 40],
                         FORMATS[:2], "all", shards=(3,))

    def test_chance_matches(self):
        """What is left out after the search makes a merge take more of what the parts hold."""
        command = ["search", *self.people, self.database, "--max-chance-matches", "1", "--top", 2]
        self.expect_same(command, FORMATS[:2], "chance", shards=(3,))

    def test_without_histograms(self):
        """Shards that were told so do not count them, and the merge has none."""
        self.expect_same(["search", *self.people, self.database, "--no-histograms"], FORMATS[1:2], "bare", shards=(2,))

    def test_mixture(self):
        self.expect_same(["mixture", *self.mixtures, self.database, "--drop-out", "0.05", "--known", self.people[0]],
                         FORMATS[:4], "mixture")

    def test_reverse(self):
        panel, stains = self.scratch / "panel.tsv", self.scratch / "stains.h5"
        self.run_fastid("db", "export", "-q", self.database, "-o", panel, "--what", "panel")
        self.run_fastid("db", "build", "-q", "-o", stains, "--kind", "mixtures", "--panel", panel, *self.mixtures)
        self.expect_same(["mixture", "--reverse", *self.people, stains], FORMATS[:2], "reverse", shards=(2,))

    def test_mixtures_against_mixtures(self):
        """Stored stains of both shards, most of them of one person, which is soon explained."""
        panel, stains, more = self.scratch / "mixed.tsv", self.scratch / "mixed.h5", self.scratch / "more"
        self.run_fastid("db", "simulate", "-q", "-o", self.scratch / "others.h5", "--profiles", 60, "--sites", 96, "--seed", 5,
                        "--cases", 36, "--cases-dir", more)
        self.run_fastid("db", "export", "-q", self.database, "-o", panel, "--what", "panel")
        left = [*sorted(more.glob("identity-*.snp")), more / "mixture-0001.snp"]
        self.run_fastid("db", "build", "-q", "-o", stains, "--kind", "mixtures", "--panel", panel, *left)
        self.expect_same(["mixture", left[35], stains, "-k", 4], FORMATS[1:2], "mixtures", shards=(2,))

    def test_kin(self):
        self.expect_same(["kin", *self.people, self.database, "--unlinked", "--min-kinship", "-0.1"], FORMATS[:4], "kin")
        along_the_map = ["kin", *self.people, self.database, "--min-kinship", "-0.1"]
        if program.EVERY_CASE:
            self.expect_same(along_the_map, FORMATS[:4], "kin along the map")
        else:
            self.expect_same(["kin", self.people[0], self.database], [FORMATS[1], FORMATS[3]], "linked kin", shards=(3,))

    def test_family(self):
        family = self.scratch / "family.txt"
        names = [re.search(r"#sample (\S+)", path.read_text(encoding="ascii"))[1] for path in self.people[:2]]
        family.write_text(f"missing {names[0]} {names[1]}\nother {names[0]} 0\n{names[0]} 0 0\n{names[1]} 0 0\n", encoding="ascii")
        command = ["kin", *self.people[:2], self.database, "--family", family, "--missing", "other", "--missing", "missing"]
        self.expect_same(command, FORMATS[:2], "family", shards=(3,))

    def test_chosen_profiles(self):
        """Few of all, by a list: most shards have none of them."""
        ids = self.scratch / "ids.txt"
        rows = self.run_fastid("db", "list", self.database).stdout.splitlines()
        names = [line.split("\t")[1] for line in rows[1:]]
        ids.write_text("\n".join(names[5:40]) + "\n", encoding="ascii")
        self.expect_same(["search", *self.people, self.database, "--ids", ids], FORMATS[:2], "chosen", shards=(3, 7))
        ids.write_text("\n".join(names[::2]) + "\n", encoding="ascii")
        self.expect_same(["search", *self.people, self.database, "--exclude", ids], FORMATS[:2], "chosen", shards=(2,))

    def test_dvi(self):
        """Figures of families, from parts that hold some each; most of many shards have none."""
        event = self.scratch / "event.h5"
        self.run_fastid("db", "simulate", "-q", "-o", event, "--disaster", 12, "--strangers", 4, "--sites", 700, "--seed", 3)
        families, typed = f"{event}.families.ped", f"{event}.typed.h5"
        formats = [["--format", name] for name in ("tsv", "json", "html", "table")]
        self.expect_same(["dvi", families, "--am", typed, event, "--power"], formats, "dvi", shards=(2, 30))
        vcf = self.scratch / "typed.vcf"
        self.run_fastid("db", "export", "-q", typed, "-o", vcf)
        command = ["dvi", families, vcf, event]
        self.expect_same(command, formats[:1], "dvi of files", shards=(2,))
        parts, beside = self.parts_of(command, 3, "dvi beside"), {}
        for how, run in (("whole", command), ("merged", ["merge", *parts])):
            files = {name: self.scratch / f"{how}-{name}.tsv" for name in ("matrix", "people", "assignments", "families")}
            self.run_fastid(*run, "-q", "-o", self.scratch / f"{how}.tsv", *(word for name, path in files.items()
                                                                          for word in (f"--{name}", path)))
            beside[how] = [path.read_bytes() for path in files.values()]
        self.assertEqual(beside["whole"], beside["merged"])
        self.run_fastid(*command, "--shard", "1/2", "-o", self.scratch / "no.part", "--matrix", self.scratch / "no.tsv", status=2)
        with open(families, "a", encoding="ascii") as more:
            more.write("F99\tF99-child\t0\t0\t1\t2\n")
        self.assertIn("families", self.run_fastid("merge", *parts, status=3).stderr)

    def test_pairs(self):
        formats = [["--format", name] for name in ("tsv", "jsonl", "table")]
        self.expect_same(["pairs", self.database, "--unlinked", "--min-kinship", "0.18"], formats, "pairs", shards=(2, 12))
        self.expect_same(["pairs", self.database, "--new-since", 2950], formats[:2], "linked pairs", shards=(3,))
        if program.EVERY_CASE:
            self.expect_same(["pairs", self.database], formats, "all linked pairs", shards=(1, 2, 12))
        self.expect_same(["pairs", self.database, "--by", "bits", "--max-mismatch-rate", "0.15"], formats, "bits",
                         shards=(5,))
        self.expect_same(["pairs", self.database, "--unlinked", "--new-since", 2000, "--min-kinship", "0.18"], formats, "new",
                         shards=(4,))

    def test_pairs_of_two(self):
        other = self.scratch / "other.h5"
        panel = self.scratch / "panel2.tsv"
        self.run_fastid("db", "export", "-q", self.database, "-o", panel, "--what", "panel")
        self.run_fastid("db", "simulate", "-q", "-o", other, "--profiles", 700, "--panel", panel, "--seed", 9)
        self.expect_same(["pairs", self.database, other, "--unlinked", "--min-kinship", "0.12"], [["--format", "tsv"]], "two",
                         shards=(6,))

    def test_ld(self):
        """Of all pairs of sites, of a window, and of the genotypes of a file; most of many shards have no site."""
        self.expect_same(["ld", self.database, "--all", "--min-r2", "0.001"], [[]], "ld", shards=(1, 7))
        bed = self.scratch / "some.bed"
        self.run_fastid("db", "export", "-q", self.database, "-o", bed, "--format", "bed")
        self.expect_same(["ld", bed, "--window", 3, "--region", "1", "--min-r2", "0"], [[]], "region", shards=(3, 30))

    def test_ld_of_other_genotypes(self):
        parts = self.parts_of(["ld", self.database, "--all"], 2, "other")
        other = self.scratch / "others.h5"
        self.run_fastid("db", "simulate", "-q", "-o", other, "--profiles", 300, "--sites", 96, "--seed", 8)
        done = self.run_fastid("merge", *parts, "--db", other, status=3)
        self.assertIn("differs in the genotypes", done.stderr)

    def test_epistasis(self):
        """Of many people, and of so few that combinations tie at the cut, in all shards."""
        few, cases = self.scratch / "trait.h5", self.scratch / "cases.txt"
        self.run_fastid("db", "simulate", "-q", "-o", few, "--profiles", 14, "--sites", 40, "--encoding", "alleles",
                        "--seed", 6)
        formats = [["--format", name] for name in ("tsv", "json", "html")]
        for database, way, score, shards in ((few, 3, "mi", SHARDS), (few, 2, "mi", (9,)), (self.database, 3, "k2", (4,))):
            names = [line.split("\t")[1] for line in self.run_fastid("db", "list", database).stdout.splitlines()[1:]]
            cases.write_text("".join(f"{name} {1 + i % 2}\n" for i, name in enumerate(names)), encoding="ascii")
            command = ["epistasis", database, "--phenotype", cases, "--way", way, "--score", score, "--top", 25]
            self.expect_same(command, formats, f"epistasis-{way}", shards=shards)
            ties = re.search(r'"ties_not_listed": (\d+)', self.run_fastid(*command, "--format", "json").stdout)
            self.assertEqual(int(ties[1]) > 0, database == few)
        parts = self.parts_of(command, 2, "other")
        cases.write_text("".join(f"{name} {2 - i % 2}\n" for i, name in enumerate(names)), encoding="ascii")
        self.assertIn("differs in the phenotypes", self.run_fastid("merge", *parts, status=3).stderr)

    def test_cohort(self):
        """What all pairs come to is made of the merged ones."""
        command = ["pairs", self.database, "--duplicates"]
        parts = self.parts_of(command, 3, "cohort")
        files = {}
        for name, run in (("merged", ["merge", *parts]), ("whole", command)):
            names = [self.scratch / f"{name}.{end}" for end in ("html", "groups", "unrelated")]
            self.run_fastid(*run, "-q", "-o", self.scratch / f"{name}.kin0", "--cohort", names[0], "--groups", names[1],
                            "--unrelated", names[2])
            files[name] = [without_run(path.read_text(encoding="utf-8")) for path in names]
        self.assertEqual(files["merged"], files["whole"])

    def test_more_shards_than_blocks(self):
        small = self.scratch / "small.h5"
        self.run_fastid("db", "simulate", "-q", "-o", small, "--profiles", 70, "--sites", 96, "--seed", 3, "--cases", 1,
                        "--cases-dir", self.scratch / "small")
        query = self.scratch / "small" / "identity-0001.snp"
        self.expect_same(["search", query, small], FORMATS[:2], "small", shards=(9,))
        self.expect_same(["pairs", small, "--unlinked", "--min-kinship", "-10"], [["--format", "tsv"]], "small", shards=(9,))


class Wrong(Sharded):
    """Parts that are not all of one run: each is named, and nothing is printed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database, cls.cases = cls.scratch / "people.h5", cls.scratch / "cases"
        cls.run_fastid("db", "simulate", "-q", "-o", cls.database, "--profiles", 400, "--sites", 200, "--seed", 5,
                       "--cases", 2, "--cases-dir", cls.cases)
        cls.query, cls.other = (cls.cases / f"identity-000{i}.snp" for i in (1, 2))
        cls.command = ["search", cls.query, cls.database]

    def refused(self, parts, *words):
        done = self.run_fastid("merge", *parts, "-o", self.scratch / "out.tsv", status=3)
        for word in words:
            self.assertIn(str(word), done.stderr)
        self.assertFalse((self.scratch / "out.tsv").exists())
        return done.stderr

    def test_missing_and_doubled(self):
        first, *_ = parts = sorted(self.parts_of(self.command, 4, "whole"))
        self.refused(parts[:1] + parts[3:], "2 parts are missing of 4: 2, 3")
        self.refused([*parts, first], first, "is shard 1 of 4, as")
        copy = self.scratch / "copy.part"
        copy.write_bytes(first.read_bytes())
        self.refused([*parts, copy], copy, "is shard 1 of 4, as")

    def test_of_another_run(self):
        parts = sorted(self.parts_of(self.command, 2, "one"))
        others = {
            "queries": ["search", self.other, self.database],
            "--top=7": [*self.command, "--top", 7],
            "fastid mixture": ["mixture", self.query, self.database],
        }
        for word, command in others.items():
            other = self.scratch / "another.part"
            self.run_fastid(*command, "-q", "--shard", "2/2", "-o", other)
            self.refused([parts[0], other], other, word)
        self.run_fastid(*self.command, "-q", "--shard", "2/3", "-o", other)
        self.refused([parts[0], other], other, "3 shards")
        database = self.scratch / "another.h5"
        self.run_fastid("db", "simulate", "-q", "-o", database, "--profiles", 400, "--sites", 200, "--seed", 6)
        self.run_fastid("search", self.query, database, "-q", "--shard", "2/2", "-o", other)
        self.refused([parts[0], other], other, "differs in the database")

    def test_of_a_database_that_has_changed(self):
        database = self.scratch / "changed.h5"
        database.write_bytes(self.database.read_bytes())
        parts = self.parts_of(["search", self.query, database], 2, "changed")
        self.run_fastid("db", "append", "-q", database, self.other)
        self.refused(parts, "differs in the database from what is there now")

    def test_of_another_program(self):
        parts = sorted(self.parts_of(self.command, 2, "program"))
        self.change_head(parts[1], rb'"version":"', b'"version":"9')
        self.refused(parts, parts[1], "was made by fastid 9")

    def test_options_that_no_question_has(self):
        """A part cannot make a merge write files."""
        parts = sorted(self.parts_of([*self.command, "--top", 3], 1, "options"))
        self.change_head(parts[0], b'"--top=3"', b'"--output=/tmp/x"')
        self.refused(parts, parts[0], "has an argument that no question has")

    def change_head(self, part, old, new):
        data = part.read_bytes()
        size, _ = struct.unpack("<QQ", data[-32:-16])
        head = data[-32 - size:-32].replace(old, new)
        self.assertNotEqual(head, data[-32 - size:-32])
        end = struct.pack("<QQ", len(head), xxhash.xxh3_64_intdigest(head))
        part.write_bytes(data[:-32 - size] + head + end + data[-16:])

    def test_forged_candidates(self):
        """Whoever merges learns which part is wrong: their own device is not to blame."""
        better = (12, lambda count: 0), (16, lambda count: count + 1), (20, lambda count: count + 1)
        for at, change in better:  # the counts of the first candidate
            parts = sorted(self.parts_of(self.command, 2, "forged"))
            data = bytearray(parts[1].read_bytes())
            size, _ = struct.unpack("<QQ", data[-32:-16])
            head = json.loads(data[-32 - size:-32])
            section = next(one for one in head["sections"] if one["name"] == "candidates")
            begin, end = section["offset"], section["offset"] + section["bytes"]
            struct.pack_into("<I", data, begin + at, change(*struct.unpack_from("<I", data, begin + at)))
            old, new = section["xxh3_64"], xxhash.xxh3_64_intdigest(bytes(data[begin:end]))
            parts[1].write_bytes(data)
            self.change_head(parts[1], str(old).encode(), str(new).encode())
            self.refused(parts, f"{parts[1]}, candidates: counted")

    def test_damaged(self):
        """Each byte counts: a part that lost or changed some is refused by its name, or gives the same result."""
        parts = sorted(self.parts_of(self.command, 2, "damage"))
        whole = self.run_fastid("merge", "-q", *parts).stdout
        good = parts[1].read_bytes()
        size = len(good)
        for cut in (0, 5, 20, size // 2, size - 40, size - 1):
            parts[1].write_bytes(good[:cut])
            self.refused(parts, parts[1])
        for at in [*range(0, size, 197 if program.EVERY_CASE else 797), *range(size - 32, size)]:
            parts[1].write_bytes(good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1:])
            done = subprocess.run([os.environ["FASTID"], "merge", "-q", *parts], capture_output=True, text=True,
                                  check=False)
            self.assertIn(done.returncode, (0, 3))
            if done.returncode == 0:
                self.assertEqual(done.stdout, whole)
            else:
                self.assertIn(str(parts[1]), done.stderr)
                self.assertEqual(done.stdout, "")

    def test_a_full_disk(self):
        parts = self.parts_of(self.command, 2, "full")
        for command in ([*self.command, "--shard", "1/2"], ["merge", *parts]):
            done = self.run_fastid(*command, "-o", "/dev/full", status=1)
            self.assertIn("No space left", done.stderr)

    def test_printing_is_for_the_merge(self):
        done = self.run_fastid(*self.command, "--shard", "1/2", "-o", self.scratch / "x", "--format", "json", status=2)
        self.assertIn("give it to `fastid merge`", done.stderr)
        done = self.run_fastid(*self.command, "--shard", "1/2", status=2)
        self.assertIn("-o FILE", done.stderr)

    def test_files_of_queries_that_are_rejected(self):
        """With --keep-going shards are done, and the merge lists them and ends as the whole run does."""
        bad = self.scratch / "bad.snp"
        bad.write_text("rs1\t1\tx\tAA\n", encoding="ascii")
        command = ["search", self.query, bad, self.database, "--keep-going"]
        parts = self.parts_of(command, 2, "rejected")
        merged = self.run_fastid("merge", *parts, status=3)
        whole = self.run_fastid(*command, status=3)
        self.assertEqual(merged.stdout, whole.stdout)
        self.assertIn("bad.snp", merged.stderr)

    def test_no_match(self):
        command = [*self.command, "--max-mismatches", 0]
        parts = self.parts_of(command, 2, "none")
        self.run_fastid("merge", *parts, "--fail-if-no-match", status=5)


@unittest.skipUnless(os.environ.get(program.REAL_DATA), "no folder of real genotype data")
class Real(Sharded):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hapmap3, phase1 = program.real_data() / "hapmap3/hapmap3.bed", program.real_data() / "1000g_phase1/phase1.bed"
        cls.database, cls.queries = cls.scratch / "hapmap3.h5", cls.scratch / "queries.vcf"
        cls.run_fastid("db", "build", "-q", "-o", cls.database, hapmap3)
        cls.phase1 = cls.scratch / "phase1.h5"
        cls.run_fastid("db", "build", "-q", "-o", cls.phase1, phase1)
        names = [line.split("\t")[1] for line in cls.run_fastid("db", "list", cls.phase1).stdout.splitlines()[1:4]]
        cls.run_fastid("db", "export", "-q", cls.phase1, "-o", cls.queries, "--profile", *names)

    def test_people(self):
        command = ["search", self.queries, self.database, "--ignore-build"]
        self.expect_same(command, FORMATS[:4], "real", shards=(3, 7))

    def test_kin(self):
        self.expect_same(["kin", self.queries, self.database, "--ignore-build", "--unlinked"], FORMATS[:2], "real-kin", shards=(2,))
        if program.EVERY_CASE:
            self.expect_same(["kin", self.queries, self.database, "--ignore-build"], FORMATS[:2], "real-kin-map", shards=(2,))

    def test_pairs(self):
        how = [] if program.EVERY_CASE else ["--unlinked"]
        self.expect_same(["pairs", self.database, *how], [["--format", "tsv"]], "real-pairs", shards=(7,))


if __name__ == "__main__":
    program.main()
