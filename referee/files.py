"""Files that are written whole, or not at all."""

from pathlib import Path


def replace_file(file: Path, data: bytes) -> None:
    """Write the whole file, or leave what is there, such as on a full disk. Raises OSError."""
    unfinished = file.with_name(f"{file.name}.part")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(file)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
