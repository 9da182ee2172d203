"""Similar vectors beside numpy: every value of every metric, and the same result however the work is cut."""

import itertools
import os
import struct

import h5py
import numpy as np
import program

GENOTYPE = {-1: "./.", 0: "0/0", 1: "0/1", 2: "1/1"}
MODULUS = 1 << 128


def combinations(n, way):
    """In the order of the last member, then of the one before it."""
    return sorted(itertools.combinations(range(n), way), key=lambda members: members[::-1])


def proportional(values, called):
    """Of rows of values, two or three, at the units that all have called."""
    some = np.where(called.all(axis=0), values, 0)
    total = some.sum()
    if len(some) == 2:
        common, share = some.min(axis=0).sum(), 2
    else:
        pairs = sum(np.minimum(a, b).sum() for a, b in itertools.combinations(some, 2))
        common, share = pairs - some.min(axis=0).sum(), 1.5
    return [share * common / total if total else 0.0]


def ccc(values, called, frequency):
    """Of each choice of alleles, the minor one being 1; frequency[row][allele]."""
    there = called.all(axis=0)
    n = there.sum()
    found = []
    for alleles in itertools.product((0, 1), repeat=len(values)):
        copies = [row[there] if allele else 2 - row[there] for row, allele in zip(values, alleles, strict=True)]
        together = np.prod(copies, axis=0).sum() / (2 ** len(values) * n) if n else 0.0
        weights = [1 - 2 / 3 * of[allele] for of, allele in zip(frequency, alleles, strict=True)]
        found.append(4.5 * together * np.prod(weights))
    return found


class Similarity(program.Case):
    N_PEOPLE, N_SITES = 37, 41

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.copies, cls.vcf = {}, {}
        for name, missing in (("whole", 0), ("missing", 0.1)):
            draws = np.random.default_rng(5)
            copies = draws.binomial(2, draws.uniform(0.1, 0.45, cls.N_SITES)[:, None], (cls.N_SITES, cls.N_PEOPLE))
            copies[draws.random(copies.shape) < missing] = -1
            cls.vcf[name] = cls.scratch / f"{name}.vcf"
            cls.write(cls.vcf[name], copies)
            called = copies >= 0
            rare = np.where(called, copies, 0).sum(axis=1) > called.sum(axis=1)  # the minor allele is the rarer one
            copies[rare] = np.where(called[rare], 2 - copies[rare], -1)
            cls.copies[name] = copies

    @classmethod
    def write(cls, path, copies):
        lines = ['##fileformat=VCFv4.2\n##contig=<ID=4>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n']
        columns = "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + [f"S{i}" for i in range(cls.N_PEOPLE)]
        lines.append("\t".join(columns) + "\n")
        for s, site in enumerate(copies):
            calls = "\t".join(GENOTYPE[x] for x in site)
            lines.append(f"4\t{s + 1}\trs{s}\tA\tC\t.\t.\t.\tGT\t{calls}\n")
        path.write_text("".join(lines), encoding="ascii")

    def ask(self, *arguments):
        return self.run_fastid("similarity", *arguments).stdout

    def values(self, copies, metric, way):
        called = copies >= 0
        values = np.where(called, copies, 0)
        if metric == "sorensen":
            values = np.minimum(values, 1)
        minor = values.sum(axis=1) / (2 * called.sum(axis=1))
        for members in combinations(len(copies), way):
            rows = list(members)
            if metric == "ccc":
                frequency = np.stack([1 - minor[rows], minor[rows]], axis=1)
                yield members, ccc(values[rows], called[rows], frequency)
            else:
                yield members, proportional(values[rows], called[rows])

    def test_every_value_on_every_engine(self):
        for name, of, metric, way in itertools.product(("whole", "missing"), ("profiles", "sites"),
                                                       ("sorensen", "czekanowski", "ccc"), (2, 3)):
            if of == "sites" and way == 3:
                continue
            with self.subTest(name=name, of=of, metric=metric, way=way):
                question = (self.vcf[name], "--of", of, "--metric", metric, "--way", way)
                text = self.ask(*question)
                if of == "profiles":
                    for device in ("reference", "opencl"):
                        self.expect_same_text(self.ask(*question, "--device", device, "--threads", 1), text, device)
                copies = self.copies[name] if of == "sites" else self.copies[name].T
                label = "rs" if of == "sites" else "S"
                lines = iter(text.splitlines()[1:])
                for members, right in self.values(copies, metric, way):
                    for cell, value in enumerate(right):
                        columns = next(lines).split("\t")
                        self.assertEqual(columns[:way], [f"{label}{m}" for m in members])
                        if metric == "ccc":
                            alleles = [("major", "minor")[cell >> (way - 1 - m) & 1] for m in range(way)]
                            self.assertEqual(columns[way:-1], alleles)
                            self.assertLessEqual(abs(float(columns[-1]) - value), 2e-15 * abs(value))
                        else:
                            self.assertEqual(float(columns[-1]), value)
                self.assertIsNone(next(lines, None))

    def test_thresholds_and_the_best(self):
        for name, metric, way in (("whole", "sorensen", 2), ("whole", "czekanowski", 3), ("missing", "ccc", 2),
                                  ("whole", "ccc", 2), ("whole", "ccc", 3), ("missing", "sorensen", 3)):
            question = (self.vcf[name], "--metric", metric, "--way", way)
            head, *lines = self.ask(*question).splitlines(keepends=True)
            values = [float(line.rsplit("\t", 1)[1]) for line in lines]
            least = sorted(values)[-40]
            for device in ("cpu", "opencl"):
                found = self.ask(*question, "--threshold", repr(least), "--device", device)
                right = [line for line, value in zip(lines, values, strict=True) if value >= least]
                self.expect_same_text(found, head + "".join(right), f"{name} {metric} {way} on {device}")
            best = "profile\trank\t" + head
            for vector in range(self.N_PEOPLE):
                own = [i for i, line in enumerate(lines) if f"S{vector}" in line.split("\t")[:way]]
                own.sort(key=lambda i: (-values[i], i))
                best += "".join(f"S{vector}\t{rank + 1}\t{lines[i]}" for rank, i in enumerate(own[:3]))
            self.expect_same_text(self.ask(*question, "--best", 3), best, f"the best of {name} {metric} {way}")
            self.shards(question, ("--best", 3), best)

    def shards(self, question, more, right, of=3):
        parts = [self.scratch / f"{i}.part" for i in range(of)]
        for i, part in enumerate(parts):
            self.run_fastid("similarity", *question, *more, "--shard", f"{i + 1}/{of}", "-o", part, "--force")
        self.expect_same_text(self.run_fastid("merge", *parts[::-1]).stdout, right, f"{of} shards, {more}")

    def test_one_result_however_it_is_cut(self):
        for way, metric in ((2, "ccc"), (3, "sorensen")):
            question = (self.vcf["missing"], "--metric", metric, "--way", way)
            text = self.ask(*question)
            values = np.array([float(line.rsplit("\t", 1)[1]) for line in text.splitlines()[1:]])
            bits = struct.unpack(f"<{len(values)}Q", values.tobytes())
            checksum = sum(of * (2 * i + 1) for i, of in enumerate(bits)) % MODULUS
            whole = self.scratch / "values.h5"
            printed = self.ask(*question, "--checksum", "--format", "hdf5", "-o", whole, "--force")
            self.assertEqual(printed, f"checksum\tvalues\n{checksum:032x}\t{len(values)}\n")
            with h5py.File(whole) as file:
                np.testing.assert_array_equal(file["value"][:], values)
                self.assertEqual([name.decode() for name in file["id"]], [f"S{i}" for i in range(self.N_PEOPLE)])
            for of in (1, 2, 3, 7):
                self.shards(question, (), text, of)
                self.shards(question, ("--checksum",), printed, of)
            sums, stages = [], b""
            for stage in range(1, 6):
                part = self.scratch / "stage.u8"
                done = self.ask(*question, "--stages", 5, "--stage", stage, "--checksum", "--format", "bytes", "-o", part,
                                "--force", "--threads", stage)
                sums.append(int(done.split()[2], 16))
                stages += part.read_bytes()
            self.assertEqual(sum(sums) % MODULUS, checksum)
            self.assertEqual(list(stages), np.floor(values * 255 + 0.5).astype(int).tolist())

    def test_block_by_block(self):
        """Pairs of more vectors than memory has room for: the values, and what is chosen, of those in memory."""
        numbers = np.random.default_rng(7).random((150, 2000))
        np.save(self.scratch / "numbers.npy", numbers.astype("<f4"))
        with h5py.File(self.scratch / "numbers.h5", "w") as file:
            file["of"] = numbers
        many = self.scratch / "many.h5"
        self.run_fastid("db", "simulate", "-o", many, "--profiles", 150, "--sites", 6000, "-q")
        made = ("--synthetic", "random", "--vectors", 150, "--units", 8000)
        for question, memory in (((self.scratch / "numbers.npy",), "1100K"), ((self.scratch / "numbers.h5",), "2200K"),
                                 ((many,), "600K"), ((many, "--metric", "ccc"), "700K"),
                                 (made, "800K"), ((*made, "--missing", 0.1, "--metric", "czekanowski"), "1100K"),
                                 ((*made, "--metric", "ccc"), "1000K"),
                                 ((*made, "--missing", 0.1, "--metric", "ccc"), "1000K"),
                                 (("--synthetic", "analytic", *made[2:], "--metric", "ccc"), "1000K")):
            text = self.ask(*question)
            high = repr(sorted(float(line.rsplit("\t", 1)[1]) for line in text.splitlines()[1:])[-30])
            for more in ((), ("--checksum",), ("--best", 2), ("--threshold", high)):
                right = text if more == () else self.ask(*question, *more)
                with self.subTest(question=question, more=more):
                    blocks = ("--memory", memory)
                    done = self.run_fastid("similarity", *question, *more, *blocks, "--threads", 3, "-v")
                    self.assertIn("memory has room for blocks of 32 of 150 vectors", done.stderr)
                    self.expect_same_text(done.stdout, right, "block by block")
                    if more != ():
                        found = self.ask(*question, *more, *blocks, "--device", "opencl")
                        self.expect_same_text(found, right, "block by block on an OpenCL device")
                    self.shards(question, (*more, *blocks), right)

    def test_values_of_a_block_have_room(self):
        """Fewer last members at a time than a block has, bytes in place of text, and several devices' memory."""
        question = ("--synthetic", "random", "--vectors", 400, "--units", 2000)
        blocks = ("--memory", "500K")
        done = self.run_fastid("similarity", *question, *blocks, "-v")
        self.assertIn("memory has room for blocks of 64 of 400 vectors", done.stderr)
        self.expect_same_text(done.stdout, self.ask(*question), "40 rows at a time")
        whole, cut = self.scratch / "whole.u8", self.scratch / "cut.u8"
        self.ask(*question, "--format", "bytes", "-o", whole, "--force")
        self.ask(*question, *blocks, "--format", "bytes", "-o", cut, "--force")
        self.assertEqual(cut.read_bytes(), whole.read_bytes())
        for more in ((), ("--checksum",), ("--metric", "ccc", "--missing", 0.1)):
            done = self.run_fastid("similarity", *question, *more, *blocks, "--threshold", 0, status=1)
            self.assertIn("--memory: has no room for all values that reach the threshold", done.stderr)
        numbers = ("--synthetic", "random", "--of", "numbers", *question[2:], "--threshold", 0.505)
        right = self.ask(*numbers)
        os.environ["POCL_DEVICES"] = "pthread pthread pthread pthread"
        self.addCleanup(os.environ.pop, "POCL_DEVICES")
        found = self.run_fastid("similarity", *numbers, "--device", "opencl:all", "--memory", "5M", "-v")
        self.assertIn("memory has room for blocks of", found.stderr)
        self.expect_same_text(found.stdout, right, "block by block on several devices")

    def test_known_values_are_verified(self):
        for metric, way, missing in (("sorensen", 3, 0.2), ("czekanowski", 2, 0), ("ccc", 3, 0), ("ccc", 2, 0.1)):
            question = ("similarity", "--synthetic", "analytic", "--vectors", 70, "--units", 400, "--metric", metric,
                        "--way", way, "--missing", missing, "--checksum")
            done = {device: self.run_fastid(*question, "--device", device) for device in ("cpu", "opencl")}
            self.assertEqual(done["cpu"].stdout, done["opencl"].stdout)
            self.assertIn(" were known, and are right", done["cpu"].stderr)


if __name__ == "__main__":
    program.main()
