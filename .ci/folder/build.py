"""Build the folder that people unzip and double-click: Python, libraries and Coterie.

    python .ci/folder/build.py windows --interpreter python-3.13.2-embed-amd64.zip
    python .ci/folder/build.py linux [--interpreter cpython-...-install_only.tar.gz]
    python .ci/folder/build.py macos --interpreter cpython-...-install_only.tar.gz

Windows takes the embeddable package of python.org, the others an archive of
python-build-standalone; on Linux, the Python that runs this is copied where none is
given. Libraries are wheels, from the package index that pip knows or from a folder
(``--wheels``). Linux gets its kernels compiled, for processors like this one; elsewhere
they are compiled at the first start.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from interpreters import BuildError, Interpreter, copy_interpreter, unpack_interpreter
from launchers import LAUNCHERS, write_licences, write_zip
from libraries import (
    check_requirements,
    pack_modules,
    prune,
    read_version,
    remove_compiled_sources,
    unpack_wheel,
)

ROOT = Path(__file__).parents[2]

PLATFORMS = {
    "windows": ("win_amd64",),
    "macos": ("macosx_14_0_arm64",),
    "linux": (
        *(f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)),
        *("manylinux2014_x86_64", "linux_x86_64"),
    ),
}

NEEDED_ON = {"windows": ("colorama", "tzdata"), "macos": (), "linux": ()}
"""Libraries that only this system needs: pip asks for what this machine would."""

_WARM_UP = tuple(
    line.split()
    for line in (
        "--version",
        "propose {sample}",
        "run {sample} --all-numeric --k 5 --output {out}/a.csv --json {out}/a.json "
        "--report {out}/a.html",
        "protect {sample} --output {out}/b.csv",
        "compare {sample} --all-numeric --k 3,5,10 --param seconds=1 "
        "--json {out}/c.json --methods mdav,vmdav,blocked,iterated",
    )
)
"""Commands by which kernels are compiled that people's first minutes need."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build one folder, and its archive; 2 and one sentence where that cannot be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("system", choices=sorted(PLATFORMS))
    parser.add_argument("--interpreter", type=Path, metavar="FILE")
    parser.add_argument("--wheels", type=Path, metavar="FOLDER")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    parser.add_argument("--compress-level", type=int, choices=range(1, 10), default=9)
    options = parser.parse_args(arguments)
    try:
        archive = build(
            options.system,
            options.interpreter,
            options.wheels,
            options.output,
            options.compress_level,
        )
    except BuildError as error:
        print(f"build: {error}", file=sys.stderr)
        return 2
    print(archive)
    return 0


def build(
    system: str,
    interpreter: Path | None,
    wheels: Path | None,
    output: Path,
    compress_level: int,
) -> Path:
    """Build a folder below `output` in a temporary place; return its archive.

    Raises
    ------
    BuildError
        If something that is needed is missing; then nothing is written.
    """
    if interpreter is None and system != "linux":
        raise BuildError(
            f"name the Python for {system} with --interpreter: it is no wheel, and "
            "cannot be copied from this machine."
        )
    if wheels is not None and not wheels.is_dir():
        raise BuildError(f"{wheels} is no folder of wheels: give another --wheels.")
    with tempfile.TemporaryDirectory(prefix="coterie-folder-") as scratch:
        place = Path(scratch)
        top = place / "Coterie"
        python = (
            copy_interpreter(top / "python")
            if interpreter is None
            else unpack_interpreter(system, interpreter, top / "python")
        )
        fetched = place / "wheels"
        _fetch_wheels(system, python, wheels, fetched)
        found = sorted(fetched.glob("*.whl"))
        check_requirements(found, system, python.version)
        for wheel in found:
            unpack_wheel(wheel, python.site)
        version = read_version(python.site)
        LAUNCHERS[system](top)
        write_licences(top, python)
        prune(python.site, system)
        if system == "linux":
            _compile(top, python)
        output.mkdir(parents=True, exist_ok=True)
        archive = output / f"Coterie-{version}-{system}.zip"
        return write_zip(top, archive, version, compress_level)


def _fetch_wheels(
    system: str, python: Interpreter, wheels: Path | None, target: Path
) -> None:
    """Put the wheels of Coterie and of all that it needs into a folder."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    source = [] if wheels is None else ["--no-index", "--find-links", str(wheels)]
    own = list(wheels.glob("coterie-*.whl")) if wheels is not None else []
    if own:
        subject = [str(own[0])]
    else:
        made, sources = target.with_name("own"), target.with_name("source")
        _copy_sources(sources)
        _run_pip([*pip, "wheel", "--no-deps", "-w", str(made), str(sources)])
        subject = [str(path) for path in made.glob("*.whl")]
    kind = ["--implementation", "cp", "--only-binary", ":all:"]
    kind += ["--python-version", ".".join(map(str, python.version))]
    for platform in PLATFORMS[system]:
        kind += ["--platform", platform]
    subject += NEEDED_ON[system]
    _run_pip([*pip, "download", "-d", str(target), *source, *kind, *subject])


def _copy_sources(target: Path) -> None:
    """Copy what a wheel is made of: what is built in a checkout stays there."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("engine", "dashboard", "sample_data", ".ci/package"):
        shutil.copytree(ROOT / name, target / name, ignore=unwanted)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, target)


def _run_pip(words: Sequence[str]) -> None:
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = (said or done.stderr.splitlines() or ["no reason"])[-1]
        raise BuildError(f"wheels cannot be had: {reason.removeprefix('ERROR: ')}")


def _compile(top: Path, python: Interpreter) -> None:
    """Run what people run first, and leave compiled what it has compiled.

    Modules are compiled once more, so that no time of a file says that they are stale.
    """
    compiled = python.site / "engine" / "kernels" / "compiled"
    sample = python.site / "sample_data" / "business_survey.csv"
    program = str(python.home / "bin" / "python3")
    with tempfile.TemporaryDirectory() as out:
        path = {"PATH": "/usr/bin:/bin", "HOME": out}
        for words in _WARM_UP:
            filled = [word.format(sample=sample, out=out) for word in words]
            cache = {**path, "NUMBA_CACHE_DIR": str(compiled)}
            _run_inside([str(top / "coterie"), *filled], cache, allowed=(0, 3))
        _run_inside([program, "-I", "-c", _LOAD_PAGES], path)
        listed = Path(out, "modules")
        sources = [
            path.parents[1] / f"{path.name.partition('.')[0]}.py"
            for path in python.home.rglob("__pycache__/*.pyc")
        ]
        listed.write_text("".join(f"{path}\n" for path in sources), encoding="utf-8")
        words = ["-I", "-m", "compileall", "-q", "-f", "-i", str(listed)]
        words += ["--invalidation-mode", "unchecked-hash"]
        _run_inside([program, *words], path)
    remove_compiled_sources(python.site)
    pack_modules(python.site)
    for left in compiled.rglob("*.lock"):
        left.unlink()


_LOAD_PAGES = (
    "from dashboard.places import preload; preload.import_server_and_first_pages()"
)


def _run_inside(
    words: Sequence[str], environment: dict[str, str], allowed: Sequence[int] = (0,)
) -> None:
    """Run a program of the folder; a red verdict of `protect` is an answer as well."""
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, env=environment
    )
    if done.returncode not in allowed:
        said = (done.stderr.splitlines() or ["no reason"])[-1]
        raise BuildError(f"the folder does not run {' '.join(words[1:3])}: {said}")


if __name__ == "__main__":
    sys.exit(main())
