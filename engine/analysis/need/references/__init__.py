"""Reference points: what known protections of the same columns keep, and their risks.

None of them is a release: they show where the answer to a need stands. Each is made of
the original with the same k, or with as much linkage, and measured like the answer.
"""
