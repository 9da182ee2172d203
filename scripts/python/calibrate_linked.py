"""Relatives along the genetic map: what is said of pairs whose relation is known, and of strangers."""

import csv
import gzip
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from calibrate_tools import planted_pairs, table

KITS = {"force": "FORCE", "kintelligence": "Kintelligence"}
SEEDS = (101, 102)  # of the people who are held back
PAIRS = 30  # of each relation
ERROR_RATE, NO_CALL_RATE = .002, .02
GROUP = 20  # pairs, of which the first ones are held against all second ones
MARGIN = 1  # log10, as by default
LEAST = -300  # log10 ratio: everybody is listed
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


def groups(pairs, size):
    """Of this size at most, relations mixed."""
    number = -(-len(pairs) // size)
    return [pairs[first::number] for first in range(number)]


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
    strangers: list = field(default_factory=list)
    shared: dict = field(default_factory=dict)  # pair -> cM
    called: dict = field(default_factory=lambda: defaultdict(list))  # pair -> its stretches


def judged(fastid, people, work, *options):
    relation_of = {(first, second): relation for first, second, relation in people.pairs}
    found, path = Judged(), work / "segments.tsv"
    if people.truth:
        options = *options, "--segments", path
    for group in groups(people.pairs, GROUP):
        for name, column in (("first", 0), ("second", 1)):
            (work / f"{name}.txt").write_text("".join(pair[column] + "\n" for pair in group), encoding="ascii")
        fastid.run("db", "export", people.database, "-o", work / "first.vcf", "--ids", work / "first.txt")
        for row in fastid.rows("kin", "-k", len(group), "--min-lr", LEAST, "--ids", work / "second.txt", *options, work / "first.vcf", people.database):
            pair, said = (row["query"], row["profile"]), Said(row)
            relation = relation_of.get(pair, UNRELATED)
            if relation == UNRELATED:
                found.strangers.append(said)
            else:
                found.related[degree_of(relation)].append((relation.replace("-", "_"), said))
            if pair in relation_of:
                found.shared[pair] = said.shared
        for line in tsv(path) if people.truth else ():
            if (line["id1"], line["id2"]) in relation_of:
                found.called[line["id1"], line["id2"]].append((line["chrom"], float(line["start_cM"]), float(line["end_cM"]), int(line["state"])))
    return found


# Tables -------------------------------------------------------------------------------------------------------------

def confusion(name, found):
    lines = []
    for degree in (*DEGREES, UNRELATED):
        of = found.related[degree] if degree != UNRELATED else [(None, said) for said in found.strangers]
        wrong = [said for _, said in of if said.decided and said.best != degree]
        lines.append([name, degree, f"{len(of):,}", f"{sum(said.decided and said.best == degree for _, said in of):,}",
                      f"{sum(not said.decided for _, said in of):,}", len(wrong),
                      f"{max(said.margin for said in wrong):.1f}" if wrong else "",
                      f"{np.mean([degree in said.range for _, said in of]):.1%}",
                      sum(said.relation == relation for relation, said in of if relation),
                      sum(said.relation not in (None, relation) for relation, said in of)])
    return lines


def misled(name, found):
    lines = []
    for degree in DEGREES:
        beyond = np.array([said.beyond(degree) for _, said in found.related[degree]])
        lines.append([name, degree, len(beyond), *(f"{np.mean(beyond >= np.log10(bound)):.1%}" for bound in BOUNDS), f"{beyond.max():.1f}"])
    return lines


def of_strangers(name, strangers):
    lines = []
    for what, values in (("any relation", [said.any for said in strangers]), ("second cousin", [said.farthest for said in strangers])):
        values = np.array(values)
        lines.append([name, what, f"{len(values):,}", *(f"{np.mean(values >= np.log10(bound)):.3%}" for bound in BOUNDS), f"{values.max():.1f}"])
    return lines


def sensitivity(kit, found):
    """Shares of relatives above what one stranger in 1 / FALSE reaches."""
    lines = []
    for what in ("any", "kinship"):
        strangers = [getattr(said, what) for of in found for said in of.strangers]
        least = np.quantile(strangers, 1 - FALSE)
        shares = [np.mean([getattr(said, what) > least for of in found for _, said in of.related[degree]]) for degree in ("3", "4", "5")]
        lines.append([KITS[kit], {"any": "`log10_lr`"}.get(what, what), f"{len(strangers):,}", f"{least:.3f}", *(f"{share:.1%}" for share in shares)])
    return lines


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


def calibrate_linked(fastid, data, work):
    data = data / "relatives"
    degrees, margins, chance, sharp, where = [], [], [], [], []
    for kit in KITS:
        given = stored(fastid, data, kit, work)
        found = []
        for people in (given, *(held_back(fastid, data, kit, seed, work) for seed in SEEDS)):
            found.append(judged(fastid, people, work))
            degrees += confusion(people.name, found[-1])
            margins += misled(people.name, found[-1])
        chance += of_strangers(KITS[kit], [said for of in found for said in of.strangers])
        sharp += sensitivity(kit, found)
        whole = sum(end - start for _, start, end, _ in next(given.truth[first] for first, _, relation in given.pairs if relation == "same"))
        where += stretch_lines(KITS[kit], *stretches(given, found[0].called, found[0].shared, whole))
    print(f"{PAIRS} pairs of each of 19 relations, and strangers. Degrees by a margin of ten.\n")
    table(["people", "true degree", "pairs", "right", "undecided", "wrong", "largest wrong margin, log10", "true degree in the range",
           "relation right", "another relation named"], degrees)
    print("How much more probable another degree is than the true one: share of pairs at x times or more.\n")
    table(["people", "true degree", "pairs", *(f"{bound:,}" for bound in BOUNDS), "largest, log10"], margins)
    print("Strangers, all of them: share with a ratio of x or more; theory has at most 1 in x.\n")
    table(["sites", "as", "pairs", *(f"{bound:,}" for bound in BOUNDS), "largest, log10"], chance)
    print(f"Relatives above what one stranger in {1 / FALSE:,.0f} reaches.\n")
    table(["sites", "by", "strangers", "bound", "third degree", "fourth", "fifth"], sharp)
    print("Stretches: share of the map's cM in the right state (no, one or both alleles shared), and error of the cM that are shared.\n")
    table(["sites", "true degree", "pairs", "right state, mean", "least", "shared cM, mean error", "root mean square"], where)
