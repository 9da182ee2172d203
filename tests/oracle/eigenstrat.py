"""EIGENSTRAT and PACKEDANCESTRYMAP files, written from letters by the formats' descriptions."""

import numpy as np

MISSING = 9


def _hash(names):
    """EIGENSOFT's: a check that the three files belong together."""
    total = 0
    for name in names:
        one = 0
        for byte in name.encode():
            one = (one * 23 + byte) & 0xFFFFFFFF
        total = ((total * 17) & 0xFFFFFFFF) ^ one
    return total


def _copies(genotypes):
    """Copies of each site's first allele, one row a site; 9 where not called."""
    first = np.array([ord(site.alleles[0]) for site in genotypes.sites], np.uint8)
    second = np.array([ord(site.alleles[1]) for site in genotypes.sites], np.uint8)
    is_first = genotypes.letters == first[:, None, None]
    known = (is_first | (genotypes.letters == second[:, None, None])).all(axis=2)
    return np.where(known, is_first.sum(axis=2), MISSING).astype(np.uint8)


def write(genotypes, prefix, packed):
    """Gives the path of the .geno."""
    names = [site.id if site.id != "." else f"{site.chrom}:{site.pos}" for site in genotypes.sites]
    with open(prefix.with_suffix(".snp"), "w", encoding="ascii") as out:
        for name, site in zip(names, genotypes.sites):
            print(name, site.chrom, "0.0", site.pos, *site.alleles, sep="\t", file=out)
    with open(prefix.with_suffix(".ind"), "w", encoding="ascii") as out:
        for person in genotypes.people:
            print(f"{person:>20} U Someone", file=out)
    copies = _copies(genotypes)
    path = prefix.with_suffix(".geno")
    if not packed:
        rows = [row.tobytes() for row in copies + ord("0")]
        path.write_bytes(b"\n".join(rows) + b"\n")
        return path
    width = max(48, -(-len(genotypes.people) // 4))
    head = f"GENO {len(genotypes.people):7d} {len(names):7d} {_hash(genotypes.people):x} {_hash(names):x}"
    codes = np.zeros((len(names), 4 * width), np.uint8)
    codes[:, : len(genotypes.people)] = np.where(copies == MISSING, 3, copies)
    quarters = codes.reshape(len(names), width, 4)
    rows = quarters[:, :, 0] << 6 | quarters[:, :, 1] << 4 | quarters[:, :, 2] << 2 | quarters[:, :, 3]
    path.write_bytes(head.encode().ljust(width, b"\0") + rows.tobytes())
    return path
