"""Descriptions of a release for catalogues of data: DDI-Codebook and Croissant."""
