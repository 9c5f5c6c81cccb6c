"""Bill of materials: ``python -m dashboard.bill`` prints it as CycloneDX JSON."""

from __future__ import annotations

import json
import sys
from importlib.metadata import Distribution, distributions
from typing import Any


def bill_of_materials() -> dict[str, Any]:
    """Return a CycloneDX document as a dict: installed packages and their versions."""
    found = {_package_name(one): one for one in distributions()}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "coterie",
                "version": found["coterie"].version if "coterie" in found else "",
            }
        },
        "components": [
            {
                "type": "library",
                "name": name,
                "version": one.version,
                "purl": f"pkg:pypi/{name}@{one.version}",
            }
            for name, one in sorted(found.items())
            if name != "coterie"
        ],
    }


def _package_name(distribution: Distribution) -> str:
    return (
        str(distribution.metadata["Name"]).lower().replace("_", "-").replace(".", "-")
    )


if __name__ == "__main__":
    json.dump(bill_of_materials(), sys.stdout, indent=1)
