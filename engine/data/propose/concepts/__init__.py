"""Concepts of columns and the words for them, a file for each family."""

from engine.data.propose.concepts.contact import CONTACT_CONCEPTS
from engine.data.propose.concepts.identity import (
    NAME_CONCEPTS,
    UNSPECIFIC_NAME_CONCEPTS,
)
from engine.data.propose.concepts.numbers import NUMBER_CONCEPTS, RECORD_NUMBER_CONCEPTS
from engine.data.propose.concepts.private import CONFIDENTIAL_CONCEPTS
from engine.data.propose.concepts.survey import SURVEY_CONCEPTS
from engine.data.propose.concepts.traits import TRAIT_CONCEPTS
from engine.data.propose.names import Vocabulary

IDENTITY_CONCEPTS = (*CONTACT_CONCEPTS, *NUMBER_CONCEPTS, *NAME_CONCEPTS)
"""Concepts of columns that tell who somebody is by themselves."""

ALL_CONCEPTS = (
    *IDENTITY_CONCEPTS,
    *SURVEY_CONCEPTS,
    *CONFIDENTIAL_CONCEPTS,
    *TRAIT_CONCEPTS,
    *RECORD_NUMBER_CONCEPTS,
    *UNSPECIFIC_NAME_CONCEPTS,
)
"""Concepts in order of priority, the most direct first."""

CONCEPT_VOCABULARY = Vocabulary(ALL_CONCEPTS)
