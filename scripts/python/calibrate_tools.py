"""What the measurements of scripts/calibrate share: running fastid and plink, tables, and the studies of real people."""

import csv
import io
import json
import pathlib
import subprocess
import sys
from dataclasses import dataclass

COHORT = "cohort"
SITES = 14079  # of the studies
RELATED_FROM = 0.0884  # kinship: the least of the second degree


class Fastid:
    def __init__(self, program):
        self.program = str(program)

    def run(self, *arguments):
        command = [self.program, *map(str, arguments)]
        if command[1:3] in (["db", "build"], ["db", "simulate"], ["db", "export"]):
            command.append("--force")  # a folder is used again
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run(*arguments, "--format", "tsv")), delimiter="\t"))

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--format", "json"))


def plink(*arguments):
    subprocess.run(["plink1.9", "--silent", "--allow-no-sex", *map(str, arguments)], check=True)


def table(header, rows):
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    print()


def words(path):
    return [line.split() for line in path.read_text(encoding="ascii").splitlines()]


def write_panel(path, lines):
    path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="ascii")


def panel_of(fastid, database, work):
    """id, chrom, pos, major, minor, ... of each site, after a line of names."""
    fastid.run("db", "export", database, "-o", work / "exported.tsv", "--what", "panel", "--format", "tsv")
    lines = (work / "exported.tsv").read_text(encoding="ascii").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def write_vcf(path, panel, names, bits):
    """Bits as samples that carry the minor allele or do not; [sample][site], None where not called."""
    with open(path, "w", encoding="ascii") as file:
        file.write('##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n')
        file.write("".join(f"##contig=<ID={chrom}>\n" for chrom in dict.fromkeys(site[1] for site in panel)))
        file.write("\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + list(names)) + "\n")
        texts = {True: "0/1", False: "0/0", None: "./."}
        for (site, chrom, pos, major, minor, *_), calls in zip(panel, zip(*bits, strict=True), strict=True):
            file.write("\t".join([chrom, pos, site, major, minor, ".", ".", ".", "GT",
                                  *(texts[None if bit is None else bool(bit)] for bit in calls)]) + "\n")


def planted_pairs(database):
    """The relatives that `fastid db simulate` planted: profile -> the other one, relation."""
    header, *lines = (line.split("\t") for line in
                      database.with_name(database.name + ".relatives.tsv").read_text(encoding="ascii").splitlines())
    at = {name: place for place, name in enumerate(header)}
    return {line[at["profile"]]: (line[at["relative"]], line[at["relation"]]) for line in lines}


def export_people(fastid, database, names):
    """These profiles as a VCF beside the database."""
    path = database.with_suffix(".vcf")
    fastid.run("db", "export", database, "-o", path, "--format", "vcf", *(word for name in names for word in ("--profile", name)))
    return path


@dataclass
class Studies:
    """HapMap 3, which is stored, and 1000 Genomes phase 1 without the people of HapMap 3, which is searched for."""

    stored: pathlib.Path  # PLINK prefixes
    asked: pathlib.Path
    panel: list  # lines of a panel TSV with frequencies of the cohort and of each population
    people: dict  # stored person -> population

    @property
    def populations(self):
        return sorted(set(self.people.values()))


def population_of(data):
    """Of each person of HapMap 3."""
    ids = {fields[1] for fields in words(data / "hapmap3" / "hapmap3.fam")}
    names = words(data / "hapmap3" / "relationships_w_pops_121708.txt")[1:]
    return {fields[1]: fields[6] for fields in names if fields[1] in ids}


def prepare_studies(fastid, data, work):
    stored, phase1 = data / "hapmap3" / "hapmap3", data / "1000g_phase1" / "phase1"
    population = population_of(data)
    shared = [fields for fields in words(phase1.with_suffix(".fam")) if fields[1] in population]
    (work / "shared.txt").write_text("".join(f"{f[0]} {f[1]}\n" for f in shared), encoding="ascii")
    plink("--bfile", phase1, "--remove", work / "shared.txt", "--make-bed", "--out", work / "asked")
    return Studies(stored, work / "asked", panel_with_populations(fastid, stored, population, work), population)


def panel_with_populations(fastid, stored, population, work):
    """HapMap 3's panel, with frequencies of each of its populations beside the cohort's."""
    people = words(stored.with_suffix(".fam"))
    (work / "within.txt").write_text("".join(f"{f[0]} {f[1]} {population[f[1]]}\n" for f in people), encoding="ascii")
    plink("--bfile", stored, "--freq", "--within", work / "within.txt", "--out", work / "populations")
    fastid.run("db", "build", "-o", work / "whole.h5", stored.with_suffix(".bed"))
    lines = panel_of(fastid, work / "whole.h5", work)
    minor = {line[0]: line[4] for line in lines[1:]}
    found = {}  # site -> population -> frequency of the panel's minor allele
    for _, site, cluster, a1, _, frequency, _, _ in words(work / "populations.frq.strat")[1:]:
        share = float(frequency)
        found.setdefault(site, {})[cluster] = share if a1 == minor[site] else 1 - share
    names = sorted(set(population.values()))
    panel = [[*lines[0], *names]]
    return panel + [[*line, *(f"{found[line[0]][name]:.6f}" for name in names)] for line in lines[1:]]


def spaced(sites, n):
    """Evenly spaced."""
    return [sites[i * len(sites) // n] for i in range(n)]


def build_panel(fastid, studies, n_sites, work):
    """A database on evenly spaced sites of the panel."""
    path, database = work / f"panel-{n_sites}.tsv", work / f"people-{n_sites}.h5"
    write_panel(path, [studies.panel[0], *spaced(studies.panel[1:], n_sites)])
    fastid.run("db", "build", "-o", database, "--panel", path, studies.stored.with_suffix(".bed"))
    return database


def search(fastid, studies, database, *options):
    return fastid.rows("search", "--ignore-build", *options, studies.asked.with_suffix(".bed"), database)


def relatives(fastid, studies, work):
    """Pairs of the second degree or nearer."""
    rows = fastid.rows("kin", "--unlinked", "--ignore-build", "-k", "all", "--sort", "kinship", "--min-kinship", RELATED_FROM,
                       "--population", COHORT, studies.asked.with_suffix(".bed"), work / "whole.h5")
    return {(row["query"], row["profile"]) for row in rows}
