"""Out-of-core runs: protect Parquet files block by block, on one machine or many.

A sample gives split points, all records are sent to blocks of near ones, and each block
is protected on its own. Each step consists of tasks, for parts of the input or blocks:
threads of this process do them, or workers of dask.distributed.
"""

from engine.streaming.outcome import StreamedOutcome
from engine.streaming.run import DEFAULT_RECORDS_PER_BLOCK, run

__all__ = ["DEFAULT_RECORDS_PER_BLOCK", "StreamedOutcome", "run"]
