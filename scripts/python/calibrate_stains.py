"""Stains of simulated people by the alleles that they show and by their reads: contributors, relatives, strangers."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from calibrate_tools import table

PANEL = "--sites", 1000
PROFILES, PAIRS = 250, 40  # pairs of each relation
RELATIONS = "--parent-child", "--full-siblings", "--half-siblings"
ERROR, DEPTH = .002, 60
DRAWS, TOGETHER = 300, 50
LIKELY = .05
BOUNDS = 1, 10, 100, 1000, 10_000
SEED = 6401  # of the first row
ALONE, RELATED = "--stored-relatives", "--related-contributors"
DROP_OUTS = ([0], [.2], [0, 0], [0, .5], [0, .7], [0, .9], [.3, .7], [0, 0, 0], [0, .3, .7], RELATED)
SHARES = ([1], [.5, .5], [.75, .25], [.9, .1], [.95, .05], [.7, .2, .1], [.75, .2, .05], RELATED)
OF_RELATED = {"--drop-out": [0, .5], "--shares": [.5, .5]}


def likeliest_shares(mixture):
    """The unknown contributors' shares, the greatest first: of the likeliest number the explanation with the highest weight, which is
    that of all its supports."""
    number = max(mixture["numbers"], key=lambda of: of["probability"])["contributors"]
    weights = defaultdict(float)
    for support in mixture["supports"]:
        if support["contributors"] == number:
            shares = sorted([support["share"], *support["shares_unknown"]], reverse=True)
            weights[(*shares, support["contributors_are"])] += support["weight"]
    return list(max(weights, key=weights.get)[:-1]) if weights else []


@dataclass
class Row:
    """Stains of one make, and what became of them."""

    flag: str  # --drop-out or --shares
    numbers: list  # of each contributor
    who: str
    ratios: list = field(init=False)  # of each contributor
    apart: list = field(init=False)
    right: list = field(default_factory=list)  # P(n) of the right n
    missed: list = field(default_factory=list)  # by how much shares are
    strangers: list = field(default_factory=list)
    relatives: list = field(default_factory=list)  # marks, suggestions

    def __post_init__(self):
        self.ratios, self.apart = [[] for _ in self.numbers], [0 for _ in self.numbers]

    def make(self, fastid, work, seed):
        """Files of stains, the database, and {stain: (contributors, their relatives)}."""
        database, folder = work / "stains.h5", work / "stains"
        fastid.run("db", "simulate", "-o", database, "--profiles", PROFILES, *PANEL, "--seed", seed, "--error-rate", ERROR,
                   *(word for relation in RELATIONS for word in (relation, PAIRS)), "--stains", DRAWS, "--cases-dir", folder,
                   self.flag, ",".join(map(str, self.numbers)), self.who,
                   *(["--depth", DEPTH] if self.flag == "--shares" else []))
        header, *lines = (line.split("\t") for line in (folder / "stains.tsv").read_text(encoding="ascii").splitlines())
        at, truth = {name: place for place, name in enumerate(header)}, {}
        for line in lines:
            contributors, relatives = truth.setdefault(line[at["file"]], ([], []))
            contributors.append(line[at["profile"]])
            relatives.append(line[at["relative"]])
        return database, folder, truth

    def measure(self, fastid, work, seed):
        database, folder, truth = self.make(fastid, work, seed)
        files = sorted(truth)
        for first in range(0, len(files), TOGETHER):
            some = files[first:first + TOGETHER]
            document = fastid.json("mixture", "-k", "all", "--no-histograms", *(folder / name for name in some), database)
            for name, query in zip(some, document["queries"], strict=True):
                self.judge(query, *truth[name])

    def judge(self, query, contributors, relatives):
        for match in query["matches"]:
            profile, ratio = match["profile"], match["log10_lr"]
            if profile in contributors:
                place = contributors.index(profile)
                self.ratios[place].append(ratio)
                self.apart[place] += match["mark"] == "apart"
            elif profile in relatives:
                self.relatives.append((match["mark"], match["suggests"]))
            else:
                self.strangers.append(ratio)
        mixture = query["evidence"]["mixture"]
        n = len(self.numbers)
        self.right.append(next((of["probability"] for of in mixture["numbers"] if of["contributors"] == n), 0))
        if self.flag == "--shares":
            found = likeliest_shares(mixture)
            if len(found) == n:
                self.missed.append(max(abs(a - b) for a, b in zip(found, self.numbers)))

    def reached(self):
        strangers = np.array(self.strangers)
        return [int(np.sum(strangers >= np.log10(bound))) for bound in BOUNDS]

    def cells(self):
        name = (" : " if self.flag == "--shares" else " ").join(f"{number:g}" for number in self.numbers)
        marks = [mark for mark, _ in self.relatives]
        return [name + (", related" if self.who == RELATED else ""), f"{np.mean(self.right):.2f}",
                f"{sum(p >= LIKELY for p in self.right)}",
                "; ".join(f"{min(of):.1f}, {np.median(of):.1f}" for of in self.ratios),
                "; ".join(map(str, self.apart)),
                *([f"{np.median(self.missed):.3f}, {max(self.missed):.3f}" if self.missed else "-"] if self.flag == "--shares" else []),
                f"{max(self.strangers):.1f}", f"{self.reached()[0]} of {len(self.strangers):,}",
                f"{marks.count('apart')} of {len(marks):,}", marks.count("relative?")]


def calibrate(fastid, work, flag, makes, seed):
    print(f"{DRAWS} stains of each kind at {PANEL[1]:,} sites; {ERROR:.1%} of the database's alleles are misread. A relative of each "
          f"contributor is in a database of {PROFILES:,}: a parent or child, a full or a half sibling; \"related\": the "
          f"contributors are such relatives of each other.\n")
    lines, reached, strangers = [], np.zeros(len(BOUNDS), int), 0
    for place, make in enumerate(makes):
        related = make == RELATED
        row = Row(flag, OF_RELATED[flag] if related else make, RELATED if related else ALONE)
        row.measure(fastid, work, seed + place)
        lines.append(row.cells())
        reached += row.reached()
        strangers += len(row.strangers)
    table([flag.strip("-"), "P(right n), mean", f"of {LIKELY} and more", "contributors' log10 LR: least, median", "apart",
           *(["shares missed by: median, most"] if flag == "--shares" else []), "highest stranger", "strangers of ratio 1 or more",
           "relatives apart", "relative?"], lines)
    table(["strangers with a ratio of x or more", *(f"{bound:,}" for bound in BOUNDS)],
          [[f"of {strangers:,}", *reached], ["at most 1 in x", *(f"{strangers // bound:,}" for bound in BOUNDS)]])


def calibrate_drop_outs(fastid, work):
    calibrate(fastid, work, "--drop-out", DROP_OUTS, SEED)


def calibrate_shares(fastid, work):
    calibrate(fastid, work, "--shares", SHARES, SEED + 50)
