"""Genotypes as letters, and letters as bits on a panel: the oracle's own reading of files.

The letters come out of plink2 and bcftools, never out of fastid, and nothing here is shared with src/. Where fastid
packs bits into words, this keeps one byte a genotype, so that a mistake in packing cannot cancel out.

    letters  uint8 [sites, people, 2]  the two alleles of a genotype as ASCII; NO_CALL, NOTHING and OTHER below
    Planes   bool  [people, sites]     bits (carries a minor allele of the panel), called, and major (carries a major one)
"""

import subprocess
from dataclasses import dataclass, field

import numpy as np

NO_CALL = 0  # an allele that was not called
NOTHING = ord(" ")  # the second allele of a haploid genotype
OTHER = ord("?")  # an allele that is no single letter: an insertion, a deletion, '*'

COMPLEMENT = {"A": "T", "T": "A", "C": "G", "G": "C"}
LETTERS = tuple("ACGT")


@dataclass
class FileSite:
    """A record of a genotype file. `tied` is the allele that is minor where both are equally frequent."""

    id: str
    chrom: str
    pos: int
    alleles: tuple
    tied: str


@dataclass
class Genotypes:
    people: list
    sites: list
    letters: np.ndarray


@dataclass
class Panel:
    id: list
    chrom: list
    pos: list
    major: list
    minor: list
    freq: dict = field(default_factory=dict)
    build: str = "unknown"
    sampled: list = field(default_factory=list)  # people called at each site, where the panel is derived

    def palindromic(self, s):
        return COMPLEMENT[self.major[s]] == self.minor[s]


@dataclass
class Planes:
    names: list
    bits: np.ndarray
    called: np.ndarray
    major: np.ndarray

    def take(self, rows):
        return Planes([self.names[i] for i in rows], self.bits[rows], self.called[rows], self.major[rows])


def together(planes):
    """Several files' profiles as one set."""
    return Planes(
        [name for one in planes for name in one.names],
        np.concatenate([one.bits for one in planes]),
        np.concatenate([one.called for one in planes]),
        np.concatenate([one.major for one in planes]),
    )


def chromosome(name):
    """One spelling for a chromosome."""
    name = name.upper()
    while name.startswith("CHR"):
        name = name[3:]
    return {"MT": "M", "23": "X", "24": "Y", "25": "PAR", "XY": "PAR", "26": "M"}.get(name, name)


def run_tool(*command):
    """Runs plink2 or bcftools and gives back what it printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout


# --- decoders ---------------------------------------------------------------------------------------------------------


def from_plink(prefix, scratch):
    """A bed/bim/fam through `plink2 --export A-transpose`: counts of one named allele, a line a site."""
    run_tool("plink2", "--bfile", str(prefix), "--export", "A-transpose", "--out", str(scratch), "--threads", "1",
             "--allow-extra-chr", "--output-chr", "26")
    with open(f"{prefix}.fam", encoding="ascii") as fam:
        people = [line.split()[1] for line in fam]
    with open(f"{prefix}.bim", encoding="ascii") as bim:
        bim_lines = [line.split() for line in bim]
    sites, rows = [], []
    with open(f"{scratch}.traw", "rb") as traw:
        next(traw)
        for line, (_, bim_id, _, bim_pos, allele1, _) in zip(traw, bim_lines, strict=True):
            chrom, name, _, pos, counted, other, copies = line.rstrip(b"\n").split(b"\t", 6)
            name, counted, other = name.decode(), counted.decode(), other.decode()
            assert (name, pos.decode()) == (bim_id, bim_pos), f"plink2 reordered {prefix}"
            sites.append(FileSite(name, chromosome(chrom.decode()), int(pos), (counted, other), allele1))
            rows.append(_letters_of_copies(copies, counted, other, len(people)))
    return Genotypes(people, sites, np.stack(rows))


def _letters_of_copies(text, counted, other, n_people):
    digits = np.frombuffer(text.replace(b"NA", b"9").replace(b"\t", b""), np.uint8) - ord("0")
    assert digits.size == n_people
    table = np.full((10, 2), NO_CALL, np.uint8)
    for copies, pair in enumerate(((other, other), (counted, other), (counted, counted))):
        table[copies] = [_code(letter) for letter in pair]
    return table[digits]


def _code(allele):
    if allele in (".", "0", "-", ""):
        return NO_CALL
    return ord(allele.upper()) if allele.upper() in LETTERS else OTHER


def from_vcf(path):
    """A VCF or BCF through `bcftools query`, which prints each genotype in letters."""
    people = run_tool("bcftools", "query", "-l", str(path)).decode().split()
    text = run_tool("bcftools", "query", "-f", "%CHROM\t%POS\t%ID\t%REF\t%ALT[\t%TGT]\n", str(path)).decode()
    cache = {}
    sites, rows = [], []
    for line in text.splitlines():
        chrom, pos, name, ref, alts, *genotypes = line.split("\t")
        alternatives = tuple(alt for alt in alts.split(",") if alt != ".")
        sites.append(FileSite(name, chromosome(chrom), int(pos), (ref, *alternatives), (*alternatives, "")[0]))
        rows.append([cache.get(one) or cache.setdefault(one, _pair(one)) for one in genotypes])
    return Genotypes(people, sites, np.array(rows, np.uint8).reshape(len(sites), len(people), 2))


def _pair(genotype):
    """'A|C', './C', 'A', '.' -> two codes."""
    codes = [_code(allele) for allele in genotype.replace("|", "/").split("/")]
    return (codes + [NOTHING])[:2]


# --- the panel --------------------------------------------------------------------------------------------------------


def derive_panel(genotypes):
    """The biallelic SNPs of a file; minor is the rarer allele among the called, or the tied one at equal counts."""
    panel = Panel([], [], [], [], [], {"cohort": []})
    for site, letters in zip(genotypes.sites, genotypes.letters):
        if len(site.alleles) != 2 or not set(site.alleles) <= set(LETTERS):
            continue
        if site.chrom not in ("X", "Y", "M"):
            letters = letters[letters[:, 1] != NOTHING]  # half a call
        copies = {allele: int(np.count_nonzero(letters == ord(allele))) for allele in site.alleles}
        if not any(copies.values()):
            continue
        first, second = site.alleles
        if copies[first] == copies[second]:
            minor = site.tied
        else:
            minor = min(site.alleles, key=copies.get)
        panel.id.append(site.id if site.id != "." else f"{site.chrom}:{site.pos}")
        panel.chrom.append(site.chrom)
        panel.pos.append(site.pos)
        panel.minor.append(minor)
        panel.major.append(second if minor == first else first)
        panel.freq["cohort"].append(copies[minor] / sum(copies.values()))
        panel.sampled.append(sum(copies.values()) / 2)
    return panel


def read_panel(path):
    """A panel as TSV."""
    with open(path, encoding="ascii") as text:
        lines = [line.rstrip("\n") for line in text]
    build = next((line.split()[1] for line in lines if line.startswith("#build")), "unknown")
    header, *rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert header[:5] == ["id", "chrom", "pos", "major", "minor"], header
    columns = list(zip(*rows, strict=True))
    freq = {name: [float(x) for x in columns[5 + i]] for i, name in enumerate(header[5:])}
    return Panel(list(columns[0]), list(columns[1]), [int(x) for x in columns[2]], list(columns[3]), list(columns[4]),
                 freq, build)


def write_panel(panel, path):
    with open(path, "w", encoding="ascii") as out:
        print(f"#build {panel.build}", file=out)
        print("id", "chrom", "pos", "major", "minor", *panel.freq, sep="\t", file=out)
        for row in zip(panel.id, panel.chrom, panel.pos, panel.major, panel.minor, *panel.freq.values()):
            print(*row, sep="\t", file=out)


# --- letters onto the panel -------------------------------------------------------------------------------------------


def flipped_of(panel, s, alleles):
    """True where a record's alleles are the panel's on the other strand, False where as they are, None where neither.

    A record with several alternatives counts as one record for each, with the same reference.
    """
    ours = {panel.major[s], panel.minor[s]}
    pairs = [{alleles[0], alt} for alt in alleles[1:]] or [{alleles[0]}]
    if any(pair <= ours for pair in pairs):
        return False
    others = {COMPLEMENT[letter] for letter in ours}
    if not panel.palindromic(s) and any(pair <= others for pair in pairs):
        return True
    return None


def site_finder(panel, by_position):
    """A file's site -> its place in the panel: by id, else (where builds agree) by chromosome and position."""
    by_id = {name: s for s, name in enumerate(panel.id)}
    by_place = {(panel.chrom[s], panel.pos[s]): s for s in range(len(panel.id))} if by_position else {}
    return lambda name, chrom, pos: by_id.get(name, by_place.get((chrom, pos)))


def planes_of(genotypes, panel, by_position=False):
    """People on a panel: a genotype with a missing or unknown allele is no call, and so is a site not in the file."""
    shape = (len(panel.id), len(genotypes.people))
    bits, called, majors = (np.zeros(shape, bool) for _ in range(3))
    find = site_finder(panel, by_position)
    for site, letters in zip(genotypes.sites, genotypes.letters):
        s = find(site.id, site.chrom, site.pos)
        flipped = flipped_of(panel, s, site.alleles) if s is not None else None
        if flipped is None:
            continue
        major, minor = ((COMPLEMENT[x] if flipped else x) for x in (panel.major[s], panel.minor[s]))
        known = (letters == ord(major)) | (letters == ord(minor))
        if panel.chrom[s] in ("X", "Y", "M"):  # elsewhere a person has two copies, and one allele is half a call
            known[:, 1] |= letters[:, 1] == NOTHING
        called[s] = known.all(axis=1)
        bits[s] = (letters == ord(minor)).any(axis=1) & called[s]
        majors[s] = (letters == ord(major)).any(axis=1) & called[s]
    return Planes(list(genotypes.people), bits.T.copy(), called.T.copy(), majors.T.copy())


def planes_of_texts(names, texts, panel):
    """Profiles given as letters for each site of the panel ("AG", "--", "AGT" for a mixture, "" where absent)."""
    coded = {}
    cells = np.zeros((3, len(names), len(panel.id)), bool)
    for i, text in enumerate(texts):
        for s, letters in enumerate(text):
            key = (panel.major[s], panel.minor[s], letters, panel.chrom[s] in ("X", "Y", "M"))
            if key not in coded:
                coded[key] = _code_text(panel, s, letters)
            cells[:, i, s] = coded[key]
    return Planes(list(names), *cells)


def _code_text(panel, s, letters):
    """(has minor, called, has major) of one genotype written in letters, on whichever strand it fits."""
    ours = (panel.major[s], panel.minor[s])
    strands = [ours] if panel.palindromic(s) else [ours, tuple(COMPLEMENT[x] for x in ours)]
    present = [letter for letter in letters.upper() if letter not in "-0."]
    if len(letters) <= 2:  # a person: one missing or unknown allele makes it no call
        for strand in strands:
            copies = (1, 2) if panel.chrom[s] in ("X", "Y", "M") else (2,)
            if len(present) == len(letters) in copies and set(present) <= set(strand):
                return strand[1] in present, True, strand[0] in present
        return False, False, False
    known = [sum(x in strand for x in present) for strand in strands]
    if known[-1] > known[0]:  # the other strand explains more: it must explain all
        all_known = known[-1] == len(present)
        return strands[-1][1] in present and all_known, all_known, strands[-1][0] in present and all_known
    return ours[1] in present, known[0] > 0, ours[0] in present
