"""Reading `.npz` files that may be damaged or something else."""

from __future__ import annotations

import zipfile
import zlib
from typing import Final

BAD_FILE: Final = (ValueError, TypeError, OSError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""Everything Python's and NumPy's readers raise on malformed bytes."""
