"""Mixtures of real people, searched for their contributors and the other way round: every number recomputed.

Five mixtures each of 2, 3 and 5 people of 1000 Genomes phase 1 who are in HapMap 3 too, as `.snp` files that hold all
alleles seen; the people are searched among HapMap 3's profiles of them, typed on another platform.
"""

import counting
import evidence
import genotypes as gt
import numpy as np
import program
from counting import MIXTURE, REVERSE

SEED = 2010
DRAWS = 8 if program.EVERY_CASE else 5
SIZES = (2, 3, 5)


class Mixtures(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hapmap3, phase1 = (program.real_data() / place for place in ("hapmap3/hapmap3", "1000g_phase1/phase1"))
        cls.hapmap3_bed = hapmap3.with_suffix(".bed")
        letters = gt.from_plink(hapmap3, cls.scratch / "hapmap3")
        cls.panel = gt.derive_panel(letters)
        cls.people = gt.planes_of(letters, cls.panel)
        cls.model = evidence.Model(cls.panel.freq, sampled=cls.panel.sampled)
        cls.database = cls.scratch / "hapmap3.h5"
        cls.run_fastid("db", "build", "-o", cls.database, cls.hapmap3_bed)
        cls.run_fastid("db", "export", cls.database, "-o", cls.scratch / "panel.tsv", "--what", "panel")
        cls._draw(gt.from_plink(phase1, cls.scratch / "phase1"))

    @classmethod
    def _draw(cls, letters):
        """Who is in each mixture, and what letters are seen in it, at phase 1's sites and positions."""
        rng = np.random.default_rng(SEED)
        cls.phase1_sites = letters.sites
        both = [i for i, name in enumerate(letters.people) if name in set(cls.people.names)]
        cls.names = [f"mix{size}-{i:02}" for size in SIZES for i in range(DRAWS)]
        cls.contributors, cls.seen = [], []
        for name in cls.names:
            chosen = rng.choice(both, int(name[3]), replace=False)
            cls.contributors.append({letters.people[i] for i in chosen})
            cls.seen.append(letters.letters[:, chosen].reshape(len(letters.sites), -1))

    def write_mixtures(self, no_calls):
        """The files, and what the oracle makes of their letters."""
        rng = np.random.default_rng(SEED + 1)
        place = {site.id: s for s, site in enumerate(self.phase1_sites)}
        to_panel = [place[name] for name in self.panel.id]
        files, texts = [], []
        for name, seen in zip(self.names, self.seen):
            lost = rng.random(len(seen)) < no_calls
            text = ["--" if gone else bytes(row).decode() for row, gone in zip(_alleles(seen), lost)]
            files.append(self.scratch / f"{name}.snp")
            lines = [f"#sample {name}"]
            lines += [f"{s.id}\t{s.chrom}\t{s.pos}\t{x}" for s, x in zip(self.phase1_sites, text)]
            files[-1].write_text("\n".join(lines) + "\n", encoding="ascii")
            texts.append([text[s] for s in to_panel])
        return files, gt.planes_of_texts(self.names, texts, self.panel)

    def check_mixtures(self, no_calls):
        """Every true contributor above every other person, among all 957; all numbers."""
        files, mixtures = self.write_mixtures(no_calls)
        counts = counting.count_pairs(MIXTURE, mixtures, self.people)
        lines, _ = self.expect_search(MIXTURE, files, self.database, mixtures, self.people, counts=counts, top="all",
                                      options=["--ignore-build"])
        for name, query, people in zip(self.names, lines, self.contributors):
            self.assertEqual({line["profile"] for line in query[:len(people)]}, people, name)
        for i, size in enumerate(SIZES):
            part = range(DRAWS * i, DRAWS * (i + 1))
            self.expect_search(MIXTURE, [files[n] for n in part], self.database, mixtures.take(part), self.people,
                               top=size, options=["--ignore-build"])
        return files, mixtures

    def check_reverse(self, files, mixtures):
        """A person's own mixtures come above the others with as many contributors; all numbers."""
        database = self.scratch / "mixtures.h5"
        self.run_fastid("db", "build", "-o", database, "--kind", "mixtures", "--ignore-build", "--panel",
                        self.scratch / "panel.tsv", *files)
        self.expect_planes(database, mixtures)
        self.model = evidence.Model(gt.read_panel(self.scratch / "panel.tsv").freq)  # a table: nobody says how many people
        lines, _ = self.expect_search(REVERSE, [self.hapmap3_bed], database, self.people, mixtures, top="all")
        self.expect_search(REVERSE, [self.hapmap3_bed], database, self.people, mixtures)
        own = {name: [m for m, people in zip(self.names, self.contributors) if name in people]
               for name in self.people.names}
        self.assertEqual(sum(map(len, own.values())), DRAWS * sum(SIZES))
        for name, query in zip(self.people.names, lines):
            for size in SIZES:
                ranked = [line["mixture"] for line in query if line["mixture"].startswith(f"mix{size}")]
                expected = {mixture for mixture in own[name] if mixture.startswith(f"mix{size}")}
                self.assertEqual(set(ranked[:len(expected)]), expected, name)

    def test_all_sites_called(self):
        files, mixtures = self.check_mixtures(no_calls=0)
        self.assertTrue(mixtures.called.all())
        self.check_reverse(files, mixtures)

    def test_one_site_in_twenty_not_called(self):
        files, mixtures = self.check_mixtures(no_calls=0.05)
        self.assertFalse(mixtures.called.all())
        self.check_reverse(files, mixtures)


def _alleles(seen):
    """Each site's distinct letters, at least two of them: "AG", or "AA" where only one was seen."""
    ordered = np.sort(seen, axis=1)
    return np.stack([ordered[:, 0], ordered[:, -1]], axis=1)  # biallelic: the least and the greatest letter


if __name__ == "__main__":
    program.main(needs_real_data=True)
