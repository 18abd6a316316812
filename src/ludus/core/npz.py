"""Reading `.npy` and `.npz` files that may be damaged or something else."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from typing import Final

BAD_FILE: Final = (
    ValueError,
    TypeError,
    OSError,
    EOFError,
    KeyError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""Everything Python's and NumPy's readers raise on malformed bytes; NumPy reads an array's header as Python."""
