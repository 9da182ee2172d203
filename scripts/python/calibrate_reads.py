"""Samples of few reads: where the person, a sibling and strangers come, how foreign reads show, and chance."""

import numpy as np
from calibrate_tools import export_people, panel_of, planted_pairs, table

PEOPLE, SITES, PAIRS = 10_000, 10_000, 20
ERROR_RATE, NO_CALL_RATE, BASE_ERROR = 0.002, 0.01, 0.005
DEPTHS = (0.02, 0.05, 0.1, 0.5, 1, 2)
FOREIGN = (0, 0.1, 0.5)
FEW_SITES, FEW_READS = 1000, (0.02, 0.05, 0.1)
BOUNDS = (1, 10, 100, 1000)


def simulated(fastid, n_sites, work):
    """A database with full siblings among its people, its panel, and the pairs."""
    database = work / f"reads-{n_sites}.h5"
    fastid.run("db", "simulate", "-o", database, "--unlinked-meioses", "--profiles", PEOPLE, "--sites", n_sites, "--seed", n_sites,
               "--error-rate", ERROR_RATE, "--no-call-rate", NO_CALL_RATE, "--full-siblings", PAIRS)
    return database, panel_of(fastid, database, work), planted_pairs(database)


def people_of(fastid, database, names, rng, freq):
    """[person][site]: copies of the minor allele; where a profile has no call somebody's."""
    lines = [line.split("\t") for line in export_people(fastid, database, names).read_text(encoding="ascii").splitlines()
             if not line.startswith("##")]
    order = [lines[0].index(name) for name in names]
    texts = np.array([[line[place][:3] for place in order] for line in lines[1:]]).T
    copies = np.char.count(texts, "1")
    return np.where(texts == "./.", rng.binomial(2, freq, texts.shape), copies)


def write_reads(path, panel, samples, depth, rng, foreign=0.0):
    """A VCF of PL alone: reads of each sample, a share of them another person's. samples: name -> copies."""
    freq = np.array([float(line[5]) for line in panel[1:]])
    shown = np.array([0, .5, 1]) * (1 - BASE_ERROR) + np.array([1, .5, 0]) * BASE_ERROR
    columns = []
    for copies in samples.values():
        other = rng.binomial(2, freq)
        n = rng.poisson(depth, len(copies))
        minor = np.zeros(len(copies), int)
        for read in range(n.max()):
            of = np.where(rng.random(len(copies)) < foreign, other, copies)
            wrong = rng.random(len(copies)) < BASE_ERROR
            minor += ((rng.random(len(copies)) < of / 2) ^ wrong) & (read < n)
        log10 = (n - minor)[:, None] * np.log10(1 - shown) + minor[:, None] * np.log10(shown)
        phred = np.rint(-10 * (log10 - log10.max(axis=1, keepdims=True))).astype(int)
        columns.append(["./.:" + ",".join(map(str, at)) for at in phred])
    with open(path, "w", encoding="ascii") as file:
        file.write('##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
                   '##FORMAT=<ID=PL,Number=G,Type=Integer,Description="Likelihoods">\n')
        file.write("".join(f"##contig=<ID={chrom}>\n" for chrom in dict.fromkeys(line[1] for line in panel[1:])))
        file.write("\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + list(samples)) + "\n")
        for (site, chrom, pos, major, minor, *_), texts in zip(panel[1:], zip(*columns, strict=True), strict=True):
            file.write("\t".join([chrom, pos, site, major, minor, ".", ".", ".", "GT:PL", *texts]) + "\n")
    return path


def by_query(rows):
    found = {}
    for row in rows:
        found.setdefault(row["query"], []).append(row)
    return found


def calibrate_depths(fastid, work, rng):
    database, panel, pairs = simulated(fastid, SITES, work)
    names = list(pairs)
    freq = np.array([float(line[5]) for line in panel[1:]])
    samples = dict(zip(names, people_of(fastid, database, names, rng, freq), strict=True))
    lines, foreign_lines = [], []
    for depth in DEPTHS:
        for foreign in FOREIGN:
            found = by_query(fastid.rows("search", "-k", 5, write_reads(work / "reads.vcf", panel, samples, depth, rng, foreign),
                                         database))
            own, siblings, strangers, deviations = [], [], [], []
            for name, rows in found.items():
                for row in rows:
                    ratio = float(row["log10_lr"])
                    if row["profile"] == name:
                        own.append((int(row["rank"]), ratio))
                        deviations.append((ratio - float(row["expected_lr"])) / float(row["expected_sd"]))
                    elif row["profile"] == pairs[name][0]:
                        siblings.append((int(row["rank"]), ratio, row["suggests"]))
                    else:
                        strangers.append(ratio)
            if foreign == 0:
                lines.append([depth, sum(rank == 1 for rank, _ in own), f"{min(ratio for _, ratio in own):.0f}",
                              f"{max(strangers):.0f}", sum(rank == 2 for rank, *_ in siblings),
                              f"{min(ratio for _, ratio, _ in siblings):.0f} to {max(ratio for _, ratio, _ in siblings):.0f}"
                              if siblings else "", sum(said == "same" for *_, said in siblings)])
            foreign_lines.append([depth, f"{foreign:.0%}", sum(rank == 1 for rank, _ in own),
                                  f"{min(deviations):.1f} to {max(deviations):.1f}" if deviations else "",
                                  sum(of < -4 for of in deviations)])
    print(f"{len(names)} people of {PEOPLE:,}, each with a full sibling there, at {SITES:,} unlinked sites.\n")
    table(["reads a site", "the person first", "least log10 LR", "highest stranger", "sibling second", "sibling's log10 LR",
           "sibling called the same"], lines)
    print("The same samples with reads of another person: log10 LR of the person, in deviations from what is expected.\n")
    table(["reads a site", "foreign", "the person first", "deviations", "below -4"], foreign_lines)


def calibrate_chance(fastid, work, rng):
    database, panel, _ = simulated(fastid, FEW_SITES, work)
    freq = np.array([float(line[5]) for line in panel[1:]])
    samples = {f"nobody{i}": rng.binomial(2, freq) for i in range(PAIRS)}
    lines = []
    for depth in FEW_READS:
        rows = fastid.rows("search", "-k", "all", write_reads(work / "reads.vcf", panel, samples, depth, rng), database)
        ratios = np.array([float(row["log10_lr"]) for row in rows])
        lines.append([depth, f"{len(ratios):,}", *(f"{np.mean(ratios >= np.log10(bound)):.4%}" for bound in BOUNDS)])
    print(f"Strangers, all of them, at {FEW_SITES:,} sites: share with a ratio of x or more; theory has at most 1 in x.\n")
    table(["reads a site", "pairs", *(f"LR {bound:,}" for bound in BOUNDS)], lines)


def calibrate_reads(fastid, work):
    rng = np.random.default_rng(63)
    calibrate_depths(fastid, work, rng)
    calibrate_chance(fastid, work, rng)
