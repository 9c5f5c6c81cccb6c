"""Describe a release in DDI-Codebook 2.5, the XML of data archives.

The elements and their order are those of the schema of version 2.5.1 (DDI Alliance,
2013, https://ddialliance.org/Specification/DDI-Codebook/2.5/).
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from engine.report.catalogues.description import ReleaseDescription, VariableDescription

DDI_NAMESPACE = "ddi:codebook:2_5"

_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document can hold."""


def to_ddi_bytes(release: ReleaseDescription) -> bytes:
    """Return a release's description as DDI XML in UTF-8."""
    book = ET.Element("codeBook", {"xmlns": DDI_NAMESPACE, "version": "2.5"})
    _add_study(book, release)
    _add_file(book, release)
    data = _add(book, "dataDscr")
    for place, variable in enumerate(release.variables, start=1):
        _add_variable(data, variable, place)
    ET.indent(book)
    content: bytes = ET.tostring(book, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _add_study(book: ET.Element, release: ReleaseDescription) -> None:
    study = _add(book, "stdyDscr")
    title = _add(_add(_add(study, "citation"), "titlStmt"), "titl")
    title.text = _xml_text(release.title)
    method = _add(study, "method")
    words = " ".join(filter(None, [release.loss, release.proof_text]))
    _add(method, "notes", words, type="information loss")
    for reference in release.references:
        _add(method, "notes", reference, type="source of the method")
    _add(method, "dataProcessing", release.method, type="microaggregation")
    use = _add(_add(study, "dataAccs"), "useStmt")
    _add(use, "confDec", release.promise_text)


def _add_file(book: ET.Element, release: ReleaseDescription) -> None:
    text = _add(_add(book, "fileDscr", ID="F1"), "fileTxt")
    _add(text, "fileName", release.file)
    mark = _add(text, "dataFingerprint", type="dataFile")
    _add(mark, "digitalFingerprintValue", release.sha256)
    _add(mark, "algorithmSpecification", "SHA-256")
    size = _add(text, "dimensns")
    _add(size, "caseQnty", str(release.records))
    _add(size, "varQnty", str(len(release.variables)))
    charset = {"charset": release.charset} if release.charset else {}
    _add(text, "fileType", f"{release.format} ({release.media_type})", **charset)
    if release.layout:
        _add(text, "format", release.layout)


def _add_variable(data: ET.Element, variable: VariableDescription, place: int) -> None:
    number = variable.type in ("integer", "number")
    moment = variable.type in ("date", "datetime", "time")
    counted = variable.categories or not (number or moment)
    variable_element = _add(
        data,
        "var",
        ID=f"V{place}",
        name=variable.name,
        files="F1",
        intrvl="discrete" if counted else "contin",
        **({"wgt": "wgt"} if variable.role == "Weight" else {}),
    )
    _add(variable_element, "labl", variable.label or variable.name)
    if variable.invalid:
        units = "INT" if variable.type == "integer" else "REAL"
        invalid = _add(variable_element, "invalrng")
        for code in variable.invalid:
            _add(invalid, "item", VALUE=code, UNITS=units)
    _add(variable_element, "sumStat", str(variable.missing), type="invd")
    for category in variable.categories:
        category_element = _add(variable_element, "catgry")
        _add(category_element, "catValu", category.value)
        if category.label:
            _add(category_element, "labl", category.label)
        _add(category_element, "catStat", str(category.count), type="freq")
    if variable.became:
        derived = _add(variable_element, "derivation")
        _add(derived, "drvdesc", f"Each value was replaced by {variable.became}.")
    form = {"type": "numeric" if number else "character"}
    if moment:
        form["category"] = "time" if variable.type == "time" else "date"
    _add(variable_element, "varFormat", **form)
    _add(variable_element, "notes", variable.role, type="role in the protection")


def _add(
    parent: ET.Element, name: str, text: str = "", /, **attributes: str
) -> ET.Element:
    xml_attributes = {key: _xml_text(value) for key, value in attributes.items()}
    child = ET.SubElement(parent, name, xml_attributes)
    child.text = _xml_text(text) or None
    return child


def _xml_text(words: str) -> str:
    return _NO_XML.sub("\ufffd", words)
