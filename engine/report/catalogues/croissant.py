"""Describe a release in Croissant 1.0, the JSON-LD for data set catalogues.

See https://docs.mlcommons.org/croissant/docs/croissant-spec.html, and
https://doi.org/10.1145/3650203.3663326 for what it is for.
"""

from __future__ import annotations

import json
from typing import Any

from engine.report.catalogues.description import ReleaseDescription, VariableDescription

CROISSANT_VERSION_URL = "http://mlcommons.org/croissant/1.0"

JSON_LD_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""Context that the specification gives, word for word."""

CROISSANT_TYPES = {
    "integer": "sc:Integer",
    "number": "sc:Float",
    "date": "sc:Date",
    "datetime": "sc:DateTime",
    "time": "sc:Time",
    "boolean": "sc:Boolean",
    "text": "sc:Text",
}


def to_croissant_bytes(release: ReleaseDescription) -> bytes:
    """Return a release's description as Croissant JSON-LD in UTF-8."""
    words = [release.method, release.promise_text, release.loss, release.proof_text]
    words += [release.layout]
    words += [f"Source of the method: {source}" for source in release.references]
    content = {
        "@context": JSON_LD_CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CROISSANT_VERSION_URL,
        "name": release.title,
        "description": " ".join(filter(None, words)),
        "rai:dataManipulationProtocol": release.method,
        "rai:personalSensitiveInformation": release.promise_text,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "release",
                "name": release.file,
                "contentUrl": release.file,
                "encodingFormat": release.media_type,
                "sha256": release.sha256,
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "records",
                "name": "records",
                "field": [
                    _field_description(variable, place)
                    for place, variable in enumerate(release.variables, start=1)
                ],
            }
        ],
    }
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    # Names of columns may hold halves of characters.
    return text.encode(errors="backslashreplace")


def _field_description(variable: VariableDescription, place: int) -> dict[str, Any]:
    words = [variable.label, variable.role and f"{variable.role}."]
    if variable.became:
        words.append(f"Each value was replaced by {variable.became}.")
    code_labels = [
        f"{category.value}: {category.label}"
        for category in variable.categories
        if category.label
    ]
    if code_labels:
        words.append(f"Its codes: {'; '.join(code_labels)}.")
    if variable.invalid:
        words.append(f"Missing values are written as {', '.join(variable.invalid)}.")
    return {
        "@type": "cr:Field",
        "@id": f"records/{place}",
        "name": variable.name,
        "description": " ".join(filter(None, words)),
        "dataType": CROISSANT_TYPES[variable.type],
        "source": {
            "fileObject": {"@id": "release"},
            "extract": {"column": variable.name},
        },
    }
