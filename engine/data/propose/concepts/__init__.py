"""What columns are about: concepts and the words for them, a file for each family."""

from engine.data.propose.concepts.identity import IDENTITY, NAMED, NUMBERED
from engine.data.propose.concepts.private import PRIVATE
from engine.data.propose.concepts.survey import SURVEY
from engine.data.propose.concepts.traits import TRAITS
from engine.data.propose.names import Vocabulary

CONCEPTS = (*IDENTITY, *SURVEY, *PRIVATE, *TRAITS, *NUMBERED, *NAMED)
"""In the order in which names are believed: what is most direct comes first."""

VOCABULARY = Vocabulary(CONCEPTS)
