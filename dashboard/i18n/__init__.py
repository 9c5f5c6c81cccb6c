"""Everything that people read: texts, and their translations.

One module of texts per page or subject, as translators meet them.
"""
