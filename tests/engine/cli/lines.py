"""Command lines as tests write them."""

from engine.cli.parsing.parser import main

CHOICES = ["--quasi-identifiers", "staff,sales", "--k", "4"]


def run_line(*words: object) -> int:
    return main([str(word) for word in words])
