"""A stain's supports and ratios, recomputed by sums over all genotypes of all contributors.

Nothing is shared with src/: where fastid integrates over a frequency, this takes the sampling formula; where fastid has
products over contributors, this adds up what every set of genotypes shows. Two classes hold fastid against made data
with answers that are published with it (mixtures/ of the folder of real data).
"""

import csv
import itertools
import json
import math
import os
import random
import unittest

import formulas as fm
import numpy as np
import program
from scipy import optimize
from stats_test import answers

RELATIONS = {"contributor": (0, 0, 1), "parent-child": (0, 1, 0), "sibling": (.25, .5, .25), "half-sibling": (.5, .5, 0)}
GRID = (.0001, .02, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95)
NEGLIGIBLE = math.log(1e-6)
SHOWS = {"0": "M", "1": "mM", "2": "m"}  # a row's letters, by alleles
ORDERS = (1, 2, 1)


def drawn(q, theta, minor, major):
    """P(so many minor alleles, then so many major ones), by the sampling formula."""
    probability = 1.0
    for m in range(minor):
        probability *= q if m == 0 else (m * theta + (1 - theta) * q) / (1 + (m - 1) * theta)
    for k in range(major):
        n = minor + k
        probability *= 1 - q if n == 0 else (k * theta + (1 - theta) * (1 - q)) / (1 + (n - 1) * theta)
    return probability


def shows(letter, bits, genotypes, drop_outs, e):
    """P(the site shows the letter | genotypes), by alleles given that it shows something."""
    hidden = {"m": 1 - e, "M": 1 - e}
    for g, d in zip(genotypes, drop_outs):
        hidden["m"] *= d**g
        hidden["M"] *= d**(2 - g)
    if bits:
        return hidden["m"] if letter == "0" else 1 - hidden["m"]
    probability = math.prod(1 - hidden[a] if a in SHOWS[letter] else hidden[a] for a in "mM")
    return probability / (1 - hidden["m"] * hidden["M"])


def read_as(letter, g, w, bits):
    """P(a person's site is read as the letter | g minor copies)."""
    total = 0.0
    for wrong in itertools.product((0, 1), repeat=2):
        copies = sum(copy ^ flip for copy, flip in zip((g > 0, g > 1), wrong))
        if (min(copies, 1) if bits else copies) == int(letter):
            total += math.prod(w if flip else 1 - w for flip in wrong)
    return total


def allowed(letter, bits):
    """The genotypes of a known person who shows the letter."""
    if letter == "-":
        return (0, 1, 2)
    return {"0": (0,), "1": (1, 2)}[letter] if bits else (int(letter),)


def relatives(g, relation):
    """Of a person with g minor copies: [(P, the relative's genotype, minor and major alleles that are newly drawn)]; the
    drawing has its own probability."""
    none, one, two = RELATIONS[relation]
    ways = [(two, g, 0, 0)] if two else []
    if one:
        for shared, half in ((1, g / 2), (0, 1 - g / 2)):
            if half:
                ways += [(one * half, shared + new, new, 1 - new) for new in (0, 1)]
    if none:
        ways += [(none * ORDERS[h], h, h, 2 - h) for h in range(3)]
    return ways


def site_ratios(q, theta, w, e, bits, letters, support):
    """log10 of each relation's ratio. letters: of the stain, the person, the known people; support: drop-out of the
    contributor in question, of other unknown people, of known ones."""
    stain, person, known = letters
    own, unknown, known_drop_outs = support
    drop_outs = [own, *unknown, *known_drop_outs]
    choices = [range(3)] * len(unknown) + [allowed(letter, bits) for letter in known]

    def joint(relation):
        total = 0.0
        for g in range(3):
            seen = ORDERS[g] * read_as(person, g, w, bits)
            ways = relatives(g, relation) if relation else [(ORDERS[h], h, h, 2 - h) for h in range(3)]
            for others in itertools.product(*choices):
                orders = math.prod(ORDERS[o] for o in others)
                for probability, h, minor, major in ways:
                    minors = g + minor + sum(others)
                    majors = 2 - g + major + 2 * len(others) - sum(others)
                    total += (seen * probability * orders * drawn(q, theta, minors, majors) *
                              shows(stain, bits, (h, *others), drop_outs, e))
        return total

    none = joint(None)
    return [math.log10(joint(relation) / none) for relation in RELATIONS]


def shared_ratios(q, theta, e, bits, letters, supports):
    """log10 of each relation's ratio of the contributors in question of two stains. letters, supports: of both."""
    drop_outs = [[own, *unknown] for own, unknown in supports]
    first = len(drop_outs[0]) - 1

    def joint(relation):
        total = 0.0
        for g in range(3):
            ways = relatives(g, relation) if relation else [(ORDERS[h], h, h, 2 - h) for h in range(3)]
            for others in itertools.product(range(3), repeat=first + len(drop_outs[1]) - 1):
                orders = ORDERS[g] * math.prod(ORDERS[o] for o in others)
                for probability, h, minor, major in ways:
                    minors, majors = g + minor + sum(others), 2 - g + major + 2 * len(others) - sum(others)
                    total += (orders * probability * drawn(q, theta, minors, majors) *
                              shows(letters[0], bits, (g, *others[:first]), drop_outs[0], e) *
                              shows(letters[1], bits, (h, *others[first:]), drop_outs[1], e))
        return total

    none = joint(None)
    return [math.log10(joint(relation) / none) for relation in RELATIONS]


def stain_likelihood(freq, e, bits, stain, known, drop_outs):
    """ln P(stain | contributors with these drop-outs, known ones last), theta 0."""
    total = 0.0
    unknown = len(drop_outs) - len(known)
    for s, q in enumerate(freq):
        if stain[s] == "-":
            continue
        weights = [ORDERS[g] * q**g * (1 - q)**(2 - g) for g in range(3)]
        choices = [range(3)] * unknown + [allowed(row[s], bits) for row in known]
        shown = everything = 0.0
        for genotypes in itertools.product(*choices):
            weight = math.prod(weights[g] for g in genotypes)
            shown += weight * shows(stain[s], bits, genotypes, drop_outs, e)
            everything += weight
        total += math.log(shown / everything)
    return total


def made_stain(rng, freq, drop_outs, bits):
    """What unrelated people with these drop-outs leave, and their genotypes."""
    people = [[sum(rng.random() < q for _ in range(2)) for q in freq] for _ in drop_outs]
    letters = []
    for s in range(len(freq)):
        minor = any(rng.random() >= d for row, d in zip(people, drop_outs) for _ in range(row[s]))
        major = any(rng.random() >= d for row, d in zip(people, drop_outs) for _ in range(2 - row[s]))
        letters.append(str(int(minor)) if bits else "1" if minor and major else "2" if minor else "0" if major else "-")
    return "".join(letters), people


def text_of(genotypes, bits, rng=None, no_call=0.0):
    return "".join("-" if rng and rng.random() < no_call else str(min(g, 1) if bits else g) for g in genotypes)


class Support:
    def __init__(self, numbers, known):
        self.n, self.drop_out, self.log_weight, others = (next(numbers) for _ in range(4))
        self.n = int(self.n)
        self.unknown = [next(numbers) for _ in range(int(others))]
        self.known = [next(numbers) for _ in range(known)]

    @property
    def drop_outs(self):
        return [self.drop_out, *self.unknown, *self.known]


def parsed(numbers, known, people):
    numbers = iter(numbers)
    supports = [Support(numbers, known) for _ in range(int(next(numbers)))]
    rows = [([next(numbers) for _ in RELATIONS], int(next(numbers))) for _ in range(people)]
    assert next(numbers, None) is None
    return supports, rows


def supports_text(supports):
    """supports: [(weight, drop-out, unknown, known)]; the four fields of stats_cases."""
    def of(part):
        return ";".join("/".join(map(repr, support[part])) if isinstance(support[part], list) else repr(support[part])
                        for support in supports)
    return [of(part) for part in range(4)]


class Ratios(unittest.TestCase):
    def test_one_site(self):
        rng = random.Random(1)
        cases, wanted = [], []
        for _ in range(600):
            bits = rng.random() < .4
            letter = lambda: rng.choice("01" if bits else "012")
            q, theta, w, e = rng.uniform(.01, .5), rng.choice([0.0, .01, .03, .3]), rng.choice([.0001, .005, .05]), rng.uniform(.001, .1)
            support = (rng.random() * .99, [rng.random() * .99 for _ in range(rng.choice([0, 1, 1, 2]))],
                       [rng.uniform(.01, .99) for _ in range(rng.choice([0, 0, 1]))])
            letters = letter(), letter(), [rng.choice([letter(), "-"]) for _ in support[2]]
            wanted.append(site_ratios(q, theta, w, e, bits, letters, support))
            cases.append(["stain-ratios", [q], -1, theta, w, "bits" if bits else "alleles", e, *supports_text([(1.0, *support)]),
                          letters[0], ",".join(letters[2]), letters[1]])
        for case, found, expected in zip(cases, answers(cases), wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=str(case))

    def test_a_contributor_in_common(self):
        """Over the sites that both stains call; the mean over the supports of both, by their weights."""
        rng, cases, wanted = random.Random(7), [], []
        for bits in (False, True, False, True, False, False):
            theta, e, n_sites = rng.choice([0.0, .01, .3]), rng.uniform(.001, .1), 3
            freq = [rng.uniform(.05, .5) for _ in range(n_sites)]
            rows = ["".join(rng.choice("01" if bits else "012") for _ in freq) for _ in range(2)]
            rows[1] = rows[1][:2] + rng.choice([rows[1][2], "-"])
            # Supports of one number of contributors go side by side, a few at a time.
            of_stains = [[(weight, rng.random() * .99, [rng.random() * .99 for _ in range(n)], []) for weight, n in of]
                         for of in (((.7, rng.choice([0, 1])), (.3, rng.choice([0, 1]))),
                                    ((.1, 1), (.2, 1), (.15, 1), (.25, 1), (.3, 0)))]
            cases.append(["stain-shared", freq, -1, theta, .005, "bits" if bits else "alleles", e,
                          *supports_text(of_stains[0]), rows[0], *supports_text(of_stains[1]), rows[1]])
            ratios = 0
            for one, other in itertools.product(*of_stains):
                sites = sum(np.array(shared_ratios(q, theta, e, bits, (rows[0][s], rows[1][s]), (one[1:3], other[1:3])))
                            for s, q in enumerate(freq) if rows[1][s] != "-")
                ratios = ratios + one[0] * other[0] * 10**sites
            wanted.append(np.log10(ratios))
        for case, found, expected in zip(cases, answers(cases), wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=str(case))

    def test_sites_and_supports(self):
        """Sums over the sites that are called in both; the mean of the supports by their weights."""
        rng = random.Random(2)
        for _ in range(12):
            bits = rng.random() < .4
            freq = [rng.uniform(.05, .5) for _ in range(40)]
            stain, people = made_stain(rng, freq, [.05, .4], bits)
            rows = [text_of(people[0], bits, rng, .2), text_of(people[1], bits), text_of([0] * len(freq), bits)]
            supports = [(.7, .1, [.4], []), (.3, .5, [.02, .9], [])]
            found = np.reshape(answers([["stain-ratios", freq, -1, .01, .005, "bits" if bits else "alleles", .005,
                                         *supports_text(supports), stain, "", ",".join(rows)]])[0], (len(rows), len(RELATIONS)))
            for row, ratios in zip(rows, found):
                of_supports = [sum(np.array(site_ratios(q, .01, .005, .005, bits, (stain[s], row[s], []), support[1:]))
                                   for s, q in enumerate(freq) if "-" not in (stain[s], row[s])) for support in supports]
                expected = np.log10(sum(support[0] * 10**of for support, of in zip(supports, of_supports)))
                np.testing.assert_allclose(ratios, expected, rtol=1e-9, atol=1e-8)


def siblings_along(chroms, cm, emissions, parents):
    """How much more probable all sites are of two siblings than of strangers, by all ways in which the two can inherit
    one of two copies of each parent they have in common at each site. emissions: of a site by alleles that are one."""
    ways = list(itertools.product((0, 1), repeat=2 * parents))
    chance = dict.fromkeys(ways, 1 / len(ways))
    for s, by_shared in enumerate(emissions):
        cross = .5 if s == 0 or chroms[s] != chroms[s - 1] else (1 - math.exp(-2 * (cm[s] - cm[s - 1]) / 100)) / 2
        last, chance = chance, {}
        for way in ways:
            came = sum(probability * math.prod(cross if a != b else 1 - cross for a, b in zip(way, before))
                       for before, probability in last.items())
            shared = sum(way[2 * parent] == way[2 * parent + 1] for parent in range(parents))
            chance[way] = came * by_shared[shared]
    return sum(chance.values())


class SiblingsAlongMap(unittest.TestCase):
    def test_full_and_half_siblings(self):
        """By each meiosis, over several chromosomes, supports and people; a site without a place counts as unlinked."""
        rng, cases, wanted = random.Random(11), [], []
        for bits in (False, True, False, True, False):
            chroms = ["1", "1", "1", "-1", "2", "2", "3"]
            cm = [.5, 2, 30, 0, 10, 11.5, 7]
            freq = [rng.uniform(.05, .5) for _ in chroms]
            letter = lambda: rng.choice("01" if bits else "012")
            stain, *people = ("".join("-" if rng.random() < .1 else letter() for _ in freq) for _ in range(4))
            known = "".join(letter() for _ in freq)
            theta, w, e = rng.choice([0.0, .01, .1]), .005, rng.uniform(.001, .1)
            supports = [(.6, .1, [], [.2]), (.3, .7, [.02], [.4])]
            cases.append(["stain-siblings", freq, -1, theta, w, "bits" if bits else "alleles", e, *supports_text(supports),
                          stain, known, ",".join(people), ",".join(chroms), cm])
            expected = []
            for person in people:
                sums = [0.0, 0.0]
                for weight, *support in supports:
                    sites = [s for s in range(len(freq)) if "-" not in (stain[s], person[s])]
                    at = {s: site_ratios(freq[s], theta, w, e, bits, (stain[s], person[s], [known[s]]), support)
                          for s in sites}
                    placed = [s for s in sites if chroms[s] != "-1"]
                    emissions = [[1, 10**at[s][1], 10**at[s][0]] for s in placed]
                    for parents, relation in ((2, 2), (1, 3)):
                        linked = siblings_along([chroms[s] for s in placed], [cm[s] for s in placed], emissions, parents)
                        sums[2 - parents] += weight * linked * 10**sum(at[s][relation] for s in sites if chroms[s] == "-1")
                expected += [math.log10(of) for of in sums]
            wanted.append(expected)
        for case, found, expected in zip(cases, answers(cases), wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=str(case))


class Supports(unittest.TestCase):
    def check(self, rng, drop_outs, bits, known_people=0, most=3):
        e = .005
        freq = [rng.uniform(.05, .5) for _ in range(90)]
        stain, people = made_stain(rng, freq, drop_outs, bits)
        known = [text_of(people[i], bits, rng, .1) for i in range(known_people)]
        freq = list(fm.reckoned(freq, None))
        case = ["stain-supports", freq, -1, .01, .005, "bits" if bits else "alleles", e, 1, most, 1, "", stain,
                ",".join(known), text_of(people[0], bits)]
        supports, rows = parsed(answers([case])[0], known_people, 1)
        called = len(stain) - stain.count("-")
        logs = []
        for support in supports:
            self.assertIn(support.drop_out, GRID)
            self.assertEqual(support.n, len(support.drop_outs))
            value = lambda z, own=support.drop_out: -stain_likelihood(freq, e, bits, stain, known, [own, *(.95 / (1 + np.exp(-z)))])
            fitted = np.array(support.unknown + support.known)
            likelihood = stain_likelihood(freq, e, bits, stain, known, support.drop_outs)
            if len(fitted):
                better = optimize.minimize(value, np.clip(np.log(fitted / np.maximum(.95 - fitted, 1e-9)), -9, 12), method="L-BFGS-B",
                                           bounds=[(-9, 12)] * len(fitted))
                self.assertLessEqual(-better.fun, likelihood + 1e-6, (case, support.drop_outs))
            logs.append(likelihood - (support.n - 1 - known_people) / 2 * math.log(called))
        weights = np.array([support.log_weight for support in supports])
        np.testing.assert_allclose(weights, np.array(logs) - np.logaddexp.reduce(logs) + np.logaddexp.reduce(weights), atol=1e-9)
        self.assertLessEqual(np.logaddexp.reduce(weights), 1e-12)
        self.assertGreater(np.logaddexp.reduce(weights), math.log1p(-1e-4))
        self.assertGreater(weights.min(), NEGLIGIBLE)
        text = supports_text([(math.exp(s.log_weight), s.drop_out, s.unknown, s.known) for s in supports])
        again = answers([["stain-ratios", *case[1:7], *text, stain, ",".join(known), case[-1]]])[0]
        np.testing.assert_allclose(rows[0][0], again, atol=1e-9)
        return supports, rows

    def test_by_alleles(self):
        for seed, drop_outs in enumerate(([.0], [.2], [.0, .5])):
            self.check(random.Random(seed), drop_outs, bits=False)

    def test_by_bits(self):
        self.check(random.Random(7), [.02, .5], bits=True, most=2)

    def test_with_a_known_contributor(self):
        supports, _ = self.check(random.Random(8), [.05, .3], bits=False, known_people=1)
        self.assertGreaterEqual(min(support.n for support in supports), 2)


@unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder")
class PublishedSites(unittest.TestCase):
    def test_model_of_alleles_shown(self):
        with open(program.real_data() / "mixtures/sites.tsv", encoding="ascii") as file:
            lines = [line for line in csv.DictReader(file, delimiter="\t") if line["model"] == "A"]
        self.assertGreater(len(lines), 200)
        letter = {"M": "0", "mM": "1", "m": "2", "0": "0", "1": "1"}
        cases = []
        for line in lines:
            drop_outs = dict(enumerate(map(float, line["drop_outs_or_shares"].split(","))))
            own = drop_outs.pop(int(line["j"]))
            known = dict(pair.split(":") for pair in line["known"].split(",") if pair)
            known_drop_outs = [drop_outs.pop(int(place)) for place in known]
            cases.append(["stain-ratios", [float(line["q"])], -1, float(line["theta"]), float(line["w"]), line["by"], .005,
                          *supports_text([(1.0, own, list(drop_outs.values()), known_drop_outs)]), letter[line["shown"]],
                          ",".join(known.values()), line["x"]])
        for case, line, found in zip(cases, lines, answers(cases), strict=True):
            wanted = [float(line[name.replace("-", "_")]) for name in RELATIONS]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8, err_msg=str(case))


    def test_two_stains(self):
        with open(program.real_data() / "mixtures/two-stains.tsv", encoding="ascii") as file:
            lines = list(csv.DictReader(file, delimiter="\t"))
        letter, cases = {"M": "0", "mM": "1", "m": "2"}, []
        for line in lines:
            case = ["stain-shared", [float(line["q"])], -1, float(line["theta"]), .005, "alleles", .005]
            for stain, asked in (("1", "j"), ("2", "k")):
                drop_outs = list(map(float, line["drop_outs" + stain].split(",")))
                own = drop_outs.pop(int(line[asked]))
                case += [*supports_text([(1.0, own, drop_outs, [])]), letter[line["shown" + stain]]]
            cases.append(case)
        self.assertGreater(len(cases), 10)
        for case, line, found in zip(cases, lines, answers(cases), strict=True):
            wanted = [float(line[name.replace("-", "_")]) for name in RELATIONS]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8, err_msg=str(case))


@unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder")
class PublishedStains(unittest.TestCase):
    FIXED = {"brother/stain": [(.6, .0001, [], []), (.3, .4, [.5], []), (.1, .2, [.1, .9], [])],
             "minor/three": [(.5, .7, [.0001], []), (.5, .3, [.0001, .7], [])]}

    @classmethod
    def setUpClass(cls):
        cls.folder = program.real_data() / "mixtures"
        with open(cls.folder / "expected.tsv", encoding="ascii") as file:
            lines = [line for line in csv.DictReader(file, delimiter="\t") if line["case"].split("/")[0] in ("brother", "minor")]
        cls.expected = {}
        for line in lines:
            cls.expected.setdefault((line["case"], line["quantity"]), []).append(line)

    def read(self, case, by):
        """Frequencies, the stain's row, {person: row}."""
        folder = self.folder / case.split("/")[0]
        panel = [line.split("\t") for line in (folder / "panel.tsv").read_text().splitlines() if line[0] != "#"]
        at = {name: place for place, name in enumerate(panel[0])}
        sites = {line[at["id"]]: line for line in panel[1:]}
        seen = {line.split("\t")[0]: line.split("\t")[3] for line in (self.folder / f"{case}.snp").read_text().splitlines()
                if line.split("\t")[0] in sites}
        stain = ""
        for name, site in sites.items():
            minor, major = (site[at[allele]] in seen.get(name, "") for allele in ("minor", "major"))
            if by == "bits":
                stain += str(int(minor)) if minor or major else "-"
            else:
                stain += "1" if minor and major else "2" if minor else "0" if major else "-"
        rows, names = {}, []
        for line in (folder / "people.vcf").read_text().splitlines():
            cells = line.split("\t")
            if cells[0] == "#CHROM":
                names = cells[9:]
            elif line[0] != "#":
                rows[cells[2]] = cells[9:]
        copies = {"0/0": 0, "0/1": 1, "1/1": 2}
        people = {name: text_of([copies[rows[site][i]] for site in sites], by == "bits") for i, name in enumerate(names[:5])}
        return [float(site[at["p1"]]) for site in sites.values()], stain, people

    def expect(self, case, quantity, found):
        lines = self.expected[case, quantity]
        self.assertEqual(len(lines), len(found), (case, quantity))
        for line in lines:
            self.assertAlmostEqual(found[line["key"]], float(line["value"]), delta=float(line["tolerance"]), msg=str(line))

    def keyed(self, people, rows):
        return {f"{name} {relation}": ratio for name, row in zip(people, rows, strict=True)
                for relation, ratio in zip(RELATIONS, row, strict=True)}

    def test_given_supports(self):
        for case, supports in self.FIXED.items():
            for by in ("alleles", "bits"):
                freq, stain, people = self.read(case, by)
                found = answers([["stain-ratios", freq, -1, .01, .005, by, .005, *supports_text(supports), stain, "",
                                  ",".join(people.values())]])[0]
                self.expect(case, f"log10_lr, fixed supports, {by}", self.keyed(people, np.reshape(found, (len(people), -1))))

    def test_supports_of_stains(self):
        for case in ("brother/stain", "brother/stain2", "minor/two", "minor/three"):
            for by in ("alleles", "bits"):
                freq, stain, people = self.read(case, by)
                found = answers([["stain-supports", freq, -1, .01, .005, by, .005, 1, 4, 1, "", stain, "", ",".join(people.values())]])
                supports, rows = parsed(found[0], 0, len(people))
                self.expect(case, f"log10_lr, supports from the stain, {by}", self.keyed(people, [row for row, _ in rows]))
                numbers = {f"n {n}": sum(math.exp(s.log_weight) for s in supports if s.n == n) for n in range(1, 5)}
                self.expect(case, f"P(n), {by}", numbers)
                fits = answers([["stain-fit", freq, -1, 0.0, .005, by, .005, n, stain] for n in (1, 2, 3)])
                self.expect(case, f"ln likelihood of the stain, theta 0, best drop-outs in (.0001, .95), {by}",
                            {f"n {n + 1}": fit[0] for n, fit in enumerate(fits)})


@unittest.skipUnless(os.environ.get(program.REAL_DATA), f"{program.REAL_DATA} names no folder")
class PublishedMarks(program.Case):
    """fastid mixture itself, in a database of 1,000."""

    MARKS = {"apart": "apart", "relative?": "relative?", "stranger": None}

    def database(self, case):
        folder = program.real_data() / "mixtures" / case
        database = self.scratch / f"{case}.h5"
        people = sum(line.startswith("#CHROM") and len(line.split("\t")) - 9
                     for line in (folder / "people.vcf").read_text().splitlines())
        self.run_fastid("db", "simulate", "-o", database, "--panel", folder / "panel.tsv", "--profiles", 1000 - people)
        self.run_fastid("db", "append", database, folder / "people.vcf")
        return database

    def test_marks(self):
        with open(program.real_data() / "mixtures/expected.tsv", encoding="ascii") as file:
            expected = {}
            for line in csv.DictReader(file, delimiter="\t"):
                if line["quantity"].startswith("stands") and not line["case"].startswith("reads"):
                    expected.setdefault((line["case"], line["quantity"].split()[-1]), {})[line["key"]] = line["value"]
        self.assertEqual(len(expected), 8)
        databases = {case: self.database(case) for case in ("brother", "minor")}
        for (case, by), marks in expected.items():
            document = json.loads(self.run_fastid("mixture", "--by", by, "-k", "all", "--format", "json", "--no-histograms",
                                                  program.real_data() / "mixtures" / f"{case}.snp",
                                                  databases[case.split("/")[0]]).stdout)
            rows = {row["profile"]: row for row in document["queries"][0]["matches"]}
            self.assertEqual({name: rows[name]["mark"] for name in marks}, {name: self.MARKS[mark] for name, mark in marks.items()},
                             (case, by))
            strangers = [row for name, row in rows.items() if name.startswith("P0")]
            self.assertEqual({row["mark"] for row in strangers}, {None}, (case, by))
            self.assertLess(sum(row["log10_lr"] >= 1 for row in strangers), 100, (case, by))


class StainsAgainstStains(program.Case):
    """A replicate of a stain, a stain with its minor contributor, and strangers' stains."""

    SITES = 600

    def write(self, name, letters):
        show = {"0": "AA", "1": "AC", "2": "CC", "-": "--"}
        path = self.scratch / f"{name}.snp"
        path.write_text(f"#sample {name}\n" + "".join(f"s{i}\t1\t{1000000 * (i + 1)}\t{show[letter]}\n"
                                                     for i, letter in enumerate(letters)), encoding="ascii")
        return path

    def stain_of(self, rng, freq, people, drop_outs):
        """As made_stain(), of these people; None: somebody."""
        rows = [[sum(rng.random() < q for _ in range(2)) for q in freq] if row is None else row for row in people]
        letters = []
        for s in range(len(freq)):
            minor, major = (any(rng.random() >= d for row, d in zip(rows, drop_outs) for _ in range(n(row[s])))
                            for n in (lambda g: g, lambda g: 2 - g))
            letters.append("1" if minor and major else "2" if minor else "0" if major else "-")
        return letters, rows

    def test_a_contributor_in_common_is_found(self):
        rng = random.Random(11)
        freq = [rng.uniform(.1, .5) for _ in range(self.SITES)]
        panel = self.scratch / "panel.tsv"
        panel.write_text("id\tchrom\tpos\tmajor\tminor\tmade\n" + "".join(
            f"s{i}\t1\t{1000000 * (i + 1)}\tA\tC\t{q:.6f}\n" for i, q in enumerate(freq)), encoding="ascii")
        asked, (major, minor) = self.stain_of(rng, freq, [None, None], [.02, .3])
        stored = {"replicate": self.stain_of(rng, freq, [major, minor], [.05, .4])[0],
                  "with-minor": self.stain_of(rng, freq, [None, minor], [.6, .02])[0]}
        for i in range(8):
            stored[f"stranger{i}"] = self.stain_of(rng, freq, [None, None], [.02, .3])[0]
        files = [self.write(name, letters) for name, letters in stored.items()]
        database = self.scratch / "stains.h5"
        self.run_fastid("db", "build", "-o", database, "--kind", "mixtures", "--panel", panel, *files)
        done = self.run_fastid("mixture", "--format", "json", self.write("asked", asked), database)
        rows = json.loads(done.stdout)["queries"][0]["matches"]
        self.assertEqual([row["profile"] for row in rows[:2]], ["replicate", "with-minor"])
        self.assertEqual(rows[0]["mark"], "apart")
        self.assertIn(rows[1]["mark"], ("apart", "relative?"))
        self.assertTrue(rows[0]["contributor"].startswith("1 of 2"))
        self.assertTrue(rows[1]["contributor"].startswith("2 of 2"))
        self.assertTrue(rows[1]["stored_contributor"].startswith("1 of 2"))
        for row in rows[2:]:
            self.assertLess(row["log10_lr"], 1)
            self.assertIsNone(row["mark"])
        for row in rows:
            one, other = asked, stored[row["profile"]]
            lacks = sum(a != b and b in "12" and a == "0" or a != b and b in "01" and a == "2"
                        for a, b in zip(one, other) if "-" not in (a, b))
            lacked = sum(a != b and a in "12" and b == "0" or a != b and a in "01" and b == "2"
                         for a, b in zip(one, other) if "-" not in (a, b))
            self.assertEqual((row["not_seen"], row["not_shown"]), (lacks, lacked))
            self.assertIsNone(row["saturated"])
        alone = json.loads(self.run_fastid("mixture", "--format", "json", "--contributors", "1",
                                           self.scratch / "asked.snp", database).stdout)["queries"][0]["matches"]
        for row in alone:  # what is said of the one that is asked for says nothing of those stored
            self.assertEqual(row["support"]["contributors"], 1)
            self.assertGreater(row["stored_support"]["contributors"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
