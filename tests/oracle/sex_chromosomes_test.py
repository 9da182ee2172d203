"""The statistics of X, Y and M against vectors with known answers, which an independent program made.

The folder is sexchr of FASTID_REAL_DATA. Genotypes are read here from its VCF, so that only the formulas are fastid's.
"""

import csv
import math
import os
import sys
import unittest

import stats_test

FOLDER = os.path.join(os.environ.get("FASTID_REAL_DATA", ""), "sexchr")
SEXES = {"M": 0, "F": 1}
RELATIONS = {"same": 0, "parent-child": 1, "sibling": 2, "half-sibling": 3, "cousin": 4}
WORDS = {"agree": 0, "undecided": 1, "differ": 2, "None": -1}
THETA, ERROR = 0.01, 0.005


def table(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#build")), delimiter="\t"))


def read_people():
    """The panel's sites with their class by letter, and each person's genotypes as texts of 0, 1, 2 and -."""
    sites = table("panel.tsv")
    for site in sites:
        chrom, pos = site["chrom"], int(site["pos"])
        par = chrom.startswith("PAR") or (chrom == "X" and (pos <= 2699520 or pos >= 154931044))
        site["class"] = "A" if par or chrom not in "XYM" else chrom
    rows, names = {}, []
    with open(os.path.join(FOLDER, "people.vcf"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("##"):
                continue
            fields = line.rstrip("\n").split("\t")
            if line.startswith("#"):
                names = fields[9:]
                continue
            alleles = [fields[3], *fields[4].split(",")]
            rows[fields[2]] = [[alleles[int(a)] for a in sample.split(":")[0].replace("|", "/").split("/") if a != "."]
                               for sample in fields[9:]]
    people = {name: "".join(
        str(sum(a == site["minor"] for a in rows[site["id"]][i])) if len(rows[site["id"]][i]) == 2 else "-"
        for site in sites) for i, name in enumerate(names)}
    return sites, people


class Vectors(unittest.TestCase):
    def near(self, got, expected, within=1e-6):
        if math.isinf(expected):
            self.assertEqual(got, expected)
        else:
            self.assertAlmostEqual(got, expected, delta=within)

    def test_ratios_of_one_site_of_x(self):
        lines = table("expected.tsv")
        got = stats_test.answers([
            ["x-site", line["kind"], line["sex1"] + line["sex2"], line["by"], line["seen1"], line["seen2"], line["q"],
             line["theta"], line["w"]] for line in lines])
        self.assertGreater(len(lines), 800)
        for line, (ratio,) in zip(lines, got):
            with self.subTest(id=line["id"]):
                self.near(ratio, float(line["log10_lr_x"]), 2e-9)

    def test_bounds_allowances_and_words(self):
        lines = table("expected_counts.tsv")
        cases = {"upper_bound(x,N)": "bound", "allowance(n,w)": "allowance", "word(k,n),w=.005": "word"}
        asked = [line for line in lines if line["what"] in cases]
        got = stats_test.answers([[cases[line["what"]], line["argument1"], line["argument2"]] +
                                  (["0.005"] if cases[line["what"]] == "word" else []) for line in asked])
        self.assertGreater(len(asked), 50)
        for line, (value,) in zip(asked, got):
            with self.subTest(**line):
                self.near(value, WORDS[line["value"]] if line["value"] in WORDS else float(line["value"]), 1e-8)

    def test_sexes(self):
        sites, people = read_people()
        freq = ",".join(site["pop"] for site in sites)
        classes = "".join(site["class"] for site in sites)
        lines = table("expected_sex.tsv")
        got = stats_test.answers([["sex", freq, "-1", str(THETA), str(ERROR), classes, people[line["id"]]]
                                  for line in lines])
        for line, found in zip(lines, got):
            with self.subTest(id=line["id"]):
                self.assertEqual(found[0], SEXES[line["sex"]])
                self.assertEqual(found[1], float(line["x_copies"].replace("NA", "0")))
                self.near(found[2], float(line["log10_woman_v_man_by_x"]))
                self.near(found[3], float(line["log10_man_v_woman_by_y"]))
                self.assertEqual(found[4:], [float(line[of]) for of in ("x_called", "x_het", "y_called")])

    def pairs(self, asked):
        """Of (first, second, relations), for each relation: sites compared, the ratio, those of its kinds."""
        sites, people = read_people()
        freq = ",".join(site["pop"] for site in sites)
        classes = "".join(site["class"] for site in sites)
        places = ",".join(site["pos"] for site in sites)
        copies = {person["#IID"]: "1" if person["SEX"] in ("1", "M") else "2" for person in table("people.psam")}
        return stats_test.answers([
            ["x-pair", freq, "-1", str(THETA), str(ERROR), classes, places, str(RELATIONS[relation]),
             copies[first], copies[second], people[first], people[second]]
            for first, second, relations in asked for relation in relations])

    def test_ratios_of_relations_along_x(self):
        lines = table("expected_pairs.tsv")
        got = iter(self.pairs([(line["id1"], line["id2"], RELATIONS) for line in lines]))
        for line in lines:
            for relation in RELATIONS:
                compared, ratio = next(got)[:2]
                with self.subTest(id1=line["id1"], id2=line["id2"], relation=relation):
                    self.assertEqual(compared, float(line["x_compared"]))
                    expected = line["log10_lr_x_" + relation.replace("-", "_")]
                    if expected == "NA":
                        self.assertTrue(math.isnan(ratio))
                    else:
                        self.near(ratio, float(expected))

    def test_ratios_of_each_kind_along_x(self):
        expected = {}
        for line in table("expected_x_kinds.tsv"):
            expected.setdefault((line["id1"], line["id2"], line["relation"]), []).append(float(line["log10_lr_x"]))
        found = self.pairs([(*ids, [relation]) for *ids, relation in expected])
        for (first, second, relation), got in zip(expected, found):
            with self.subTest(id1=first, id2=second, relation=relation):
                ratios = expected[first, second, relation]
                self.assertEqual(len(got) - 2, len(ratios))
                for one, ratio in zip(sorted(got[2:]), sorted(ratios)):
                    self.near(one, ratio)


if __name__ == "__main__":
    if not os.path.isdir(FOLDER):
        print("skipped: FASTID_REAL_DATA names no folder with sexchr")
        sys.exit(77)
    unittest.main()
