"""Files of SPSS, Stata, SAS and R."""
