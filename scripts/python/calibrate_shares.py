"""Mixtures of simulated people by their reads: contributors of some shares, their relatives, and strangers."""

import numpy as np
from calibrate_tools import panel_of, table

SITES, PROFILES = 1000, 250
DEPTH, CONCENTRATION, ERROR = 60, 60, .002
DRAWS = 10
SHARES = ((1,), (.5, .5), (.75, .25), (.9, .1), (.95, .05), (.7, .2, .1), (.75, .2, .05))


def drawn(freq, rng):
    return rng.binomial(2, freq)


def passed_on(copies, rng):
    """One allele of a person's two at each site."""
    return rng.binomial(1, copies / 2)


def family_of(freq, rng):
    """A contributor, and the relatives of the contributor who are in the database."""
    father, mother, other = drawn(freq, rng), drawn(freq, rng), drawn(freq, rng)
    one, sibling = (passed_on(father, rng) + passed_on(mother, rng) for _ in range(2))
    half = passed_on(father, rng) + passed_on(drawn(freq, rng), rng)
    return one, [father, sibling, half, passed_on(one, rng) + passed_on(other, rng)]


def reads_of(people, shares, rng):
    """Reads of the minor and of the major allele."""
    minor_share = np.array(shares) @ np.array(people) / 2
    mean = ERROR + (1 - 2 * ERROR) * minor_share
    total = rng.poisson(DEPTH * rng.gamma(2, .5, len(mean)))
    minor = rng.binomial(total, rng.beta(CONCENTRATION * mean, CONCENTRATION * (1 - mean)))
    return minor, total - minor


def write_people(path, panel, people):
    """people: {name: minor copies}"""
    with open(path, "w", encoding="ascii") as file:
        file.write('##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n')
        file.write("\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + list(people)) + "\n")
        for place, (site, chrom, pos, major, minor, *_) in enumerate(panel):
            file.write("\t".join([chrom, pos, site, major, minor, ".", ".", ".", "GT",
                                  *(("0/0", "0/1", "1/1")[copies[place]] for copies in people.values())]) + "\n")


def write_reads(path, panel, stains):
    """stains: {name: (minor, major)}"""
    with open(path, "w", encoding="ascii") as file:
        file.write("Sample.Name\tMarker\tAllele.1\tAllele.2\tHeight.1\tHeight.2\n")
        for name, (minors, majors) in stains.items():
            for (site, _, _, major, minor, *_), a, b in zip(panel, minors, majors, strict=True):
                file.write(f"{name}\t{site}\t{minor}\t{major}\t{a}\t{b}\n")


class Kind:
    """Mixtures of some shares."""

    def __init__(self, place, shares, freq, rng):
        self.shares, self.contributors, self.relatives, self.people, self.stains = shares, {}, {}, {}, {}
        for draw in range(DRAWS):
            stain = f"s{place}_{draw:02}"
            mixed = []
            for c in range(len(shares)):
                one, kin = family_of(freq, rng)
                mixed.append(one)
                self.people[f"{stain}_c{c}"] = one
                self.people.update({f"{stain}_c{c}_{k}": relative for k, relative in enumerate(kin)})
            self.stains[stain] = reads_of(mixed, shares, rng)

    def judge(self, rows, document):
        mine, strangers, apart, right, errors = [[] for _ in self.shares], [], 0, [], []
        for row in rows:
            stain, name, ratio = row["mixture"], row["profile"], float(row["log10_lr"])
            own = [f"{stain}_c{c}" for c in range(len(self.shares))]
            if name in own:
                mine[own.index(name)].append(ratio)
            elif name.startswith(stain):
                apart += row["mark"] == "apart"
            else:
                strangers.append(ratio)
        for query in document["queries"]:
            mixture = query["evidence"]["mixture"]
            right.append(sum(of["probability"] for of in mixture["numbers"] if of["contributors"] == len(self.shares)))
            best = max(mixture["supports"], key=lambda support: support["weight"])
            found = sorted([best["share"], *best["shares_unknown"]], reverse=True)
            if len(found) == len(self.shares):
                errors.append(max(abs(a - b) for a, b in zip(found, self.shares)))
        strangers = np.array(strangers)
        return [" : ".join(f"{share:g}" for share in self.shares), f"{np.mean(right):.2f}",
                "; ".join(f"{min(of):.1f}, {np.median(of):.1f}" for of in mine),
                f"{max(errors, default=float('nan')):.3f}", f"{strangers.max():.1f}",
                f"{np.sum(strangers >= 0)} of {len(strangers):,}", apart]


def calibrate_shares(fastid, work):
    database = work / "shares.h5"
    fastid.run("db", "simulate", "-o", database, "--profiles", PROFILES, "--sites", SITES, "--seed", 1)
    panel = panel_of(fastid, database, work)[1:]
    freq = np.array([float(line[5]) for line in panel])
    rng = np.random.default_rng(1)
    kinds = [Kind(place, shares, freq, rng) for place, shares in enumerate(SHARES)]
    write_people(work / "people.vcf", panel, {name: copies for kind in kinds for name, copies in kind.people.items()})
    fastid.run("db", "append", database, work / "people.vcf")
    print(f"{DRAWS} mixtures of each kind at {SITES:,} sites, {DEPTH} reads a site in the mean, concentration {CONCENTRATION}, "
          f"error {ERROR}; four relatives of each contributor (a parent, a child, a full and a half sibling) are in a database "
          f"of {PROFILES:,} strangers and {sum(len(kind.people) for kind in kinds):,} people of all mixtures.\n")
    lines = []
    for kind in kinds:
        write_reads(work / "stains.tsv", panel, kind.stains)
        asked = work / "stains.tsv", database
        lines.append(kind.judge(fastid.rows("mixture", "-k", "all", *asked),
                                fastid.json("mixture", "-k", 1, "--no-histograms", *asked)))
    table(["shares", "P(right n), mean", "contributors' log10 LR, least and median", "shares missed by at most",
           "highest stranger", "strangers of ratio 1 or more", "relatives apart"], lines)
