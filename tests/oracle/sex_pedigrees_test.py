"""Pedigrees beside X, Y and M: stated sexes, the lines of a missing member, and fathers whose sons have another Y.

The folder is sexchr of FASTID_REAL_DATA: a family whose sexes and parents are known. Haplotypes are read here from its
VCF, and words follow from scipy's binomial.
"""

import csv

import program
from scipy.stats import binom

ERROR_RATE = 0.005
PARENTS = {
    "mother": ("grandfather_m", "grandmother_m"), "uncle_m": ("grandfather_m", "grandmother_m"),
    "aunt_m": ("grandfather_m", "grandmother_m"), "father": ("grandfather_p", "grandmother_p"),
    "uncle_p": ("grandfather_p", "grandmother_p"), "aunt_p": ("grandfather_p", "grandmother_p"),
    "son1": ("father", "mother"), "son2": ("father", "mother"), "daughter1": ("father", "mother"),
    "daughter2": ("father", "mother"), "cousin_m": ("aunts_man", "aunt_m"), "cousin_f": ("aunts_man", "aunt_m"),
}


def folder():
    return program.real_data() / "sexchr"


def pedigree(sexes):
    people = sorted({*PARENTS, *(name for parents in PARENTS.values() for name in parents)})
    return "".join(f"F {name} {' '.join(PARENTS.get(name, ('0', '0')))} {sexes[name]} 0\n" for name in people)


def stated():
    """Sex by name as a PED file has it: 1 of males, 2 of females."""
    with open(folder() / "people.psam", encoding="ascii") as file:
        return dict(line.split() for line in file if not line.startswith("#"))


def allowance(n, w):
    return next(k for k in range(n + 1) if binom.sf(k, n, 2 * w * (1 - w)) <= 0.01)


def word(mismatches, compared):
    if compared == 0:
        return "NA"
    if mismatches <= allowance(compared, ERROR_RATE / 5):
        return "agree"
    return "undecided" if mismatches <= allowance(compared, ERROR_RATE) else "differ"


class Vcf:
    """The family's genotypes as lines, of which some can be taken or changed."""

    def __init__(self):
        with open(folder() / "people.vcf", encoding="ascii") as file:
            lines = file.read().splitlines()
        self.head = [line for line in lines if line.startswith("##")]
        self.lines = [line.split("\t") for line in lines if not line.startswith("##")]
        self.column = {name: i for i, name in enumerate(self.lines[0]) if i >= 9}

    def haplotype(self, name, chrom):
        """The allele at each site where one alone is seen; None elsewhere."""
        alleles = []
        for fields in self.lines[1:]:
            if fields[0] == chrom:
                seen = set(fields[self.column[name]].split(":")[0].replace("|", "/").split("/"))
                alleles.append(seen.pop() if len(seen) == 1 and "." not in seen else None)
        return alleles

    def write(self, path, names=None):
        keep = [*range(9), *(self.column[name] for name in names or self.column)]
        with open(path, "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in self.head)
            file.writelines("\t".join(fields[i] for i in keep) + "\n" for fields in self.lines)


class Pedigrees(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.vcf = Vcf()
        cls.database = cls.scratch / "people.h5"
        cls.build(cls.database, folder() / "people.vcf")

    @classmethod
    def build(cls, database, vcf):
        cls.run_fastid("db", "build", "-o", database, "--panel", folder() / "panel.tsv", vcf)

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text, encoding="ascii")
        return path

    def sexes_listed(self, sexes):
        made = self.scratch / "multiqc"
        self.run_fastid("pairs", self.database, "--expect", self.write("family.ped", pedigree(sexes)),
                        "--multiqc", made, "-o", self.scratch / "pairs.tsv")
        content = made / "fastid_sexes_mqc.tsv"
        if not content.exists():
            return set()
        with open(content, encoding="ascii") as file:
            return {tuple(line.replace('"', "").split()) for line in file if not line.startswith(("#", "Sample"))}

    def test_sexes_that_contradict_profiles_are_listed(self):
        self.assertEqual(self.sexes_listed(stated()), set())
        wrong = stated() | {"son1": "2", "cousin_f": "1", "uncle_m": "0"}
        self.assertEqual(self.sexes_listed(wrong), {("son1", "female", "male"), ("cousin_f", "male", "female")})

    def test_such_a_cohort_is_not_as_expected(self):
        trio = ["father", "mother", "son1"]
        arguments = ["pairs", self.database, "--within", self.write("trio", "\n".join(trio)), "--fail-if-unexpected",
                     "-o", self.scratch / "pairs.tsv"]
        lines = "F father 0 0 1 0\nF mother 0 0 2 0\nF son1 father mother {} 0\nF daughter1 0 0 1 0\n"
        self.run_fastid(*arguments, "--expect", self.write("right.fam", lines.format(1)))  # daughter1 takes no part
        done = self.run_fastid(*arguments, "--expect", self.write("wrong.fam", lines.format(2)), status=5)
        self.assertIn("1 of 3 profiles is not of the sex that the pedigree states, by X and Y: "
                      "son1 is male (stated female)", done.stderr)

    def lines_of(self, missing, typed, sexes=None):
        """What Y and M say of each candidate, and the messages."""
        queries = self.scratch / "typed.vcf"
        self.vcf.write(queries, typed)
        family = self.write("family.ped", pedigree(sexes or stated()))
        rows = self.scratch / "rows.tsv"
        done = self.run_fastid("kin", queries, self.database, "--family", family, "--missing", missing, "-k", 85,
                               "--min-kinship", -10, "-o", rows)
        with open(rows, encoding="ascii") as file:
            return list(csv.DictReader(file, delimiter="\t")), done.stderr

    def expect_words(self, rows, letter, chrom, relative, women=()):
        self.assertEqual(len(rows), 85)
        for row in rows:
            got = row[letter], row[f"{letter}_mismatches"], row[f"{letter}_compared"], row[f"p_{letter}"]
            if relative is None or row["profile"] in women:
                self.assertEqual(got[0], "NA", row)
                continue
            typed, candidate = (self.vcf.haplotype(name, chrom) for name in (relative, row["profile"]))
            both = [(a, b) for a, b in zip(typed, candidate) if a and b]
            apart = sum(a != b for a, b in both)
            self.assertEqual(got, (word(apart, len(both)), str(apart), str(len(both)), "NA"), row)

    def test_words_are_against_the_nearest_of_the_line(self):
        women = {name for name, sex in stated().items() if sex == "2"}
        rows, said = self.lines_of("son1", ["uncle_p", "uncle_m", "aunt_m", "grandmother_m", "grandmother_p"])
        self.assertEqual({row["query_sex"] for row in rows}, {"male"})
        self.expect_words(rows, "y", "Y", "uncle_p", women)
        self.expect_words(rows, "m", "MT", "grandmother_m")
        self.assertIn("Y is held against that of uncle_p", said)
        self.assertIn("M is held against that of grandmother_m", said)
        agreeing = {row["profile"] for row in rows if row["y"] == "agree"}
        self.assertLessEqual({"son1", "son2", "father", "grandfather_p", "uncle_p", "stranger_y"}, agreeing)
        rows, _ = self.lines_of("daughter1", ["uncle_p", "father"])
        self.expect_words(rows, "y", "Y", None)
        self.expect_words(rows, "m", "MT", None)

    def test_a_typed_member_of_another_sex_is_named(self):
        _, said = self.lines_of("son1", ["uncle_p", "daughter1"], stated() | {"daughter1": "1"})
        self.assertIn("daughter1 is male there, and female by the X and Y of", said)
        _, said = self.lines_of("son1", ["uncle_p", "daughter1"])
        self.assertNotIn("by the X and Y of", said)

    def test_a_son_has_his_fathers_y(self):
        people = Vcf()
        for fields in people.lines[1:]:
            if fields[0] == "Y":
                fields[people.column["son1"]] = fields[people.column["man00"]]
        changed, database, son = self.scratch / "changed.vcf", self.scratch / "changed.h5", self.scratch / "son.vcf"
        people.write(changed)
        people.write(son, ["son1"])
        self.build(database, changed)
        for asked in (["pairs", database], ["kin", son, database]):
            said = self.run_fastid(*asked, "-o", self.scratch / "found.tsv").stderr
            self.assertRegex(said, "1 pair is parent-child by autosomal sites, and two men whose Y differs: "
                                   r"(father and son1|son1 and father) \(\d+ of \d+ sites\)")
        said = self.run_fastid("pairs", self.database, "-o", self.scratch / "found.tsv").stderr
        self.assertNotIn("two men whose Y differs", said)


if __name__ == "__main__":
    program.main(needs_real_data=True)
