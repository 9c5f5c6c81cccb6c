"""The libraries of a folder: wheels, what they require, and what is left out."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import zipfile
from collections.abc import Iterable
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

import packed_modules
from interpreters import BuildError, find_patchelf
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_MARKERS = {
    "windows": {
        "os_name": "nt",
        "sys_platform": "win32",
        "platform_system": "Windows",
        "platform_machine": "AMD64",
    },
    "macos": {
        "os_name": "posix",
        "sys_platform": "darwin",
        "platform_system": "Darwin",
        "platform_machine": "arm64",
    },
    "linux": {
        "os_name": "posix",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
    },
}


def _read_metadata(wheel: Path) -> tuple[str, list[str]]:
    """Return a wheel's name, and what it requires."""
    try:
        with zipfile.ZipFile(wheel) as packed:
            names = [n for n in packed.namelist() if n.endswith(".dist-info/METADATA")]
            text = packed.read(min(names, key=len)).decode("utf-8")
    except (zipfile.BadZipFile, ValueError):
        raise BuildError(
            f"{wheel.name} is no wheel: remove it, or fetch it again."
        ) from None
    headers = HeaderParser().parsestr(text)
    return headers["Name"], headers.get_all("Requires-Dist") or []


def check_requirements(
    wheels: Iterable[Path], system: str, version: tuple[int, int]
) -> None:
    """Check that all is there which each wheel needs on the folder's own system.

    Raises
    ------
    BuildError
        Naming the first library that is missing.
    """
    number = ".".join(map(str, version))
    environment = {
        **_MARKERS[system],
        "python_version": number,
        "python_full_version": f"{number}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }
    read = [_read_metadata(wheel) for wheel in wheels]
    here = {canonicalize_name(name) for name, _ in read}
    for name, required in read:
        for asked in map(Requirement, required):
            if asked.marker is not None and not asked.marker.evaluate(environment):
                continue
            if canonicalize_name(asked.name) not in here:
                raise BuildError(
                    f"the wheel of {asked.name} is missing, which {name} needs on "
                    f"{system}: put it into the folder of wheels."
                )


def unpack_wheel(wheel: Path, site: Path) -> None:
    """Unpack a wheel; what it has for other places than its modules is left out."""
    with zipfile.ZipFile(wheel) as packed:
        for name in packed.namelist():
            parts = PurePosixPath(name).parts
            if parts[0].endswith(".data"):
                if len(parts) < 3 or parts[1] not in ("purelib", "platlib"):
                    continue
                parts = parts[2:]
            if name.endswith("/") or ".." in parts:
                continue
            target = site.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(packed.read(name))


def read_version(site: Path) -> str:
    """Return the version of Coterie in a folder of libraries."""
    (folder,) = site.glob("coterie-*.dist-info")
    return folder.name.removeprefix("coterie-").removesuffix(".dist-info")


_UNUSED_FOLDERS = {"tests", "testing_data", "include", "cmake"}
_KEEPS_TESTS = ("engine", "dashboard", "sample_data", "coterie")
_UNUSED_SUFFIXES = (
    *(".pyi", ".pyx", ".pxd", ".pxi", ".h", ".hpp", ".c", ".cpp", ".cc", ".a"),
    *(".lib", ".cmake", ".f", ".f90", ".js.map", ".pdb", ".exe.manifest"),
)
_UNUSED_PATHS = (
    # Streamlit imports them where a page draws such a chart, and none here does.
    *("pydeck", "pydeck-*.dist-info", "altair", "altair-*.dist-info"),
    *(
        f"streamlit/static/static/js/{name}.*.js"
        for name in (
            *("PlotlyChart", "DeckGlJsonChart", "EChartsChart", "GraphVizChart"),
            *("elk-*", "embed", "cytoscape.esm", "mermaid*", "*[Dd]iagram-*"),
            *("swimlanes-*", "cose-bilkent-*", "dagre-*", "*-definition-*"),
        )
    ),
    *(f"streamlit/static/static/media/{name}*" for name in ("SourceSerif", "flake-")),
    *("streamlit/static/static/media/fireworks*", "jsonschema*", "referencing*"),
    *("rpds*", "jsonschema_specifications*"),
    # Notebooks have their own copies of plotly's script.
    *("plotly/labextension", "plotly/package_data/datasets", "jupyterlab_plotly"),
    *("plotly/package_data/widgetbundle.js", "plotly/graph_objs/_figurewidget.py"),
    # Formats and services of Arrow that no file here comes from, and its own tests.
    *("pyarrow/*flight*", "pyarrow/*s3*", "pyarrow/src", "pyarrow/includes"),
    *("pyarrow/*substrait*", "pyarrow/*_orc.*", "pyarrow/*parquet_encryption*"),
    *(
        "pyarrow/_azurefs.*",
        "pyarrow/_gcsfs.*",
        "pyarrow/_hdfs.*",
        "pyarrow/*cpp_tests*",
    ),
    # Signals, clusters, pictures and files of other programs: methods here are our own.
    *(f"scipy/{name}" for name in ("cluster", "datasets", "fftpack", "io", "odr")),
    *("scipy/signal", "scipy/stats/_unuran", "sklearn/cluster", "sklearn/datasets"),
    *("sklearn/gaussian_process", "sklearn/manifold", "sklearn/mixture"),
    *("sklearn/neural_network", "scipy/*/_*test*.so"),
    # Numbers of network cards and phones, and of points for integrals.
    *("stdnum/oui.dat", "stdnum/imsi.dat", "scipy/stats/_sobol_direction_numbers.npz"),
    # What a package manager would remove again, of what a library is made; licences, as
    # they stand in one file by now.
    *(f"*.dist-info/{name}" for name in ("RECORD", "sboms", "licenses")),
    # Of which translators make catalogues.
    "dashboard/i18n/locale/*.pot",
    # Pictures are PNG, and have no text.
    *("PIL/_avif*", "pillow.libs/libavif*", "PIL/_imagingft*", "pillow.libs/libharf*"),
    *("pillow.libs/libfreetype*", "pillow.libs/libbrotli*"),
    *(
        "PIL/_imagingcms*",
        "pillow.libs/liblcms2*",
        "PIL/_webp*",
        "pillow.libs/libwebp*",
    ),
    *("pillow.libs/libsharpyuv*", "pillow.libs/libpng*"),
    # What tests NumPy's own loops, and pools of threads that no kernel uses.
    *("numpy/_core/_simd.*", "numba/np/ufunc/tbbpool.*", "numba/np/ufunc/omppool.*"),
    *("numpy/_core/_*_tests.*", "joblib/test", "streamlit/testing"),
    # Of invented people, names only.
    *("faker/providers/[!p_]*", "faker/providers/p[!e]*"),
    # The same library three times: a wheel has no links.
    *("pyarrow/libarrow_python.so", "pyarrow/libarrow_python.so.*.*.*"),
    *("statsmodels/datasets", "statsmodels/sandbox", "statsmodels/tsa"),
    *("pip", "setuptools"),
)


def prune(site: Path, system: str) -> None:
    """Remove what Coterie never reads: tests, headers, sources, other languages.

    Raises
    ------
    BuildError
        If libraries are for Linux, and nothing is there that strips or unlinks them.
    """
    for path in [p for pattern in _UNUSED_PATHS for p in site.glob(pattern)]:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    spoken = {
        "en",
        "root",
        *(path.stem for path in site.glob("dashboard/i18n/locale/*.po")),
    }
    for path in site.glob("babel/locale-data/*.dat"):
        if path.stem.partition("_")[0] not in spoken:
            path.unlink()
    for path in sorted(site.rglob("*")):
        top = path.relative_to(site).parts[0]
        if top in _KEEPS_TESTS or not path.exists():
            continue
        if path.is_dir() and path.name in _UNUSED_FOLDERS:
            shutil.rmtree(path)
        elif path.is_file() and path.name.endswith(_UNUSED_SUFFIXES):
            path.unlink()
    for path in site.glob("plotly/**/*.json"):
        read = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(read, separators=(",", ":")), encoding="utf-8")
    if system == "linux":
        _remove_shared_twice(site)
        _strip_symbols(site.parents[1])


def remove_compiled_sources(site: Path) -> None:
    """Leave of Python's and the libraries' compiled modules what Python loads, alone.

    Messages about mistakes then name the lines of a library without showing them; our
    own modules keep their sources, of which kernels are compiled and which bug reports
    show. What was not compiled stays a source, and is compiled when it is asked for.
    """
    ours = [site / name for name in _KEEPS_TESTS]
    for compiled in sorted(site.parent.rglob("__pycache__/*.pyc")):
        if any(map(compiled.is_relative_to, ours)):
            continue
        source = compiled.parents[1] / f"{compiled.name.partition('.')[0]}.py"
        if source.is_file():
            compiled.replace(source.with_suffix(".pyc"))
            source.unlink()


_STARTS_WITH = ("encodings", "importlib", "collections", "re", "__pycache__")
"""Folders of Python that may be asked before it can unpack; so may single modules."""


def pack_modules(site: Path) -> None:
    """Pack modules of libraries, our compiled ones, and what Python starts without.

    Our sources stay as they are: bug reports show them, and people read them.
    """
    for path in [*site.parent.rglob("*.py"), *site.parent.rglob("*.pyc")]:
        place = path.relative_to(site.parent).parts
        if place[0] == site.name:
            stays = place[1] in _KEEPS_TESTS and path.suffix == ".py"
        else:
            stays = place[0] in _STARTS_WITH or (
                len(place) == 1 and path.suffix == ".pyc"
            )
        if not stays:
            path.write_bytes(packed_modules.pack(path.read_bytes()))
    shutil.copy(packed_modules.__file__, site)
    line = "import packed_modules; packed_modules.install()\n"
    (site / "packed_modules.pth").write_text(line, encoding="utf-8")


def _remove_shared_twice(site: Path) -> None:
    """Leave out what SciPy has of NumPy, which is loaded first, and Arrow's last link.

    A library that is loaded already serves all that name it. Arrow's modules name one
    more of its libraries than any takes something of.
    """
    for path in site.glob("scipy.libs/*"):
        if (site / "numpy.libs" / path.name).exists():
            path.unlink()
    for path in site.glob("pyarrow/*.so*"):
        asked = subprocess.run(
            [find_patchelf(), "--print-needed", str(path)],
            check=True,
            capture_output=True,
            text=True,
        )
        for name in asked.stdout.split():
            if name.startswith("libarrow_substrait."):
                words = [find_patchelf(), "--remove-needed", name, str(path)]
                subprocess.run(words, check=True, capture_output=True)


def _strip_symbols(folder: Path) -> None:
    """Remove from shared libraries the names that only debuggers ask for."""
    if shutil.which("strip") is None:
        raise BuildError("strip is missing: install binutils.")
    for library in sorted(p for p in folder.rglob("*.so*") if not p.is_symlink()):
        stripped = library.with_suffix(".stripped")
        words = ["strip", "--strip-unneeded", "-o", str(stripped), str(library)]
        subprocess.run(words, check=True, capture_output=True)
        # What patchelf has moved to the end of a library, strip may put off its page.
        if _is_page_aligned(stripped.read_bytes()):
            stripped.chmod(0o755)
            stripped.replace(library)
        else:
            stripped.unlink()


def _is_page_aligned(library: bytes) -> bool:
    """Whether each segment of a library for 64 bits can be mapped from its file."""
    start, size = *struct.unpack_from("<Q", library, 32), 56
    (count,) = struct.unpack_from("<H", library, 56)
    for header in range(start, start + count * size, size):
        kind, _, offset, address = struct.unpack_from("<IIQQ", library, header)
        if kind == _PT_LOAD and (address - offset) % _PAGE_BYTES:
            return False
    return True


_PT_LOAD = 1
_PAGE_BYTES = 4096
