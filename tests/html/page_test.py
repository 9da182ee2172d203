"""The html reports in a browser: nothing goes wrong, nothing is fetched, everything is there, nothing is cut off.

FASTID_PICTURES names a folder for screenshots and prints of the pages, for a person to look at.
"""

import os
import sys
import unittest
from pathlib import Path

import chromium
from scene import HOSTILE, Scene

SKIPPED = 77

# Elements (of those that hold text) that lie outside of the window although nothing scrolls there.
CUT_OFF = """[...document.querySelectorAll('h1,h2,h3,p,dd,dt,summary,figcaption')]
  .filter(e => e.getClientRects().length && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(e => e.textContent.slice(0, 60))"""
# Boxes that scroll and cannot be reached by keyboard.
UNREACHABLE = """[...document.querySelectorAll('*')].filter(e => e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0
  && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map(e => e.outerHTML.slice(0, 80))"""


PAGES = ("search", "one", "tie", "two", "mixture", "reads", "database", "bare", "cohort", "dvi", "triples", "sites", "kin", "stretches", "family", "reverse",
         "short")
A4, LETTER = 688, 710  # CSS pixels between the margins


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scene = cls.enterClassContext(Scene())
        scene = cls.scene
        scene.fastid("search", "-q", "suspect.snp", "stranger.snp", "hostile.snp", "people.h5", "--format", "html",
                     "-o", "search.html")
        scene.fastid("search", "-q", "suspect.snp", "people.h5", "--format", "html", "-o", "one.html", "--case", HOSTILE,
                     "--laboratory", "Laboratory", "--examiner", "A. Examiner", "--date", "6 May")
        scene.fastid("search", "-q", "suspect.snp", "twice.h5", "--format", "html", "-o", "tie.html")
        scene.fastid("search", "-q", "suspect.snp", "two.h5", "--format", "html", "-o", "two.html")
        scene.fastid("mixture", "-q", "stain.snp", "people.h5", "--format", "html", "-o", "mixture.html")
        scene.fastid("mixture", "-q", "reads.tsv", "people.h5", "--format", "html", "-o", "reads.html")
        scene.fastid("db", "info", "people.h5", "--format", "html", "-o", "database.html")
        scene.fastid("search", "-q", "suspect.snp", "bare.h5", "--format", "html", "-o", "bare.html")
        scene.fastid("pairs", "-q", "cohort.h5", "--expect", "expected.txt", "--cohort", "cohort.html", "--unrelated", "keep.txt")
        scene.fastid("kin", "-q", "suspect.snp", "anna.snp", "cohort.h5", "--min-kinship", "-1", "--format", "html", "-o", "kin.html",
                     "--segments", "stretches.html")
        scene.fastid("kin", "-q", "suspect.snp", "anna.snp", "cohort.h5", "--family", "family.txt", "--format", "html",
                     "-o", "family.html")
        scene.fastid("mixture", "-q", "--reverse", "suspect.snp", "stains.h5", "--format", "html", "-o", "reverse.html")
        scene.fastid("search", "-q", "suspect.snp", "people.h5", "--format", "html", "--sites", "none", "-o", "short.html")
        scene.fastid("dvi", "-q", "families.ped", "suspect.snp", "twice.h5", "--power", "-o", "dvi.html")
        for name, way in (("triples", "3"), ("sites", "2")):
            scene.fastid("epistasis", "-q", "cohort.h5", "--phenotype", "phenotypes.txt", "--way", way, "--format", "html",
                         "-o", f"{name}.html")
        cls.browser = cls.enterClassContext(chromium.Browser())

    def open(self, name, width=1280):
        self.browser.show(width, 900)
        return self.browser.open(f"file://{self.scene.folder / name}.html")

    def ask(self, expression):
        return self.browser.evaluate(expression)

    def number_of(self, selector):
        return self.ask(f"document.querySelectorAll({selector!r}).length")

    def test_nothing_goes_wrong_and_nothing_is_fetched(self):
        for name in PAGES:
            with self.subTest(name):
                events = self.open(name)
                said = [event for event in events
                        if event["method"] in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")]
                self.assertEqual(said, [])
                asked = [event["params"]["request"]["url"] for event in events
                         if event["method"] == "Network.requestWillBeSent"]
                beyond = [url for url in asked if not url.startswith("data:")]
                self.assertEqual(beyond, [f"file://{self.scene.folder / name}.html"])

    def test_the_page_may_not_fetch_even_if_it_would(self):
        self.open("search")
        self.ask("""new Promise(done => { const i = new Image(); i.onerror = i.onload = done;
            i.src = 'file:///nowhere.png'; document.body.append(i); })""")
        refused = [event for event in self.browser.events if "Content Security Policy" in str(event)]
        self.assertTrue(refused)

    def test_three_queries_with_contents_tables_and_pictures(self):
        self.open("search")
        self.assertEqual(self.number_of("section.query"), 3)
        self.assertEqual(self.number_of("nav a[href^='#query-']"), 3)
        self.assertEqual(self.ask("[...document.querySelectorAll('nav a')].filter(a => !document.querySelector("
                                  "a.getAttribute('href'))).length"), 0)
        self.assertEqual(self.number_of("section.query svg[role=img] title"), 3)
        self.assertGreater(self.number_of("svg rect.bar"), 20)
        self.assertEqual(self.number_of("svg path.curve"), 3)
        self.assertEqual(self.number_of("svg line.mean"), 3 * 5)
        self.assertEqual(self.number_of("svg rect.band"), 3 * 3)
        self.assertGreaterEqual(self.number_of("#histogram-1 .listed"), 2)
        first = self.ask("[...document.querySelector('#query-1 tbody tr').cells].map(c => c.textContent)")
        self.assertEqual(first[:5], ["1", "P07 stands apart", "3", "56", "more than 10^9"])
        sites = self.ask("[...document.querySelector('#annex details[open]').querySelectorAll('tbody tr')]"
                         ".map(r => r.cells[0].textContent)")
        self.assertEqual(len(sites), 2)
        self.assertIn("P07", self.ask("document.querySelector('#annex details[open] summary').textContent"))
        for term in ("Command line", "Panel SHA-256", "Content SHA-256", "Device", "Theta", "Started"):
            self.assertIn(term, self.ask("document.querySelector('#provenance').textContent"))

    def test_it_opens_with_what_was_found(self):
        heading = "document.querySelector('h1').textContent"
        self.open("one")
        self.assertRegex(self.ask(heading), r"^P07 stands apart: 3 of 112 alleles differ; the next has 29 of 110$")
        self.assertIn("more probable if query suspect and profile P07 are of the same person than if they are of two unrelated people",
                      self.ask("document.querySelector('header').textContent"))
        self.open("tie")
        self.assertRegex(self.ask(heading), r"^3 profiles stand apart: suspect, again and P07; of the first, 0 of 114 alleles differ")
        self.open("bare")
        self.assertRegex(self.ask(heading), "^P07 has the fewest: 3 of 112 alleles differ")
        self.open("search")
        self.assertEqual(self.ask(heading), "Of 3 queries, 1 has a profile that stands apart")
        groups = self.ask("[...document.querySelectorAll('nav h3')].map(h => h.textContent)")
        self.assertEqual(groups, ["One profile stands apart: 1 query", "No profile stands apart: 2 queries"])
        self.assertEqual(self.ask("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href'))"),
                         ["#query-1", "#query-2", "#query-3"])

    def test_leaders_are_marked_strangers_greyed_and_a_line_parts_them(self):
        self.open("one")
        self.assertEqual(self.ask("[...document.querySelectorAll('#query-1 tr.apart')].map(r => r.cells[1].textContent)"),
                         ["P07 stands apart"])
        colour = "getComputedStyle(document.querySelector('#query-1 tr.{} td')).color"
        self.assertNotEqual(self.ask(colour.format("apart")), self.ask(colour.format("stranger")))
        self.assertIn("less probable", self.ask("document.querySelector('#query-1 tr.rule').textContent"))
        below = self.ask("(() => { const all = [...document.querySelector('#query-1 table').tBodies[0].rows];"
                         "const rule = all.findIndex(r => r.className == 'rule');"
                         "return all.slice(rule + 1).map(r => r.cells[4].textContent) })()")
        self.assertTrue(below)
        self.assertTrue(all("\u2212" in ratio for ratio in below), below)

    def test_several_populations_are_named_with_their_figures(self):
        self.open("two")
        names = self.ask("[...document.querySelectorAll('#query-1 td small')].map(s => s.textContent)")
        self.assertLessEqual(set(names), {"madeup", "other"})
        self.assertGreater(len(names), 2)

    def test_case_and_lines_to_sign_on(self):
        self.open("one")
        facts = self.ask("[...document.querySelectorAll('header dd')].map(d => d.textContent)")
        self.assertEqual(facts[:4], [HOSTILE, "Laboratory", "A. Examiner", "6 May"])
        self.assertEqual(self.ask("[...document.querySelectorAll('.sign div')].map(d => d.textContent)"),
                         ["ExaminerA. Examiner", "Signature", "Date", "Reviewer", "Signature", "Date"])
        self.assertEqual(self.number_of("img, script"), 0)
        self.open("search")
        self.assertRegex(self.ask("[...document.querySelectorAll('header dd')][0].textContent"), r"^\d{4}-\d\d-\d\d$")

    def test_it_is_signed_after_the_finding_and_ends_with_the_annex(self):
        parts = ("[...document.querySelectorAll('header, nav, section')].filter(e => !e.parentElement.closest('section'))"
                 ".map(e => e.id || e.className || e.tagName)")
        self.open("one")
        self.assertEqual(self.ask(parts), ["HEADER", "sign-here", "query-1", "reading", "provenance", "annex"])
        self.open("search")
        self.assertEqual(self.ask(parts), ["HEADER", "sign-here", "NAV", "query-1", "query-2", "query-3", "reading", "provenance",
                                           "annex"])
        self.assertEqual(self.number_of("#annex h3"), 3)
        self.open("short")
        self.assertEqual(self.ask(parts), ["HEADER", "sign-here", "query-1", "reading", "provenance"])
        self.assertNotIn("Sites that speak", self.ask("document.body.textContent"))
        self.open("kin")
        self.assertNotIn("annex", self.ask(parts))

    def test_each_signature_is_one_line(self):
        """Of a person, the signature and the date stand side by side, on a wide screen and on paper."""
        tops = "[...document.querySelectorAll('.sign div')].map(d => Math.round(d.getBoundingClientRect().top))"
        for width, paper in ((1600, False), (A4, True)):
            self.open("one", width)
            if paper:
                self.browser.on_paper()
            first, second, third, *reviewer = self.ask(tops)
            self.assertTrue(first == second == third < reviewer[0], width)

    def test_a_case_with_its_finding_and_signature_is_one_sheet(self):
        self.open("one", A4)
        self.browser.on_paper()
        sheet = (297 - 36) / 25.4 * 96
        self.assertLess(self.ask("document.querySelector('.sign-here').getBoundingClientRect().bottom"), sheet)

    def test_nothing_is_cut_off_on_paper(self):
        """Tables that are wider than a sheet's text are cut, since nobody can scroll there."""
        for name in PAGES:
            self.open(name)
            for width in (A4, LETTER):
                with self.subTest(name=name, width=width):
                    self.browser.show(width, 900)
                    self.browser.on_paper()
                    self.assertEqual(self.ask("[...document.querySelectorAll('table, svg')].filter(e => e.getClientRects().length"
                                              f" && e.getBoundingClientRect().right > {width} + 1)"
                                              ".map(e => (e.caption || e).textContent.slice(0, 60))"), [])
                    self.assertEqual(self.ask(CUT_OFF), [])

    def test_printed_sheets_have_the_case_and_their_number(self):
        self.open("one")
        sheets = self.ask("[...document.styleSheets[0].cssRules].filter(r => r instanceof CSSPageRule).map(r => r.cssText)"
                          ".join(' ')")
        text = self.ask("document.querySelector('style').textContent")
        self.assertIn("counter(page)", text)
        self.assertIn("@top-left", text)
        self.assertIn("@page", sheets)
        self.assertEqual(text.count("<"), 0)

    def test_no_table_is_split_after_one_row(self):
        self.open("search")
        self.browser.on_paper()
        self.assertEqual(self.ask("[...document.querySelectorAll('tbody')].filter(b => getComputedStyle(b.rows[0]).breakAfter"
                                  " != 'avoid' || getComputedStyle(b.rows[b.rows.length - 1]).breakBefore != 'avoid').length"), 0)
        self.assertEqual(self.ask("[...document.querySelectorAll('table')].filter(t => t.tBodies[0].rows.length <= 6"
                                  " && getComputedStyle(t).breakInside != 'avoid').length"), 0)

    def test_a_narrow_screen_has_each_row_as_a_block_with_all_its_columns(self):
        self.open("one", 320)
        labels = self.ask("[...document.querySelector('#query-1 tbody tr').cells].map(c => getComputedStyle(c, '::before')"
                          ".content.slice(1, -1))")
        self.assertEqual(labels, ["#", "Profile", "Alleles that differ", "Sites compared", "Likelihood ratio",
                                  "LR against a full sibling", "Suggests", "Chance matches, at most", "Row"])
        self.assertEqual(self.ask("[...document.querySelectorAll('#query-1 td')].filter(c => c.getClientRects().length && "
                                  "(c.scrollWidth > c.clientWidth + 1 || c.getBoundingClientRect().right > 320))"
                                  ".map(c => c.textContent)"), [])

    def test_the_match_stands_left_of_every_bar_of_strangers(self):
        """The pointer of rank 1 against the bars of the others, in the suspect's picture."""
        self.open("search")
        pointer = self.ask("document.querySelector('#histogram-1 .pointer').getBoundingClientRect().left")
        bars = self.ask("[...document.querySelectorAll('#histogram-1 .bar')].map(b => b.getBoundingClientRect().left)")
        self.assertGreater(sorted(bars)[1] - pointer, 100)

    def test_a_mixture_says_how_many_who_and_what_of_each(self):
        headings = "[...document.querySelectorAll('#query-1 h3')].map(h => h.textContent)"
        wanted = ["How many people left it", "Who may be one of them", "Which contributor, and could it be a relative?",
                  "What can be said of each of them"]
        for name in ("mixture", "reads"):
            self.open(name)
            self.assertEqual(self.ask(headings)[:4], wanted, name)
            self.assertGreater(self.number_of("svg.meter rect.bar"), 1)
        self.open("mixture")
        self.assertEqual(self.number_of("svg path.sites"), 0)

    def test_reads_lie_in_the_bands_of_their_genotypes(self):
        self.open("reads")
        self.assertEqual(self.number_of("#reads-1 path.band"), 9)
        self.assertEqual(self.ask("document.querySelector('#reads-1 path.sites').getAttribute('d').split('M').length - 1"), 60)
        labels = self.ask("[...document.querySelectorAll('#reads-1 text')].map(t => t.textContent).filter(t => t.includes(' + '))")
        self.assertEqual(labels, [f"{major} + {minor}" for major in range(3) for minor in range(3)])
        self.assertIn("100 % of the points lie where", self.ask("document.querySelector('#reads-1').closest('figure').textContent"))

    def test_a_cohort_has_its_groups_and_what_was_expected(self):
        self.open("cohort")
        self.assertRegex(self.ask("document.querySelector('h1').textContent"), "^Not all is as expected: of 3 expected pairs")
        self.assertEqual(self.ask("[...document.querySelectorAll('main > section')].map(s => s.id)"),
                         ["expectation", "groups-section", "pairs", "unrelated", "reading", "provenance"])
        groups = "[...document.querySelectorAll('#groups-section tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
        self.assertTrue(any(row[4].startswith("suspect = again = P07") for row in self.ask(groups)), self.ask(groups))
        self.assertGreater(self.number_of("#groups path.cells"), 0)
        dots = self.ask("document.querySelector('#kinship .dots.rel0').getAttribute('d').split('M').length - 1")
        same = self.ask("[...document.querySelectorAll('#pairs tbody tr')].filter(r => r.cells[2].textContent == 'same').length")
        self.assertEqual(dots, same)
        self.assertEqual(self.number_of("img, script"), 0)
        self.assertIn(HOSTILE, self.ask("[...document.querySelectorAll('#expectation bdi')].map(b => b.textContent)"))
        colours = self.ask("[0, 1, 2, 3, 4, 5, 6, 7].map(r => { const cell = document.createElementNS('http://www.w3.org/2000/svg', 'path');"
                           "cell.setAttribute('class', 'cells rel' + r); document.querySelector('#groups').append(cell);"
                           "return getComputedStyle(cell).fill })")
        self.assertEqual(len(set(colours)), 8)

    def test_a_family_of_victims_is_printed_alone(self):
        self.open("dvi")
        self.assertEqual(self.ask("document.querySelector('#conclusions tbody a').getAttribute('href')"), "#family-of-1")
        shown = ("[...document.querySelectorAll('main > section, header h1')].filter(e => e.getClientRects().length)"
                 ".map(e => e.id || e.tagName)")
        everything = ["H1", "conclusions", "matrix", "families", "provenance"]
        for target, on_paper in (("#", everything), ("#family-of-1", ["families", "provenance"])):
            self.ask(f"location.hash = '{target}'")
            self.assertEqual(self.ask(shown), everything)
            self.browser.on_paper()
            self.assertEqual(self.ask(shown), on_paper)
            self.browser.show(1280, 900)

    def test_combinations_have_their_cells(self):
        for name, cells in (("triples", 27), ("sites", 9)):
            self.open(name)
            self.assertEqual(self.number_of("#ranking tbody tr"), 10)
            self.assertEqual(self.number_of("#penetrance svg[role=img] title"), 3)
            self.assertEqual(self.number_of("#penetrance-1 rect.share"), cells + 6)
            # Each picture beside its numbers: the same shares, and nobody where there is nobody.
            drawn = self.ask("[...document.querySelectorAll('#penetrance-1 text')].map(t => t.textContent)")
            rows = self.ask("[...document.querySelectorAll('#penetrance details')][0].querySelectorAll('tbody tr').length")
            people = self.ask("""[...[...document.querySelectorAll('#penetrance details')][0].querySelectorAll('tbody tr')].map(
                r => [...r.children].map(c => c.textContent))""")
            self.assertEqual(rows, cells)
            for genotypes, cases, controls, share in people:
                with self.subTest(genotypes):
                    self.assertIn(f"{cases} / {controls}" if share else "nobody", drawn)
                    self.assertIn(share or "nobody", drawn)
            self.assertEqual(drawn.count("nobody"), sum(not share for *_, share in people))

    def test_names_are_text(self):
        self.open("search")
        self.assertNotEqual(self.ask("document.title"), "taken")
        self.assertEqual(self.number_of("img, script"), 0)
        self.assertEqual(self.ask("document.querySelector('#query-3 h2 bdi').textContent"), HOSTILE)

    def test_nothing_is_cut_off_on_a_narrow_screen_and_all_scrolls_by_keyboard(self):
        for name in PAGES:
            self.open(name)
            for width in (1600, 1280, 320):  # 320 is 1,280 at 400 % zoom
                with self.subTest(name=name, width=width):
                    self.browser.show(width, 900)
                    self.assertEqual(self.ask(CUT_OFF), [])
                    self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.ask(UNREACHABLE), [])

    def test_a_common_window_shows_whole_tables(self):
        for name in PAGES:
            with self.subTest(name):
                self.open(name, 1000)
                self.assertEqual(self.ask("[...document.querySelectorAll('.scroll')].filter(e => e.getClientRects().length"
                                          " && e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)"), [])

    def test_pictures_for_a_person(self):
        folder = os.environ.get("FASTID_PICTURES")
        if not folder:
            self.skipTest("FASTID_PICTURES names no folder")
        for name in PAGES:
            self.open(name)
            self.browser.show(1280, 1600)
            self.browser.screenshot(Path(folder) / f"{name}-light.png")
            self.browser.show(1280, 1600, features=[("prefers-color-scheme", "dark")])
            self.browser.screenshot(Path(folder) / f"{name}-dark.png")
            self.browser.show(320, 1600, scale=2)
            self.browser.screenshot(Path(folder) / f"{name}-narrow.png", from_top=600)
            self.browser.pdf(Path(folder) / f"{name}.pdf")


if __name__ == "__main__":
    if chromium.find() is None:
        print("skipped: Chromium is not installed (scripts/setup test installs it)")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
