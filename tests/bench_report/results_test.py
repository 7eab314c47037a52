"""Names, numbers and files."""

import os
import subprocess
import sys
import unittest

from document import markdown_table, size_text, Table, three_digits, time_text
from results import ResultError, fitted_exponent, load, machine_slug, parse_name
from samples import Files, entry, loaded


class Names(unittest.TestCase):
    def test_each_kind_is_recognised(self):
        cases = {"limit/read/gpu": ("limit", ()), "sum/float/automatic/rotating/1024": ("array", (1024,)),
                 "multiply/float/plan/rotating/24x4096": ("multiply", (24, 4096)), "skin/rgba/fast/resident/1920x1080": ("skin", (1920, 1080)),
                 "skin/rgba/peer_opencv/clip by numpy/threads:2": ("skin", ()), "skin/rgba/peer_torch_graph/resident": ("skin", ()),
                 "capsule/squared/culled/rotating/2000x40x50000": ("capsule", (2000, 40, 50000)),
                 "aam/half/gpu_one_pass/rotating/1x60x4096": ("aam", (1, 60, 4096))}
        for name, (kind, size) in cases.items():
            parsed = parse_name(name + "/iterations:8/manual_time")
            self.assertEqual((parsed.kind, parsed.size, parsed.text), (kind, size, name))
        self.assertEqual(parse_name("skin/rgba/peer_opencv/clip/threads:2").threads, 2)

    def test_anything_else_is_other(self):
        for name in ("", "sum", "sum/float/automatic/rotating/1024x2", "capsule/squared/culled/rotating/2000x40", "aam/half/x/y", "new/thing",
                     "multiply/float/plan/rotating/24"):
            self.assertEqual(parse_name(name).kind, "other", name)


class Numbers(unittest.TestCase):
    def test_three_digits(self):
        cases = {0: "0", 0.000123456: "0.000123", 0.9996: "1.00", 9.996: "10.0", 12.34: "12.3", 999.6: "1000", 12345: "12300", -5.5: "-5.50"}
        for value, text in cases.items():
            self.assertEqual(three_digits(value), text)
        self.assertEqual(three_digits(None), three_digits(float("nan")))

    def test_sizes_and_times(self):
        self.assertEqual([size_text(n) for n in (1, 1024, 1000, 0)], ["2^0", "2^10", "1000", "0"])
        self.assertEqual([time_text(us) for us in (0.02, 1.5, 1e3, 2.5e6)], ["20 ns", "1.5 \N{MICRO SIGN}s", "1 ms", "2.5 s"])

    def test_a_bar_in_a_cell_does_not_end_it(self):
        self.assertIn("a\\|b", markdown_table(Table(["x"], [["a|b"]])))


class Loading(unittest.TestCase):
    def test_the_middle_of_repetitions_stays(self):
        results = loaded(*[entry("sum/float/automatic/rotating/1024", us) for us in (5, 1, 9)])
        self.assertEqual([e.us for e in results.entries], [5])

    def test_units_and_spreads(self):
        ms = entry("sum/float/a/rotating/8", 2, 1, 3)
        ms["time_unit"] = "ms"
        self.assertEqual(loaded(ms).entries[0].us, 2000)
        self.assertIsNone(loaded(entry("sum/float/a/rotating/8", 2, 3, 1)).entries[0].low)

    def test_failures_are_named_and_not_counted(self):
        bad = {"name": "sum/float/x/rotating/8", "error_occurred": True, "error_message": "out of memory"}
        results = loaded(bad, entry("sum/float/y/rotating/8", 0))
        self.assertEqual(results.entries, [])
        self.assertEqual(results.failures[0], ("sum/float/x/rotating/8", "out of memory"))
        self.assertIn("makes no sense", results.failures[1][1])

    def test_aggregates_are_left_out(self):
        self.assertEqual(loaded(entry("sum/float/a/rotating/8", 1, run_type="aggregate")).entries, [])

    def test_what_is_private_is_not_a_fact(self):
        facts = loaded().facts
        self.assertNotIn("secret", str(facts))
        self.assertEqual(facts["date"], "2026-11-16")
        self.assertEqual(list(facts)[0], "gpu")

    def test_commit_driver_cccl_and_the_build_of_the_benchmark_library_are_facts(self):
        facts = loaded(commit="abc-dirty", driver="580.1", cccl="3.0.1", library_build_type="debug").facts
        self.assertEqual([facts[key] for key in ("commit", "driver", "cccl", "Google Benchmark")], ["abc-dirty", "580.1", "3.0.1", "debug build"])

    def test_a_processor_without_a_name_gets_the_one_that_the_system_gives(self):
        results = loaded(cpu="CPU: unknown processor, 2 of 2 logical cores, 24 GiB", processor="Neoverse-V1")
        self.assertEqual(results.machine("cpu", ""), "Neoverse-V1")
        self.assertNotIn("processor", results.facts)

    def test_a_machine_that_had_other_work_says_so(self):
        self.assertEqual(loaded(load_avg=[19.2, 3, 2]).facts["other work"], "load 19 at the start")
        self.assertNotIn("other work", loaded(load_avg=[15.9, 3, 2]).facts)

    def test_a_peer_names_the_same_things_as_a_bench(self):
        peers = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "peers")
        with Files() as files:
            path = os.path.join(files.folder.name, "peer.json")
            script = f"import sys; sys.path.insert(0, {peers!r}); import peer_results as p; p.write_results({path!r}, {{'cpu': p.cpu_name()}}, [{{'name': 'a/b', 'us': 1}}])"
            subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "TRIPTYCH_COMMIT": "abc"})
            facts = load([path]).facts
        self.assertTrue(facts["commit"] and facts["commit"] != "unknown")
        self.assertRegex(facts["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertTrue(facts["cpu"])

    def test_a_share_is_of_the_limit_of_the_same_file(self):
        with Files() as files:
            limit = lambda gb_per_s: entry("limit/read/gpu", 1000, bytes=gb_per_s * 1e6)
            one = files.results("a.json", [limit(1000), entry("sum/float/automatic/rotating/8", 1, bytes=500e3)])
            two = files.results("b.json", [limit(2000), entry("sum/float/automatic/rotating/16", 1, bytes=500e3)])
            three = files.results("c.json", [entry("sum/float/automatic/rotating/32", 1, bytes=500e3)])
            shares = {e.size[0]: e.share_of("read/gpu") for e in load([one, two, three]).entries if e.kind == "array"}
        self.assertEqual(shares, {8: 0.5, 16: 0.25, 32: None})

    def test_a_machine_has_a_name_of_a_folder(self):
        cases = {("NVIDIA H200", "x", 16): "h200", ("", "Intel(R) Xeon(R) Processor @ 2.60GHz", 2): "xeon_2_cores", ("", "Neoverse-V1", 2): "neoverse_v1_2_cores",
                 ("GPU 0: NVIDIA GeForce RTX 4090, compute capability 8.9", "", 8): "geforce_rtx_4090", ("", "AMD EPYC 7B13 64-Core Processor", 4): "epyc_7b13_4_cores"}
        for (gpu, cpu, cores), slug in cases.items():
            self.assertEqual(machine_slug(gpu, cpu, cores), slug)

    def test_fitted_exponent(self):
        self.assertAlmostEqual(fitted_exponent([(n, 3 * n**1.5) for n in (1, 10, 70, 900)]), 1.5)
        self.assertIsNone(fitted_exponent([(1, 1), (2, 2)]))

    def test_files_of_two_machines_are_refused(self):
        with Files() as files:
            first, second = files.results("a.json", []), files.results("b.json", [], gpu="GPU 0: NVIDIA L4, compute capability 8.9")
            with self.assertRaisesRegex(ResultError, "b.json: comes from another machine"):
                load([first, second])
            short = files.results("c.json", [], gpu="NVIDIA H200")  # the same machine, named without its details
            self.assertIn("compute capability", load([first, short]).facts["gpu"])

    def test_bad_files_get_one_sentence(self):
        with Files() as files:
            for text, words in (("", "not JSON"), ("[]", "no results"), ('{"context": {}}', "no results"),
                                ('{"context": {}, "benchmarks": [3]}', "not an object"),
                                ('{"context": {}, "benchmarks": [{"name": "a", "real_time": 1, "time_unit": "weeks"}]}', "known unit")):
                with self.assertRaisesRegex(ResultError, words):
                    load([files.text("bad.json", text)])
        with self.assertRaisesRegex(ResultError, "cannot be read"):
            load(["/nowhere/x.json"])


if __name__ == "__main__":
    unittest.main()
