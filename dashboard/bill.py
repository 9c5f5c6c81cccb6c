"""Bill of materials: ``python -m dashboard.bill`` prints it as CycloneDX JSON."""

from __future__ import annotations

import json
import sys
from importlib.metadata import Distribution, distributions
from typing import Any


def bill_of_materials() -> dict[str, Any]:
    """Return a CycloneDX document as a dict: installed packages and their versions."""
    packages = {_package_name(package): package for package in distributions()}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "coterie",
                "version": packages["coterie"].version if "coterie" in packages else "",
            }
        },
        "components": [
            {
                "type": "library",
                "name": name,
                "version": package.version,
                "purl": f"pkg:pypi/{name}@{package.version}",
            }
            for name, package in sorted(packages.items())
            if name != "coterie"
        ],
    }


def _package_name(distribution: Distribution) -> str:
    return (
        str(distribution.metadata["Name"]).lower().replace("_", "-").replace(".", "-")
    )


if __name__ == "__main__":
    json.dump(bill_of_materials(), sys.stdout, indent=1)
