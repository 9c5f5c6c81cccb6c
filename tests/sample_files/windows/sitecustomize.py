"""Makes a process that a test starts like one on Windows; see `tests.windows`."""

from tests.windows import install

install()
