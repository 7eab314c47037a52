"""scripts/bench refuses what it does not understand, in one sentence, before it installs or builds anything."""

import os
import subprocess
import unittest

SCRIPT = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "bench")


class Script(unittest.TestCase):
    def test_wrong_arguments(self):
        cases = {("--module", "nothing"): "--module takes one of reduction skin_tracker capsule_likelihood aam_fit or none, not 'nothing'.",
                 ("--module",): "--module needs a value", ("--rounds", "0"): "--rounds takes a number from 1 to 99, not '0'.",
                 ("--rounds=many",): "not 'many'", ("--against", "/nowhere"): "--against: there is no /nowhere.", ("--fast",): "--fast is no option",
                 ("--quick", "--", "x"): "takes nothing after --", ("--cuda", "maybe"): "--cuda takes auto, on or off"}
        for arguments, words in cases.items():
            done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(words, done.stderr)
            self.assertNotIn("configuring", done.stdout)

    def test_help_names_every_option(self):
        text = subprocess.run([SCRIPT, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
        for option in ("--quick", "--module", "--peers", "--accuracy", "--rounds", "--against", "--tune", "--cuda"):
            self.assertIn(option, text)


if __name__ == "__main__":
    unittest.main()
