"""What columns are about: concepts and the words for them, a file for each family."""

from engine.data.propose.concepts.contact import CONTACT
from engine.data.propose.concepts.identity import NAMED, NAMES
from engine.data.propose.concepts.numbers import NUMBERED, NUMBERS
from engine.data.propose.concepts.private import PRIVATE
from engine.data.propose.concepts.survey import SURVEY
from engine.data.propose.concepts.traits import TRAITS
from engine.data.propose.names import Vocabulary

IDENTITY = (*CONTACT, *NUMBERS, *NAMES)
"""What says who somebody is by itself."""

CONCEPTS = (*IDENTITY, *SURVEY, *PRIVATE, *TRAITS, *NUMBERED, *NAMED)
"""In the order in which names are believed: what is most direct comes first."""

VOCABULARY = Vocabulary(CONCEPTS)
