"""What search, mixture, kin and pairs say on a panel with X, Y and M.

The old columns are those of the same panel without such sites, to the byte; the new ones equal vectors of an independent
program. The folder is sexchr of FASTID_REAL_DATA.
"""

import csv
import math
from decimal import Decimal

import h5py

import program

WITH, WITHOUT = "panel", "panel_autosomal"
BESIDE = 12  # columns of X, Y and M of people, after the old ones
RELATION_OF = {"parent-child": "log10_lr_x_parent_child", "sibling": "log10_lr_x_sibling",
               "half-sibling": "log10_lr_x_half_sibling", "cousin": "log10_lr_x_cousin", "same": "log10_lr_x_same"}
SEX = {"M": "male", "F": "female"}


def folder():
    return program.real_data() / "sexchr"


def table(name):
    with open(folder() / name, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


class SexChromosomes(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database = {}
        for panel in (WITH, WITHOUT):
            cls.database[panel] = cls.scratch / f"{panel}.h5"
            cls.run_fastid("db", "build", "-q", "-o", cls.database[panel], "--panel", folder() / f"{panel}.tsv",
                           folder() / "people.vcf")

    def lines(self, *arguments):
        done = self.run_fastid(*arguments, "-q", "--format", "tsv")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def rows(self, *arguments):
        head, *lines = self.lines(*arguments)
        return [dict(zip([name.lstrip("#") for name in head], line)) for line in lines]

    def both(self, command, *arguments):
        """Lines on the panel with X, Y and M, of which the old columns are checked."""
        found = self.lines(command, *arguments, self.database[WITH])
        plain = self.lines(command, *arguments, self.database[WITHOUT])
        self.assertGreater(len(plain), 1)
        self.assertEqual([line[:len(plain[0])] for line in found], plain)
        return found, plain

    def test_old_columns_are_those_of_the_autosomal_panel(self):
        people, stains = folder() / "people.vcf", sorted(folder().glob("stain_*.snp"))
        self.assertEqual(len(self.both("search", people, "-k", 5)[0][0]), 12 + BESIDE)
        self.both("search", people, "-k", 5, "--by", "bits")
        self.both("search", people, "-k", "all", "--max-chance-matches", 0.01)
        self.both("kin", people, "-k", 12)
        self.both("mixture", *stains, "-k", 5)
        self.both("mixture", *stains, "--known", folder() / "father.txt", "-k", 5, "--drop-out", 0.1)
        done = [self.run_fastid("pairs", self.database[panel], "-q", "--unlinked", "--min-kinship", -10, "--format", "tsv").stdout
                for panel in (WITH, WITHOUT)]
        lines = [[line.split("\t") for line in text.splitlines()] for text in done]
        self.assertEqual([line[:len(lines[1][0])] for line in lines[0]], lines[1])

    def test_old_columns_are_as_they_were_known(self):
        for command, name in (("search", "father"), ("kin", "father")):
            expected = (folder() / f"expected_{command}.tsv").read_text().splitlines()
            k = 5 if command == "search" else 12
            want = [line.split("\t") for line in expected if line.startswith(("query\t", f"{name}\t"))]
            found = [line[:len(want[0])] for line in
                     self.lines(command, folder() / "people.vcf", self.database[WITH], "-k", k, "--unlinked")]
            found = [line for line in found if line[0] in ("query", name)]
            if command == "search":
                self.take_known_chances(want, found)
            self.assertEqual(found, want)

    def take_known_chances(self, want, found):
        """Those known are by mismatches alone: what a search prints is no less, and of the same person as many as can have the
        mean of the ratios of four relations, of which the others add next to nothing."""
        place = want[0].index("chance_matches")
        ratio, suggests = (want[0].index(name) for name in ("log10_lr", "suggests"))
        with h5py.File(self.database[WITH], "r") as file:
            people = len(file["profiles/id"])
        for known, line in zip(want[1:], found[1:], strict=True):
            chance = Decimal(line[place])
            self.assertGreaterEqual(chance, Decimal(known[place]))
            if line[suggests] == "same":
                self.assertAlmostEqual(float(chance.log10()), math.log10(4 * people) - float(line[ratio]), delta=4e-4)
            known[place] = line[place]

    def test_kinship_is_plink2s(self):
        head, *lines = self.lines_of_pairs()
        found = {frozenset(line[:2]): line for line in lines}
        with open(folder() / "expected_king.tsv", encoding="utf-8") as file:
            expected = list(csv.DictReader(file, delimiter="\t"))
        self.assertGreater(len(expected), 3000)
        place = {name.lstrip("#"): i for i, name in enumerate(head)}
        for row in expected:
            line = found[frozenset((row["#IID1"], row["IID2"]))]
            for name in ("NSNP", "HETHET", "IBS0"):
                self.assertEqual(line[place[name]], row[name])
            self.assertAlmostEqual(float(line[place["KINSHIP"]]), float(row["KINSHIP"]), delta=1e-5)

    def lines_of_pairs(self):
        text = self.run_fastid("pairs", self.database[WITH], "-q", "--unlinked", "--min-kinship", -10, "--format", "tsv").stdout
        return [line.split("\t") for line in text.splitlines()]

    def test_pairs_have_sexes_x_words_and_counts(self):
        head, *lines = self.lines_of_pairs()
        head = [name.lstrip("#") for name in head]
        found = {frozenset(line[:2]): dict(zip(head, line)) for line in lines}
        for expected in table("expected_pairs.tsv"):
            if expected["id1"] == expected["id2"]:
                continue  # no pair of a database
            row = found[frozenset((expected["id1"], expected["id2"]))]
            turned = row["IID1"] != expected["id1"]
            with self.subTest(first=expected["id1"], second=expected["id2"]):
                self.assertEqual([row["sex2" if turned else "sex1"], row["sex1" if turned else "sex2"]],
                                 [SEX[expected["sex1"]], SEX[expected["sex2"]]])
                self.assertEqual(row["x_compared"], expected["x_compared"])
                for name in ("y", "y_mismatches", "y_compared", "m", "m_mismatches", "m_compared"):
                    self.assertEqual(row[name], expected[name], name)
                ratio = expected.get(RELATION_OF.get(row["relation"], ""), "NA")
                if ratio == "NA":
                    self.assertEqual(row["log10_lr_x"], "NA")
                else:
                    self.assertAlmostEqual(float(row["log10_lr_x"]), float(ratio), delta=5.1e-5)

    def test_haplotypes_are_as_common_as_they_are(self):
        found = {}
        for query, row in ((row["query"], row) for row in
                           self.rows("search", folder() / "people.vcf", self.database[WITH], "-k", "all")):
            found[query, row["profile"]] = row
        tested = 0
        for expected in table("expected_haplotypes.tsv"):
            row, of = found[expected["query"], expected["profile"]], expected["class"].lower()
            with self.subTest(**expected):
                self.assertEqual([row[f"{of}_mismatches"], row[f"{of}_compared"], row[of]],
                                 [expected["mismatches"], expected["compared"], expected["word"]])
                if expected["p"] == "NA":
                    self.assertEqual(row[f"p_{of}"], "NA")
                else:
                    self.assertAlmostEqual(float(row[f"p_{of}"]) / float(expected["p"]), 1, delta=6e-4)
                tested += 1
        self.assertGreater(tested, 100)

    def test_shards_count_haplotypes_as_one_run(self):
        people, database = folder() / "people.vcf", self.database[WITH]
        for command in ("search", "kin"):
            parts = [self.scratch / f"{command}{i}.part" for i in (1, 2, 3)]
            for i, part in enumerate(parts, 1):
                self.run_fastid(command, people, database, "-q", "-k", 4, "--shard", f"{i}/3", "-o", part)
            whole = self.run_fastid(command, people, database, "-q", "-k", 4, "--format", "tsv").stdout
            self.assertEqual(self.run_fastid("merge", *parts, "-q", "--format", "tsv").stdout, whole)

    def test_mixtures_count_what_they_do_not_show_of_y(self):
        found = {}
        for stain in sorted(folder().glob("stain_*.snp")):
            for row in self.rows("mixture", stain, self.database[WITH], "-k", "all"):
                found[row["mixture"], row["profile"]] = row
        for expected in table("expected_mixture_y.tsv"):
            row = found[expected["mixture"], expected["profile"]]
            self.assertEqual([row["y_not_seen"], row["y_compared"]], [expected["y_not_seen"], expected["y_compared"]])

    def test_sites_of_x_are_counted_without_frequencies_and_by_class(self):
        plain, bare = self.scratch / "no_frequencies.tsv", self.scratch / "no_frequencies.h5"
        with open(folder() / f"{WITH}.tsv", encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line in file]
        plain.write_text("".join((line if line[0] == "#" else line.rsplit("\t", 1)[0]) + "\n" for line in lines), "utf-8")
        self.run_fastid("db", "build", "-q", "-o", bare, "--panel", plain, folder() / "people.vcf")
        arguments = ("search", folder() / "father.txt", "-k", "all")
        expected = {row["profile"]: row["x_compared"] for row in self.rows(*arguments, self.database[WITH])}
        for rows in (self.rows(*arguments, bare), self.rows(*arguments, "--class", "Y", self.database[WITH])):
            self.assertEqual({row["log10_lr_x"] for row in rows}, {"NA"})
            for row in rows:
                self.assertEqual(row["x_compared"], expected[row["profile"]])
            self.assertGreater(len(rows), 30)

    def test_headlines_count_the_sites_that_are_counted(self):
        for command, sites in ((["search"], 609), (["mixture"], 609), (["search", "--class", "Y"], 60), (["kin"], 609)):
            done = self.run_fastid(*command, folder() / "father.txt", self.database[WITH], "-q", "--format", "table")
            self.assertRegex(done.stdout, rf"^(query|mixture) father: \d+ of {sites} sites called")
        page = self.scratch / "page.html"
        self.run_fastid("search", folder() / "father.txt", self.database[WITH], "-q", "--format", "html", "-o", page,
                        "--force")
        self.assertIn(" of 609</dd>", page.read_text("utf-8"))

    def test_the_class_of_y_is_ranked_by_its_sites(self):
        rows = self.rows("search", folder() / "father.txt", self.database[WITH], "-k", "all", "--class", "Y")
        self.assertEqual(rows[0]["mismatches"], "0")
        self.assertEqual({row["log10_lr"] for row in rows}, {"NA"})
        rates = [float(row["mismatch_rate"]) for row in rows]
        self.assertEqual(rates, sorted(rates))
        self.run_fastid("search", folder() / "father.txt", self.database[WITHOUT], "--class", "Y", status=3)


if __name__ == "__main__":
    program.main(needs_real_data=True)
