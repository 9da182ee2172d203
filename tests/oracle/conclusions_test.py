"""What a reader concludes of real people: who is listed and marked, and what is said of queries that say little.

The folder that FASTID_REAL_DATA names holds HapMap 3 (957 people) and 1000 Genomes phase 1 (1,092 people) at the same 14,079
sites; 564 people are in both. Frequencies of phase 1 are those of several populations counted as one.
"""

import csv
import json

import program

SHARED_PEOPLE = 564
THIRD_DEGREE = 0.0442  # the least kinship of it


class Conclusions(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hapmap3 = program.real_data() / "hapmap3" / "hapmap3.bed"
        cls.phase1 = cls.scratch / "phase1.h5"
        cls.run_fastid("db", "build", "-q", "-o", cls.phase1, program.real_data() / "1000g_phase1" / "phase1.bed")
        made = cls.scratch / "panel.tsv"
        cls.run_fastid("db", "export", "-q", cls.phase1, "--what", "panel", "--format", "tsv", "-o", made)
        with open(made, encoding="ascii") as file:
            cls.panel = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))

    def rows(self, *arguments):
        made = self.scratch / "rows.tsv"
        done = self.run_fastid(*arguments, "--device", "cpu", "-o", made, "--force")
        with open(made, encoding="utf-8") as file:
            return list(csv.DictReader(file, delimiter="\t")), done.stderr

    def query(self, name, letters):
        """A .snp. letters: two of each site, by its place in the panel."""
        path = self.scratch / f"{name}.snp"
        lines = [f"#sample {name}", "#build GRCh37"]
        lines += ["\t".join((site["id"], site["chrom"], site["pos"], two)) for site, two in zip(self.panel, letters)]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return path

    def exported(self, *names):
        """A VCF of stored people."""
        made = self.scratch / "people.vcf"
        self.run_fastid("db", "export", "-q", self.phase1, *(word for name in names for word in ("--profile", name)),
                        "-o", made, "--force")
        return made

    def test_nobody_but_the_same_people_and_relatives_is_beyond_chance(self):
        databases = [self.phase1, self.scratch / "hapmap3.h5"]
        self.run_fastid("db", "build", "-q", "-o", databases[1], self.hapmap3)
        pairs, _ = self.rows("pairs", "-q", "--ignore-build", *databases, "--min-kinship", 0.02, "--no-evidence")
        kinship = {(pair["IID2"], pair["#IID1"]): float(pair["KINSHIP"]) for pair in pairs}
        rows, said = self.rows("search", "-q", "--ignore-build", self.hapmap3, self.phase1, "-k", "all",
                               "--max-chance-matches", "0.01")
        same = [row for row in rows if row["suggests"] == "same"]
        self.assertEqual(len(same), SHARED_PEOPLE)
        for row in same:
            self.assertEqual((row["query"], row["mark"]), (row["profile"], "apart"))
        others = [row for row in rows if row["suggests"] != "same"]
        marks = {(row["suggests"], row["mark"]) for row in others}  # inconclusive: the third degree, mostly
        self.assertEqual(marks, {("first-degree", "relative?"), ("second-degree", "relative?"), ("inconclusive", "NA")})
        for row in others:
            self.assertGreater(kinship[row["query"], row["profile"]], THIRD_DEGREE)
        first = [kinship[row["query"], row["profile"]] for row in others if row["suggests"] == "first-degree"]
        unsure = [kinship[row["query"], row["profile"]] for row in others if row["suggests"] == "inconclusive"]
        self.assertGreater(min(first), 0.2)
        self.assertLess(max(unsure), 0.09)
        self.assertEqual(said.count("the allele frequencies do not fit the people of this database"), 1)
        self.assertIn("counted in 1,092 people of the database itself", said)

    def test_strangers_of_one_query_in_every_format(self):
        arguments = ("search", "-q", "-k", 3, self.exported("NA18517"), self.phase1)
        document = json.loads(self.run_fastid(*arguments, "--format", "json").stdout)
        query = document["queries"][0]
        self.assertTrue(query["strangers"]["nearer_than_expected"])
        self.assertIn("the allele frequencies do not fit", document["statements"]["strangers"].lower())
        self.assertIn("1,092 people of the database itself", document["statements"]["frequencies"])
        self.assertEqual([row["mark"] for row in query["matches"]], ["apart", None, None])
        page = self.run_fastid(*arguments, "--format", "html").stdout
        self.assertIn("do not fit the people of this database", page)
        self.assertNotIn("chance does not explain them", page)

    def test_a_query_of_few_sites(self):
        few = self.query("few", [site["major"] + site["minor"] for site in self.panel[:5]])
        rows, said = self.rows("search", few, self.phase1, "-k", 2000)
        self.assertRegex(said, r"query few: 5 of 14,079 sites are called, and \d\.\d unrelated profiles are expected to agree")
        self.assertEqual({row["suggests"] for row in rows}, {"inconclusive"})
        self.assertEqual({row["mark"] for row in rows}, {"NA"})

    def test_a_mixture_searched_and_stored_as_a_person(self):
        """Two people of phase 1, all of whose alleles are seen."""
        letters = []
        for line in self.exported("NA18517", "HG00096").read_text(encoding="ascii").splitlines():
            if line.startswith("#"):
                continue
            fields = line.split("\t")
            seen = {fields[3 + int(copy)] for sample in fields[9:] for copy in sample[:3:2]}
            letters.append("".join(sorted(seen)) if len(seen) == 2 else 2 * seen.pop())
        both = self.query("both", letters)
        words = r"shows both alleles at 8\d\.\d % of its sites, where [34]\d\.\d % are expected of one person"
        found, said = self.rows("search", "-q", both, self.phase1, "-k", 3)
        self.assertRegex(said, "query both: " + words)
        self.assertEqual({row["suggests"] for row in found}, {"inconclusive"})
        related, said = self.rows("kin", "-q", "--unlinked", both, self.phase1, "-k", 3, "--min-kinship", -10)
        self.assertRegex(said, "query both: " + words)
        self.assertEqual({row["relation"] for row in related}, {"undecided"})
        stored = self.scratch / "stored.h5"
        self.run_fastid("db", "build", "-q", "-o", stored, "--panel", self.scratch / "panel.tsv", both)
        for command, column, word in (("search", "suggests", "inconclusive"), ("kin", "relation", "undecided")):
            found, said = self.rows(command, "-q", self.exported("HG00096"), stored, *(["--unlinked", "--min-kinship", -10] if command == "kin" else []))
            self.assertRegex(said, "profile both: " + words)
            self.assertEqual([row[column] for row in found], [word])


if __name__ == "__main__":
    program.main(needs_real_data=True)
