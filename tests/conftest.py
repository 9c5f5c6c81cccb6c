"""What every test shares."""

from hypothesis import settings

# A busy machine only ever adds time; and a test that failed once must fail again.
settings.register_profile("coterie", deadline=None, derandomize=True)
settings.load_profile("coterie")
