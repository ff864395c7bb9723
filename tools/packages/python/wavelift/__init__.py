"""Wavelift: runs AMD GPU programs on machines without an AMD GPU.

    import wavelift
    wavelift.enable()      # before the first import of a module that uses HIP
    import cupy

or, without a change to the program, `wavelift run python program.py`.
"""

import ctypes
import os

__version__ = "@VERSION@"
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_loaded = []


def library_folder():
    """The folder of libamdhip64 and of what belongs to it."""
    return os.path.join(_FOLDER, "lib")


def command():
    """The program `wavelift`."""
    return os.path.join(_FOLDER, "bin", "wavelift")


def _libraries():
    """The names of the libraries that take the place of AMD's; the newest of each first, which the older ones need."""
    return sorted((name for name in os.listdir(library_folder()) if ".so." in name and not name.startswith("libaml.")), reverse=True)


def _others():
    """Libraries of these names that this process has from elsewhere."""
    found = set()
    names = tuple(_libraries())
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line.rstrip("\n").partition("/")
            path = path[1] + path[2]
            if os.path.basename(path).startswith(names) and os.path.dirname(path) != library_folder():
                found.add(path)
    return sorted(found)


def enable():
    """Makes Wavelift the HIP of this process and of those that it starts.

    Libraries that are loaded later, as parts of Python modules, find Wavelift's libamdhip64, libhiprtc and the others of its folder in the process,
    whatever lies along the loader's path. RuntimeError: other ones are loaded already. Calling it again changes nothing.
    """
    if _loaded:
        return
    others = _others()
    if others:
        raise RuntimeError(f"wavelift.enable() comes too late: {', '.join(others)} is loaded. Call it before the first import of what uses HIP.")
    for name in _libraries():
        _loaded.append(ctypes.CDLL(os.path.join(library_folder(), name), mode=ctypes.RTLD_GLOBAL))
    compat = os.path.join(library_folder(), "compat")  # AMD's names of the system's libraries; not for all to see
    for name in sorted(os.listdir(compat)):
        _loaded.append(ctypes.CDLL(os.path.join(compat, name)))
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    if library_folder() not in folders:
        os.environ["LD_LIBRARY_PATH"] = ":".join([library_folder(), compat, *folders])
