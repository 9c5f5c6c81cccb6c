"""Readings of published methods: what a text leaves open, tried against its figures.

A reading settles every choice that the text of a method leaves open: order of visits,
leftovers, where a path begins, which scaling. The choices are declared per method in
:mod:`tests.readings.choices`; ``python -m tests.readings METHOD...`` runs their product
against the printed cells and keeps the best single reading for all of them.
"""
