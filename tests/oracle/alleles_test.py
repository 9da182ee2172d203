"""Databases that say which alleles were seen (format version 2), against the oracle's reading of the same files."""

import shutil

import eigenstrat
import genotypes as gt
import h5py
import made_up
import numpy as np
import program

SEED = 20211104
PEOPLE, SITES = 70, 200


def plane(database, name):
    """[people, sites] of one plane, by the documented formula."""
    with h5py.File(database) as file:
        words = file[f"profiles/{name}"][:]
        people, sites = int(file.attrs["n_profiles"]), int(file.attrs["n_sites"])
    row, site = np.arange(people)[:, None], np.arange(sites)[None, :]
    return words[row // 32, site // 32, row % 32] >> (site % 32).astype(np.uint32) & 1 == 1


class Alleles(program.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rng = np.random.default_rng(SEED)
        cls.panel = made_up.make_panel(cls.rng, SITES, "GRCh37")
        cls.panel_file = cls.scratch / "panel.tsv"
        gt.write_panel(cls.panel, cls.panel_file)
        cls.truth = made_up.make_truth(cls.rng, cls.panel, PEOPLE)
        cls.names = [f"P{i:02}" for i in range(PEOPLE)]
        cls.vcf = cls.scratch / "people.vcf"
        made_up.write_vcf(cls.rng, cls.vcf, cls.panel, cls.names, cls.truth)

    def build(self, name, *arguments, encoding="alleles", panel=True):
        database = self.scratch / f"{name}.h5"
        self.run_fastid("db", "build", "-o", database, *(["--panel", self.panel_file] if panel else []), "--encoding",
                        encoding, *arguments)
        return database

    def content(self, database):
        return self.info(database)["profiles_sha256"]

    def people(self):
        return gt.planes_of(gt.from_vcf(self.vcf), self.panel, by_position=True)

    def test_every_shape_of_record(self):
        planes = self.people()
        self.assertTrue((planes.called == (planes.bits | planes.major)).all())
        self.assertGreater((planes.bits & planes.major).sum(), 100)
        self.assertGreater((planes.bits & ~planes.major).sum(), 100)
        contents = set()
        for kind in ("v", "b"):
            copy = self.scratch / f"copy-{kind}"
            gt.run_tool("bcftools", "view", f"-O{kind}", "-o", str(copy), str(self.vcf))
            database = self.build(f"of-{kind}", copy)
            self.expect_planes(database, planes, "alleles")
            self.run_fastid("db", "verify", database)
            contents.add(self.content(database))
        self.assertEqual(len(contents), 1)

    def test_texts_and_mixtures(self):
        texts = [made_up.person_text(self.rng, self.panel, self.truth[i]) for i in range(5)]
        stains = [made_up.mixture_text(self.rng, self.panel, self.truth[i : i + 3], 0.1) for i in range(5)]
        for kind, letters in (("individuals", texts), ("mixtures", stains)):
            files = [self.scratch / f"{kind}-{i}.snp" for i in range(5)]
            for i, path in enumerate(files):
                program.write_snp(path, f"T{i}", self.panel, letters[i], "37")
            planes = gt.planes_of_texts([f"T{i}" for i in range(5)], letters, self.panel)
            self.expect_planes(self.build(kind, "--kind", kind, *files), planes, "alleles")

    def test_all_formats_say_the_same(self):
        """VCF, PLINK and EIGENSTRAT of the same people, with the panel and with one that is derived."""
        snps, prefix = self.scratch / "snps.vcf", self.scratch / "people"
        plain = self.scratch / "plain.vcf"
        made_up.write_plain_vcf(plain, self.panel, self.names, self.truth)
        gt.run_tool("bcftools", "view", "-o", str(snps), str(plain))
        gt.run_tool("plink2", "--vcf", str(snps), "--make-bed", "--out", str(prefix), "--allow-extra-chr",
                    "--output-chr", "26", "--split-par", "1", "2")
        letters = gt.from_plink(prefix, self.scratch / "traw")
        geno = [eigenstrat.write(letters, self.scratch / f"packed-{packed}", packed) for packed in (False, True)]
        planes = gt.planes_of(letters, self.panel, by_position=True)
        contents = set()
        for i, path in enumerate([snps, prefix.with_suffix(".bed"), *geno]):
            database = self.build(f"format-{i}", path)
            self.expect_planes(database, planes, "alleles")
            contents.add(self.content(database))
        self.assertEqual(len(contents), 1)
        derived = gt.derive_panel(letters)
        bed = self.build("derived", prefix.with_suffix(".bed"), panel=False)
        self.expect_planes(bed, gt.planes_of(letters, derived), "alleles")

    def test_many_files_and_merged_people(self):
        """A site at which a person's two files differ, were it in the number of copies alone, is not called."""
        again = made_up.with_errors(self.rng, self.truth[:5], 0.04)
        files = []
        for i in range(5):
            for name, copies in (("one", self.truth[i]), ("two", again[i])):
                files.append(self.scratch / f"{name}-{i}.vcf")
                made_up.write_plain_vcf(files[-1], self.panel, [f"M{i}"], copies[None, :])
        same = self.truth[:5] == again
        self.assertGreater((~same & (self.truth[:5] > 0) & (again > 0)).sum(), 0)
        bits, major = (self.truth[:5] > 0) & same, (self.truth[:5] < 2) & same
        planes = gt.Planes([f"M{i}" for i in range(5)], bits, same, major)
        self.expect_planes(self.build("merged", "--duplicates", "merge", *files), planes, "alleles")

    def test_export_and_back(self):
        database = self.build("exported", self.vcf)
        copy = self.scratch / "exported.vcf"
        self.run_fastid("db", "export", database, "-o", copy)
        letters = gt.from_vcf(copy)
        self.expect_planes(database, gt.planes_of(letters, self.panel), "alleles")
        self.assertEqual(self.content(self.build("again", copy)), self.content(database))
        one = self.scratch / "one.snp"
        self.run_fastid("db", "export", database, "-o", one, "--format", "snp", "--profile", "P07")
        self.expect_planes(self.build("one", one), self.people().take([7]), "alleles")

    def test_export_to_plink_and_back(self):
        database = self.build("for-plink", self.vcf)
        prefix = self.scratch / "exported"
        self.run_fastid("db", "export", database, "-o", prefix, "--format", "bed")
        self.expect_planes(database, gt.planes_of(gt.from_plink(prefix, self.scratch / "traw-back"), self.panel), "alleles")
        again = self.build("from-plink", prefix.with_suffix(".bed"))
        self.assertEqual(self.content(again), self.content(database))
        some = ["P66", "P03", "P31", "P32", "P64"]
        self.run_fastid("db", "export", database, "-o", self.scratch / "some", "--format", "bed", "--profile", *some)
        letters = gt.from_plink(self.scratch / "some", self.scratch / "traw-some")
        self.assertEqual(letters.people, some)
        self.expect_planes(self.build("some", self.scratch / "some.bed"),
                           self.people().take([int(name[1:]) for name in some]), "alleles")

    def test_plink_export_in_parts(self):
        """More profiles than are turned at a time (32 MiB of a plane), of which the last block is not full."""
        people, sites = 6750, 40000
        database, prefix = self.scratch / "large.h5", self.scratch / "large"
        self.run_fastid("db", "simulate", "-o", database, "--encoding", "alleles", "--profiles", people, "--sites", sites,
                        "--no-call-rate", 0.1)
        self.run_fastid("db", "export", database, "-o", prefix, "--format", "bed")
        self.assertEqual(prefix.with_suffix(".bed").stat().st_size, 3 + sites * ((people + 3) // 4))
        rows = np.memmap(prefix.with_suffix(".bed"), np.uint8, "r", 3).reshape(sites, -1)
        site = np.arange(sites)
        with h5py.File(database) as file:
            self.assertEqual([line.split()[1] for line in prefix.with_suffix(".fam").read_text().splitlines()],
                             [name.decode() for name in file["profiles/id"][:]])
            for person in (0, 31, 32, 6687, 6688, 6719, 6720, 6749):
                minor, major = (file[f"profiles/{name}"][person // 32, :, person % 32][site // 32]
                                >> (site % 32).astype(np.uint32) & 1 for name in ("minor", "major"))
                codes = rows[:, person // 4] >> 2 * (person % 4) & 3
                expected = np.array([1, 3, 0, 2])[2 * minor + major]  # missing, major, minor, both
                self.assertTrue((codes == expected).all(), person)
        self.assertTrue((rows[:, -1] >> 4 == 0).all(), "codes past the last person")

    def test_exports_without_alleles_are_not_taken_for_genotypes(self):
        plain = self.build("plain", self.vcf, encoding="minor")
        vcf, snp = self.scratch / "plain-export.vcf", self.scratch / "plain-export.snp"
        bcf = self.scratch / "plain-export.bcf"
        self.run_fastid("db", "export", plain, "-o", vcf)
        self.run_fastid("db", "export", plain, "-o", snp, "--format", "snp", "--profile", "P07")
        gt.run_tool("bcftools", "view", "-Ob", "-o", str(bcf), str(vcf))
        alleles = self.build("alleles", self.vcf)
        before = alleles.read_bytes()
        for path in (vcf, bcf, snp):
            refused = self.run_fastid("db", "build", "-o", self.scratch / "x.h5", "--panel", self.panel_file, "--encoding",
                                      "alleles", path, status=3)
            self.assertIn("says only where a minor allele was seen", refused.stderr)
            refused = self.run_fastid("db", "append", alleles, path, "--duplicates", "rename", status=3)
            self.assertIn("says only where a minor allele was seen", refused.stderr)
        self.assertEqual(alleles.read_bytes(), before)
        self.assertEqual(self.content(self.build("back", vcf, encoding="minor")), self.content(plain))

    def test_exports_without_alleles_are_known_without_their_remark(self):
        """Another program has dropped it: nobody has two minor alleles then, which chance does not bring."""
        plain, prefix = self.build("bare", self.vcf, encoding="minor"), self.scratch / "bare"
        vcf = self.scratch / "bare.vcf"
        self.run_fastid("db", "export", plain, "-o", vcf)
        gt.run_tool("plink2", "--vcf", str(vcf), "--make-bed", "--out", str(prefix), "--allow-extra-chr", "--output-chr", "26",
                    "--split-par", "1", "2")
        database = self.build("whole-people", self.vcf)
        inputs = ["--encoding", "alleles", prefix.with_suffix(".bed")]
        for command in (["build", "-o", self.scratch / "x.h5", "--panel", self.panel_file, *inputs],
                        ["build", "-o", self.scratch / "x.h5", *inputs],
                        ["build", "-o", self.scratch / "x.h5", *inputs, self.vcf, "--duplicates", "rename"],
                        ["append", database, prefix.with_suffix(".bed"), "--duplicates", "rename"]):
            refused = self.run_fastid("db", *command, status=3)
            self.assertIn("shows nobody with two copies of a minor allele", refused.stderr)
        self.expect_planes(database, self.people(), "alleles")
        self.assertEqual(self.content(self.build("bare-back", prefix.with_suffix(".bed"), encoding="minor")),
                         self.content(plain))

    def test_appends_keep_the_encoding(self):
        halves = [self.scratch / f"half-{i}.vcf" for i in range(2)]
        for i, (path, people) in enumerate(zip(halves, (self.names[:33], self.names[33:]))):
            gt.run_tool("bcftools", "view", "-s", ",".join(people), "-o", str(path), str(self.vcf))
        for encoding in ("minor", "alleles"):
            database = self.build(f"grown-{encoding}", halves[0], encoding=encoding)
            self.run_fastid("db", "append", database, halves[1])
            self.expect_planes(database, self.people(), encoding)
            self.run_fastid("db", "verify", database)
            whole = self.build(f"whole-{encoding}", self.vcf, encoding=encoding)
            self.assertEqual(self.content(database), self.content(whole))

    def test_conversion_is_a_build(self):
        """From version 1 and its inputs, in whatever order these are given, what version 2 would have been."""
        halves = [self.scratch / f"converted-{i}.vcf" for i in range(2)]
        for path, people in zip(halves, (self.names[:37], self.names[37:])):
            gt.run_tool("bcftools", "view", "-s", ",".join(people), "-o", str(path), str(self.vcf))
        old, new = self.build("old", halves[0], encoding="minor"), self.scratch / "new.h5"
        self.run_fastid("db", "append", old, halves[1])
        before = old.read_bytes()
        self.run_fastid("db", "convert", old, "-o", new, *reversed(halves))
        self.expect_planes(new, self.people(), "alleles")
        self.run_fastid("db", "verify", new)
        self.assertEqual(old.read_bytes(), before)
        self.assertEqual([record["action"] for record in self.info(new)["log"]], ["build", "append", "convert"])
        for key in ("panel_sha256", "kind", "genome_build", "n_profiles"):
            self.assertEqual(self.info(new)[key], self.info(old)[key])
        other = self.scratch / "other.vcf"
        other.write_text(halves[1].read_text().replace("0/0", "1/1", 1))
        refused = self.run_fastid("db", "convert", old, "-o", self.scratch / "none.h5", halves[0], other, status=3)
        self.assertIn("it has no minor allele, and the inputs have a minor allele", refused.stderr)
        self.assertFalse((self.scratch / "none.h5").exists())

    def test_info_says_the_encoding(self):
        for encoding, version in (("minor", 1), ("alleles", 2)):
            database = self.build(f"info-{encoding}", self.vcf, encoding=encoding)
            info = self.info(database)
            self.assertEqual((info["encoding"], info["format_version"]), (encoding, version))
            self.assertEqual(info["all_called"], False if encoding == "minor" else None)
            self.assertRegex(self.run_fastid("db", "info", database).stdout, f"encoding +{encoding}: ")

    def test_simulated_people_are_the_same_in_both(self):
        common = ["--profiles", 3000, "--sites", 300, "--seed", 5, "--no-call-rate", 0.05, "--error-rate", 0.01]
        databases = {}
        for encoding in ("minor", "alleles"):
            databases[encoding] = self.scratch / f"sim-{encoding}.h5"
            self.run_fastid("db", "simulate", "-o", databases[encoding], "--encoding", encoding, *common)
        self.run_fastid("db", "verify", databases["alleles"])
        minor, major = (plane(databases["alleles"], name) for name in ("minor", "major"))
        self.assertTrue((minor == plane(databases["minor"], "bits")).all())
        self.assertTrue((minor | major == plane(databases["minor"], "called")).all())
        with h5py.File(databases["alleles"]) as file:
            q = file["panel/freq/simulated"][:]
        q = q + 0.01 * (1 - 2 * q)  # misread alleles
        called = (minor | major).sum(axis=0)
        for observed, expected in ((minor & ~major, q * q), (minor & major, 2 * q * (1 - q)),
                                   (major & ~minor, (1 - q) ** 2)):
            deviation = np.sqrt(expected * (1 - expected) / called)
            self.assertLess((np.abs(observed.sum(axis=0) / called - expected) / deviation).max(), 5)


if __name__ == "__main__":
    for tool in ("bcftools", "plink2"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is not installed: scripts/setup test installs it")
    program.main()
