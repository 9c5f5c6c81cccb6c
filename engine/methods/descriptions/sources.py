"""References shared by several methods."""

from engine.methods.descriptions.info import Reference

MATEO_DOMINGO_1998 = Reference(
    "Mateo-Sanz JM, Domingo-Ferrer J (1998). A comparative study of microaggregation "
    "methods. Qüestiió 22(3), 511-526."
)

DOMINGO_MATEO_2002 = Reference(
    "Domingo-Ferrer J, Mateo-Sanz JM (2002). Practical data-oriented "
    "microaggregation for statistical disclosure control. IEEE Transactions on "
    "Knowledge and Data Engineering 14(1), 189-201.",
    doi="10.1109/69.979982",
)

LASZLO_MUKHERJEE_2005 = Reference(
    "Laszlo M, Mukherjee S (2005). Minimum spanning tree partitioning algorithm for "
    "microaggregation. IEEE Transactions on Knowledge and Data Engineering 17(7), "
    "902-911.",
    doi="10.1109/TKDE.2005.112",
)

LIN_2010 = Reference(
    "Lin JL, Wen TH, Hsieh JC, Chang PC (2010). Density-based microaggregation for "
    "statistical disclosure control. Expert Systems with Applications 37(4), "
    "3256-3263.",
    doi="10.1016/j.eswa.2009.09.054",
)
