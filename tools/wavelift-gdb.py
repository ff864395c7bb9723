"""Wavelift's extension of gdb (13 and later): kernels of AMD GPUs that run on this machine (docs/debugging.md).

gdb itself sets breakpoints, steps, and prints variables: the library in the process tells it of each code object as of a program of the
host (src/debug/debug.h). What is here: the library learns that there is a debugger; $blockIdx, $threadIdx, $lane and registers; conditions
about any lane of a wave; the commands `lane`, `info lanes`, `info waves`, `info dispatches` and `info agents`; AMD's instructions in `x/i`
and `disassemble`; and backtraces without the runtime's own functions.

The layout of what it reads is that of src/device/cpu/debug/debug.h."""

import re
import struct

import gdb
from gdb.FrameDecorator import FrameDecorator

HERE = struct.Struct("<3I3I3I3IIIIIQQQQQQIIQ")  # struct wl_debug_here
VISIT = struct.Struct("<Q3q3q")  # struct wl_debug_visit
WAVE = struct.Struct("<QQII")  # struct wl_debug_wave_row
PLACE = struct.Struct("<QQ3IIII")  # struct wl_debug_place
VISITS = 64
SGPRS = 128  # offset of sgpr[] in struct wl_wave
VGPRS = 640  # of vgpr[]
VCC, M0, EXEC = 106, 124, 126  # places in sgpr[]
AGPR = 256  # the first AGPR's row


class Here:
    """The wave that has stopped, or may."""

    def __init__(self, data):
        v = HERE.unpack(data)
        self.block, self.thread, self.block_dim, self.grid_dim = v[0:3], v[3:6], v[6:9], v[9:12]
        self.lane, self.wave, self.wave_size, self.rows = v[12:16]
        self.exec, self.state, self.pc, self.mark, self.scratch, self.kernel, self.stopped, self.waves, self.processor = v[16:25]

    def active(self, lane):
        return self.exec >> lane & 1

    def item(self, lane):
        """threadIdx of a lane of the wave; the wave's first lane is in a row that the lane at hand tells."""
        x, y, z = self.block_dim
        n = self.wave * self.wave_size + lane
        return n % x, n // x % y, n // x // y


# What wl_debug_table tells the places of (src/api/debugger_table.c).
SYMBOLS = ("wl_debugger", "wl_debug_here", "wl_debug_modules", "wl_debug_waves", "wl_debug_visits", "wl_debug_visit_count",
           "wl_debug_instruction", "wl_debug_untold", "wl_debug_place", "wl_debug_lane", "wl_debug_disassemble", "wl_debug_tell",
           "wl_debug_find_place")
symbols = {}  # addresses, by name


def find_symbols():
    """Finds the library's symbols. It may not be there, or at another address than before."""
    symbols.clear()
    try:
        table = int(gdb.parse_and_eval("(unsigned long)&wl_debug_table"))
        distances = struct.unpack(f"<{len(SYMBOLS)}q", memory(table, 8 * len(SYMBOLS)))
    except gdb.error:
        return
    symbols.update({name: table + distance for name, distance in zip(SYMBOLS, distances)})


def symbol(name):
    """The address of one of the library's symbols; None: the library is not there."""
    return symbols.get(name)


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def text_at(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string() if address else "?"


def here():
    """None: no wave has stopped."""
    address = symbol("wl_debug_here")
    if address is None:
        return None
    try:
        found = Here(memory(address, HERE.size))
    except gdb.MemoryError:
        return None
    return found if found.state else None


def need_here():
    found = here()
    if not found:
        raise gdb.GdbError("No wave of a kernel has stopped.")
    return found


def call(name, *arguments):
    """Calls a function of the library, of numbers, while other threads stay where they are."""
    function = symbol(name)
    if not function:
        raise gdb.error(f"there is no {name}")
    before = gdb.parameter("scheduler-locking")
    gdb.execute("set scheduler-locking on", to_string=True)
    try:
        values = ", ".join(f"{argument}ul" for argument in arguments)
        return int(gdb.parse_and_eval(f"((int (*)({'unsigned long' if arguments else 'void'})){function})({values})"))
    finally:
        gdb.execute(f"set scheduler-locking {before}", to_string=True)


# ---- shadows -----------------------------------------------------------------------------------------------------------------------


def modules():
    """(first shadow, behind the last one, address of the code object's address 0) of all code objects."""
    head = symbol("wl_debug_modules")
    entry = struct.unpack("<Q", memory(head, 8))[0] if head else 0
    while entry:
        entry, shadows, size, begin = struct.unpack("<4Q", memory(entry, 32))
        yield shadows, shadows + size, shadows - begin


def is_shadow(pc):
    return any(low <= pc < high for low, high, _ in modules())


def frames():
    """The innermost frames of the selected thread."""
    frame = gdb.newest_frame()
    for _ in range(32):
        if frame is None:
            return
        yield frame
        frame = frame.older()


def kernel_frame():
    """The innermost frame of AMD code, and how far out it is."""
    for level, frame in enumerate(frames()):
        if is_shadow(frame.pc()):
            return frame, level
    return None, 0


# ---- native code ---------------------------------------------------------------------------------------------------------------------

NATIVE = "[native] "  # what the names of native code begin with


def begins_inlined(frame):
    """Whether an inlined function begins where a frame is."""
    block = gdb.block_for_pc(frame.pc())
    while block and block.superblock and not block.superblock.is_static:
        if block.function and block.start == frame.pc():
            return True
        block = block.superblock
    return False


def tell_natives():
    """Lets gdb read what the library has to say of native code that has been made since it asked last. When gdb has read something it does
    not know any more that it has stopped in front of an inlined function: there the native code can wait."""
    head = symbol("wl_debug_untold")
    frame = gdb.newest_frame()
    if not is_shadow(frame.pc()) and not begins_inlined(frame) and head and struct.unpack("<Q", memory(head, 8))[0]:
        call("wl_debug_tell")


def native_frame():
    """The innermost frame of native code of a kernel that has a line, or none has one; None: there is no such frame."""
    native = [frame for frame in frames() if (frame.name() or "").startswith(NATIVE)]
    with_line = [frame for frame in native if frame.find_sal().symtab]
    return (with_line + native + [None])[0]


placed = {}  # of a thread, by its number: kernel and line, if it has stopped in a kernel


class ThreadedFrame(FrameDecorator):
    """A kernel that runs as threaded code, in place of the function that runs such code."""

    def function(self):
        return "[threaded] " + placed.get(gdb.selected_thread().num, ("a kernel", None))[0]

    def line_of_kernel(self):
        return placed.get(gdb.selected_thread().num, (None, None))[1]

    def filename(self):
        return self.line_of_kernel().symtab.filename if self.line_of_kernel() else None

    def line(self):
        return self.line_of_kernel().line if self.line_of_kernel() else None

    def frame_args(self):
        return None

    def frame_locals(self):
        return None


def runs_threaded(frame):
    return "/libwavelift-threaded" in (gdb.solib_name(frame.pc()) or "")


def show_native(event):
    """A signal has come while no kernel can be stopped: says where a kernel is that runs at full speed."""
    if not isinstance(event, gdb.SignalEvent):
        return
    threads = [gdb.selected_thread()]
    if event.stop_signal == "SIGINT":  # the person wants to know of any
        threads += [thread for thread in gdb.selected_inferior().threads() if thread.num != threads[0].num]
    for thread in threads:
        thread.switch()
        if not any(in_ours(frame) for frame in frames()):
            continue
        if print_place():
            frame = native_frame()
            if thread is not threads[0]:
                print(f"[Switching to thread {thread.num}]")
            if frame is not None:
                frame.select()
                gdb.execute("frame")
            return
    threads[0].switch()


def print_place():
    """Says which kernel, workgroup and wave the selected thread runs. False: none."""
    address = symbol("wl_debug_place")
    try:
        found = address and call("wl_debug_find_place")
    except gdb.error:  # the thread is where no function can be called
        return False
    if not found:
        return False
    kernel, pc, x, y, z, wave, known, whole = PLACE.unpack(memory(address, PLACE.size))
    words = f"kernel {readable(text_at(kernel))}"
    if known:
        words += f", block ({x}, {y}, {z})" + ("" if whole else f", wave {wave}")
    line = gdb.find_pc_line(pc) if pc else None
    if line and line.symtab:
        words += f", near {line.symtab.filename}:{line.line}"
    placed[gdb.selected_thread().num] = (readable(text_at(kernel)), line if line and line.symtab else None)
    print(f"[In {words}]")
    return True


def readable(name):
    return gdb.execute(f"demangle -l c++ -- {name}", to_string=True).strip() if name.startswith("_Z") else name


# ---- convenience variables ------------------------------------------------------------------------------------------------------------


def place(address, type_name):
    return gdb.Value(address).cast(gdb.lookup_type(type_name).pointer()).dereference()


def variables():
    """Values in memory, by name."""
    address = symbol("wl_debug_here")
    if address is None:
        return
    for name, offset, type_name in (("blockIdx", 0, "wl_dim3"), ("threadIdx", 12, "wl_dim3"), ("blockDim", 24, "wl_dim3"),
                                    ("gridDim", 36, "wl_dim3"), ("lane", 48, "unsigned int"), ("wave", 52, "unsigned int"),
                                    ("amdpc", 80, "unsigned long")):
        try:
            yield name, place(address + offset, type_name)
        except gdb.error:  # no code object has been loaded
            return


live = False


def make_live():
    """While the program runs, conditions of breakpoints read these: they have to follow what is in memory."""
    global live
    if live:
        return
    for name, value in variables():
        live = True
        gdb.set_convenience_variable(name, value.reference_value())


def set_registers(wave):
    u = gdb.lookup_type("unsigned int")
    size = min(wave.rows, 2 * AGPR)
    data = memory(wave.state + VGPRS, size * wave.wave_size * 4)
    scalars = struct.unpack("<128I", memory(wave.state + SGPRS, 512))
    values = struct.unpack(f"<{size * wave.wave_size}I", data)
    for row in range(size):
        name = f"v{row}" if row < AGPR else f"a{row - AGPR}"
        gdb.set_convenience_variable(name, gdb.Value(values[row * wave.wave_size + wave.lane]).cast(u))
    for number in range(VCC):
        gdb.set_convenience_variable(f"s{number}", gdb.Value(scalars[number]).cast(u))
    gdb.set_convenience_variable("m0", gdb.Value(scalars[M0]).cast(u))
    wide = gdb.lookup_type("unsigned long")
    for name, at in (("exec", EXEC), ("vcc", VCC)):
        mask = scalars[at] | (scalars[at + 1] << 32 if wave.wave_size == 64 else 0)
        gdb.set_convenience_variable(name, gdb.Value(mask).cast(wide))
    gdb.set_convenience_variable("s", place(wave.state + SGPRS, "unsigned int").cast(u.array(VCC - 1)))


def make_plain():
    """What a person prints when the program has stopped."""
    global live
    for name, value in variables():
        value.fetch_lazy()
        gdb.set_convenience_variable(name, value)
    live = False
    wave = here()
    if wave:
        set_registers(wave)


# ---- breakpoints ------------------------------------------------------------------------------------------------------------------------

COMPARISON = re.compile(r"\s*\$(blockIdx|threadIdx)\.([xyz])\s*==\s*(\d+)\s*$")


def limits(condition):
    """The blockIdx and threadIdx that a condition may be true for: -1 where it does not say."""
    found = [-1] * 6
    if "||" not in condition and "?" not in condition:
        for part in condition.split("&&"):
            match = COMPARISON.match(part)
            if match:
                found["xyz".index(match[2]) + (3 if match[1] == "threadIdx" else 0)] = int(match[3])
    return found


def tell_visits(_=None):
    """Tells the library which breakpoints have conditions."""
    table, count = symbol("wl_debug_visits"), symbol("wl_debug_visit_count")
    if table is None or count is None or not gdb.selected_inferior().pid:
        return
    rows = {}
    for breakpoint in gdb.breakpoints():
        if not breakpoint.is_valid() or breakpoint.pending or not breakpoint.enabled or not breakpoint.location:
            continue
        for location in getattr(breakpoint, "locations", []):
            if location.enabled and is_shadow(location.address):
                limit = limits(breakpoint.condition) if breakpoint.condition else None
                rows.setdefault(location.address, []).append(limit)
    visits = b""
    for address, found in rows.items():
        conditions = [limit for limit in found if limit is not None]
        if not conditions or len(visits) >= VISITS * VISIT.size:
            continue
        limit = conditions[0] if len(found) == 1 else [-1] * 6
        visits += VISIT.pack(address, *limit)
    inferior = gdb.selected_inferior()
    try:
        inferior.write_memory(table, visits) if visits else None
        inferior.write_memory(count, struct.pack("<I", len(visits) // VISIT.size))
    except gdb.MemoryError:
        pass


LINE = re.compile(r"^(?:-source\s+)?[^\s:]+:(\d+)$")


def leave_host_out(breakpoint):
    """gdb puts a breakpoint at a line of a kernel that has not been loaded into the next function of the host below. The program is not to
    stop there: gdb looks for the line again when the kernel has been loaded."""
    match = LINE.match(breakpoint.location or "") if breakpoint.is_valid() and breakpoint.type == gdb.BP_BREAKPOINT else None
    for location in getattr(breakpoint, "locations", []) if match else []:
        if not location.enabled or is_shadow(location.address):
            continue
        block = gdb.block_for_pc(location.address)
        while block and not block.function:
            block = block.superblock
        if block and block.function.line > int(match[1]):
            location.enabled = False
            print(f"Line {match[1]} is in no function of the host: breakpoint {breakpoint.number} waits for a kernel that has it.")


def breakpoint_changed(breakpoint):
    leave_host_out(breakpoint)
    tell_visits()


# ---- events -------------------------------------------------------------------------------------------------------------------------------


def attach(event=None):
    """Tells the library that there is a debugger."""
    find_symbols()
    address = symbol("wl_debugger")
    if address is not None and gdb.selected_inferior().pid:
        try:
            gdb.selected_inferior().write_memory(address, struct.pack("<I", 1))
        except gdb.MemoryError:
            return
        tell_visits()
        make_live()


def stopped(event):
    tell_natives()
    wave = here()
    if not wave:
        show_native(event)
        return
    frame, level = kernel_frame()
    if frame is None:
        return
    address = symbol("wl_debug_here")
    gdb.selected_inferior().write_memory(address + 112, struct.pack("<I", 1))
    if level and in_ours(gdb.newest_frame()):  # within an instruction: a fault, Ctrl-C, a watchpoint
        call("wl_debug_lane", wave.lane)
        frame, level = kernel_frame()
        frame.select()
        gdb.execute("frame")
    make_plain()


def going_on(event):
    placed.clear()
    make_live()


def in_ours(frame):
    """Whether a frame is one of the runtime's own functions."""
    library = gdb.solib_name(frame.pc()) or ""
    if not re.search(r"/(libamdhip64|libwavelift)[^/]*$", library):
        return False
    return not re.match(r"(wl_api_)?_?_?(hip|hsa)[A-Z]", frame.name() or "")


class WithoutRuntime:
    """A frame filter."""

    def __init__(self):
        self.name, self.priority, self.enabled = "wavelift", 50, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        threaded = None  # the outermost of neighbouring frames of threaded code
        for frame in frames:
            if runs_threaded(frame.inferior_frame()):
                threaded = frame
                continue
            if threaded:
                yield ThreadedFrame(threaded)
                threaded = None
            if not in_ours(frame.inferior_frame()):
                yield frame


# ---- commands -----------------------------------------------------------------------------------------------------------------------------


def choose_lane(lane):
    if call("wl_debug_lane", lane) != 1:
        raise gdb.GdbError(f"There is no lane {lane}.")
    gdb.invalidate_cached_frames() if hasattr(gdb, "invalidate_cached_frames") else gdb.execute("maint flush register-cache", to_string=True)
    make_plain()


def keep_frame(work):
    """Does something that loses the selected frame, and selects it again."""
    level = gdb.selected_frame().level()
    work()
    gdb.execute(f"frame level {level}", to_string=True)


def describe_lane(wave, lane):
    state = "active" if wave.active(lane) else "inactive"
    return f"lane {lane} of wave {wave.wave}, {state}, block {wave.block}, thread {wave.item(lane)}"


class LaneCommand(gdb.Command):
    """Chooses the lane whose variables are shown: lane NUMBER. Without a number it says which lane that is."""

    def __init__(self):
        super().__init__("lane", gdb.COMMAND_RUNNING, prefix=True)

    def invoke(self, argument, from_tty):
        wave = need_here()
        if not argument.strip():
            print(f"[Current {describe_lane(wave, wave.lane)}]")
            return
        if not argument.strip().isdigit():
            raise gdb.GdbError("lane: a number is wanted.")
        lane = int(argument)
        if lane >= wave.wave_size:
            raise gdb.GdbError(f"There is no lane {lane}: the wave has {wave.wave_size}.")
        keep_frame(lambda: choose_lane(lane))
        print(f"[Switching to {describe_lane(need_here(), lane)}]")
        gdb.execute("frame")


class LaneApply(gdb.Command):
    """Runs a command for several lanes: lane apply all|active|LIST [--] COMMAND. A list is like 0-3,17."""

    def __init__(self):
        super().__init__("lane apply", gdb.COMMAND_RUNNING)

    @staticmethod
    def chosen(wave, which):
        if which == "all":
            return range(wave.wave_size)
        if which == "active":
            return [lane for lane in range(wave.wave_size) if wave.active(lane)]
        lanes = []
        for part in which.split(","):
            match = re.match(r"(\d+)(?:-(\d+))?$", part)
            if not match:
                raise gdb.GdbError("lane apply: all, active, or a list such as 0-3,17 is wanted.")
            lanes += range(int(match[1]), int(match[2] or match[1]) + 1)
        return lanes

    def invoke(self, argument, from_tty):
        wave = need_here()
        match = re.match(r"\s*(\S+)\s+(?:--\s+)?(.+)$", argument)
        if not match:
            raise gdb.GdbError("lane apply: lanes and a command are wanted.")
        lanes = self.chosen(wave, match[1])
        if any(lane >= wave.wave_size for lane in lanes):
            raise gdb.GdbError(f"The wave has {wave.wave_size} lanes.")
        try:
            for lane in lanes:
                keep_frame(lambda lane=lane: choose_lane(lane))
                output = gdb.execute(match[2], to_string=True)
                print(f"\nLane {lane}, thread {wave.item(lane)}:\n{output}", end="")
        finally:
            keep_frame(lambda: choose_lane(wave.lane))


class Info(gdb.Command):
    """A command that tells about the wave that has stopped, by its `name`."""

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_STATUS)


class InfoLanes(Info):
    """Lists the lanes of the wave that has stopped."""

    name = "info lanes"

    def invoke(self, argument, from_tty):
        wave = need_here()
        print("  Id   State    Block          Thread")
        for lane in range(wave.wave_size):
            mark = "*" if lane == wave.lane else " "
            state = "active" if wave.active(lane) else "inactive"
            print(f"{mark} {lane:<4} {state:<8} {str(wave.block):<14} {wave.item(lane)}")


class InfoWaves(Info):
    """Lists the waves of the workgroup that the wave that has stopped is of, and where they are."""

    name = "info waves"

    def invoke(self, argument, from_tty):
        wave = need_here()
        table = symbol("wl_debug_waves")
        states = ("ready", "ready", "at a barrier", "at a barrier", "waits for the grid", "ended", "failed")
        print("  Id   State              Lanes              Where")
        for number in range(wave.waves):
            pc, mask, state, _ = WAVE.unpack(memory(table + number * WAVE.size, WAVE.size))
            if number == wave.wave:
                pc, mask, text = wave.pc, wave.exec, "stopped"
            else:
                text = states[state] if state < len(states) else "?"
            line = gdb.find_pc_line(pc) if pc else None
            where = "not begun" if not pc else f"{line.symtab.filename}:{line.line}" if line and line.symtab else hex(pc)
            print(f"{'*' if number == wave.wave else ' '} {number:<4} {text:<18} {mask:#018x} {where}")


class InfoDispatches(Info):
    """Describes the launch whose wave has stopped."""

    name = "info dispatches"

    def invoke(self, argument, from_tty):
        wave = need_here()
        print("  Id   Grid                 Workgroup            Kernel")
        grid = tuple(g * b for g, b in zip(wave.grid_dim, wave.block_dim))
        print(f"* 1    {str(grid):<20} {str(wave.block_dim):<20} {text_at(wave.kernel)}")


class InfoAgents(Info):
    """Describes the device that runs the wave that has stopped."""

    name = "info agents"

    def invoke(self, argument, from_tty):
        wave = need_here()
        print("  Id   State    Architecture   Wave size")
        print(f"* 1    stopped  {text_at(wave.processor):<14} {wave.wave_size}")


# ---- instructions --------------------------------------------------------------------------------------------------------------------------


def add_disassembler():
    try:
        from gdb.disassembler import Disassembler, DisassemblerResult, register_disassembler
    except ImportError:  # gdb 12
        return

    class Amd(Disassembler):
        def __init__(self):
            super().__init__("wavelift")

        def __call__(self, info):
            if not is_shadow(info.address):
                return None
            text = symbol("wl_debug_instruction")
            length = call("wl_debug_disassemble", info.address)
            if length <= 0:
                return None
            return DisassemblerResult(length=length, string=text_at(text))

    register_disassembler(Amd())


if not hasattr(gdb, "wavelift_loaded"):
    gdb.wavelift_loaded = True
    gdb.execute("set breakpoint pending on", to_string=True)
    gdb.events.new_objfile.connect(attach)
    gdb.events.stop.connect(stopped)
    gdb.events.cont.connect(going_on)
    gdb.events.breakpoint_created.connect(breakpoint_changed)
    gdb.events.breakpoint_modified.connect(breakpoint_changed)
    gdb.events.breakpoint_deleted.connect(lambda _: gdb.post_event(tell_visits))
    WithoutRuntime()
    for command in (LaneCommand, LaneApply, InfoLanes, InfoWaves, InfoDispatches, InfoAgents):
        command()
    add_disassembler()
    attach()
