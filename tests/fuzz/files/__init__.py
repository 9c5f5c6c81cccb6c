"""Random files, stored and read as others do, with no help of the engine."""
