"""A person typed with a kit, among strangers and simulated relatives: each is named for what they are, and nobody else is.

The relatives of na24385 are made of the kit's own genotype by Mendel's rules, with the frequencies of Europe for what others
bring: both parents, a full sibling, two children and a grandchild. The database holds ref01, typed with the same kit, and
simulated strangers.
"""

import json

import genotypes as gt
import numpy as np
import program
from kit_stain_test import letters_of

STRANGERS, SEED, POPULATION = 2000, 24385, "EUR"
PERSON, OTHER = "na24385", "ref01"
RELATION = {"father": "parent-child", "mother": "parent-child", "sibling": "sibling", "son": "parent-child",
            "daughter": "parent-child", "grandson": "half-sibling"}  # of the second degree


class KitKin(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        kits = program.real_data() / "kits"
        cls.person, cls.database = kits / f"{PERSON}.snp", cls.scratch / "kit.h5"
        cls.panel = gt.read_panel(kits / "kintelligence.tsv")
        cls.run_fastid("db", "simulate", "-o", cls.database, "--panel", kits / "kintelligence.tsv", "--profiles", STRANGERS)
        made = cls.family(np.random.default_rng(SEED), letters_of(cls.person, cls.panel))
        files = [cls.write(name, copies) for name, copies in made.items()]
        cls.run_fastid("db", "append", cls.database, kits / f"{OTHER}.snp", *files)

    @classmethod
    def family(cls, rng, letters):
        """[site, 2]: minor copies of each relative. A site at which the person is not typed is drawn for them too."""
        minor, q = np.array(cls.panel.minor), np.array(cls.panel.freq[POPULATION])
        pairs = np.array([text if len(text) == 2 and "-" not in text else "??" for text in letters])
        own = np.stack([[pair[i] for pair in pairs] for i in (0, 1)], axis=1) == minor[:, None]
        founder = lambda: rng.random((len(q), 2)) < q[:, None]
        own = np.where((pairs == "??")[:, None], founder(), own)
        own = np.where((rng.random(len(q)) < 0.5)[:, None], own, own[:, ::-1])  # which copy is whose is not known
        passed = lambda parent: np.where(rng.random(len(q)) < 0.5, parent[:, 0], parent[:, 1])
        child = lambda one, two: np.stack([passed(one), passed(two)], axis=1)
        with_random = lambda copy: np.stack([copy, founder()[:, 0]], axis=1)
        made = {"father": with_random(own[:, 0]), "mother": with_random(own[:, 1])}
        made["sibling"] = child(made["father"], made["mother"])
        made["son"], made["daughter"] = child(own, founder()), child(own, founder())
        made["grandson"] = child(made["son"], founder())
        return made

    @classmethod
    def write(cls, name, copies):
        alleles = zip(cls.panel.major, cls.panel.minor, strict=True)
        texts = ["".join(pair[int(copy)] for copy in site) for pair, site in zip(alleles, copies, strict=True)]
        program.write_snp(cls.scratch / f"{name}.snp", name, cls.panel, texts)
        return cls.scratch / f"{name}.snp"

    def query(self, *options):
        document = json.loads(self.run_fastid("kin", "--unlinked", "--population", POPULATION, "-k", 50, *options, "--format", "json").stdout)
        return document["queries"][0]

    def matches(self, *options):
        return self.query(*options)["matches"]

    def test_relatives_are_named_and_nobody_else(self):
        rows = self.matches(self.person, self.database)
        self.assertEqual({row["profile"] for row in rows[:len(RELATION)]}, set(RELATION))
        self.assertEqual({row["profile"]: row["relation"] for row in rows[:len(RELATION)]}, RELATION)
        for row in rows[len(RELATION):]:
            self.assertIn(row["relation"], ("undecided", "unrelated"), row["profile"])

    def test_the_father_is_found_by_the_rest_of_the_family(self):
        family = self.scratch / "family.txt"
        family.write_text(f"{PERSON} father mother\nsibling father mother\nfather 0 0\nmother 0 0\n")
        query = self.query(self.person, self.scratch / "sibling.snp", self.scratch / "mother.snp", self.database,
                           "--family", family)
        rows = query["matches"]
        self.assertEqual((rows[0]["profile"], rows[0]["rank"]), ("father", 1))
        self.assertGreater(rows[0]["log10_lr"], rows[1]["log10_lr"] + 100)
        # The typed relatives themselves are in the database too: as like the father as a sibling or more.
        members = {row["profile"]: (row["member"], row["rank"]) for row in query["typed_members"]}
        self.assertEqual(members, {"sibling": ("sibling", None), "mother": ("mother", None)})
        self.assertGreater(max(row["log10_lr"] for row in query["typed_members"]), 100)
        self.assertFalse({row["profile"] for row in rows} & set(members))


if __name__ == "__main__":
    program.main(needs_real_data=True)
