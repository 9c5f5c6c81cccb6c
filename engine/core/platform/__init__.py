"""What differs between Linux, macOS and Windows; nothing else asks for the system.

Over :mod:`psutil`, :mod:`filelock`, :mod:`platformdirs` and the portable parts of the
standard library.
"""
