"""gVCF files in the styles of GATK, Strelka and bcftools, of a made-up genome; and their reading by rule, here in Python.

A person has copies of the alternative base at the panel's sites, and a depth at each position of the genome that changes
along it: stretches without a read, shallow ones, deep ones. GATK's and Strelka's styles are written by their rules;
bcftools is run on reads.
"""

import subprocess
from dataclasses import dataclass

import genotypes as gt
import numpy as np

CHROM, LENGTH = "1", 6000
EVIDENCE = ("MIN_DP", "DP", "GQ", "RGQ", "GQX")
SYMBOLS = ("<NON_REF>", "<*>")
BANDS = (1, 5, 10, 20, 10**9)  # a block ends where the depth enters another band
TRANSITIONS = {"A": "G", "G": "A", "C": "T", "T": "C"}


@dataclass
class World:
    genome: str
    panel: gt.Panel
    copies: np.ndarray  # of the alternative base, [people, sites]
    depths: np.ndarray  # [people, positions]


def make_world(rng, n_people, n_sites=300):
    genome = "".join(rng.choice(list("ACGT"), LENGTH))
    panel = gt.Panel([], [], [], [], [], {"cohort": []}, "GRCh37")
    for s, at in enumerate(sorted(rng.choice(np.arange(1, LENGTH - 1), n_sites, replace=False))):
        reference = genome[at]
        alleles = [reference, TRANSITIONS[reference]]
        if rng.random() < 0.25:  # the reference has the minor allele
            alleles.reverse()
        for column, value in zip((panel.id, panel.chrom, panel.pos, panel.major, panel.minor),
                                 (f"rs{s + 1}", CHROM, int(at) + 1, *alleles)):
            column.append(value)
        panel.freq["cohort"].append(0.3)
    copies = rng.binomial(2, 0.3, (n_people, n_sites))
    return World(genome, panel, copies, np.stack([_depths(rng) for _ in range(n_people)]))


def _depths(rng):
    """Stretches of one mean depth each; those of 0 are a fifth, some of them one base long."""
    depths = []
    while len(depths) < LENGTH:
        mean = rng.choice([0, 1, 4, 12, 30])
        length = int(rng.choice([1, 1, 3, 40, 200]))
        depths += rng.poisson(mean, length).tolist()
    return np.array(depths[:LENGTH])


# --- styles that are written ------------------------------------------------------------------------------------------


def write_gatk(rng, world, person, path):
    """HaplotypeCaller -ERC GVCF: <NON_REF> everywhere, 0/0 with depth and quality 0 where nothing is known."""
    formats = [("GT", "1", "String"), ("AD", "R", "Integer"), ("DP", "1", "Integer"), ("GQ", "1", "Integer"),
               ("MIN_DP", "1", "Integer"), ("PL", "G", "Integer")]

    def block(first, last, depths):
        least, quality = int(depths.min()), min(99, 3 * int(depths.min()))
        call = f"0/0:{int(np.median(depths))}:{quality}:{least}:0,{quality},{10 * quality}"
        return [first, ".", "<NON_REF>", ".", ".", f"END={last}", "GT:DP:GQ:MIN_DP:PL", call]

    def variant(pos, alternative, copies, depth):
        quality = 0 if rng.random() < 0.1 else min(99, 3 * depth)
        seen = depth * copies // 2
        call = f"{('0/0', '0/1', '1/1')[copies]}:{depth - seen},{seen},0:{depth}:{quality}:0,1,2,3,4,5"
        return [pos, ".", f"{alternative},<NON_REF>", "50", ".", ".", "GT:AD:DP:GQ:PL", call]

    _write(world, person, path, "GATK", formats, block, variant, everywhere=rng.random(world.copies.shape[1]) < 0.2)


def write_strelka(rng, world, person, path):
    """Strelka: blocks without alternative, GQX in place of GQ, "." without reads, or 0/0 with none of them used."""
    formats = [("GT", "1", "String"), ("GQ", "1", "Integer"), ("GQX", "1", "Integer"), ("DP", "1", "Integer"),
               ("DPF", "1", "Integer"), ("MIN_DP", "1", "Integer"), ("AD", ".", "Integer")]

    def block(first, last, depths):
        least = int(depths.min())
        call = f"{rng.choice(['.', '0/0'])}:.:0:{rng.integers(3)}:0" if least == 0 else f"0/0:{3 * least}:{least}:0:{least}"
        info = f"END={last};BLOCKAVG_min30p3a" if last > first else "."
        return [first, ".", ".", ".", "LowGQX" if least < 5 else "PASS", info, "GT:GQX:DP:DPF:MIN_DP", call]

    def variant(pos, alternative, copies, depth):
        quality, seen = 3 * depth, depth * copies // 2
        strict = 0 if rng.random() < 0.1 else quality
        call = f"{('0/0', '0/1', '1/1')[copies]}:{quality}:{strict}:{depth}:{rng.integers(3)}:{depth - seen},{seen}"
        return [pos, ".", alternative, str(quality), "PASS", "SNVHPOL=2;MQ=60", "GT:GQ:GQX:DP:DPF:AD", call]

    _write(world, person, path, "strelka", formats, block, variant, everywhere=np.zeros(world.copies.shape[1], bool))


def _write(world, person, path, source, formats, block, variant, everywhere):
    """Blocks of one band of depths, cut at variants. `everywhere`: sites that have a record though nothing varies."""
    lines = ["##fileformat=VCFv4.2", f"##source={source}", "##reference=GRCh37",
             '##INFO=<ID=END,Number=1,Type=Integer,Description="End">',
             '##INFO=<ID=BLOCKAVG_min30p3a,Number=0,Type=Flag,Description="Block">',
             '##INFO=<ID=SNVHPOL,Number=1,Type=Integer,Description="x">',
             '##INFO=<ID=MQ,Number=1,Type=Integer,Description="x">', '##FILTER=<ID=LowGQX,Description="x">']
    lines += [f'##FORMAT=<ID={name},Number={number},Type={kind},Description="x">' for name, number, kind in formats]
    lines += [f"##contig=<ID={CHROM},length={LENGTH}>",
              "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + [f"P{person}"])]
    depths = world.depths[person]
    sites = {pos - 1: s for s, pos in enumerate(world.panel.pos) if world.copies[person, s] > 0 or everywhere[s]}
    band = np.searchsorted(BANDS, depths, side="right")
    at = 0
    while at < LENGTH:
        reference = world.genome[at]
        if at in sites:
            fields = variant(at + 1, TRANSITIONS[reference], int(world.copies[person, sites[at]]), int(depths[at]))
            at += 1
        else:
            end = at + 1
            while end < LENGTH and band[end] == band[at] and end not in sites:
                end += 1
            fields = block(at + 1, end, depths[at:end])
            at = end
        lines.append("\t".join([CHROM, str(fields[0]), fields[1], reference, *fields[2:]]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


# --- bcftools, which is run -------------------------------------------------------------------------------------------


def write_bcftools(rng, world, person, path, genome):
    """bcftools mpileup and call on made-up reads, blocks by their least depth."""
    copies = np.zeros((2, LENGTH), bool)
    for s, pos in enumerate(world.panel.pos):
        copies[: world.copies[person, s], pos - 1] = True
    bases = np.array(list(world.genome))
    others = np.array([TRANSITIONS[base] for base in world.genome])
    strands = ["".join(np.where(copy, others, bases)) for copy in copies]
    reads = []
    for start in range(0, LENGTH - 60, 20):
        if (start // 400 + person) % 4 != 0:  # stretches without a read
            reads += [(start, strands[rng.integers(2)][start : start + 60]) for _ in range(rng.poisson(5))]
    sam = path.with_suffix(".sam")
    lines = ["@HD\tVN:1.6\tSO:coordinate", f"@SQ\tSN:{CHROM}\tLN:{LENGTH}", f"@RG\tID:r\tSM:P{person}"]
    lines += [f"r{i}\t0\t{CHROM}\t{start + 1}\t60\t60M\t*\t0\t0\t{bases}\t{'I' * 60}\tRG:Z:r"
              for i, (start, bases) in enumerate(reads)]
    sam.write_text("\n".join(lines) + "\n", encoding="ascii")
    pileup = subprocess.run(["bcftools", "mpileup", "--no-BAQ", "-a", "DP,AD", "--gvcf", "1,5,15", "-f", str(genome),
                             str(sam)], capture_output=True, check=True)
    called = subprocess.run(["bcftools", "call", "-m", "--gvcf", "1,5,15"], input=pileup.stdout, capture_output=True, check=True)
    path.write_bytes(called.stdout)


# --- the reading ------------------------------------------------------------------------------------------------------


def planes_of(paths, world):
    """One person a file: the calls that the rules give."""
    rows = [_read(path, world) for path in paths]
    names, *planes = zip(*rows)
    return gt.Planes(list(names), *(np.stack(plane) for plane in planes))


def _read(path, world):
    panel = world.panel
    bits, called, major, own = (np.zeros(len(panel.id), bool) for _ in range(4))
    lines = path.read_text().splitlines()
    name = next(line for line in lines if line.startswith("#CHROM")).split("\t")[9]
    for line in lines:
        if line.startswith("#"):
            continue
        _, pos, _, reference, alternative, _, _, info, names, values = line.split("\t")
        fields = dict(zip(names.split(":"), values.split(":")))
        genotype = fields["GT"].replace("|", "/").split("/")
        evidence = not any(fields.get(tag) == "0" for tag in EVIDENCE)
        tags = dict(tag.split("=", 1) for tag in info.split(";") if "=" in tag)
        first, last = int(pos), int(tags.get("END", pos))
        for s in (s for s, at in enumerate(panel.pos) if first <= at <= last):
            is_block = last > first
            if is_block and own[s]:
                continue
            own[s] |= not is_block
            alleles = [world.genome[panel.pos[s] - 1], *(a for a in alternative.split(",") if a != ".")]
            letters = [] if "." in genotype or not evidence else [alleles[int(allele)] for allele in genotype]
            called[s] = bool(letters) and set(letters) <= {panel.major[s], panel.minor[s]}
            bits[s] = called[s] and panel.minor[s] in letters
            major[s] = called[s] and panel.major[s] in letters
    return name, bits, called, major
