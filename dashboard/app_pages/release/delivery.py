"""The release to deliver: written file, checks, names, and files of hierarchies."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from engine.core.message import Message
from engine.data.table import Table
from engine.files import formats
from engine.hierarchy import Hierarchy
from engine.methods import methods
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.release.checks import ReleaseCheck
from engine.release.verify import WrittenRelease
from engine.release.writing import WritingOptions
from engine.report.command_line import hierarchy_file_names, protected_file_name

_MEDIA_TYPES = {
    "html": "text/html",
    "json": "application/json",
    "md": "text/markdown",
    "xml": "application/xml",
} | {info.id: info.media_type for info in formats.infos()}


@dataclass(frozen=True, eq=False)
class CheckedRelease:
    """A release as a written file, its checks, and why it must not leave, if so.

    Attributes
    ----------
    written : WrittenRelease or None
        None if it could not be written.
    wrong : str
        Why the release must not leave, in a sentence; empty if it may.
    beside : tuple of ReleaseCheck
        What was looked at beside the file: what it would open with earlier ones.
    """

    written: WrittenRelease | None
    wrong: str
    beside: tuple[ReleaseCheck, ...] = ()

    @property
    def content(self) -> bytes:
        """Bytes of the file; empty if it could not be written."""
        return b"" if self.written is None else self.written.content

    @property
    def counted_k(self) -> int:
        """The k counted on the written file; 0 if it could not be read back."""
        return 0 if self.written is None else self.written.k

    @property
    def all_checks(self) -> tuple[ReleaseCheck, ...]:
        """Checks of the written file, and of the file together with earlier ones."""
        return (
            self.beside if self.written is None else self.written.checks + self.beside
        )


def make_checked_release(
    written: WrittenRelease | Message, outcome: Outcome
) -> CheckedRelease:
    """Return a written release, or none, with any reason why it must not leave."""
    if isinstance(written, Message):
        return CheckedRelease(None, escape_text(_(written)))
    return CheckedRelease(written, _failure_reason(written, outcome))


def _failure_reason(written: WrittenRelease, outcome: Outcome) -> str:
    """Return why a file must not leave; empty if all checks have passed."""
    k, required_k = written.k, outcome.plan.k
    others = [check for check in written.failed_checks if check.id != "k"]
    if others:
        return _("This check has failed: {title}. {detail}").format(
            title=_(others[0].title), detail=_(others[0].detail)
        )
    if not written.failed_checks:
        return ""
    traits = methods.info(outcome.plan.method).traits
    if outcome.plan.blocks:
        words = _(
            "Blocks of columns were grouped apart, and the release has k = {k}, fewer "
            "than {asked}: group all columns together, or ask for a larger k."
        )
    elif traits.guarantees_k:
        words = _(
            "The file as written has k = {k}, fewer than {asked}: choose another "
            "method, and please report this."
        )
    elif traits.uses_seed:
        words = _(
            "This method does not promise k, and the release has k = {k}, fewer than "
            "{asked}: choose another method, or another seed."
        )
    else:
        words = _(
            "This method does not promise k, and the release has k = {k}, fewer than "
            "{asked}: choose another method."
        )
    return words.format(k=k, asked=required_k)


def release_file_name(table: Table, writing: WritingOptions | None = None) -> str:
    """Return the file name of the release, made from the table's name and a format."""
    file_format = "" if writing is None else writing.format
    return protected_file_name(table.origin.name or "table.csv", file_format)


def media_type(format_or_suffix: str) -> str:
    """Return the media type of a file format, or of a suffix without the dot."""
    return _MEDIA_TYPES.get(format_or_suffix, "application/octet-stream")


def hierarchy_level_files(plan: Plan) -> dict[str, bytes]:
    """Return the level file of each hierarchy of a plan, by file name."""
    return {
        name: Hierarchy(plan.hierarchies[column]).to_csv().encode()
        for column, name in hierarchy_file_names(plan.hierarchies).items()
    }


def hierarchy_download(plan: Plan) -> tuple[str, bytes] | None:
    """Return name and content of one level file, or of several as a zip, or None.

    None if the plan has no hierarchies. The same plan gives the same bytes.
    """
    files = hierarchy_level_files(plan)
    if len(files) < 2:
        return next(iter(files.items()), None)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return "hierarchies.zip", content.getvalue()
