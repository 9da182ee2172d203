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


STRETCH = 16384  # numbers whose sum is made one after the other, where work is split by elements


def tree_sum(leaves):
    """Of rows of numbers: the first 2^k of them plus the others, and each of both in the same way."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return tree_sum(leaves[:half]) + tree_sum(leaves[half:])


def sum_of_stretches(least):
    """Of the elements of a vector: in their own type within a stretch, and of stretches in double."""
    cuts = range(0, len(least), STRETCH)
    return tree_sum([float(np.add.accumulate(least[cut : cut + STRETCH])[-1]) for cut in cuts])


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

    def test_split_by_elements(self):
        """Genotypes: the values of whole vectors, from shards of two words or blocks, of which a third one has none."""
        split = ("--split", "elements")
        for name, of, metric, way in itertools.product(("whole", "missing"), ("profiles", "sites"),
                                                       ("sorensen", "czekanowski", "ccc"), (2, 3)):
            if of == "sites" and way == 3:
                continue
            question = (self.vcf[name], "--of", of, "--metric", metric, "--way", way)
            with self.subTest(question=question[1:], name=name):
                text = self.ask(*question)
                for more in ((), ("--device", "opencl", "--threads", 3), ("--memory", "20M")):
                    self.expect_same_text(self.ask(*question, *split, *more), text, f"split by elements, {more}")
                self.shards(question, split, text)
        question = (self.vcf["missing"], "--metric", "ccc", "--way", 3)
        for more in (("--threshold", 0.4), ("--best", 2), ("--checksum",), ("--stages", 3, "--stage", 2)):
            self.shards(question, (*split, *more), self.ask(*question, *more))
        whole, cut = self.scratch / "whole.u8", self.scratch / "cut.u8"
        self.ask(*question, "-o", whole, "--force")
        parts = [self.scratch / f"{i}.part" for i in range(2)]
        for i, part in enumerate(parts):
            self.ask(*question, *split, "--format", "bytes", "--shard", f"{i + 1}/2", "-o", part, "--force")
        self.run_fastid("merge", *parts, "-o", cut, "--force")
        self.assertEqual(cut.read_bytes(), whole.read_bytes())

    def test_calls_are_missing_in_one_stretch(self):
        """Shards of which one has every call, and the other one has not."""
        copies = self.copies["whole"].copy()
        copies[40, ::3] = -1
        vcf = self.scratch / "last.vcf"
        self.write(vcf, copies)
        for metric, way in itertools.product(("sorensen", "ccc"), (2, 3)):
            question = (vcf, "--metric", metric, "--way", way)
            self.shards(question, ("--split", "elements"), self.ask(*question), 2)

    def test_numbers_split_by_elements(self):
        """Sums of stretches, added in the order of a tree, whoever has which of them and whatever the file."""
        numbers = np.random.default_rng(3).random((9, 3 * STRETCH + 777)).astype("<f4")
        np.save(self.scratch / "long.npy", numbers)
        with h5py.File(self.scratch / "long.h5", "w") as file:
            file.create_dataset("of", data=numbers, chunks=(4, 5000), compression="gzip")
        np.savetxt(self.scratch / "long.tsv", numbers.astype("f8"), delimiter="\t", fmt="%.17g")
        wide = numbers.astype("f8")
        differs = False
        for file, values, way in (("long.npy", numbers, 2), ("long.npy", numbers, 3), ("long.h5", numbers, 2),
                                  ("long.tsv", wide, 2)):
            least = lambda *rows: sum_of_stretches(np.minimum.reduce([values[row] for row in rows]))
            own = [least(row) for row in range(9)]
            lines = ["\t".join(f"vector_{x}" for x in "abc"[:way]) + "\tvalue"]
            for members in combinations(9, way):
                total = own[members[0]] + own[members[1]]
                if way == 2:
                    value = 2 * least(*members) / total
                else:
                    a, b, c = members
                    value = 1.5 * (least(a, b) + least(a, c) + least(b, c) - least(a, b, c)) / (total + own[c])
                lines.append("\t".join([*(str(m + 1) for m in members), repr(float(value))]))
            text = "\n".join(lines) + "\n"
            question = (self.scratch / file, "--way", way)
            with self.subTest(file=file, way=way):
                differs = differs or self.ask(*question) != text
                for more in ((), ("--device", "opencl"), ("--memory", "12M", "--threads", 3)):
                    self.expect_same_text(self.ask(*question, "--split", "elements", *more), text, f"{file} {way} {more}")
                for of in (1, 2, 3, 5):
                    self.shards(question, ("--split", "elements"), text, of)
        self.assertTrue(differs, "whole vectors have other roundings")

    def test_databases_and_made_up_vectors_split_by_elements(self):
        """Sites of X among those of a database, and made-up vectors of which each shard makes its own elements."""
        people = self.scratch / "people.h5"
        self.run_fastid("db", "simulate", "-o", people, "--profiles", 70, "--sites", 300, "-q")
        made = ("--synthetic", "random", "--vectors", 40, "--units", 1000)
        for question in ((people, "--metric", "czekanowski"), (*made, "--metric", "ccc"),
                         (*made, "--missing", 0.1, "--metric", "ccc"), (*made, "--way", 3),
                         ("--synthetic", "analytic", *made[2:], "--way", 3, "--metric", "ccc"),
                         ("--synthetic", "analytic", "--of", "numbers", "--vectors", 20, "--units", 20000)):
            with self.subTest(question=question):
                printed = self.ask(*question, "--checksum")
                self.expect_same_text(self.ask(*question, "--checksum", "--split", "elements"), printed, "elements")
                self.shards(question, ("--checksum", "--split", "elements"), printed)

    def test_vectors_longer_than_memory(self):
        """Of 32 there is no room for every element, but for some of all."""
        question = ("--synthetic", "random", "--vectors", 40, "--units", 100000, "--missing", 0.1, "--checksum")
        little = ("--memory", "1M")
        refused = self.run_fastid("similarity", *question, *little, status=2)
        self.assertIn("--memory: has no room for blocks of 32 vectors", refused.stderr)
        printed = self.ask(*question)
        self.expect_same_text(self.ask(*question, *little, "--split", "elements"), printed, "some elements at a time")
        self.shards(question, (*little, "--split", "elements"), printed, 2)

    def test_parts_of_elements_that_are_refused(self):
        question = ("similarity", "--synthetic", "random", "--vectors", 40, "--units", 1000, "--split", "elements")
        done = self.run_fastid(*question, "--memory", "10K", status=2)
        self.assertIn("--split elements: sums of products take", done.stderr)
        one, other = self.scratch / "one.part", self.scratch / "other.part"
        self.run_fastid(*question, "--shard", "1/2", "-o", one, "--force")
        self.run_fastid(*question[:-2], "--shard", "2/2", "-o", other, "--force")
        self.assertIn("--split", self.run_fastid("merge", one, other, status=3).stderr)

    def test_datasets_of_one_file(self):
        """Each has its own values, and parts of two are not merged."""
        two, one, other = (self.scratch / name for name in ("two.h5", "one.part", "other.part"))
        with h5py.File(two, "w") as file:
            for name in "ab":
                file[name] = np.random.default_rng(ord(name)).random((5, 20000), "<f4")
        for name in "ab":
            np.save(self.scratch / "one.npy", np.random.default_rng(ord(name)).random((5, 20000), "<f4"))
            self.expect_same_text(self.ask(f"{two}:{name}"), self.ask(self.scratch / "one.npy"), name)
        for split in ((), ("--split", "elements")):
            for part, shard, name in ((one, "1/2", "a"), (other, "2/2", "b")):
                self.ask(f"{two}:{name}", *split, "--shard", shard, "-o", part, "--force")
            self.assertIn("differs in the vectors", self.run_fastid("merge", one, other, status=3).stderr)
            self.ask(f"{two}:/a", *split, "--shard", "2/2", "-o", other, "--force")
            self.expect_same_text(self.run_fastid("merge", one, other).stdout, self.ask(f"{two}:a", *split), split)
        self.assertIn("-o", self.run_fastid("similarity", f"{two}:a", "-o", two, "--force", status=2).stderr)

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
