"""System calls that differ between Linux, macOS and Windows, behind one interface.

Over :mod:`psutil`, :mod:`filelock`, :mod:`platformdirs` and the portable parts of the
standard library.
"""
