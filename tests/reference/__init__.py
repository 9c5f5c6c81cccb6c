"""Naive twins: what a method means, in the plainest lines that say it.

The twin of method ``a-b`` is the function ``a_b(X, k, **parameters)`` of module
``tests.reference.a_b``; it returns labels like the method, for n >= 2k.
"""
