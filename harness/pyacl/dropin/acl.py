"""`import acl` where this folder is on PYTHONPATH: the drop-in takes the place of this module.

It runs on the library that ACLCTS_LIBRARY names, without that on the reference device; ImportError where
there is none or where it cannot be opened.
"""

from harness import pyacl
from harness.binding import LibraryError

_library = pyacl.library_to_use()
if _library is None:
    raise ImportError("acl: the reference device is not installed: name a library with ACLCTS_LIBRARY")
try:
    pyacl.use(_library)
except LibraryError as error:
    raise ImportError(f"acl: {error}") from None
# What the import statement gives its caller is whatever stands under the name afterwards.
pyacl.install()
