"""json against its published schema (docs/fastid-matches.schema.json), in every shape that a search can have."""

import copy
import json
import os
import unittest
from pathlib import Path

import jsonschema
from scene import Scene

SCHEMA = Path(os.environ["FASTID_DOCS"]) / "fastid-matches.schema.json"

SEARCHES = {
    "identity": ("search", "suspect.snp", "stranger.snp", "people.h5"),
    "all": ("search", "--top", "all", "suspect.snp", "people.h5", "--run-info"),
    "limited": ("search", "--max-chance-matches", "0.01", "suspect.snp", "people.h5"),
    "not even 0": ("search", "--max-chance-matches", "1e-300", "suspect.snp", "people.h5"),
    "limited reverse": ("mixture", "--reverse", "--max-chance-matches", "1", "cohort.vcf", "stains.h5"),
    "otherwise related": ("search", "--alternative", "sibling", "--sort", "rate", "suspect.snp", "people.h5"),
    "twice": ("search", "suspect.snp", "twice.h5"),
    "by two populations": ("search", "suspect.snp", "two.h5"),
    "drop-out": ("mixture", "--drop-out", "0.2", "--drop-in", "0.01", "--contributors", "2", "--known", "anna.snp", "stain.snp",
                 "people.h5"),
    "read otherwise": ("mixture", "stain.snp", "people.h5", "--palindromic", "drop", "--min-depth", "3", "--skip-checksums"),
    "nothing": ("search", "--max-mismatches", "0", "stranger.snp", "people.h5"),
    "no errors": ("search", "--error-rate", "0", "suspect.snp", "people.h5"),
    "mixture": ("mixture", "stain.snp", "stain2.snp", "people.h5"),
    "contributors": ("mixture", "--contributors", "2", "stain.snp", "people.h5"),
    "reverse": ("mixture", "--reverse", "cohort.vcf", "stains.h5"),
    "mixtures": ("mixture", "stain.snp", "stains.h5"),
    "by bits": ("search", "--by", "bits", "suspect.snp", "stranger.snp", "people.h5"),
    "mixture by bits": ("mixture", "--by", "bits", "stain.snp", "people.h5"),
    "no frequencies": ("search", "suspect.snp", "bare.h5"),
    "likelihoods": ("search", "bone.vcf", "suspect.snp", "two.h5"),
    "likelihoods by bits": ("search", "bone.vcf", "people.h5", "--by", "bits", "--max-chance-matches", "1"),
    "mixture without frequencies": ("mixture", "stain.snp", "bare.h5"),
}


KIN_SCHEMA = SCHEMA.with_name("fastid-kin.schema.json")

KIN_SEARCHES = {
    "kin": ("kin", "--min-kinship", "0", "suspect.snp", "stranger.snp", "people.h5"),
    "all": ("kin", "--top", "all", "--sort", "kinship", "--error-rate", "0", "suspect.snp", "people.h5", "--run-info"),
    "nothing": ("kin", "--min-kinship", "0.5", "stranger.snp", "people.h5"),
    "no frequencies": ("kin", "suspect.snp", "bare.h5"),
    "likelihoods": ("kin", "bone.vcf", "suspect.snp", "people.h5"),
    "likelihoods, unlinked": ("kin", "bone.vcf", "people.h5", "--unlinked"),
    "family": ("kin", "anna.snp", "suspect.snp", "people.h5", "--family", "family.txt", "--min-kinship", "0"),
}


EPISTASIS_SCHEMA = SCHEMA.with_name("fastid-epistasis.schema.json")

COMBINATIONS = {
    "triples": ("epistasis", "cohort.h5", "--phenotype", "phenotypes.txt"),
    "pairs": ("epistasis", "cohort.h5", "--phenotype", "phenotypes.txt", "--way", "2", "--score", "mi", "--top", "3"),
}


VICTIMS_SCHEMA = SCHEMA.with_name("fastid-dvi.schema.json")

VICTIMS = {
    "found": ("dvi", "families.ped", "suspect.snp", "twice.h5", "--power"),
    "apart": ("dvi", "families.ped", "suspect.snp", "twice.h5", "--no-pool", "--lr", "300"),
}


class Documents:
    """Of several searches, each held to a schema."""

    schema, searches = None, {}

    @classmethod
    def setUpClass(cls):
        cls.validator = jsonschema.Draft202012Validator(json.loads(cls.schema.read_text()))
        with Scene() as scene:
            cls.documents = {name: json.loads(scene.fastid(*search, "-q", "--format", "json"))
                             for name, search in cls.searches.items()}

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(self.validator.schema)

    def test_every_document_is_valid(self):
        for name, document in self.documents.items():
            with self.subTest(name):
                self.assertEqual([error.message for error in self.validator.iter_errors(document)], [])


class Kin(Documents, unittest.TestCase):
    schema, searches = KIN_SCHEMA, KIN_SEARCHES

    def test_the_documents_hold_what_they_should(self):
        """Else their being valid would show little."""
        matches = lambda name: [row for query in self.documents[name]["queries"] for row in query["matches"]]
        self.assertEqual(matches("kin")[0]["relation"], "same")
        self.assertTrue(any(row["log10_lr_parent_child"] == "-inf" for row in matches("all")))
        self.assertEqual(matches("nothing"), [])
        self.assertTrue(all(row["log10_lr"] is None and row["kinship"] for row in matches("no frequencies")))
        self.assertTrue(matches("family"))
        self.assertEqual(self.documents["family"]["family"]["missing"],
                         [{"name": "missing", "paternal_line": None, "maternal_line": None,
                           "inheritance_bits": 1, "along_map": True, "places_not_weighed": 0}])

    def test_what_is_wrong_is_refused(self):
        for change in (lambda one: one["queries"][0]["matches"][0].pop("margin"),
                       lambda one: one["queries"][0]["matches"][0].update(kinship=0.6),
                       lambda one: one["queries"][0]["matches"][0].update(relation="uncle"),
                       lambda one: one.update(family={}),
                       lambda one: one["provenance"]["parameters"].update(alternative="unrelated")):
            document = copy.deepcopy(self.documents["kin"])
            change(document)
            self.assertFalse(self.validator.is_valid(document))


class Epistasis(Documents, unittest.TestCase):
    schema, searches = EPISTASIS_SCHEMA, COMBINATIONS

    def test_the_documents_hold_what_they_should(self):
        for name, way, cells in (("triples", 3, 27), ("pairs", 2, 9)):
            for row in self.documents[name]["results"]:
                self.assertEqual((len(row["sites"]), len(row["table"])), (way, cells))
        self.assertEqual((len(self.documents["triples"]["results"]), len(self.documents["pairs"]["results"])), (10, 3))

    def test_what_is_wrong_is_refused(self):
        for change in (lambda one: one["results"][0].pop("k2"),
                       lambda one: one["results"][0].update(mi=0.5),
                       lambda one: one["results"][0]["sites"].pop(),
                       lambda one: one["results"][0]["table"].pop(),
                       lambda one: one["results"][0]["table"][0].update(genotypes="003"),
                       lambda one: one.update(way=2),
                       lambda one: one["provenance"].update(phenotypes_sha256="0")):
            document = copy.deepcopy(self.documents["triples"])
            change(document)
            self.assertFalse(self.validator.is_valid(document))


class Victims(Documents, unittest.TestCase):
    schema, searches = VICTIMS_SCHEMA, VICTIMS

    def test_the_documents_hold_what_they_should(self):
        found, apart = self.documents["found"], self.documents["apart"]
        self.assertIn(["suspect", "again", "P07"], [person["remains"] for person in found["people"]])
        self.assertEqual(len(apart["people"]), sum(len(person["remains"]) for person in found["people"]))
        self.assertEqual([one["missing"] for one in found["missing"]], ["lost", "gone"])
        self.assertTrue(all("power" in one for one in found["missing"]) and "power" not in apart["missing"][0])
        self.assertEqual(apart["components"][0]["missing"], ["lost", "gone"])

    def test_what_is_wrong_is_refused(self):
        for change in (lambda one: one["missing"][0].pop("conclusion"),
                       lambda one: one["missing"][0].update(conclusion="identified"),
                       lambda one: one["people"][0].update(remains=[]),
                       lambda one: one["rules"].pop("lr"),
                       lambda one: one["provenance"].update(database_sha256="0")):
            document = copy.deepcopy(self.documents["found"])
            change(document)
            self.assertFalse(self.validator.is_valid(document))


class Json(Documents, unittest.TestCase):
    schema, searches = SCHEMA, SEARCHES

    def test_the_documents_hold_what_they_should(self):
        """Else their being valid would show little."""
        matches = lambda name: [row for query in self.documents[name]["queries"] for row in query["matches"]]
        self.assertTrue(any(row["differing_loci"] for row in matches("identity")))
        self.assertTrue(any(row["log10_lr"] == "-inf" for row in matches("no errors")))
        self.assertEqual(matches("nothing"), [])
        self.assertTrue(matches("reverse"))
        self.assertTrue(all(row["log10_lr"] is None for row in matches("no frequencies")))
        by = lambda name: self.documents[name]["provenance"]["parameters"]["by"]
        self.assertEqual([by(name) for name in ("identity", "by bits", "mixture by bits")], ["alleles", "bits", "bits"])
        self.assertTrue(any("query_alleles" in locus for row in matches("identity") for locus in row["differing_loci"] or []))
        self.assertTrue(all("alleles" in row for row in matches("mixture")))
        limit = lambda name: [self.documents[name]["queries"][0]["evidence"][key] for key in ("limit", "max_count")]
        self.assertEqual(limit("limited"), ["max_count", 21])
        self.assertEqual(limit("not even 0"), ["nothing", None])
        self.assertEqual(matches("not even 0"), [])
        for name in ("identity", "mixture", "limited reverse"):
            self.assertEqual(limit(name), ["none", None], name)
        self.assertEqual({key: value for key, value in self.documents["read otherwise"]["provenance"]["parameters"].items()
                          if self.documents["mixture"]["provenance"]["parameters"][key] != value},
                         {"palindromic": "drop", "min_depth": 3, "min_allele_fraction": 0.02, "skip_checksums": True})
        of_mixture = lambda name: self.documents[name]["queries"][0]["evidence"]["mixture"]
        self.assertEqual([one["probability"] for one in of_mixture("contributors")["numbers"]], [0, 1])
        self.assertAlmostEqual(sum(one["probability"] for one in of_mixture("mixture")["numbers"]), 1, delta=1e-6)
        weights = [one["weight"] for one in of_mixture("mixture")["supports"]]
        self.assertGreaterEqual(min(weights), .01)
        self.assertLessEqual(.5, sum(weights))
        self.assertLessEqual(sum(weights), 1 + 1e-6)
        parameters = lambda name: self.documents[name]["provenance"]["parameters"]
        self.assertEqual([parameters("otherwise related")[key] for key in ("alternative", "sort", "drop_out", "drop_in", "known")],
                         ["sibling", "rate", None, None, []])
        self.assertEqual([parameters("drop-out")[key] for key in ("drop_out", "drop_in", "contributors", "error_rate")],
                         [0.2, 0.01, "2", 0.005])
        self.assertEqual([(known["name"], known["file"]) for known in parameters("drop-out")["known"]], [("anna", "anna.snp")])
        self.assertEqual(parameters("mixture")["drop_out"], "auto")
        self.assertEqual({name for name, document in self.documents.items() if "run" in document}, {"all"})
        first = matches("identity")[0]
        self.assertEqual((first["profile"], first["suggests"], first["mark"]), ("P07", "same", "apart"))
        for row in matches("mixture"):
            self.assertEqual(row["contributor"].split()[2].rstrip(","), str(row["support"]["contributors"]))
        of_two = matches("by two populations")
        self.assertTrue(all(row["log10_lr_population"] in ("madeup", "other") for row in of_two))
        self.assertEqual({row["chance_population"] for row in of_two} | {row["log10_lr_population"] for row in of_two},
                         {"madeup", "other"})
        histogram = self.documents["identity"]["queries"][0]["histogram"]
        self.assertEqual(sum(histogram["profiles"]), 12)
        self.assertAlmostEqual(sum(histogram["expected_unrelated"]), 12, places=1)
        self.assertGreater(histogram["own"]["centre"], 10)
        self.assertGreater(histogram["model"]["spread"], 1)

    def test_what_is_wrong_is_refused(self):
        def drop(document):
            del document["queries"][0]["matches"][0]["log10_lr"]

        def add(document):
            document["queries"][0]["matches"][0]["verdict"] = "match"

        def mix(document):
            document["comparison"] = "mixture"

        def number(document):
            document["queries"][0]["matches"][0]["chance_matches"] = "1e-9"

        def unlimit(document):
            document["queries"][0]["evidence"]["limit"] = "max_count"

        for spoil in (drop, add, mix, number, unlimit):
            with self.subTest(spoil.__name__):
                document = copy.deepcopy(self.documents["identity"])
                spoil(document)
                self.assertFalse(self.validator.is_valid(document))


if __name__ == "__main__":
    unittest.main(verbosity=2)
