"""The leaflet in a bundle: how it is verified and read with tools that every site has."""

from __future__ import annotations

_HEAD = """This is a bundle of Skerry ({kind}). Open it with:  skerry bundle inspect THIS-FOLDER

Without Skerry:
"""
_SIGNED = """
Verify the signature with OpenSSH (the key comes from the sender, in the file "allowed": one line
"sender ssh-ed25519 AAAA..."):
  ssh-keygen -Y verify -f allowed -I sender -n skerry-{kind} -s BUNDLE.json.sig < BUNDLE.json
"""
_HASHES = """
BUNDLE.json lists the sha256 of the manifest and of every volume; compare with:  sha256sum vol-* manifest.*
"""
_SEALED = """
Decrypt with age:
  age -d -i YOUR-KEY manifest.age | zstd -d > manifest.json
  age -d -i YOUR-KEY vol-000.age | tar -x
"""
_PLAIN = """
Unpack:
  zstd -d < manifest.zst > manifest.json
  tar -x -f vol-000.tar
"""
_TAIL = """
Then each file of manifest.json is its objects (o/SHA256, each compressed with zstd) one after the other:
  zstd -d < o/SHA256

A volume that is lost or damaged costs only the objects in it.
"""


def readme(kind: str, sealed: bool, signed: bool) -> bytes:
    """The text for a bundle of this kind."""
    parts = (_HEAD, _SIGNED if signed else "", _HASHES, _SEALED if sealed else _PLAIN, _TAIL)
    return "".join(parts).format(kind=kind).encode()
