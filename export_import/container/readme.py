"""The leaflet in a bundle: how it is verified and read with tools that every site has (``readme.yaml``)."""

from __future__ import annotations

from pathlib import Path

import yaml


def readme(kind: str, sealed: bool, signed: bool) -> bytes:
    """The text for a bundle of this kind."""
    texts = yaml.load(Path(__file__).with_suffix(".yaml").read_bytes(), yaml.CSafeLoader)
    names = ("head", *(["signed"] if signed else []), "hashes", "sealed" if sealed else "plain", "tail")
    return "".join(texts[name] for name in names).format(kind=kind).encode()
