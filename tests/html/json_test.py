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
    "limited": ("search", "--max-expected-false", "0.01", "suspect.snp", "people.h5"),
    "not even 0": ("search", "--max-expected-false", "1e-300", "suspect.snp", "people.h5"),
    "limited reverse": ("mixture", "--reverse", "--max-expected-false", "1", "cohort.vcf", "stains.h5"),
    "read otherwise": ("mixture", "stain.snp", "people.h5", "--palindromic", "drop", "--min-depth", "3", "--skip-checksums"),
    "nothing": ("search", "--max-mismatches", "0", "stranger.snp", "people.h5"),
    "no errors": ("search", "--error-rate", "0", "suspect.snp", "people.h5"),
    "mixture": ("mixture", "stain.snp", "stain2.snp", "people.h5"),
    "contributors": ("mixture", "--contributors", "2", "stain.snp", "people.h5"),
    "reverse": ("mixture", "--reverse", "cohort.vcf", "stains.h5"),
    "no frequencies": ("search", "suspect.snp", "bare.h5"),
    "mixture without frequencies": ("mixture", "stain.snp", "bare.h5"),
}


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        with Scene() as scene:
            cls.documents = {name: json.loads(scene.fastid(*search, "-q", "--format", "json"))
                             for name, search in SEARCHES.items()}

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(self.validator.schema)

    def test_every_document_is_valid(self):
        for name, document in self.documents.items():
            with self.subTest(name):
                self.assertEqual([error.message for error in self.validator.iter_errors(document)], [])

    def test_the_documents_hold_what_they_should(self):
        """Else their being valid would show little."""
        matches = lambda name: [row for query in self.documents[name]["queries"] for row in query["matches"]]
        self.assertTrue(any(row["differing_loci"] for row in matches("identity")))
        self.assertTrue(any(row["log10_lr"] == "-inf" for row in matches("no errors")))
        self.assertEqual(matches("nothing"), [])
        self.assertTrue(matches("reverse"))
        self.assertTrue(all(row["log10_lr"] is None for row in matches("no frequencies")))
        limit = lambda name: [self.documents[name]["queries"][0]["evidence"][key] for key in ("limit", "max_count")]
        self.assertEqual(limit("limited"), ["max_count", 14])
        self.assertEqual(limit("not even 0"), ["nothing", None])
        self.assertEqual(matches("not even 0"), [])
        for name in ("identity", "mixture", "limited reverse"):
            self.assertEqual(limit(name), ["none", None], name)
        self.assertEqual({key: value for key, value in self.documents["read otherwise"]["provenance"]["parameters"].items()
                          if self.documents["mixture"]["provenance"]["parameters"][key] != value},
                         {"palindromic": "drop", "min_depth": 3, "min_allele_fraction": 0.02, "skip_checksums": True})
        self.assertTrue(self.documents["contributors"]["queries"][0]["evidence"]["mixture"]["contributors_given"])
        self.assertEqual({name for name, document in self.documents.items() if "run" in document}, {"all"})
        histogram = self.documents["identity"]["queries"][0]["histogram"]
        self.assertEqual(sum(histogram["profiles"]), 12)
        self.assertAlmostEqual(sum(histogram["expected_unrelated"]), 12, places=1)

    def test_what_is_wrong_is_refused(self):
        def drop(document):
            del document["queries"][0]["matches"][0]["log10_lr"]

        def add(document):
            document["queries"][0]["matches"][0]["verdict"] = "match"

        def mix(document):
            document["comparison"] = "mixture"

        def number(document):
            document["queries"][0]["matches"][0]["expected_false"] = "1e-9"

        def unlimit(document):
            document["queries"][0]["evidence"]["limit"] = "max_count"

        for spoil in (drop, add, mix, number, unlimit):
            with self.subTest(spoil.__name__):
                document = copy.deepcopy(self.documents["identity"])
                spoil(document)
                self.assertFalse(self.validator.is_valid(document))


if __name__ == "__main__":
    unittest.main(verbosity=2)
