"""What the report says of who is faster."""

import unittest

import aam
import capsule
import reduction
import skin
from document import DASH
from samples import entry, loaded


def read_limit(name, gb_per_s):
    return entry(name, 1000, bytes=gb_per_s * 1e6)


class Reductions(unittest.TestCase):
    def test_faster_same_and_slower_are_counted(self):
        made = []
        for n, ours, other, spread in ((2**14, 1, 2, 0.1), (2**16, 2, 2.1, 0.5), (2**18, 4, 2, 0.1)):
            made += [entry(f"sum/float/automatic/rotating/{n}", ours, ours - spread, ours + spread),
                     entry(f"sum/float/peer_cub/rotating/{n}", other, other - spread, other + spread)]
        line, = reduction.verdict(loaded(*made))
        self.assertIn("geometric mean of 3 sizes, 2^14 to 2^22: faster at 1, same at 1, slower at 1", line)
        self.assertIn("**1.02x**", line)  # (2 * 1.05 * 0.5) ** (1 / 3)
        self.assertIn("its worst is 0.500x at 2^18 (slower)", line)

    def test_sizes_outside_the_range_do_not_count(self):
        line, = reduction.verdict(loaded(entry("sum/float/automatic/rotating/1024", 1), entry("sum/float/peer_cub/rotating/1024", 3)))
        self.assertIn("automatic against peer_cub: its worst is 3.00x at 2^10 (faster)", line)

    def test_share_of_the_measured_bandwidth(self):
        n = 2**28
        lines = reduction.verdict(loaded(read_limit("limit/read/gpu", 4000), entry(f"sum/float/automatic/rotating/{n}", n * 4 / 2e6, bytes=n * 4)))
        self.assertIn("**50 %** of what the GPU can read", lines[0])

    def test_the_fastest_of_a_size_is_bold(self):
        results = loaded(entry("sum/float/automatic/rotating/8", 2), entry("sum/float/cluster/rotating/8", 1))
        table = reduction.grid_table(results, "sum", reduction.grids(results)[("sum", "float", "rotating")])
        self.assertEqual(table.rows[0][:3], ["2^3", "2.00", "**1.00**"])


class Skin(unittest.TestCase):
    def test_the_best_of_the_papers_kernels_is_compared(self):
        results = loaded(*[entry(f"skin/rgba/{series}/resident/1920x1080", us) for series, us in (("fast", 4), ("gpu7", 8), ("gpu8", 50))])
        line, = skin.verdict(results)
        self.assertIn("**2.00x** as fast as gpu7, the fastest of the paper's kernels", line)
        self.assertNotIn("gpu8", line)

    def test_table_has_the_papers_numbers_beside_ours(self):
        results = loaded(entry("skin/rgba/cpu1/total/1920x1080", 20000), entry("skin/rgba/joint/total/1920x1080", 200))
        section, = skin.table(results)
        rows = {row[0]: row for row in section.body[1].rows}
        self.assertEqual(rows["joint"][1:6], ["1.54", "2.12", "3.66", "10.0", "273"])
        self.assertEqual(rows["joint"][8:10], ["0.200", "100"])
        self.assertEqual(rows["cpu1"][7], "20.0")  # on the CPU the calculation is the total
        self.assertEqual([name for name in rows if name in skin.PAPER], list(skin.PAPER))  # all twelve columns, measured or not
        self.assertEqual(rows["gpu8"][6], "not measured")

    def test_transfer_and_calculation_of_the_joint_column(self):
        results = loaded(*[entry(f"skin/rgba/joint/{mode}/1920x1080", us) for mode, us in (("transfer", 110), ("calculation", 90), ("total", 200))])
        row = next(row for row in skin.table(results)[0].body[1].rows if row[0] == "joint")
        self.assertEqual(row[6:9], ["0.110", "0.0900", "0.200"])

    def test_the_summary_names_the_best_of_the_papers_versions(self):
        made = [entry(f"skin/rgba/{series}/resident/1920x1080", us) for series, us in (("fast", 4), ("cub", 20), ("gpu7", 8), ("gpu8", 50))]
        answer, = skin.answers(loaded(*made))
        self.assertEqual((answer.factor, answer.paper), ("5.00x", "2.00x as fast as gpu7, the best of the paper's versions on this machine"))

    def test_other_sizes_do_not_displace_the_table(self):
        made = [entry("skin/rgb/peer_opencv_csrt/girl/128x96", 5)] + [entry(f"skin/rgba/{series}/total/1920x1080", 9) for series in ("cpu1", "cpu2")]
        self.assertEqual(skin.Skin(loaded(*made)).frame, (1920, 1080))

    def test_batch_is_per_frame(self):
        line, = skin.verdict(loaded(read_limit("limit/read/gpu", 4000), entry("skin/rgba/batch64/rotating/1920x1080", 128, bytes=64 * 8294400)))
        self.assertIn("**2.00 us** per frame", line)


class Capsules(unittest.TestCase):
    def test_speed_up_is_over_the_loop_at_the_same_size(self):
        at = "capsule/squared/{}/rotating/{}x40x50000"
        results = loaded(entry(at.format("culled", 2000), 1000), entry(at.format("listing", 2000), 50000), entry(at.format("listing", 100), 7))
        self.assertIn("**50.0x** as fast as listing", capsule.verdict(results)[0])

    def test_growth_is_a_fitted_power(self):
        made = [entry(f"capsule/squared/culled/rotating/3500x48x{n}", n**0.5) for n in (10000, 20000, 40000)]
        self.assertTrue(any("points to the power **0.50**" in line for line in capsule.verdict(loaded(*made))))

    def test_systems_of_the_paper_stand_beside_ours(self):
        at = "capsule/squared/{}/rotating/2000x40x50000"
        rows = {row[0]: row for row in capsule.systems_table(loaded(entry(at.format("culled"), 1000), entry(at.format("listing"), 50000))).body[1].rows}
        self.assertEqual(rows["here: NVIDIA H200, culled"][2], "50.0")
        self.assertEqual(rows["here: NVIDIA H200, tiled"][2], "not measured")
        self.assertEqual(rows["here: several GPUs"][2], "not measured")
        self.assertEqual(rows["paper: 8600M GT, 32 cores at 0.94 GHz"][2], "about 20")

    def test_scaled_times_are_called_scaled(self):
        results = loaded(entry("capsule/squared/listing/sampled/2000x40x50000", 1e7))
        self.assertTrue(any("scaled to all samples" in line for line in capsule.verdict(results)))


class Faces(unittest.TestCase):
    def test_batches_are_compared_by_throughput(self):
        results = loaded(entry("aam/float/gpu_one_pass/rotating/1x60x16384", 40), entry("aam/float/gpu_one_pass/rotating/256x60x16384", 1024))
        self.assertTrue(any("takes **4.00 us** per fit: **10.0x** the throughput" in line for line in aam.verdict(results)))

    def test_paper_table_has_its_sixteen_rows_where_measured(self):
        self.assertEqual((len(aam.PAPER), aam.PAPER[4096], aam.PAPER[65536]), (16, (75.57, 9.74), (1423.24, 29.58)))
        results = loaded(entry("aam/float/cpu_literal/resident/1x60x4096", 4000), entry("aam/float/gpu_one_pass/rotating/1x60x4096", 40))
        frames, _ = aam.paper_tables(results)
        rows = frames.body[1].rows
        self.assertEqual(rows[0], ["4096", "75.57", "9.74", "7.76", "4.00", "0.0400", "100"])
        self.assertEqual((len(rows), rows[15][:4], rows[15][4]), (16, ["65536", "1423.24", "29.58", "48.1"], DASH))
        self.assertIn("Not measured in this run: gpu_literal, sizes with a dash.", frames.body[0])

    def test_trained_models_are_the_ones_of_the_papers_table(self):
        made = [entry(f"aam/float/{form}/{mode}/1x60x4096", us) for form, mode, us in (
            ("cpu_literal", "resident", 1000), ("cpu_literal", "trained", 4000), ("gpu_one_pass", "rotating", 10), ("gpu_one_pass", "trained", 40),
            ("peer_torch_graph", "resident", 400))]
        frames, _ = aam.paper_tables(loaded(*made))
        self.assertEqual(frames.body[1].rows[0][4:], ["4.00", "0.0400", "100"])
        self.assertIn("trained at each size", frames.body[0])
        self.assertIn("takes **10.0 us** per fit: **40.0x** as fast as peer_torch_graph", aam.verdict(loaded(*made))[0])

    def test_parts_of_figure_2(self):
        table = aam.parts_section(loaded(entry("aam/float/cpu_literal/resident/1x60x4096", 1))).body[0]
        self.assertEqual([row[1:] for row in table.rows], [["95 %", "not measured"], ["4 %", "not measured"], ["1 %", "not measured"]])
        made = [entry(f"aam/float/cpu_literal/part_{part}/1x60x4096", us) for part, us in (("error", 90), ("step", 8), ("start", 2))]
        self.assertEqual([row[2] for row in aam.parts_section(loaded(*made)).body[0].rows], ["90 %", "8 %", "2 %"])


if __name__ == "__main__":
    unittest.main()
