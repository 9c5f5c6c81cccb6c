"""Detectors: each recognises one kind of column by name, values or both."""

from engine.data.propose.base import DetectorChain
from engine.data.propose.detectors.codes import (
    detect_health_codes,
    detect_record_numbers,
    detect_row_index,
)
from engine.data.propose.detectors.contact import (
    detect_contact_details,
    detect_contacts_in_text,
)
from engine.data.propose.detectors.given_numbers import detect_official_numbers
from engine.data.propose.detectors.named import (
    detect_named_identity,
    detect_other_named_columns,
)
from engine.data.propose.detectors.names_of_firms import detect_firm_names
from engine.data.propose.detectors.names_of_people import detect_people_names
from engine.data.propose.detectors.remaining_columns import (
    detect_constant_column,
    detect_empty_column,
    detect_measurements,
    propose_undecided_role,
)
from engine.data.propose.detectors.streets import detect_streets
from engine.data.propose.detectors.text import detect_free_text
from engine.data.propose.detectors.traits import (
    detect_coordinates,
    detect_dates,
    detect_postcodes,
    detect_sexes_and_countries,
)
from engine.data.propose.detectors.weights import detect_survey_weights

ALL_DETECTORS = DetectorChain(
    [
        detect_empty_column,
        detect_row_index,
        detect_contact_details,
        detect_official_numbers,
        detect_streets,
        detect_free_text,
        detect_contacts_in_text,
        detect_named_identity,
        detect_survey_weights,
        detect_constant_column,
        detect_people_names,
        detect_firm_names,
        detect_other_named_columns,
        detect_health_codes,
        detect_sexes_and_countries,
        detect_postcodes,
        detect_coordinates,
        detect_record_numbers,
        detect_dates,
        detect_measurements,
        propose_undecided_role,
    ]
)
"""In the order in which they are asked: what says who somebody is comes first."""
