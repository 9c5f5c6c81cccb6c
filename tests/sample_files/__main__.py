"""Write all sample files into a folder."""

import sys
from pathlib import Path

from tests.sample_files.base import write_all

if __name__ == "__main__":
    for path in write_all(Path(sys.argv[1])):
        print(path)
