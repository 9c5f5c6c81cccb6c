"""References shared by several measures."""

INFORMATION_LOSS_REFERENCE = (
    "Domingo-Ferrer & Mateo-Sanz 2002, https://doi.org/10.1109/69.979982"
)

MOMENTS_REFERENCE = (
    "Domingo-Ferrer & Torra 2001, in Confidentiality, Disclosure, and Data Access, "
    "Elsevier; Hundepool et al. 2012, https://doi.org/10.1002/9781118348239"
)

PROPENSITY_REFERENCE = "Snoke et al. 2018, https://doi.org/10.1111/rssa.12358"

DISCLOSURE_REFERENCE = (
    "Domingo-Ferrer & Torra 2001, in Confidentiality, Disclosure, and Data Access, "
    "Elsevier; Torra 2017, https://doi.org/10.1007/978-3-319-57358-8"
)

EL_EMAM_REFERENCE = (
    "El Emam & Dankar 2008, https://doi.org/10.1197/jamia.M2716; El Emam 2013, "
    "https://doi.org/10.1201/b14764"
)

L_DIVERSITY_REFERENCE = (
    "Machanavajjhala et al. 2007, https://doi.org/10.1145/1217299.1217302"
)
