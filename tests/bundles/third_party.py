"""A reader of bundles by a person who has nothing but docs/bundle-format.md, age, zstd and Python.

Nothing of Skerry is imported here. ``python third_party.py BUNDLE [IDENTITY]`` prints every file with its SHA-256.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyrage
import zstandard

BLOCK, MIB = 512, 1 << 20
WINDOW, OBJECT, MANIFEST = 8 * MIB, 4 * MIB, 64 * MIB


class NotABundle(Exception):
    """A rule of the document is broken."""


def must(holds: object, message: str) -> None:
    if not holds:
        raise NotABundle(message)


def tape(data: bytes) -> dict[str, bytes]:
    """A ustar archive in the one form that there is: each header is made again and compared."""
    found: dict[str, bytes] = {}
    at = 0
    while data[at : at + BLOCK] != bytes(BLOCK):
        block = data[at : at + BLOCK]
        must(len(block) == BLOCK, "the tape is cut off")
        name, size = block[:100].rstrip(b"\0").decode("ascii"), int(block[124:135], 8)
        must(block == _header(name, size), f"{name}: another form of a header")
        content, at = data[at + BLOCK : at + BLOCK + size], at + BLOCK + size
        pad = -size % BLOCK
        must(len(content) == size and data[at : at + pad] == bytes(pad), f"{name}: cut off or not padded")
        must(name not in found, f"{name}: twice")
        found[name], at = content, at + pad
    must(data[at:] == bytes(2 * BLOCK), "the tape does not end with two blocks of zeros")
    return found


def _header(name: str, size: int) -> bytes:
    block = bytearray(BLOCK)
    block[: len(name)] = name.encode("ascii")
    block[100:108], block[108:116], block[116:124] = b"0000600\0", b"0000000\0", b"0000000\0"
    block[124:136], block[136:148] = b"%011o\0" % size, b"00000000000\0"
    block[148:157], block[257:265] = b" " * 8 + b"0", b"ustar\x0000"
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def parts_of(path: Path) -> dict[str, bytes]:
    """The parts of a folder, or of a bundle in one file."""
    if path.is_dir():
        return {each.name: each.read_bytes() for each in path.iterdir() if each.is_file()}
    return tape(path.read_bytes())


def canonical(tree: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def strict(data: bytes) -> Any:
    """JSON without doubled keys, NaN and infinity."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        must(len(dict(found)) == len(found), "a key appears twice")
        return dict(found)

    def constant(text: str) -> Any:
        raise NotABundle(text)

    return json.loads(data.decode("utf-8"), object_pairs_hook=pairs, parse_constant=constant)


def header_of(parts: dict[str, bytes]) -> dict[str, Any]:
    data = parts["BUNDLE.json"]
    must(len(data) <= MIB, "the header is too large")
    header = strict(data)
    must(canonical(header) == data, "the header is not canonical")
    rest = {key: value for key, value in header.items() if key != "sum"}
    must(sha256(canonical(rest)).hexdigest() == header["sum"], "the header's sum is wrong")
    must(header["format"] == "skerry-bundle/1", "another version")
    return dict(header)


def part(parts: dict[str, bytes], answer: dict[str, Any], identities: list[Any], encrypted: bool) -> bytes:
    data = parts.get(answer["name"], b"")
    must(
        len(data) == answer["size"] and sha256(data).hexdigest() == answer["sha256"],
        f"{answer['name']}: damaged",
    )
    return pyrage.decrypt(data, identities) if encrypted else data


def frame(data: bytes, size: int | None, most: int) -> bytes:
    """One zstd frame that says how large it is."""
    answer = zstandard.get_frame_parameters(data)
    must(0 < answer.content_size <= most and size in (None, answer.content_size), "a frame of another size")
    must(answer.window_size <= max(WINDOW, most) and not answer.dict_id, "a frame of another form")
    unpack = zstandard.ZstdDecompressor(max_window_size=max(WINDOW, most))
    return bytes(unpack.decompress(data, max_output_size=answer.content_size, allow_extra_data=False))


def check_name(name: str, seen: set[str]) -> None:
    must(0 < len(name.encode()) <= 1024 and unicodedata.is_normalized("NFC", name), f"a bad name {name!r}")
    for each in name.split("/"):
        must(each not in ("", ".", "..") and each[-1] not in ". " and each[0] != " ", f"a bad name {name!r}")
        must(not set(each) & set('\\:*?"<>|') and len(each.encode()) <= 255, f"a bad name {name!r}")
        reserved = r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])([. ].*)?"
        must(not re.fullmatch(reserved, each), f"a bad name {name!r}")
    must(all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for c in name), "invisible")
    key = unicodedata.normalize("NFC", name.casefold())
    must(key not in seen, f"{name!r} appears twice")
    seen.add(key)


def read(path: Path, identities: list[Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, bytes]]:
    """Header, manifest and files; NotABundle when anything is not as the document says."""
    parts = parts_of(path)
    header = header_of(parts)
    encrypted = bool(header["recipients"])
    packed = part(parts, header["manifest"], identities, encrypted)
    manifest = strict(frame(packed, None, MANIFEST))
    must((manifest["format"], manifest["kind"]) == (header["format"], header["kind"]), "two bundles")
    volumes = [tape(part(parts, each, identities, encrypted)) for each in header["volumes"]]
    seen: set[str] = set()
    files: dict[str, bytes] = {}
    for file in manifest["files"]:
        check_name(file["name"], seen)
        pieces = []
        for digest, size, number in file["objects"]:
            data = frame(volumes[number][f"o/{digest}"], size, OBJECT)
            must(sha256(data).hexdigest() == digest, f"o/{digest}: another content")
            pieces.append(data)
        files[file["name"]] = b"".join(pieces)
        must(len(files[file["name"]]) == file["size"], f"{file['name']}: another size")
    return header, dict(manifest), files


def main(path: str, identity: str | None = None) -> None:
    identities = [pyrage.x25519.Identity.from_str(Path(identity).read_text().strip())] if identity else []
    header, _, files = read(Path(path), identities)
    answer = {name: sha256(data).hexdigest() for name, data in files.items()}
    sys.stdout.write(json.dumps({"kind": header["kind"], "files": answer}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
