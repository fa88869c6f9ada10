"""Where bytes come from: a path, an upload or a member of a zip; decompressed, decoded and bounded."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from esr_core.errors import DataError

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Bounds against hostile or broken input. The defaults suit files of one's own; uploads use tighter ones."""

    file_bytes: int = 4096 * MEGABYTE
    unpacked_bytes: int = 4096 * MEGABYTE
    unpack_ratio: int = 1000
    line_bytes: int = MEGABYTE
    xml_depth: int = 500
    xml_nodes: int = 5_000_000
    zip_members: int = 200_000


OWN_FILES = Limits()
UPLOADS = Limits(file_bytes=20 * MEGABYTE, unpacked_bytes=200 * MEGABYTE, unpack_ratio=200, xml_nodes=1_000_000,
                 zip_members=20_000)


@dataclass(frozen=True)
class Source:
    """One named input. `name` is what error messages say; bytes are read once, on first use."""

    name: str
    path: Path | None = None
    content: bytes | None = None
    limits: Limits = OWN_FILES

    @property
    def stem(self) -> str:
        """File name without folders, `.gz` and extension."""
        last = self.name.replace("\\", "/").rsplit("/", 1)[-1]
        last = last[:-3] if last.lower().endswith(".gz") else last
        return last.rsplit(".", 1)[0] if "." in last[1:] else last

    @cached_property
    def data(self) -> bytes:
        """The bytes, unpacked if they are gzip."""
        raw = self._raw()
        return self._gunzip(raw) if raw[:2] == b"\x1f\x8b" else raw

    def _raw(self) -> bytes:
        if self.content is not None:
            raw = self.content
        else:
            assert self.path is not None
            try:
                with self.path.open("rb") as f:
                    raw = f.read(self.limits.file_bytes + 1)
            except IsADirectoryError:
                raise DataError("is a folder, a file was expected", self.name) from None
            except OSError as e:
                raise DataError(f"cannot be read ({e.strerror or e})", self.name) from None
        if len(raw) > self.limits.file_bytes:
            raise DataError(f"is larger than {self.limits.file_bytes // MEGABYTE:,} MB", self.name,
                            remedy="split it, or load it from the command line")
        return raw

    def _gunzip(self, raw: bytes) -> bytes:
        # One byte more than allowed tells "too much" without unpacking a bomb.
        cap = min(self.limits.unpacked_bytes, max(MEGABYTE, len(raw) * self.limits.unpack_ratio))
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as f:
                data = f.read(cap + 1)
        except (OSError, EOFError, zlib.error) as e:
            raise DataError(f"is not sound gzip data ({e})", self.name, remedy="pack the file again") from None
        if len(data) > cap:
            raise DataError(f"unpacks to more than {cap // MEGABYTE:,} MB", self.name, remedy="unpack it first")
        return data

    @cached_property
    def text_bytes(self) -> bytes:
        """The bytes as UTF-8 without a byte order mark; UTF-16 is recognised by its mark, other encodings refused."""
        data = self.data
        if data.startswith(codecs.BOM_UTF8):
            data = data[3:]
        elif data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            try:
                data = data.decode("utf-16").encode("utf-8")
            except UnicodeDecodeError:
                raise DataError("starts like UTF-16 but is not", self.name, remedy="save it as UTF-8") from None
        if b"\0" in data[:65536]:
            raise DataError("is a binary file", self.name, remedy="expected text, XML, JSON lines, CSV or Parquet")
        return data

    @cached_property
    def unix_bytes(self) -> bytes:
        """`text_bytes` with line breaks written as \\n, also those of Windows and of old Macs."""
        data = self.text_bytes
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data

    def text(self) -> str:
        """The decoded text; a byte that is not UTF-8 is an error with its line."""
        return self._decoded(self.text_bytes)

    def unix_text(self) -> str:
        """The same with line breaks written as \\n."""
        return self._decoded(self.unix_bytes)

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as e:
            line = data.count(b"\n", 0, e.start) + 1
            raise DataError(f"byte 0x{data[e.start]:02X} is not UTF-8", self.name, line,
                            "save the file as UTF-8") from None
