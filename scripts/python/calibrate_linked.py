"""Relatives along the genetic map: what is said of pairs whose relation is known, and of strangers."""

import csv
import gzip
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from calibrate_tools import planted_pairs, table

KITS = {"force": "FORCE", "kintelligence": "Kintelligence"}
SEEDS = (101,)  # of the people who are held back
PAIRS = 30  # of each relation
ERROR_RATE, NO_CALL_RATE = .002, .02
PAIRS_TOGETHER, STRANGERS_TOGETHER = 6, 30  # pairs, of which the first ones are held against all second ones
MARGIN = 1  # log10, as by default
ALL = -300  # log10 ratio: everybody is listed
BOUNDS = (1, 10, 100, 1000)
FALSE = 1e-4
DEGREES = {"0": ["same"], "1": ["parent_child"], "1 (siblings)": ["sibling"], "1.5": ["three_quarter_sibling"],
           "2": ["half_sibling", "grandparent", "avuncular", "double_first_cousin"],
           "3": ["first_cousin", "great_grandparent", "half_avuncular", "grand_avuncular"],
           "4": ["first_cousin_once_removed", "half_first_cousin", "great_great_grandparent", "great_grand_avuncular"],
           "5": ["second_cousin", "half_first_cousin_once_removed", "great_great_grand_avuncular"]}
RELATIONS = [relation for relations in DEGREES.values() for relation in relations]
UNRELATED = "unrelated"
NAMES = {"duplicate": "same", "full-siblings": "sibling", "half-siblings": "half-sibling", "first-cousins": "first-cousin"}  # db simulate's


@dataclass
class People:
    name: str
    database: object
    pairs: list  # of two ids and a relation
    truth: dict = field(default_factory=dict)  # pair of ids -> its stretches, and its name, where they are known


def degree_of(relation):
    return next((degree for degree, relations in DEGREES.items() if relation.replace("-", "_") in relations), UNRELATED)


# People -------------------------------------------------------------------------------------------------------------

def tsv(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="ascii") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def stored(fastid, data, kit, work):
    """The set whose stretches are known."""
    database = work / f"{kit}.h5"
    fastid.run("db", "build", "-o", database, "--panel", data / f"{kit}.panel.tsv", data / f"{kit}.vcf.gz")
    lines = tsv(data / f"{kit}.truth.tsv")
    stretches = defaultdict(list)
    for line in tsv(data / f"{kit}.segments.tsv.gz"):
        stretches[line["pair"]].append((line["chrom"], float(line["start_cM"]), float(line["end_cM"]), int(line["ibd"])))
    return People(f"{KITS[kit]}, given", database, [(line["id1"], line["id2"], line["relation"]) for line in lines],
                  {line["id1"]: stretches[line["pair"]] for line in lines})


def held_back(fastid, data, kit, seed, work):
    database = work / f"{kit}-{seed}.h5"
    relations = len(RELATIONS)
    fastid.run("db", "simulate", "-o", database, "--panel", data / f"{kit}.panel.tsv", "--profiles", 2 * relations * PAIRS, "--seed", seed,
               "--error-rate", ERROR_RATE, "--no-call-rate", NO_CALL_RATE, "--duplicate-error-rate", 0, "--relatives", f"all={PAIRS}")
    pairs = [(profile, relative, NAMES.get(relation, relation)) for profile, (relative, relation) in planted_pairs(database).items()]
    return People(f"{KITS[kit]}, seed {seed}", database, pairs)


def asked(fastid, people, together, work, *options):
    """Pairs of this number at a time, relations mixed: rows of all first with all second ones; after each, who they are."""
    number = -(-len(people.pairs) // together)
    for group in (people.pairs[first::number] for first in range(number)):
        for name, column in (("first", 0), ("second", 1)):
            (work / f"{name}.txt").write_text("".join(pair[column] + "\n" for pair in group), encoding="ascii")
        fastid.run("db", "export", people.database, "-o", work / "first.vcf", "--ids", work / "first.txt")
        yield group, fastid.rows("kin", "-k", len(group), "--ids", work / "second.txt", *options, work / "first.vcf", people.database)


# What is said of a pair ---------------------------------------------------------------------------------------------

def log10_mean(values):
    top = max(values)
    return top if top == -np.inf else top + np.log10(np.mean(10. ** (np.array(values) - top)))


class Said:
    """Of one pair: log10 likelihoods of degrees, the likeliest one, its margin, those within the margin, and the relation."""

    def __init__(self, row):
        of = {relation: float(row[f"log10_lr_{relation}"]) for relation in RELATIONS}
        self.degrees = {degree: log10_mean([of[relation] for relation in relations]) for degree, relations in DEGREES.items()}
        self.degrees[UNRELATED] = 0
        order = sorted(self.degrees, key=self.degrees.get, reverse=True)
        self.best, self.margin = order[0], self.degrees[order[0]] - self.degrees[order[1]]
        names = list(self.degrees)
        within = [place for place, name in enumerate(names) if self.degrees[self.best] - self.degrees[name] < MARGIN]
        self.range = names[min(within):max(within) + 1]
        self.any, self.farthest = float(row["log10_lr"]), of["second_cousin"]
        self.kinship, self.shared = float(row["kinship"]), float(row["shared_cm"])
        best, *others = sorted(of, key=of.get, reverse=True)
        self.relation = best if self.decided and of[best] - max(0, of[others[0]]) >= MARGIN else None

    @property
    def decided(self):
        return self.margin >= MARGIN

    def beyond(self, truth):
        """log10, of the likeliest other degree against the true one."""
        return max(value for degree, value in self.degrees.items() if degree != truth) - self.degrees[truth]


@dataclass
class Judged:
    related: dict = field(default_factory=lambda: defaultdict(list))  # degree -> [(relation, Said)]
    shared: dict = field(default_factory=dict)  # pair -> cM
    called: dict = field(default_factory=lambda: defaultdict(list))  # pair -> its stretches
    strangers: list = field(default_factory=list)  # whose ratio is 1 or more
    n_strangers: int = 0


def judged(fastid, people, work):
    relation_of = {(first, second): relation for first, second, relation in people.pairs}
    found, path = Judged(), work / "segments.tsv"
    painted = ("--segments", path) if people.truth else ()
    for _, rows in asked(fastid, people, PAIRS_TOGETHER, work, "--min-lr", ALL, *painted):
        for row in rows:
            pair = row["query"], row["profile"]
            if pair in relation_of:
                said = Said(row)
                found.related[degree_of(relation_of[pair])].append((relation_of[pair].replace("-", "_"), said))
                found.shared[pair] = said.shared
        for line in tsv(path) if painted else ():
            found.called[line["id1"], line["id2"]].append((line["chrom"], float(line["start_cM"]), float(line["end_cM"]), int(line["state"])))
    for group, rows in asked(fastid, people, STRANGERS_TOGETHER, work, "--min-lr", 0):
        found.n_strangers += len(group) * (len(group) - 1)
        found.strangers += [Said(row) for row in rows if (row["query"], row["profile"]) not in relation_of]
    return found


# Tables -------------------------------------------------------------------------------------------------------------

def confusion(name, found):
    lines = []
    for degree in (*DEGREES, UNRELATED):
        of = found.related[degree]
        if not of:
            continue
        wrong = [said for _, said in of if said.decided and said.best != degree]
        lines.append([name, degree, len(of), sum(said.decided and said.best == degree for _, said in of),
                      sum(not said.decided for _, said in of), len(wrong), f"{max(said.margin for said in wrong):.1f}" if wrong else "",
                      f"{np.mean([degree in said.range for _, said in of]):.1%}",
                      sum(said.relation == relation for relation, said in of), sum(said.relation not in (None, relation) for relation, said in of)])
    return lines


def misled(name, found):
    lines = []
    for degree in DEGREES:
        beyond = np.array([said.beyond(degree) for of in found for _, said in of.related[degree]])
        lines.append([name, degree, len(beyond), *(f"{np.mean(beyond >= np.log10(bound)):.1%}" for bound in BOUNDS), f"{beyond.max():.1f}"])
    return lines


def of_strangers(name, found):
    lines, n = [], sum(of.n_strangers for of in found)
    strangers = [said for of in found for said in of.strangers]
    for what, values in (("any relation", [said.any for said in strangers]), ("second cousin", [said.farthest for said in strangers])):
        values = np.array(values)
        lines.append([name, what, f"{n:,}", *(f"{np.sum(values >= np.log10(bound)) / n:.3%}" for bound in BOUNDS), f"{values.max():.1f}",
                      sum(said.decided for said in strangers)])
    return lines


def sensitivity(kit, found):
    """Shares of relatives above what one stranger in 1 / FALSE reaches."""
    n = round(FALSE * sum(of.n_strangers for of in found))
    reached = sorted((said.any for of in found for said in of.strangers), reverse=True)
    least = reached[n] if n < len(reached) else 0  # strangers with a ratio below 1 are not listed
    return [kit, f"{least:.2f}", *(f"{np.mean([said.any > least for of in found for _, said in of.related[degree]]):.1%}" for degree in ("3", "4", "5"))]


# Stretches ----------------------------------------------------------------------------------------------------------

def state_lengths(known, called):
    """[known][called]: cM in each state; of stretches of state 2 over those of state 1."""
    lengths = np.zeros((3, 3))
    ends = defaultdict(set)
    for chrom, start, end, _ in (*known, *called):
        ends[chrom] |= {start, end}
    for chrom, places in ends.items():
        places = sorted(places)
        for start, end in zip(places, places[1:]):
            middle = (start + end) / 2
            states = [max((state for at, first, last, state in of if at == chrom and first <= middle < last), default=0) for of in (known, called)]
            lengths[states[0], states[1]] += end - start
    return lengths


def stretches(people, called, shared, map_cm):
    """By degree of the pairs: share of the map's cM in the right state, and the error of the cM that are shared."""
    right, errors = defaultdict(list), defaultdict(list)
    for first, second, relation in people.pairs:
        lengths = state_lengths(people.truth[first], called[first, second])
        right[degree_of(relation)].append(1 - (lengths.sum() - np.trace(lengths)) / map_cm)
        errors[degree_of(relation)].append(shared[first, second] - lengths[1:].sum())
    return right, errors


def stretch_lines(name, right, errors):
    return [[name, degree, len(right[degree]), f"{np.mean(right[degree]):.1%}", f"{min(right[degree]):.1%}",
             f"{np.mean(errors[degree]):+.0f}", f"{np.sqrt(np.mean(np.square(errors[degree]))):.0f}"]
            for degree in (*DEGREES, UNRELATED) if right[degree]]


# A dense set --------------------------------------------------------------------------------------------------------

BLOCKS_R2, BLOCKS_WINDOW = .5, 200_000


def dense(fastid, data, work):
    """Founders with linkage disequilibrium: what strangers reach, and stretches in the right state, by how sites are weighed."""
    database, blocks, path = work / "ld.h5", work / "blocks.tsv", work / "segments.tsv"
    fastid.run("db", "build", "-o", database, "--panel", data / "ld.panel.tsv", data / "ld.vcf.gz")
    fastid.run("ld", "--blocks", BLOCKS_R2, "--window-bp", BLOCKS_WINDOW, "-o", blocks, "--force", database)
    known = defaultdict(list)
    for line in tsv(data / "ld.segments.tsv.gz"):
        known[frozenset(line["pair"].split("-"))].append((line["chrom"], float(line["start_cM"]), float(line["end_cM"]), int(line["ibd"])))
    lines = []
    for name, options in (("one site of each 0.1 cM", ()), ("blocks", ("--blocks", blocks)), ("every site", ("--thin", 0))):
        rows = [row for row in fastid.rows("kin", "-k", "all", "--min-lr", 0, "--segments", path, *options, data / "ld.vcf.gz", database)
                if row["query"] < row["profile"]]
        called = defaultdict(list)
        for line in tsv(path):
            called[frozenset((line["id1"], line["id2"])), line["id1"]].append(
                (line["chrom"], float(line["start_cM"]), float(line["end_cM"]), int(line["state"])))
        people = len({row["id"] for row in tsv(data / "ld.pedigree.tsv") if row["typed"] == "1"})
        strangers = [float(row["log10_lr"]) for row in rows if frozenset((row["query"], row["profile"])) not in known]
        whole = sum(end - start for _, start, end, _ in next(iter(known.values())))
        right = [1 - (lengths.sum() - np.trace(lengths)) / whole for lengths in
                 (state_lengths(known[pair], called[pair, min(pair)]) for pair in known)]
        n = people * (people - 1) // 2 - len(known)
        lines.append([name, n, *(f"{np.sum(np.array(strangers) >= np.log10(bound)) / n:.1%}" for bound in BOUNDS),
                      f"{max(strangers, default=0):.1f}", len(right), f"{np.mean(right):.1%}", f"{min(right):.1%}"])
    return lines


def calibrate_linked(fastid, data, work):
    data = data / "relatives"
    degrees, margins, chance, sharp, where = [], [], [], [], []
    for kit, name in KITS.items():
        given = stored(fastid, data, kit, work)
        found = []
        for people in (given, *(held_back(fastid, data, kit, seed, work) for seed in SEEDS)):
            found.append(judged(fastid, people, work))
            degrees += confusion(people.name, found[-1])
        margins += misled(name, found)
        chance += of_strangers(name, found)
        sharp.append(sensitivity(name, found))
        whole = sum(end - start for _, start, end, _ in next(given.truth[first] for first, _, relation in given.pairs if relation == "same"))
        where += stretch_lines(name, *stretches(given, found[0].called, found[0].shared, whole))
    print(f"{PAIRS} pairs of each of 19 relations, and strangers. Degrees by a margin of ten.\n")
    table(["people", "true degree", "pairs", "right", "undecided", "wrong", "largest wrong margin, log10", "true degree in the range",
           "relation right", "another relation named"], degrees)
    print("How much more probable another degree is than the true one: share of pairs at x times or more.\n")
    table(["sites", "true degree", "pairs", *(f"{bound:,}" for bound in BOUNDS), "largest, log10"], margins)
    print("Strangers, all of them: share with a ratio of x or more; theory has at most 1 in x.\n")
    table(["sites", "as", "pairs", *(f"{bound:,}" for bound in BOUNDS), "largest, log10", "a degree named"], chance)
    print(f"Relatives above what one stranger in {1 / FALSE:,.0f} reaches, by the ratio of any relation.\n")
    table(["sites", "bound, log10", "third degree", "fourth", "fifth"], sharp)
    print("Stretches: share of the map's cM in the right state (no, one or both alleles shared), and error of the cM that are shared.\n")
    table(["sites", "true degree", "pairs", "right state, mean", "least", "shared cM, mean error", "root mean square"], where)
    print(f"A dense set of 52,247 sites on 353 cM, whose founders have linkage disequilibrium. Blocks: r2 of {BLOCKS_R2}.\n")
    table(["weighed", "strangers", *(f"ratio of {bound:,}" for bound in BOUNDS), "largest, log10", "relatives", "right state, mean", "least"],
          dense(fastid, data, work))
