"""Taking zstd frames apart without believing what they say of themselves."""

from __future__ import annotations

from hashlib import sha256

import zstandard

from export_import.container.form import Ref, damaged, hostile

_WINDOW = 8 << 20


def expand(stored: bytes, ref: Ref) -> bytes:
    """The object that a frame holds; Refused unless it is exactly the one that ``ref`` names."""
    where = f"o/{ref.sha256}"
    try:
        declared = zstandard.get_frame_parameters(stored)
        if declared.content_size != ref.size or declared.window_size > _WINDOW or declared.dict_id:
            raise damaged("{where} is not a frame of {size} bytes", where, size=ref.size)
        data: bytes = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompress(
            stored, max_output_size=ref.size, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise damaged("{where} does not decompress: {error}", where, error=error) from None
    if len(data) != ref.size or sha256(data).hexdigest() != ref.sha256:
        raise damaged("{where} has another content than its name says", where)
    return data


def expand_manifest(stored: bytes, limit: int, where: str) -> bytes:
    """The manifest's JSON; Refused when it would have more than ``limit`` bytes."""
    try:
        declared = zstandard.get_frame_parameters(stored)
        if not 0 < declared.content_size <= limit or declared.dict_id:
            message = "{where} would have {size} bytes; at most {limit} are allowed"
            raise hostile(message, where, size=declared.content_size, limit=limit)
        data: bytes = zstandard.ZstdDecompressor(max_window_size=2 * limit).decompress(
            stored, max_output_size=declared.content_size, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise damaged("{where} does not decompress: {error}", where, error=error) from None
    return data
