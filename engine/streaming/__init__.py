"""Beyond memory, and beyond one machine: Parquet in, Parquet out, block by block.

A sample gives split points, all records are sent to blocks of near ones, and each block
is protected on its own: by threads of this process, or as a task of dask.distributed.
"""

from engine.streaming.outcome import StreamedOutcome
from engine.streaming.run import RECORDS_PER_BLOCK, run

__all__ = ["RECORDS_PER_BLOCK", "StreamedOutcome", "run"]
