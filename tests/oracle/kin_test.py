"""fastid kin, recomputed with numpy from what bcftools reads: every column of every row, and the missing members of a
family by enumeration of all ways of inheritance. Families are made up, with calls missing and alleles misread."""

import itertools
import json
import unittest

import evidence
import formulas as fm
import genotypes as gt
import made_up
import numpy as np
import program

SEED = 20261124
SITES, STRANGERS = 700, 60
RELATIONS = (fm.SAME, fm.PARENT_CHILD, fm.SIBLING, fm.HALF_SIBLING, fm.COUSIN, fm.UNRELATED)
COLUMNS = {fm.PARENT_CHILD: "log10_lr_parent_child", fm.SIBLING: "log10_lr_sibling",
           fm.HALF_SIBLING: "log10_lr_half_sibling", fm.COUSIN: "log10_lr_cousin"}
BOUND, MILLION = 0.0221, 1_000_000

# Who is whose child; the grandparents have two children, the uncle and the father, who has children by two mothers.
FAMILY = {"grandfather": None, "grandmother": None, "mother": None, "second": None,
          "uncle": ("grandfather", "grandmother"), "father": ("grandfather", "grandmother"),
          "son": ("father", "mother"), "daughter": ("father", "mother"), "half": ("father", "second")}


def drawn_family(rng, q):
    """{name: copies [sites]}."""
    alleles = {}
    for name, parents in FAMILY.items():
        if parents is None:
            alleles[name] = rng.random((2, len(q))) < q
        else:
            alleles[name] = np.stack([np.where(rng.random(len(q)) < 0.5, *alleles[parent]) for parent in parents])
    return {name: pair.sum(axis=0) for name, pair in alleles.items()}


def seen(planes, i):
    """What is seen of a person: 0, 1, 2 minor copies; -1 where not called."""
    copies = np.where(planes.bits[i], np.where(planes.major[i], 1, 2), 0)
    return np.where(planes.called[i], copies, -1)


def readings(w):
    """[g, x]: P(x is seen of a person with g minor copies)."""
    table = np.zeros((3, 3))
    for pair, wrong in itertools.product(fm.GENOTYPES, itertools.product((0, 1), repeat=2)):
        chance = np.prod([w if one else 1 - w for one in wrong])
        table[sum(pair), sum(a ^ b for a, b in zip(pair, wrong))] += chance / (2 if sum(pair) == 1 else 1)
    return table


class Pair:
    """The counts of two people, by what is seen of them."""

    def __init__(self, one, other):
        self.both = (one >= 0) & (other >= 0)
        one, other = one[self.both], other[self.both]
        self.ibs0 = int((abs(one - other) == 2).sum())
        self.hethet = int(((one == 1) & (other == 1)).sum())
        self.compared = len(one)
        self.count = int(((one - other) ** 2).sum())
        self.fewer = int(min((one == 1).sum(), (other == 1).sum()))
        self.kinship = 0.5 - self.count / (4 * self.fewer) if self.fewer else None

    def weight(self, bound):
        return (MILLION // 2 - round(MILLION * bound)) * max(1, self.fewer) - MILLION // 4 * self.count


class Population:
    def __init__(self, q, theta=evidence.THETA, w=evidence.ERROR_RATE):
        self.q, self.theta, self.read = fm.reckoned(q), theta, readings(w)
        joint = [np.einsum("ghs,gx,hy->xys", fm.joint_genotypes(self.q, theta, fm.DESCENT[relation]), self.read, self.read)
                 for relation in RELATIONS]
        self.ratios = fm.log10(np.array(joint)) - fm.log10(joint[fm.UNRELATED])

    def of(self, one, other, both):
        """log10 of each relation against unrelated people."""
        sites = np.flatnonzero(both)
        return self.ratios[:, one[sites], other[sites], sites].sum(axis=1)

    def missing(self, people, typed, missing):
        """[3, sites]: log10 LR that a profile which shows 0, 1, 2 minor copies is the missing member's. \
people: {name: parents or None}; typed: {name: seen}"""
        founders = [name for name, parents in people.items() if parents is None]
        children = [name for name, parents in people.items() if parents is not None]
        urn = fm.Alleles(self.q, self.theta, 2 * len(founders) + 3)
        shown = {name: np.where(x < 0, 1, self.read[:, np.maximum(x, 0)]) for name, x in typed.items()}
        member, stranger = np.zeros((2, 3, len(self.q)))
        for drawn in itertools.product(fm.GENOTYPES, repeat=len(founders)):
            alleles, minor = dict(zip(founders, drawn)), sum(map(sum, drawn))
            of_missing = np.zeros((3, len(self.q)))
            for ways in itertools.product(fm.GENOTYPES, repeat=len(children)):
                for child, way in zip(children, ways):
                    alleles[child] = tuple(alleles[parent][one] for parent, one in zip(people[child], way))
                chance = np.full(len(self.q), 0.25 ** len(children))
                for name, by_copies in shown.items():
                    chance = chance * by_copies[sum(alleles[name])]
                of_missing[sum(alleles[missing])] += chance
            major = 2 * len(founders) - minor
            member += urn.probability(minor, major) * of_missing
            for g in range(3):
                stranger[g] += (1, 2, 1)[g] * urn.probability(minor + g, major + 2 - g) * of_missing.sum(axis=0)
        return fm.log10(self.read.T @ member) - fm.log10(self.read.T @ stranger)


class Kin(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rng = np.random.default_rng(SEED)
        panel = made_up.make_panel(rng, SITES, "GRCh37")
        panel.freq["other"] = [round(float(np.clip(q + rng.normal(0, 0.04), 0.02, 0.6)), 6) for q in panel.freq["cohort"]]
        gt.write_panel(panel, cls.scratch / "panel.tsv")
        gt.write_panel(gt.Panel(panel.id, panel.chrom, panel.pos, panel.major, panel.minor, {}, panel.build),
                       cls.scratch / "bare.tsv")
        cls.freq = {name: np.array(q) for name, q in panel.freq.items()}
        families = [drawn_family(rng, cls.freq["cohort"]) for _ in range(3)]
        strangers = made_up.make_truth(rng, panel, STRANGERS)
        people = {f"{name}{f}": copies for f, family in enumerate(families) for name, copies in family.items()}
        people |= {f"S{i:02}": copies for i, copies in enumerate(strangers)}
        asked = ["mother0", "son0", "daughter1", "uncle1", "half2", "S07", "grandfather2"]
        stored = [name for name in people if name not in ("mother0", "uncle1")]
        few = rng.random(SITES) < 0.05  # a profile of another kit
        cls.planes = {}
        for name, names in (("people", stored), ("queries", asked)):
            truth = made_up.with_errors(rng, np.array([people[one] for one in names]), 0.004)
            path = cls.scratch / f"{name}.vcf"
            made_up.write_vcf(rng, path, panel, names, truth)
            cls.planes[name] = gt.planes_of(gt.from_vcf(path), panel, by_position=True)
        kit = cls.scratch / "kit.snp"
        program.write_snp(kit, "kit", panel, [text if few[s] else "" for s, text in
                                              enumerate(made_up.person_text(rng, panel, people["son1"]))], "37")
        kit_planes = gt.planes_of_texts(["kit"], [[line_of(kit, panel, s) for s in range(SITES)]], panel)
        cls.stored = [*stored, "kit"]
        cls.people = [seen(cls.planes["people"], i) for i in range(len(stored))] + [seen(kit_planes, 0)]
        cls.asked = {name: seen(cls.planes["queries"], i) for i, name in enumerate(asked)}
        for name in ("panel", "bare"):
            cls.run_fastid("db", "build", "-q", "-o", cls.scratch / f"{name}.h5", "--encoding", "alleles", "--panel",
                           cls.scratch / f"{name}.tsv", cls.scratch / "people.vcf", kit)
        cls.populations = [Population(q) for q in cls.freq.values()]

    def rows_of(self, *arguments, database="panel"):
        text = self.run_fastid("kin", "-q", "--unlinked", "--device", "cpu", "--format", "tsv", *arguments,
                               self.scratch / f"{database}.h5").stdout
        header, *lines = (line.split("\t") for line in text.splitlines())
        return [dict(zip(header, line)) for line in lines]

    def candidates(self, query, bound=BOUND, least=1):
        """(row, Pair) of each profile above the bound, the weightiest first."""
        pairs = [(row, Pair(query, stored)) for row, stored in enumerate(self.people)]
        pairs = [(row, pair) for row, pair in pairs
                 if pair.fewer and pair.weight(bound) >= 0 and pair.compared >= least]
        return sorted(pairs, key=lambda at: (-at[1].weight(bound), -at[1].fewer, -at[1].compared, at[0]))

    def expected(self, query, populations, margin=1, **rule):
        """A dictionary for each row that is listed, best first."""
        rows = []
        for row, pair in self.candidates(query, **rule):
            rows.append({"row": row, "pair": pair} | self.weighed(query, row, pair, populations, margin))
        return sorted(rows, key=lambda row: -round(row["best"], 4))

    def weighed(self, query, row, pair, populations, margin=1):
        """What the ratios of two people say."""
        ratios = np.array([population.of(query, self.people[row], pair.both) for population in populations])
        worst = ratios[ratios[:, :fm.UNRELATED].max(axis=1).argmin()]
        best = worst[:fm.UNRELATED].max()
        first, second = np.sort(worst)[::-1][:2]
        return {"best": best, "margin": first - second, "relation": self.named(worst, best, first - second >= margin),
                "chance": self.chance(best - np.log10(5)), "ratios": ratios.min(axis=0)}

    def chance(self, ratio):
        return np.log10(len(self.people)) - max(0, ratio)

    def named(self, ratios, best, far_enough):
        name = fm.RELATIONS[ratios.argmax()]
        explained = name != "unrelated" and self.chance(best - np.log10(5)) >= np.log10(fm.EXPLAINED_BY_CHANCE)
        return name if far_enough and not explained else "undecided"

    def expect_counts(self, row, pair):
        self.assertEqual([row[name] for name in ("kinship", "ibs0", "hethet", "compared")],
                         [f"{pair.kinship:.6f}", str(pair.ibs0), str(pair.hethet), str(pair.compared)])

    def expect_figure(self, name, text, expected):
        self.assertIsNone(evidence.problem_with(name, text, expected), name)

    def expect_rows(self, found, expected):
        self.assertEqual([int(row["row"]) for row in found], [row["row"] for row in expected])
        for rank, (row, right) in enumerate(zip(found, expected), 1):
            self.assertEqual((row["rank"], row["profile"]), (str(rank), self.stored[right["row"]]))
            self.expect_counts(row, right["pair"])
            self.assertEqual(row["relation"], right["relation"])
            for relation, name in COLUMNS.items():
                self.expect_figure(name, row[name], right["ratios"][relation])
            self.expect_figure("chance_matches", row["chance_matches"], right["chance"])

    def test_every_column_in_two_populations(self):
        found = self.rows_of("--top", "all", self.scratch / "queries.vcf")
        for name, query in self.asked.items():
            rows = [row for row in found if row["query"] == name]
            self.expect_rows(rows, self.expected(query, self.populations))
        named = {(row["query"], row["profile"]): row["relation"] for row in found if row["query"] != "S07"}
        self.assertEqual(named["mother0", "son0"], "parent-child")
        self.assertEqual(named["son0", "daughter0"], "sibling")
        self.assertEqual(named["son0", "son0"], "same")
        self.assertEqual(named["daughter1", "half1"], "half-sibling")
        self.assertEqual(named["son0", "kit"], "undecided")
        self.assertFalse({"S07"} & {name for pair in named for name in pair})

    def test_every_engine_and_thread_count(self):
        say = lambda *options: self.run_fastid("kin", "-q", "--unlinked", "--format", "json", self.scratch / "queries.vcf",
                                               self.scratch / "panel.h5", *options).stdout
        first = say("--device", "reference")
        for options in (("--device", "cpu"), ("--device", "cpu", "--threads", 1, "--tile-blocks", 1)):
            self.expect_same_text(say(*options), first, str(options))

    def test_options(self):
        one = Population(self.freq["other"], theta=0.03, w=0.02)
        found = self.rows_of("-k", 5, "--population", "other", "--theta", "0.03", "--error-rate", "0.02", "--margin", "3",
                             "--min-kinship", "0.1", "--min-compared", 300, self.scratch / "queries.vcf")
        for name, query in self.asked.items():
            self.expect_rows([row for row in found if row["query"] == name],
                             self.expected(query, [one], margin=3, bound=0.1, least=300)[:5])

    def test_by_kinship_and_without_frequencies(self):
        by_kinship = lambda query: sorted(self.candidates(query), key=lambda at: -at[1].kinship)
        for database, sort in (("panel", ["--sort", "kinship"]), ("bare", [])):
            found = self.rows_of("-k", "all", *sort, self.scratch / "queries.vcf", database=database)
            for name, query in self.asked.items():
                rows = [row for row in found if row["query"] == name]
                self.assertEqual([int(row["row"]) for row in rows], [row for row, _ in by_kinship(query)])
                for row, (_, pair) in zip(rows, by_kinship(query)):
                    self.expect_counts(row, pair)
                    self.assertEqual(row["log10_lr_cousin"] == "NA", database == "bare")

    def write_family(self, number, ped=False):
        path = self.scratch / f"family{number}.{'ped' if ped else 'txt'}"
        lines = ["# a family"] + ["\t".join(([f"F{number}"] if ped else [])
                                            + [one + str(number) for one in (name,)]
                                            + [one + str(number) for one in parents or ()] + ["0", "0"] * (not parents)
                                            + (["0", "-9"] if ped else [])) for name, parents in FAMILY.items()]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return path

    def query_files(self, names):
        path = self.scratch / f"{'-'.join(names)}.vcf"
        gt.run_tool("bcftools", "view", "-s", ",".join(names), "-o", str(path), str(self.scratch / "queries.vcf"))
        return path

    def expect_missing(self, number, typed, missing, ped=False):
        """Gives back the rows. Only the branch that matters is enumerated, so that it stays feasible."""
        tag = lambda name: name + str(number)
        needed = set()
        ahead = [missing, *typed]
        while ahead:  # they and their ancestors; others, not typed, change nothing
            name = ahead.pop()
            needed.add(name)
            ahead += FAMILY[name] or ()
        people = {tag(name): parents and tuple(map(tag, parents)) for name, parents in FAMILY.items() if name in needed}
        queries = {tag(name): self.asked[tag(name)] for name in typed}
        file = self.write_family(number, ped)
        found = self.rows_of("-k", "all", "--family", file, "--missing", tag(missing), self.query_files(list(queries)))
        ratios = [population.missing(people, queries, tag(missing)) for population in self.populations]
        rows = []
        for row in {row for query in queries.values() for row, _ in self.candidates(query)}:
            x = self.people[row]
            sites = np.flatnonzero(x >= 0)
            lowest = min(by_copies[x[sites], sites].sum() for by_copies in ratios)
            nearest = max(((Pair(query, x), name) for name, query in queries.items()),
                          key=lambda at: -9 if at[0].kinship is None else at[0].kinship)
            rows.append((-round(lowest, 4), -nearest[0].kinship, row, lowest, nearest))
        # A profile of a typed member, who is not the one looked for, stands after the others and names them.
        members = {row: name for _, _, row, _, (pair, name) in rows
                   if self.weighed(queries[name], row, pair, self.populations)["relation"] == "same"}
        rows.sort(key=lambda at: (at[2] in members, at))
        self.assertEqual([int(row["row"]) for row in found], [row[2] for row in rows])
        for row, (_, _, place, ratio, (pair, name)) in zip(found, rows):
            self.assertEqual((row["missing"], row["relative"], row["member"]),
                             (tag(missing), name, members.get(place, "NA")))
            self.expect_counts(row, pair)
            self.expect_figure("log10_lr", row["log10_lr"], ratio)
            self.expect_figure("chance_matches", row["chance_matches"], self.chance(ratio))
        return [row["profile"] for row in found]

    def test_missing_members(self):
        self.assertEqual(self.expect_missing(0, ["mother", "son"], "father")[0], "father0")
        self.assertEqual(self.expect_missing(0, ["mother", "son"], "daughter", ped=True)[0], "daughter0")
        self.assertEqual(self.expect_missing(1, ["daughter", "uncle"], "father")[0], "father1")
        self.assertEqual(self.expect_missing(2, ["half", "grandfather"], "father", ped=True)[0], "father2")

    def test_json_holds_what_tsv_does(self):
        arguments = ("kin", "-q", "--unlinked", "--device", "cpu", "-k", 3, self.query_files(["mother0", "son0"]), self.scratch / "panel.h5")
        for extra in ((), ("--family", self.write_family(0), "--missing", "father0")):
            document = json.loads(self.run_fastid(*arguments, *extra, "--format", "json").stdout)
            header, *lines = (line.split("\t") for line in self.run_fastid(*arguments, *extra).stdout.splitlines())
            rows = [row for query in document["queries"] for row in query["matches"] + query.get("typed_members", [])]
            self.assertEqual(len(rows), len(lines))
            for row, line in zip(rows, lines):
                for name, text in zip(header, line):
                    if isinstance(row[name], float):
                        self.assertAlmostEqual(row[name], float(text), delta=1e-4 * max(1, abs(row[name])))
                    else:
                        self.assertEqual("NA" if row[name] is None else str(row[name]), text)


def line_of(path, panel, s):
    """The letters of a site in a .snp, "" where the file leaves it out."""
    for line in path.read_text().splitlines():
        if line.startswith(panel.id[s] + "\t"):
            return line.split("\t")[3]
    return ""


if __name__ == "__main__":
    unittest.TestCase.maxDiff = 2000
    program.main()
