"""Simulated disasters: who is named, rightly or wrongly, who is pooled, and which wrong relatives are noticed."""

import csv
from collections import Counter

from calibrate_tools import table

FAMILIES, SEEDS = 40, 20
EVENT = ["--disaster", FAMILIES, "--strangers", 24, "--unlisted-siblings", 2, "--wrong-fathers", 2, "--exchanged-fathers", 1,
         "--error-rate", 0.002, "--no-call-rate", 0.02]
# Sites; how relatives share them; whether the people are of a population that has drifted from the frequencies of the panel.
WORLDS = ((1500, ["--unlinked-meioses"], 0), (1500, [], 0), (1500, [], 0.01), (300, [], 0))
NAMED = ("undisputed", "joint", "symmetric")
KINDS = ("there", "not there", "there, wrong father", "not there, wrong father", "there, unlisted sibling",
         "not there, unlisted sibling")
OTHERS = ("disputed", "open", "none", "uninformative")
NOTICED = -1.0  # log10 of the pedigree against "unrelated": what the program warns of


def rows(path):
    with open(path, newline="", encoding="ascii") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


class Event:
    def __init__(self, fastid, work, seed, sites, options, fst):
        database, files = work / "event.h5", {name: work / f"{name}.tsv" for name in ("main", "families", "people")}
        populations = ["--populations", 1, "--fst", fst] if fst else []
        fastid.run("db", "simulate", "-o", database, *EVENT, "--sites", sites, "--seed", seed, *options, *populations)
        fastid.run("dvi", f"{database}.families.ped", "--am", f"{database}.typed.h5", database, "--population", "simulated", "--force",
                   "-o", files["main"], "--families", files["families"], "--people", files["people"])
        self.remains = {row["remains"]: row for row in rows(f"{database}.remains.tsv")}
        self.samples = rows(f"{database}.samples.tsv")
        self.found, self.members, self.people = (rows(files[name]) for name in ("main", "families", "people"))

    def whose(self, person):
        """Everybody of whom there is a sample in a person's remains."""
        return {self.remains[name]["person"] for name in person.split("+")}

    def count(self, counts):
        there = {row["person"] for row in self.remains.values()}
        wrong = {row["family"] for row in self.samples if row["kind"] != "own"}
        siblings = {row["family"] for row in self.remains.values() if row["kind"] == "unlisted-sibling"}
        alike = {}
        for row in self.found:  # a set of missing members who cannot be told apart has one list of people
            alike.setdefault((row["family"], row["person"]), set()).add(row["missing"])
        for row in self.found:
            word, missing = row["conclusion"], row["missing"]
            who = {name for person in row["person"].split("/") if person != "*" for name in self.whose(person)}
            kind = "there" if missing in there else "not there"
            kind += ", wrong father" if row["family"] in wrong else ", unlisted sibling" if row["family"] in siblings else ""
            counts[kind, "members"] += 1
            if word not in NAMED:
                counts[kind, word] += 1
                continue
            expected = alike[row["family"], row["person"]] if word == "symmetric" else {missing}
            counts[kind, word if who <= expected else "wrongly"] += 1
        counts["pools"] += sum(len(self.whose(row["person"])) > 1 for row in self.people)
        counts["apart"] += len(self.people) - len(there) + sum(len(self.whose(row["person"])) - 1 for row in self.people)
        self.count_fit(counts)

    def count_fit(self, counts):
        fits = {row["member"]: float(row["log10_pedigree_v_unrelated"]) for row in self.members
                if row["log10_pedigree_v_unrelated"] != "NA"}
        remarks = {words.split()[1].rstrip(":") for row in self.found for words in row["remark"].split("; ")
                   if words.startswith("without")}
        for row in self.samples:
            noticed = fits.get(row["sample"], 0) < NOTICED or row["sample"] in remarks
            counts["own" if row["kind"] == "own" else "not own", noticed] += 1
        members_there = {row["family"] for row in self.remains.values() if row["kind"] == "missing"}
        for row in self.samples:
            if row["kind"] != "own" and row["family"] in members_there:
                counts["remark", row["sample"] in remarks] += 1


def calibrate_disasters(fastid, work):
    print(f"{SEEDS} events (seeds 1001 to {1000 + SEEDS}) of {FAMILIES} families each.\n")
    members, others = [], []
    for sites, options, fst in WORLDS:
        counts = Counter()
        for seed in range(1001, 1001 + SEEDS):
            Event(fastid, work, seed, sites, options, fst).count(counts)
        world = [f"{sites:,}", "each by itself" if options else "linked", fst]
        for kind in KINDS:
            members.append([*world, kind, counts[kind, "members"], counts[kind, "wrongly"],
                            *(counts[kind, word] for word in (*NAMED, *OTHERS))])
        others.append([*world, counts["pools"], counts["apart"],
                       f"{counts['not own', True]} of {counts['not own', True] + counts['not own', False]}",
                       f"{counts['remark', True]} of {counts['remark', True] + counts['remark', False]}",
                       f"{counts['own', True]} of {counts['own', True] + counts['own', False]}"])
    table(["sites", "inherited", "F_ST", "remains", "missing members", "named wrongly", *NAMED, *OTHERS], members)
    table(["sites", "inherited", "F_ST", "people pooled wrongly", "people in several parts", "wrong samples noticed",
           "a remark names them where the child is there", "right samples warned of"], others)
