"""gdb loads this file when it sees libamdhip64 in a process (its manual: "Auto-loading extensions")."""
import os

import gdb

gdb.execute("source " + os.path.join(os.path.dirname(gdb.current_objfile().filename), "wavelift", "wavelift-gdb.py"))
