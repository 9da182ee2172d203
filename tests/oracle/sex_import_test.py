"""X, Y and M as files have them: ploidies, absent sites and sexes, against what they were made with.

The folder sexchr has 85 made-up people whose sexes are known, and what its own reference makes of their files.
"""

import csv
import io

import openpyxl
import program

NAMES = {"M": "male", "F": "female", "undecided": "undecided", "NA": "NA"}


def table(path):
    return list(csv.DictReader(io.StringIO(path.read_text()), delimiter="\t"))


class SexChromosomes(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.data = program.real_data() / "sexchr"

    def build(self, *files, options=(), name="db.h5", status=0):
        target = self.scratch / name
        done = self.run_fastid("db", "build", "-o", target, "--panel", self.data / "panel.tsv", *options, *files, status=status)
        return target, done

    def seen(self, database):
        """For each profile and site: P, A, PA or "-", from what is exported."""
        vcf = self.scratch / "out.vcf"
        self.run_fastid("db", "export", database, "-o", vcf)
        lines = [line.split("\t") for line in vcf.read_text().splitlines() if not line.startswith("##")]
        names, seen = lines[0][9:], {}
        for line in lines[1:]:  # REF is the major allele
            for name, text in zip(names, line[9:]):
                alleles = set(text.split(":")[0].replace("|", "/").split("/"))
                seen[name, line[2]] = "-" if "." in alleles else "".join("PA"[int(one)] for one in sorted(alleles))
        return seen

    def sexes(self, database):
        text = self.run_fastid("db", "list", database, "--sex").stdout
        return {row["profile"]: row for row in csv.DictReader(io.StringIO(text), delimiter="\t")}

    @staticmethod
    def class_of(site):
        """By its id: PAR sites are named so, whatever their chromosome."""
        return {"a": "A", "p": "PAR", "x": "X", "y": "Y", "m": "M"}[site[0]]

    def test_ploidy(self):
        database, done = self.build(self.data / "ploidy.vcf")
        seen = self.seen(database)
        for row in table(self.data / "expected_ploidy.tsv"):
            self.assertEqual(seen[row["sample"], row["id"]], row["seen"], row)
        self.assertIn("genotypes of one allele at autosomal sites", done.stderr)
        self.assertIn("2 genotypes of more than two alleles", done.stderr)
        self.assertIn("heterozygous where there is one copy 3", done.stderr)  # a man's X and Y, a woman's M

    def test_absent_sites(self):
        rows = table(self.data / "expected_absent.tsv")
        for sample in ("man00", "woman00"):
            file = self.data / f"variants_{sample}.vcf"
            self.assertIn("variants only", self.build(file, status=3)[1].stderr)
            seen = self.seen(self.build(file, options=["--absent-as-reference"])[0])
            for row in (row for row in rows if row["sample"] == sample):
                called = sum(call != "-" for (_, site), call in seen.items() if self.class_of(site) == row["class"])
                self.assertEqual(called, int(row["called"]), row)

    def test_one_or_two_digits_are_the_same_person(self):
        """But for heterozygotes of one copy, which the haploid file cannot have."""
        diploid = self.seen(self.build(self.data / "people.vcf", name="d.h5")[0])
        haploid = self.seen(self.build(self.data / "people_haploid.vcf", name="h.h5")[0])
        men = {row["id"] for row in table(self.data / "expected_sex.tsv") if row["true_sex"] == "M"}
        others = 0
        for (name, site), call in diploid.items():
            one_copy = self.class_of(site) in "YM" or (self.class_of(site) == "X" and name in men)
            if one_copy and call == "PA":
                others += 1
            else:
                self.assertEqual(haploid[name, site], call, (name, site))
        self.assertGreater(others, 0)

    def test_sexes(self):
        listed = self.sexes(self.build(self.data / "people.vcf")[0])
        for row in table(self.data / "expected_sex.tsv"):
            found = listed[row["id"]]
            self.assertEqual(found["sex"], NAMES[row["sex"]], row)
            for column in ("x_called", "x_het", "y_called"):
                self.assertEqual(found[column], row[column], row)
            self.assertEqual(found["stated"], "NA")

    def test_sexes_without_frequencies(self):
        database = self.scratch / "force.h5"
        self.run_fastid("db", "build", "-o", database, "--panel", "force", program.real_data() / "faults3/sexchr/force.vcf")
        listed = self.sexes(database)
        rows = table(self.data / "expected_sex_force.tsv")
        self.assertEqual(len(rows), len(listed))
        for row in rows:
            self.assertEqual(listed[row["id"]]["sex"], NAMES[row["sex"]], row)
        father = [row for row in rows if row["id"] == "father"][0]["id"]
        done = self.run_fastid("db", "tag", database, father, "--set", "sex=F")
        done = self.run_fastid("db", "list", database, "--sex")
        self.assertIn("X and Y contradict the tag sex of 1 profile: 'father' (sex=F, by X and Y male)", done.stderr)
        self.assertNotIn("daughter", done.stderr)

    def kit_panel(self):
        """The kit's autosomal sites, and its X and Y loci with the alleles that its reports list."""
        kits, lines = program.real_data() / "kits", ["#build GRCh37", "id\tchrom\tpos\tmajor\tminor"]
        for line in (kits / "kintelligence.tsv").read_text().splitlines():
            if line.startswith("rs"):
                lines.append("\t".join(line.split("\t")[:5]))
        for chrom in "XY":
            alleles = {}
            for name in ("na24385.xlsx", "ref01.xlsx"):
                header = None
                for row in openpyxl.load_workbook(kits / name, read_only=True)[f"{chrom}-SNPs"].iter_rows(values_only=True):
                    if "Typed Allele?" in row:
                        header = row.index("Allele Name"), max(i for i, cell in enumerate(row) if cell == "Locus")
                    elif header and row[header[1]]:
                        alleles.setdefault(row[header[1]], set()).add(row[header[0]])
            for locus, letters in alleles.items():
                lines.append("\t".join([locus, chrom, "0", *self.two_of(letters)]))
        path = self.scratch / "kit.tsv"
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return path

    @staticmethod
    def two_of(letters):
        """Older reports have some loci on the other strand."""
        complement = dict(zip("ACGT", "TGCA"))
        one = sorted(letters)[0]
        return one, next(letter for letter in sorted(letters) if letter not in (one, complement[one])) if len(letters) > 2 else sorted(letters)[1]

    def test_real_people(self):
        kits, panel = program.real_data() / "kits", self.kit_panel()
        for name, x_called in (("na24385.xlsx", 102), ("ref01.xlsx", 105)):
            database = self.scratch / "kit.h5"
            done = self.run_fastid("db", "build", "-o", database, "--panel", panel, kits / name)
            found = list(self.sexes(database).values())[0]
            self.assertEqual((found["sex"], found["x_called"], found["x_het"], found["y_called"]), ("male", str(x_called), "0", "82"))
            self.assertNotIn("contradict", done.stderr)
            self.assertNotIn("one allele", done.stderr)
        mixtures = self.scratch / "stain.h5"
        self.run_fastid("db", "build", "-o", mixtures, "--kind", "mixtures", "--panel", panel, kits / "s01a.xlsx")
        self.assertEqual([row["sex"] for row in self.sexes(mixtures).values()], ["NA"])

    def test_letters(self):
        """One letter where there is one copy: the father and his daughter as in the VCF."""
        seen = self.seen(self.build(self.data / "people.vcf", name="d.h5")[0])
        letters = self.seen(self.build(self.data / "father.txt", self.data / "daughter1.txt", name="t.h5")[0])
        for (name, site), call in letters.items():
            one_copy = self.class_of(site) in "YM" or (self.class_of(site) == "X" and name == "father")
            if not (one_copy and seen[name, site] == "PA"):
                self.assertEqual(call, seen[name, site], (name, site))

    def test_haploid_and_tetraploid_autosomes(self):
        folder = program.real_data() / "faults3/haploid_autosome"
        database = self.scratch / "autosomes.h5"
        self.run_fastid("db", "build", "-o", database, "--panel", folder / "p.tsv", folder / "db.vcf")
        for file, words in (("haploid.vcf", "one allele"), ("oneletter.txt", "one allele"), ("tetraploid.vcf", "up to 4 alleles")):
            done = self.run_fastid("search", folder / file, database, status=3)
            self.assertIn(f"autosomal genotypes have {words}, where a person has two", done.stderr)


if __name__ == "__main__":
    program.main(needs_real_data=True)
