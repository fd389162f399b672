"""What every test shares: how Hypothesis behaves. Fixtures live beside the rooms they serve."""

import os

from hypothesis import settings

# A loaded machine is not a fault of the code, and a red build must be red again when it is looked at.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
