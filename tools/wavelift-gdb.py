"""Wavelift's extension of gdb (13 and later): kernels of AMD GPUs that run on this machine (docs/debugging.md).

gdb itself sets breakpoints, steps, and prints variables: the library in the process tells it of each code object as of a program of the
host (src/debug/debug.h). What is here: the library learns that there is a debugger; $blockIdx, $threadIdx, $lane and registers; conditions
about any lane of a wave; the commands `lane`, `info lanes`, `info waves`, `info dispatches` and `info agents`; AMD's instructions in `x/i`
and `disassemble`; and backtraces without the runtime's own functions.

The layout of what it reads is that of src/device/cpu/debug/debug.h."""

import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile

import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.unwinder import Unwinder, register_unwinder

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wavelift_conditions

del sys.path[0]

HERE = struct.Struct("<3I3I3I3IIIIIQQQQQQIIQQQQQQII")  # struct wl_debug_here
VISIT = struct.Struct("<QII")  # struct wl_debug_visit
PAST = struct.Struct("<4Q")  # struct wl_debug_past
WATCH = struct.Struct("<Q3II")  # struct wl_debug_watch
WATCHED = struct.Struct("<QII64s")  # struct wl_debug_watched
QUEUE = struct.Struct("<QIIQQ")  # struct wl_debug_queue
OPERATION = struct.Struct("<IIQ")  # struct wl_debug_operation
WAVE = struct.Struct("<QQII")  # struct wl_debug_wave_row
PLACE = struct.Struct("<QQ3IIII")  # struct wl_debug_place
VISITS = 64
OPERATIONS = 4096
HISTORY = 1 << 15
WATCHES = 8
MOST_WAVES = 32  # of a workgroup
SGPRS = 128  # offset of sgpr[] in struct wl_wave
VGPRS = 640  # of vgpr[]
VCC, M0, EXEC = 106, 124, 126  # places in sgpr[]
AGPR = 256  # the first AGPR's row
SCALARS = 128  # in front of the rows in wl_debug_registers
FRAME_REGISTER = 12  # WL_DEBUG_FRAME_REGISTER, r12


class Here:
    """The wave that has stopped, or may."""

    def __init__(self, data):
        v = HERE.unpack(data)
        self.block, self.thread, self.block_dim, self.grid_dim = v[0:3], v[3:6], v[6:9], v[9:12]
        self.lane, self.wave, self.wave_size, self.rows = v[12:16]
        self.exec, self.state, self.pc, self.mark, self.scratch, self.kernel, self.stopped, self.waves, self.processor, self.frame, \
            self.launch, self.step, self.descriptor, self.kernarg, self.lds, self.private = v[16:32]

    def active(self, lane):
        return self.exec >> lane & 1

    def used_lanes(self):
        """How many lanes are work items."""
        x, y, z = self.block_dim
        return max(0, min(self.wave_size, x * y * z - self.wave * self.wave_size))

    def lane_state(self, lane):
        """Active, inactive, or unused."""
        return "U" if lane >= self.used_lanes() else "A" if self.active(lane) else "I"

    def item(self, lane):
        """threadIdx of a lane of the wave; the wave's first lane is in a row that the lane at hand tells."""
        x, y, z = self.block_dim
        n = self.wave * self.wave_size + lane
        return n % x, n // x % y, n // x // y


# What wl_debug_table tells the places of (src/api/debugger_table.c).
SYMBOLS = ("wl_debugger", "wl_debug_here", "wl_debug_modules", "wl_debug_waves", "wl_debug_visits", "wl_debug_visit_count",
           "wl_debug_instruction", "wl_debug_untold", "wl_debug_place", "wl_debug_lane", "wl_debug_disassemble", "wl_debug_tell",
           "wl_debug_find_place", "wl_debug_operations", "wl_debug_wave",
           "wl_debug_queues", "wl_debug_list_queues", "wl_debug_history", "wl_debug_goal", "wl_debug_reached", "wl_debug_watches",
           "wl_debug_watch_count", "wl_debug_registers", "wl_debug_turn", "wl_debug_watched", "wl_debug_watched_count", "wl_debug_changed")
symbols = {}  # addresses, by name
RUNTIME = re.compile(r"/libamdhip64[^/]*$")


library = None  # the objfile of the library that `symbols` are of


def find_symbols():
    """Finds the library's symbols. It may not be there, or at another address than before. gdb takes some 10 ms to find out that a symbol is nowhere, so
    that it is only asked where a library of the name is."""
    global library
    if library is not None and library.is_valid():
        return
    forget_symbols()
    library = next((file for file in gdb.objfiles() if RUNTIME.search(file.filename or "")), None)
    try:
        table = int(gdb.parse_and_eval("(unsigned long)&wl_debug_table")) if library else 0
        distances = struct.unpack(f"<{len(SYMBOLS)}q", memory(table, 8 * len(SYMBOLS)))
    except gdb.error:
        library = None
        return
    symbols.update({name: table + distance for name, distance in zip(SYMBOLS, distances)})


def forget_symbols():
    global library
    library = None
    symbols.clear()


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


def is_replay():
    """Whether the program is `wavelift replay`, which can go back."""
    return ' "replay' in gdb.execute("show args", to_string=True)


calling = False  # newer gdbs tell of the program's going on for calls, too


def call(name, *arguments):
    """Calls a function of the library, of numbers, while other threads stay where they are."""
    global calling
    function = symbol(name)
    if not function:
        raise gdb.error(f"there is no {name}")
    before, unwinds = gdb.parameter("scheduler-locking"), gdb.parameter("unwindonsignal")
    gdb.execute("set scheduler-locking on", to_string=True)
    gdb.execute("set unwindonsignal on", to_string=True)
    outer, calling = calling, True
    hidden = hidden_frames()
    level = gdb.selected_frame().level() + hidden
    try:
        values = ", ".join(f"{argument}ul" for argument in arguments)
        return int(gdb.parse_and_eval(f"((int (*)({'unsigned long' if arguments else 'void'})){function})({values})"))
    finally:
        calling = outer
        if hidden and gdb.selected_inferior().pid:
            select_level(level)  # what gdb has hidden is no longer
        gdb.execute(f"set scheduler-locking {before}", to_string=True)
        gdb.execute(f"set unwindonsignal {'on' if unwinds else 'off'}", to_string=True)


# ---- shadows -----------------------------------------------------------------------------------------------------------------------


class Module:
    """A code object: its shadows from `low` up to `high`."""

    def __init__(self, address):
        self.next, self.low, size, _, _, _, _, self.file_at, self.file_size = struct.unpack("<9Q", memory(address, 72))
        self.high = self.low + size

    def file(self):
        """What gdb was told of the code object."""
        return memory(self.file_at, self.file_size)


def modules():
    """All code objects."""
    head = symbol("wl_debug_modules")
    entry = struct.unpack("<Q", memory(head, 8))[0] if head else 0
    while entry:
        module = Module(entry)
        yield module
        entry = module.next


BEHIND_CALL = 2  # bytes from a shadow to its jump


def is_shadow(pc):
    return any(module.low <= pc < module.high for module in modules())


def frames():
    """The innermost frames of the selected thread."""
    frame = gdb.newest_frame()
    for _ in range(32):
        if frame is None:
            return
        yield frame
        frame = frame.older()


def kernel_frame():
    """The innermost frame of AMD code of the wave that is looked at, and how far out it is."""
    for level, frame in enumerate(frames()):
        if level == 0 and other_wave.enabled:
            continue
        if is_shadow(frame.pc()):
            return frame, level
    return None, 0


# ---- other waves --------------------------------------------------------------------------------------------------------------------------


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


def function_of(pc):
    """Where the function begins that is not inlined."""
    block = gdb.block_for_pc(pc)
    while block and block.superblock and not block.superblock.is_static:
        block = block.superblock
    return block.start if block else pc


def frame_id(frame):
    """What gdb itself knows a frame by, which stays while another wave is looked at: steps begin in it."""
    older = frame.older()
    while older and older.type() == gdb.INLINE_FRAME:
        older = older.older()
    if is_shadow(frame.pc()):
        stack = place(int(frame.read_register("r12")) + 112, "unsigned long")  # in_front of struct wl_debug_frame
    else:
        stack = older.read_register("rsp") if older else frame.read_register("rsp")
    return FrameId(stack, gdb.Value(function_of(frame.pc())))


class OtherWave(Unwinder):
    """While another wave of the workgroup is looked at, its innermost function seems to be the caller of what the thread runs."""

    def __init__(self):
        super().__init__("wavelift")
        self.enabled = False
        self.at = self.registers = None

    def look(self, wave):
        """Begins, when the library has made the wave's frames; None: ends."""
        self.enabled = False
        gdb.invalidate_cached_frames()
        frame = gdb.newest_frame()
        self.at = frame.read_register("rip"), frame.read_register("rsp")
        self.id = frame_id(frame)
        self.enabled = wave is not None
        if wave:
            self.registers = {"rip": wave.pc + BEHIND_CALL, "r12": wave.frame, "rsp": int(self.at[1])}
        gdb.invalidate_cached_frames()

    def __call__(self, pending):
        at = pending.read_register("rip"), pending.read_register("rsp")
        if not self.enabled or [int(value) for value in at] != [int(value) for value in self.at]:
            return None
        info = pending.create_unwind_info(self.id)
        for name, value in self.registers.items():
            info.add_saved_register(name, gdb.Value(value).cast(pending.read_register(name).type))
        return info


other_wave = OtherWave()


# ---- native code ---------------------------------------------------------------------------------------------------------------------

NATIVE = "[native] "  # what the names of native code begin with


def inlined_at(pc):
    """The blocks of inlined functions that begin at a place, from the innermost on."""
    block = gdb.block_for_pc(pc)
    while block and block.superblock and not block.superblock.is_static:
        if block.function and block.start == pc:
            yield block
        block = block.superblock


def hidden_frames():
    """How many inlined functions begin where the thread has stopped, which gdb hides there: it shows the line that calls them, until anything has run."""
    frame = gdb.newest_frame()
    begin, shown = len(list(inlined_at(frame.pc()))), 0
    while begin and frame and frame.type() == gdb.INLINE_FRAME:
        shown, frame = shown + 1, frame.older()
    return max(0, begin - shown)


def tell_natives():
    """Lets gdb read what the library has to say of native code that has been made since it asked last. When gdb has read something it does
    not know any more that it has stopped in front of an inlined function: there the native code can wait."""
    head = symbol("wl_debug_untold")
    frame = gdb.newest_frame()
    if not is_shadow(frame.pc()) and not any(inlined_at(frame.pc())) and head and struct.unpack("<Q", memory(head, 8))[0]:
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
        if not any(frame_in_ours(frame) for frame in frames()):
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


# Where struct wl_debug_here has them, and their types.
VARIABLES = dict(blockIdx=(0, "wl_dim3"), threadIdx=(12, "wl_dim3"), blockDim=(24, "wl_dim3"), gridDim=(36, "wl_dim3"), lane=(48, "unsigned int"),
                 _lane=(48, "unsigned int"), wave=(52, "unsigned int"), _wave_id=(52, "unsigned int"), wave_size=(56, "unsigned int"),
                 amdpc=(80, "unsigned long"))


def variables():
    """Values in memory, by name."""
    address = symbol("wl_debug_here")
    if address is None:
        return
    for name, (offset, type_name) in VARIABLES.items():
        try:
            yield name, place(address + offset, type_name)
        except gdb.error:  # no code object has been loaded
            return


live = False


def make_live():
    """While the program runs, conditions of breakpoints read these: they have to follow what is in memory."""
    global live
    make_registers_live()
    if live:
        return
    for name, value in variables():
        live = True
        gdb.set_convenience_variable(name, value.reference_value())


def make_registers_live():
    """The same of registers that conditions name."""
    table = symbol("wl_debug_registers")
    conditions = [breakpoint.condition for breakpoint in gdb.breakpoints() if breakpoint.condition] if table else []
    for match in NAME.finditer(" ".join(conditions)):
        name = match[7] or ("s" if match[6] else (match[4] or "") + (match[5] or ""))
        if not name:
            continue
        place_of = {"exec": EXEC, "vcc": VCC, "m0": M0, "s": 0}.get(name, int(match[5] or 0) + {"v": SCALARS, "a": SCALARS + AGPR}.get(match[4], 0))
        value = place(table + 4 * place_of, "unsigned long" if name in ("exec", "vcc") else "unsigned int")
        if name == "s":
            value = gdb.Value(table).cast(value.type.array(VCC - 1).pointer()).dereference()
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
    if not wave:
        return
    set_registers(wave)
    for name, value in (("_lane_count", wave.used_lanes()), ("_dispatch_pos", f"{as_list(wave.block, '()')}/{wave.wave}"),
                        ("_thread_workgroup_pos", str(wave.wave)), ("_lane_workgroup_pos", as_list(wave.item(wave.lane)))):
        gdb.set_convenience_variable(name, value)


# ---- breakpoints ------------------------------------------------------------------------------------------------------------------------

# Operations of gdb's bytecode, by name ("The GDB Agent Expression Mechanism" in its manual).
CODES = dict(add=2, sub=3, mul=4, div_signed=5, div_unsigned=6, rem_signed=7, rem_unsigned=8, lsh=9, rsh_signed=10, rsh_unsigned=11,
             log_not=14, bit_and=15, bit_or=16, bit_xor=17, bit_not=18, equal=19, less_signed=20, less_unsigned=21, ext=22, ref8=23, ref16=24,
             ref32=25, ref64=26, if_goto=32, goto=33, const8=34, const16=35, const32=36, const64=37, reg=38, end=39, dup=40, pop=41,
             zero_ext=42, swap=43, pick=50, rot=51)
OPERATION_LINE = re.compile(r"^\s*(\d+)  (\w+)(?: (\d+))?$", re.MULTILINE)
NAME = re.compile(r"\$(?:(blockIdx|threadIdx|blockDim|gridDim)\s*\.\s*([xyz])|(_?lane|wave|_wave_id)\b|([vas])(\d+)\b|s\[(\d+)\]|(exec|vcc|m0)\b)")


def in_memory(match):
    """Where the library has the value of a convenience variable, as an expression about the lane that it asks."""
    here_at, size = symbol("wl_debug_here"), f"(*(unsigned int *){symbol('wl_debug_here') + VARIABLES['wave_size'][0]:#x})"
    if match[1] or match[3]:
        offset = VARIABLES[match[1] or match[3]][0] + ("xyz".index(match[2]) * 4 if match[1] else 0)
        return f"(*(unsigned int *){here_at + offset:#x})"
    if match[4] in ("v", "a"):
        row = int(match[5]) + (AGPR if match[4] == "a" else 0)
        return f"(*(unsigned int *)(*(unsigned long *)((unsigned long)$r12 + 32) + {4 * row} * {size}))"
    scalar = f"(*(unsigned long *)((unsigned long)$r12 + 40) + {{}})"
    if match[7] in ("exec", "vcc"):
        mask = f"(0xffffffffffffffffUL >> (64 - {size}))"
        return f"(*(unsigned long *){scalar.format(4 * (EXEC if match[7] == 'exec' else VCC))} & {mask})"
    number = M0 if match[7] else int(match[5] or match[6])
    return f"(*(unsigned int *){scalar.format(4 * number)})"


compiled = {}  # conditions' operations by shadow and text, until more code comes
COMPILER = """
import gdb
for place, condition in {conditions!r}:
    print("condition")
    try:
        print(gdb.execute(f"maint agent-eval -at {{place}}, {{condition}}", to_string=True))
    except gdb.error:
        pass
"""


printed = {}  # what the compiler has printed, by the code object's file, place and text of the condition


def run_compiler(module, conditions):
    """Returns what another gdb prints about the bytecode of conditions: [(place, text)]. It depends on the code object's file alone, and gdb asks again
    whenever a library has been loaded, so that it is kept."""
    code = module.file()
    file = hashlib.sha256(code).digest()
    new = [each for each in conditions if (file, *each) not in printed]
    if new:
        for each, listing in zip(new, start_compiler(code, new)):
            printed[(file, *each)] = listing
    return [printed.get((file, *each), "") for each in conditions]


def start_compiler(file_of_code, conditions):
    """Lets another gdb make bytecode. Here an error would end the command that the program runs in, because gdb takes errors for a command's end."""
    this = os.readlink("/proc/self/exe")
    with tempfile.TemporaryDirectory() as folder:
        script, code = os.path.join(folder, "script.py"), os.path.join(folder, "code")
        with open(script, "w", encoding="utf-8") as file:
            file.write(COMPILER.format(conditions=conditions))
        with open(code, "wb") as file:
            file.write(file_of_code)
        try:
            result = subprocess.run([this if "gdb" in os.path.basename(this) else "gdb", "-nx", "-q", "-batch", "-ex", "set language c++",
                                     "-x", script, code], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
                                    start_new_session=True)  # it has no terminal that it would have to wait for
        except (OSError, subprocess.SubprocessError):
            return []
    return result.stdout.split("condition\n")[1:]


def read_operations(listing, address):
    """The operations of a condition at a shadow: [(code, operand)]; none: gdb has no bytecode for it."""
    for scope in listing.split("Scope: ")[1:]:
        if int(scope.split(None, 1)[0], 16) != address:
            continue
        lines = OPERATION_LINE.findall(scope)
        numbers = {int(at): number for number, (at, _, _) in enumerate(lines)}  # of operations, by their places in the bytecode
        operations = []
        for _, name, operand in lines:
            code, value = CODES.get(name), int(operand or 0)
            if code is None or name == "reg" and value != FRAME_REGISTER:
                return []
            operations.append((code, numbers.get(value, len(lines)) if name in ("if_goto", "goto") else value))
        return operations
    return []


def compile_conditions(asked):
    """Makes what `compiled` lacks of conditions: [(shadow, text)]."""
    for module in modules():
        new = [key for key in dict.fromkeys(asked) if key not in compiled and module.low <= key[0] < module.high]
        conditions = []
        for address, condition in new:
            line = gdb.find_pc_line(address)
            text = NAME.sub(in_memory, condition)
            conditions.append((f"{line.symtab.filename}:{line.line}" if line.symtab else "0", text))
        texts = run_compiler(module, conditions) if new else []
        for number, (address, condition) in enumerate(new):
            compiled[address, condition] = read_operations(texts[number], address)


def operands_of_and(condition):
    """The operands of && in a condition that has no other operator of so low a precedence."""
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(condition):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and (char in "?,'\"" or condition.startswith("||", at)):
            return [condition]
        if depth == 0 and condition.startswith("&&", at) and at >= begin:
            parts.append(condition[begin:at])
            begin = at + 2
    return parts + [condition[begin:]]


class Types:
    """What wavelift_conditions asks about the program's types, at a shadow."""

    def __init__(self, address):
        self.block = gdb.block_for_pc(address)

    @staticmethod
    def kind(full):
        plain = full.strip_typedefs().unqualified()
        while plain.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            plain = plain.target().strip_typedefs().unqualified()
        if plain.code == gdb.TYPE_CODE_FLT and plain.sizeof in (4, 8):
            return wavelift_conditions.Kind("float", plain.sizeof)
        if plain.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM):
            signed = int(gdb.Value(-1).cast(plain)) < 0 if plain.code != gdb.TYPE_CODE_BOOL else False
            return wavelift_conditions.Kind("int", plain.sizeof, signed, plain)
        return wavelift_conditions.Kind("other", 8, False, plain)

    def name(self, text):
        if text.startswith("$"):
            if text in ("$exec", "$vcc"):
                return wavelift_conditions.Kind("int", 8, False)
            return wavelift_conditions.Kind("int", 4, False) if NAME.fullmatch(text) else wavelift_conditions.Kind("other")
        found = gdb.lookup_symbol(text, self.block)[0] if self.block else None
        if found is None or found.type is None or found.symtab is None:
            raise wavelift_conditions.Unknown
        return self.kind(found.type)

    @classmethod
    def field(cls, of, name):
        for field in of.full.fields() if of.full is not None and of.full.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) else ():
            if field.name == name and not getattr(field, "bitsize", 0):
                return cls.kind(field.type)
        raise wavelift_conditions.Unknown

    @classmethod
    def target(cls, of):
        if of.full is None or of.full.code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
            raise wavelift_conditions.Unknown
        return cls.kind(of.full.target())

    @staticmethod
    def pointer(of):
        if of.full is None:
            raise wavelift_conditions.Unknown
        return wavelift_conditions.Kind("other", 8, False, of.full.pointer())

    def is_type(self, text):
        if self.block and gdb.lookup_symbol(text, self.block)[0] is not None:
            return gdb.lookup_symbol(text, self.block)[0].addr_class == gdb.SYMBOL_LOC_TYPEDEF
        return False

    def lookup(self, text):
        base = gdb.lookup_type(text.replace("*", "").strip())
        for _ in range(text.count("*")):
            base = base.pointer()
        return self.kind(base)


def compile_with_floats(conditions):
    """Makes what `compiled` lacks of conditions that have floating-point numbers: [(shadow, text)]."""
    found = {}
    for address, condition in conditions:
        try:
            found[address, condition] = wavelift_conditions.read(condition, Types(address))
        except gdb.error:
            pass
    compile_conditions([(address, item[1]) for (address, _), items in found.items() for item in items or () if item[0] == "gdb"])
    for (address, condition), items in found.items():
        operations = items and wavelift_conditions.assemble(items, lambda text, at=address: compiled.get((at, text)), CODES["end"])
        if operations:
            compiled[address, condition] = operations


def operations_of(conditions):
    """What the library is to ask each lane for conditions: [(shadow, text)]; nothing: gdb asks. A condition that there is no bytecode for may have
    parts joined by && that there is some for."""
    compile_conditions(conditions)
    compile_with_floats([key for key in conditions if not compiled.get(key)])
    rest = [key for key in conditions if not compiled.get(key)]
    parts = [(address, part) for address, condition in rest for part in operands_of_and(condition)]
    compile_conditions(parts)
    compile_with_floats([key for key in parts if not compiled.get(key)])
    shorter = {(address, condition): (address, " && ".join(part for part in operands_of_and(condition) if compiled.get((address, part))))
               for address, condition in rest}
    compile_conditions([key for key in shorter.values() if key[1]])
    compile_with_floats([key for key in shorter.values() if key[1] and not compiled.get(key)])
    return [compiled.get(shorter.get(key, key), []) for key in conditions]


def breakpoints_at_shadows(without):
    """The enabled breakpoints' conditions by shadow; None: that of a breakpoint without one. `without`: a number to leave out."""
    found = {}
    for breakpoint in gdb.breakpoints():
        if breakpoint.number == without or not breakpoint.is_valid() or breakpoint.pending or not breakpoint.enabled or not breakpoint.location:
            continue
        for location in getattr(breakpoint, "locations", []):
            if location.enabled and is_shadow(location.address):
                found.setdefault(location.address, []).append(breakpoint.condition)
    return found


def tell_visits(without=None):
    """Tells the library which breakpoints have conditions."""
    table, count = symbol("wl_debug_visits"), symbol("wl_debug_visit_count")
    if table is None or count is None or not gdb.selected_inferior().pid:
        return
    visits, operations = [], []
    asked = [(address, condition or "1") for address, conditions in breakpoints_at_shadows(without).items() if any(conditions)
             for condition in conditions][:VISITS]
    for (address, _), found in zip(asked, operations_of(asked)):
        found = found if len(operations) + len(found) <= OPERATIONS else []
        visits.append(VISIT.pack(address, len(operations), len(found)))
        operations += found
    inferior = gdb.selected_inferior()
    try:
        inferior.write_memory(count, bytes(4))
        if visits:
            inferior.write_memory(table, b"".join(visits))
        if operations:
            inferior.write_memory(symbol("wl_debug_operations"), b"".join(OPERATION.pack(code, 0, value) for code, value in operations))
        inferior.write_memory(count, struct.pack("<I", len(visits)))
    except gdb.MemoryError:
        pass


LINE = re.compile(r"^(?:(?:-source\s+)?[^\s:]+:|-source .* -line )(\d+)$")


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


NAMED_PLACE = re.compile(r"[:*+-]|^\d|^-")  # in a location that is more than a function's name


def leave_runtime_out(breakpoint):
    """A kernel's function may have the name of one of the runtime's own, static functions: the program is not to stop in those. The functions of HIP's
    and HSA's interfaces are the program's as well."""
    if not breakpoint.is_valid() or breakpoint.type != gdb.BP_BREAKPOINT or NAMED_PLACE.search((breakpoint.location or "*").replace("::", "")):
        return
    for location in getattr(breakpoint, "locations", []):
        if location.enabled and in_ours(location.address, location.function or ""):
            location.enabled = False


WATCHPOINTS = (gdb.BP_WATCHPOINT, gdb.BP_HARDWARE_WATCHPOINT, gdb.BP_READ_WATCHPOINT, gdb.BP_ACCESS_WATCHPOINT)
watched = {}  # by the watchpoint's number: the lane that was at hand


def write_rows(table, count, rows):
    """Fills a table of the library, whose names are given, with the rows of the newest watchpoints: {number: bytes}."""
    inferior, address = gdb.selected_inferior(), symbol(table)
    if address is None or not inferior.pid:
        return
    newest = [rows[number] for number in sorted(rows)][-WATCHES:]
    try:
        if newest:
            inferior.write_memory(address, b"".join(newest))
        inferior.write_memory(symbol(count), struct.pack("<I", len(newest)))
    except gdb.MemoryError:
        pass


def tell_watches():
    """Tells the library which lanes are watched: gdb has the host watch copies of their private memory."""
    write_rows("wl_debug_watches", "wl_debug_watch_count", watched)


class Change(gdb.Breakpoint):
    """Stops at a change that gdb has missed of what a watchpoint watches. When another thread loads a library while a store has already trapped, gdb
    first evaluates all watchpoints anew, and then finds that the store has changed nothing. The library looks itself, and comes to this place."""

    def __init__(self, watchpoint, value):
        super().__init__(f"*{symbol('wl_debug_changed'):#x}", internal=True)
        self.silent = True
        self.watchpoint, self.value_type, self.address, self.size = watchpoint, value.type, int(value.address), value.type.sizeof
        self.seen = self.now()  # what gdb or this has told of
        self.commands = watchpoint.commands or ""

    def now(self):
        return memory(self.address, self.size)

    def stop(self):
        try:
            point = self.watchpoint
            return point.is_valid() and point.enabled and self.now() != self.seen and \
                (not point.condition or bool(gdb.parse_and_eval(point.condition)))
        except gdb.error:
            return False

    def tell(self):
        """Says what has changed, as gdb would."""
        if not (self.commands or "").startswith("silent"):
            old, new = (gdb.Value(data, self.value_type) for data in (self.seen, self.now()))
            print(f"\nHardware watchpoint {self.watchpoint.number}: {self.watchpoint.expression}\n\nOld value = {old}\nNew value = {new}")

    def row(self):
        return WATCHED.pack(self.address, self.size, 0, self.seen)


changes = {}  # by the watchpoint's number


def tell_changes():
    """Tells the library what is watched, and what of it has been told."""
    write_rows("wl_debug_watched", "wl_debug_watched_count", {number: change.row() for number, change in changes.items()})


def note_changes():
    """All that has changed is known to the person."""
    for change in changes.values():
        try:
            change.seen = change.now()
        except gdb.MemoryError:
            pass
    tell_changes()


def memory_changed(event):
    """The person has set something that is watched."""
    if any(event.address < change.address + change.size and change.address < event.address + event.length for change in changes.values()):
        note_changes()


def watch_created(breakpoint):
    wave = here() if breakpoint.type in WATCHPOINTS else None
    if not wave or not kernel_frame()[0]:
        return
    watched[breakpoint.number] = WATCH.pack(wave.state, *wave.block, wave.lane)
    tell_watches()
    try:
        value = gdb.parse_and_eval(re.sub(r"^-l(ocation)? ", "", breakpoint.expression))
        if breakpoint.type == gdb.BP_HARDWARE_WATCHPOINT and value.address is not None and value.type.sizeof <= 64:
            changes[breakpoint.number] = Change(breakpoint, value)
            tell_changes()
    except gdb.error:  # it is no place
        pass


def breakpoint_gone(breakpoint):
    if watched.pop(breakpoint.number, None):
        tell_watches()
    change = changes.pop(breakpoint.number, None)
    if change:  # gdb goes through its breakpoints: none can be deleted here
        change.enabled = False
        tell_changes()
    known.pop(breakpoint.number, None)
    tell_visits(without=breakpoint.number)


known = {}  # breakpoints, by number: whether they are enabled, and where; LOST instead, if the person has not disabled them
LOST = "lost"


def enable_again(breakpoint):
    """When a program is run, gdb disables breakpoints whose file or line it does not know, or not any more: it takes their places away and tells of
    that, but not that it has disabled those that had none. They are wanted when the code object has been loaded: then they have places."""
    places = [location.address for location in getattr(breakpoint, "locations", [])]
    before = known.get(breakpoint.number, (True, []))
    if places and (before == LOST or (before == (True, []) and not breakpoint.enabled)):
        breakpoint.enabled = True
    elif before == LOST or (before[0] and before[1] and not places and not breakpoint.enabled):
        known[breakpoint.number] = LOST
        return
    known[breakpoint.number] = breakpoint.enabled, places


def breakpoint_changed(breakpoint):
    if breakpoint.number in changes:
        changes[breakpoint.number].commands = breakpoint.commands or ""
    if breakpoint.is_valid():
        enable_again(breakpoint)
    leave_host_out(breakpoint)
    leave_runtime_out(breakpoint)
    tell_visits()


# ---- events -------------------------------------------------------------------------------------------------------------------------------


def attach(event=None):
    """Tells the library that there is a debugger."""
    compiled.clear()
    find_symbols()
    address = symbol("wl_debugger")
    if address is not None and gdb.selected_inferior().pid:
        try:
            gdb.selected_inferior().write_memory(address, struct.pack("<I", 3 if is_replay() else 1))
        except gdb.MemoryError:
            return
        tell_visits()
        back.tell()
        make_live()


def has_commands(event):
    """Whether commands of a breakpoint come next. Behind each gdb.execute gdb runs those, with their `continue`, within the event: other threads that stop
    meanwhile are forgotten, and the program stands for ever. So such an event does without."""
    return isinstance(event, gdb.BreakpointEvent) and any(point.commands for point in event.breakpoints)


def stopped(event):
    points = event.breakpoints if isinstance(event, gdb.BreakpointEvent) else []
    for point in points:
        if isinstance(point, Change):
            point.tell()
    if any(isinstance(point, Change) or point.type in WATCHPOINTS for point in points):
        note_changes()
    if not has_commands(event):
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
    if level and frame_in_ours(gdb.newest_frame()):  # within an instruction: a fault, Ctrl-C, a watchpoint
        if not has_commands(event):
            call("wl_debug_lane", wave.lane)
            frame, level = kernel_frame()
        frame.select()
        if not has_commands(event):
            gdb.execute("frame")
    make_plain()


def ended(event):
    """Nothing is left for references to refer to."""
    global live
    live = False
    for change in changes.values():
        change.enabled = False
    changes.clear()
    forget_symbols()
    for name in VARIABLES:
        gdb.set_convenience_variable(name, None)


def going_on(event):
    if calling:
        return
    placed.clear()
    other_wave.enabled = False
    make_live()


def in_ours(pc, function):
    """Whether a place is in one of the runtime's own functions."""
    library = gdb.solib_name(pc) or ""
    if not re.search(r"/(libamdhip64|libwavelift)[^/]*$", library):
        return False
    return not re.match(r"(wl_api_)?_?_?(hip|hsa)[A-Z]", function)


def frame_in_ours(frame):
    return in_ours(frame.pc(), frame.name() or "")


class WithoutRuntime:
    """A frame filter."""

    def __init__(self):
        self.name, self.priority, self.enabled = "wavelift", 50, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        threaded = None  # the outermost of neighbouring frames of threaded code
        stoppable = kernel_frame()[0] is not None
        for frame in frames:
            if other_wave.enabled and frame.inferior_frame().level() == 0:
                continue
            if runs_threaded(frame.inferior_frame()):
                threaded = None if stoppable else frame  # the kernel has frames of its own
                continue
            if threaded:
                yield ThreadedFrame(threaded)
                threaded = None
            if not frame_in_ours(frame.inferior_frame()):
                yield frame


# ---- commands -----------------------------------------------------------------------------------------------------------------------------


def list_of(text, command):
    """The numbers that a list such as 0-3,17 stands for."""
    numbers = []
    for part in text.split(","):
        match = re.match(r"(\d+)(?:-(\d+))?$", part)
        if not match:
            raise gdb.GdbError(f"{command}: a list such as 0-3,17 is wanted, or one of the words that help tells.")
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    return numbers


def choose_lane(lane):
    if call("wl_debug_lane", lane) != 1:
        raise gdb.GdbError(f"There is no lane {lane}.")
    gdb.invalidate_cached_frames() if hasattr(gdb, "invalidate_cached_frames") else gdb.execute("maint flush register-cache", to_string=True)
    make_plain()


def select_level(level):
    """Selects a frame by its number, and says nothing of it."""
    frame = gdb.newest_frame()
    while frame.level() < level and frame.older():
        frame = frame.older()
    frame.select()


def keep_frame(work):
    """Does something that loses the selected frame, and selects it again."""
    level = gdb.selected_frame().level() + hidden_frames()
    work()
    select_level(level)


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
        if not re.fullmatch(r"-?\d+", argument.strip()):
            raise gdb.GdbError("lane: a number is wanted.")
        lane = int(argument)
        if lane not in range(wave.wave_size):
            raise gdb.GdbError(f"Lane {lane} does not exist on this thread.")
        keep_frame(lambda: choose_lane(lane))
        print(f"[Switching to {describe_lane(need_here(), lane)}]")
        gdb.execute("frame")


def states_of(options):
    """The states of lanes that options ask for: active, inactive, and unused ones."""
    for option in options:
        if option not in ("-all", "-active", "-inactive"):
            raise gdb.GdbError(f"Unrecognized option at: {option}")
    return {"-all": "AIU", "-active": "A", "-inactive": "I"}[options[-1]] if options else "AI"


def apply_flags(text):
    """What options of `apply` commands say, and the rest: -q no headers, -c errors do not end it, -s neither, and what has them is silent."""
    flags, rest = set(), text.strip()
    while match := re.match(r"-([qcs]|all|active|inactive)\b\s*(.*)$", rest):
        flags.add(match[1])
        rest = match[2]
    return flags, re.sub(r"^--\s+", "", rest)


def run_applied(flags, header, command):
    """Runs a command for a lane or a wave, with the flags of an `apply` command."""
    try:
        output = gdb.execute(command, to_string=True)
    except gdb.error as error:
        if "s" in flags:
            return
        if "c" not in flags:
            raise
        output = f"{error}\n"
    if output or "s" not in flags:
        print(("" if "q" in flags else f"\n{header}:\n") + output, end="")


class LaneApply(gdb.Command):
    """Runs a command for several lanes: lane apply all|LIST [-all|-active|-inactive] [-q|-c|-s] [--] COMMAND. A list is like 0-3,17 or 0-3 17. Lanes that
    are no work items are left out, but for -all. -q: without headers; -c: errors do not end it; -s: neither, and lanes that have them are left out."""

    def __init__(self):
        super().__init__("lane apply", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        wave = need_here()
        match = re.match(r"\s*(all|active|-\d\S*|\d[-\d,]*(?:\s+\d[-\d,]*)*)\s+(.+)$", argument)
        if match and match[1].startswith("-"):
            raise gdb.GdbError("negative value")
        flags, command = apply_flags(match[2]) if match else (None, None)
        if not command:
            raise gdb.GdbError("lane apply: lanes and a command are wanted.")
        if re.match(r"-\w", command):
            raise gdb.GdbError(f"Unrecognized option at: {command}")
        which = match[1]
        states = "A" if which == "active" else states_of([f"-{flag}" for flag in ("all", "active", "inactive") if flag in flags])
        lanes = range(wave.wave_size) if which in ("all", "active") else list_of(",".join(which.split()), "lane apply")
        if any(lane >= wave.wave_size for lane in lanes):
            raise gdb.GdbError(f"The wave has {wave.wave_size} lanes.")
        launch = dispatch_id(wave)
        try:
            for lane in lanes:
                if wave.lane_state(lane) not in states:
                    continue
                keep_frame(lambda lane=lane: choose_lane(lane))
                run_applied(flags, f"Lane {lane} ({lane_id(wave, launch, lane)})", command)
        finally:
            keep_frame(lambda: choose_lane(wave.lane))


class Info(gdb.Command):
    """A command that tells about the wave that has stopped, by its `name`."""

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_STATUS)


def where(pc):
    """A place as rocgdb shows it: the function, its file and line."""
    line, block = gdb.find_pc_line(pc), gdb.block_for_pc(pc)
    for inlined in inlined_at(pc):  # that begins there: its caller's place, whose line gdb's interface does not tell
        line, block = None, inlined.superblock
    while block and not block.function:
        block = block.superblock
    place = f" at {line.symtab.filename}:{line.line}" if line and line.symtab else ""
    return (f"{block.function.print_name} ()" if block else f"{pc:#x}") + place


def print_table(rows):
    """A table whose first row has the titles. The first column has a star or a space, then the number."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    for row in rows:
        print(" ".join(text.ljust(width) for text, width in zip(row, widths)), row[-1], sep=" ")


def as_list(values, brackets="[]"):
    return brackets[0] + ",".join(str(value) for value in values) + brackets[1]


def queues():
    """(hipStream_t, device, whether it runs, commands done, commands queued) of each stream."""
    table, count = symbol("wl_debug_queues"), call("wl_debug_list_queues")
    return [QUEUE.unpack(memory(table + number * QUEUE.size, QUEUE.size)) for number in range(count)]


def dispatch_id(wave):
    """The launch as rocgdb's users know it: agent, queue and dispatch."""
    for number, (_, device, runs, _, _) in enumerate(queues(), 1):
        if runs:
            return f"{device + 1}:{number}:{wave.launch}"
    return f"1:1:{wave.launch}"


def lane_id(wave, launch, lane):
    return f"AMDGPU Lane {launch}:{wave.wave + 1}/{lane} {as_list(wave.block, '()')}{as_list(wave.item(lane))}"


class InfoLanes(Info):
    """Lists lanes of the wave that is looked at: info lanes [-all|-active|-inactive] [LIST]. Lanes that are no work items are left out, but for -all."""

    name = "info lanes"

    def invoke(self, argument, from_tty):
        wave = need_here()
        rows, launch = [("  Id", "State", "Target Id", "Frame")], dispatch_id(wave)
        options = [word for word in argument.split() if word.startswith("-")]
        chosen = ",".join(word for word in argument.split() if not word.startswith("-"))
        states, wanted = states_of(options), list_of(chosen, self.name) if chosen else range(wave.wave_size)
        for lane in range(wave.wave_size):
            state = wave.lane_state(lane)
            if state in states and lane in wanted:
                frame = {"A": where(wave.pc), "I": "(inactive)", "U": "(unused)"}[state]
                rows.append((f"{'*' if lane == wave.lane else ' '} {lane}", state, lane_id(wave, launch, lane), frame))
        if len(rows) == 1:
            print(f"No lanes match '{chosen}'." if chosen else "No lanes match.")
        else:
            print_table(rows)


STATES = ("ready", "ready", "at a barrier", "at a barrier", "waits for the grid", "ended", "failed")


def waves_of_workgroup(wave):
    """(number, where it is, its active lanes, its state) of each; where: 0 if it has not begun."""
    table = symbol("wl_debug_waves")
    for number in range(wave.waves):
        pc, mask, state, stopped = WAVE.unpack(memory(table + number * WAVE.size, WAVE.size))
        text = "stopped" if stopped else "not begun" if not pc else STATES[state] if state < len(STATES) else "?"
        yield number, pc, mask, text


def waves_there():
    """How many waves there are that have not ended."""
    return sum(1 for _, _, _, text in waves_of_workgroup(here()) if text != "ended") if here() else 0


class InfoWaves(Info):
    """Lists the waves of the workgroup that the wave that has stopped is of, and where they are; info waves count: how many have not ended."""

    name = "info waves"

    def invoke(self, argument, from_tty):
        if argument.strip() == "count":
            print(waves_there())
            return
        count = waves_there()
        print(f"{count} waves (0 running, 0 single-stepping, {count} stopped)")
        if here():
            self.show(here())

    @staticmethod
    def show(wave):
        rows, launch = [("  Id", "Target Id", "State", "Lanes", "Frame")], dispatch_id(wave)
        for number, pc, mask, text in waves_of_workgroup(wave):
            target = f"AMDGPU Wave {launch}:{number + 1} {as_list(wave.block, '()')}/{number}"
            rows.append((f"{'*' if number == wave.wave else ' '} {number}", target, text, f"{mask:#018x}", where(pc) if pc else ""))
        print_table(rows)


def waves_behind_threads():
    """What `info threads` shows behind the threads of the host: gdb makes no thread of a wave."""
    if here():
        print("\nWaves of the workgroup that has stopped (the command `wave` chooses one):")
        InfoWaves.show(here())


class WaveCommand(gdb.Command):
    """Chooses the wave of the workgroup whose frames, lanes and variables are shown, and which steps: wave NUMBER. Without a number it says which
    wave that is."""

    def __init__(self):
        super().__init__("wave", gdb.COMMAND_RUNNING, prefix=True)

    def invoke(self, argument, from_tty):
        wave = need_here()
        text = argument.strip()
        if text and not text.isdigit():
            raise gdb.GdbError("wave: a number is wanted.")
        if text:
            choose_wave(int(text))
            wave = need_here()
        verb = "Switching to" if text else "Current"
        print(f"[{verb} wave {wave.wave}, block {wave.block}, lane {wave.lane}]")
        if text:
            gdb.execute("frame")


class WaveApply(gdb.Command):
    """Runs a command for several waves of the workgroup: wave apply all|LIST [--] COMMAND. A list is like 0-3,7. `all`: those that have begun and
    have not ended."""

    def __init__(self):
        super().__init__("wave apply", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        wave = need_here()
        match = re.match(r"\s*(\S+)\s+(.+)$", argument)
        flags, command = apply_flags(match[2]) if match else (None, None)
        if not command:
            raise gdb.GdbError("wave apply: waves and a command are wanted.")
        there = [number for number, pc, _, text in waves_of_workgroup(wave) if pc and text != "ended"]
        before, level = wave.wave, gdb.selected_frame().level()
        try:
            for number in there if match[1] == "all" else list_of(match[1], "wave apply"):
                choose_wave(number)
                run_applied(flags, f"Wave {number}, block {wave.block}", command)
        finally:
            choose_wave(before)
            select_level(level)


def choose_wave(number):
    if number >= need_here().waves:
        raise gdb.GdbError(f"There is no wave {number}: the workgroup has {need_here().waves}.")
    if call("wl_debug_wave", number) != 1:
        raise gdb.GdbError(f"Wave {number} has no frames: it has not begun, or has ended.")
    wave = need_here()
    stopped = [text for _, _, _, text in waves_of_workgroup(wave)].index("stopped")
    other_wave.look(None if number == stopped else wave)
    make_plain()
    frame, _ = kernel_frame()
    if frame:
        frame.select()


def take_turn():
    """The wave that is shown becomes the one that runs: for commands that step. It comes up in front of its next instruction."""
    if not other_wave.enabled:
        return
    wave, level = need_here(), gdb.selected_frame().level() - 1  # there is none of what has stopped
    if call("wl_debug_turn", wave.wave) != 1:
        raise gdb.GdbError(f"Wave {wave.wave} cannot go on: it has ended.")
    reached = Reached(symbol("wl_debug_reached"))
    try:
        text = gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid or "wl_debug_reached" not in (gdb.newest_frame().name() or ""):
            raise gdb.GdbError(f"{text}Another wave has stopped before wave {wave.wave}.")
    finally:
        reached.delete()
    back.at_shadow()
    if need_here().lane != wave.lane and need_here().active(wave.lane):
        choose_lane(wave.lane)
    if level > 0:
        select_level(level)


class Refuse(gdb.Command):
    """For hooks of gdb's commands that change where the thread is, of which a wave knows nothing: ends them in kernels."""

    def __init__(self):
        super().__init__("wavelift-refuse", gdb.COMMAND_OBSCURE)

    def invoke(self, argument, from_tty):
        if here() and kernel_selected():
            raise gdb.GdbError(f"`{argument}` is not possible in a kernel.")


STEPPING = ("step", "next", "stepi", "nexti", "finish", "until", "advance")


def dispatches(wave):
    """(number, its name, its grid, its workgroup, the kernel) of each launch that waves have stopped in."""
    if wave:
        grid = as_list(g * b for g, b in zip(wave.grid_dim, wave.block_dim))
        yield 1, f"AMDGPU Dispatch {dispatch_id(wave)} (PKID {wave.launch - 1})", grid, as_list(wave.block_dim), readable(text_at(wave.kernel))


def chosen_of(rows, argument, what):
    """The rows whose numbers a list names, or all; none: says so."""
    text = ",".join(argument.split())
    numbers = list_of(text, f"info {what}") if text else None
    found = [row for row in rows if numbers is None or row[0] in numbers]
    if not found:
        print(f"No active {what} match '{text}'." if text else f"No {what} are currently active.")
    return found


class InfoDispatches(Info):
    """Describes the launch whose wave has stopped: info dispatches [-full] [ID...]."""

    name = "info dispatches"

    def invoke(self, argument, from_tty):
        wave, full = here(), "-full" in argument.split()
        found = chosen_of(dispatches(wave), argument.replace("-full", ""), "dispatches")
        more = ("Address Spaces", "Kernel Descriptor", "Kernel Args", "Completion Signal") if full else ()
        rows = [("  Id", "Target Id", "Grid", "Workgroup", "Fence", *more, "Kernel Function")]
        for number, name, grid, workgroup, kernel in found:
            more = (f"Shared({wave.lds}), Private({wave.private})", f"{wave.descriptor:#018x}", f"{wave.kernarg:#018x}", "(nil)") if full else ()
            rows.append((f"* {number}", name, grid, workgroup, "B|As|Rs", *more, kernel))
        if found:
            print_table(rows)


def queue_rows():
    """(number, its name, whether it runs, commands done, commands queued, hipStream_t) of each stream."""
    for number, (address, device, runs, read, write) in enumerate(queues() if symbol("wl_debug_queues") and gdb.selected_inferior().pid else [], 1):
        yield number, f"AMDGPU Queue {device + 1}:{number} (QID {number - 1})", runs, read, write, address


class InfoQueues(Info):
    """Lists the streams: commands that were done and queued; the address is the hipStream_t, of the null stream 0: info queues [ID...]."""

    name = "info queues"

    def invoke(self, argument, from_tty):
        rows = [("  Id", "Target Id", "Type", "Read", "Write", "Size", "Address")]
        for number, name, runs, read, write, address in chosen_of(queue_rows(), argument, "queues"):
            rows.append((f"{'*' if runs else ' '} {number}", name, "HIP stream", str(read), str(write), "-", f"{address:#018x}"))
        if len(rows) > 1:
            print_table(rows)


class InfoAgents(Info):
    """Describes the device that runs the wave that has stopped: info agents [ID...]."""

    name = "info agents"

    def invoke(self, argument, from_tty):
        wave = need_here()
        if chosen_of([(1,)], argument, "agents"):
            print_table([("  Id", "State", "Target Id", "Architecture", "Wave Size"),
                         ("* 1", "A", "AMDGPU Agent", text_at(wave.processor), str(wave.wave_size))])


class Finder(gdb.Command):
    """Finds what a regular expression matches in, as `thread find` does: agent find, queue find, dispatch find REGEXP."""

    def __init__(self, what, plural, rows):
        self.what, self.plural, self.rows = what, plural, rows
        gdb.execute(f"define-prefix {what}")
        super().__init__(f"{what} find", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("Command requires an argument.")
        found = [(number, field, text) for number, field, text in self.rows() if re.search(argument, text)]
        for number, field, text in found:
            print(f"{self.what.capitalize()} {number} has {field} '{text}'")
        if not found:
            print(f"No {self.plural} match '{argument}'")


def dispatch_names():
    for number, name, _, _, kernel in dispatches(here()):
        yield number, "Target Id", name
        yield number, "Kernel Function", kernel


def agent_names():
    return [(1, "Target Id", "AMDGPU Agent"), (1, "Architecture", text_at(here().processor))] if here() else []


# ---- registers by name ------------------------------------------------------------------------------------------------------------------

AMD_REGISTERS = re.compile(r"\$?(?:([sva])(\d+)|([sva])\[(\d+)(?::(\d+))?\]|(pc|amdpc|exec|vcc|m0))$")


def register_value(wave, text):
    """(name, value, bytes) of a register, or of several in one number: s4, s[4:5], v3, exec; None: there is none of the name."""
    match = AMD_REGISTERS.match(text)
    if not match:
        return None
    if match[6]:
        name = match[6]
        variable = gdb.convenience_variable("amdpc" if name == "pc" else name)
        return name, int(variable), 4 if name == "m0" else 8
    kind, first = match[1] or match[3], int(match[2] or match[4])
    last = int(match[5] or first)
    parts = [gdb.convenience_variable(f"{kind}{number}") for number in range(first, last + 1)]
    if not parts or any(part is None or part.type.code == gdb.TYPE_CODE_VOID for part in parts):
        return None
    return text.lstrip("$"), sum(int(part) << 32 * place for place, part in enumerate(parts)), 4 * len(parts)


class InfoRegisters(gdb.Command):
    """Lists registers and their contents, of the wave that has stopped by AMD's names: info registers [s4 s[4:5] v3 exec vcc m0 ...]. Other names, and
    those in frames of the host, are the host's."""

    def __init__(self):
        super().__init__("info registers", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        wave = here() if kernel_selected() else None
        names = argument.split()
        if not names and wave:
            names = ["pc", "exec", "vcc", "m0", *(f"s{number}" for number in range(VCC)), *(f"v{number}" for number in range(min(wave.rows, AGPR)))]
        found = [register_value(wave, name) for name in names] if wave else [None]
        if names and all(found):
            for name, value, size in found:
                print(f"{name:<14} {value:#0{2 * size + 2}x} {value}")
        else:
            gdb.execute(f"info all-registers {argument or 'general'}")


def kernel_selected():
    try:
        return is_shadow(gdb.selected_frame().pc())
    except gdb.error:
        return False


# ---- arguments of the launch --------------------------------------------------------------------------------------------------------------


def count_of_parameters(name):
    """How many parameters a function has, by its name as C++ writes it; None: that does not tell."""
    match = re.search(r"\((.*)\)$", name)
    if not match:
        return None
    depth = commas = 0
    for char in match[1]:
        depth += (char in "<([{") - (char in ">)]}")
        if depth < 0:  # the parameters begin behind it
            return None
        commas += char == "," and depth == 0
    return commas + 1 if match[1].strip() not in ("", "void") else 0


def kernel_function():
    """The frame of the kernel itself, which has called the others."""
    found = None
    for frame in frames():
        if is_shadow(frame.pc()) and frame.type() != gdb.INLINE_FRAME and not (other_wave.enabled and frame.level() == 0):
            found = frame
    return found


def launch_arguments():
    """The arguments that the kernel was launched with, by name: what is in its segment of arguments, where code writes nothing. The variable of that
    name may have been set since."""
    wave, frame = here(), kernel_function()
    block = frame.block() if wave and frame else None
    while block and not block.function:
        block = block.superblock
    parameters = [symbol for symbol in block if symbol.is_argument] if block else []
    if not parameters or count_of_parameters(block.function.name) not in (None, len(parameters)):
        return {}
    found, at = {}, wave.kernarg
    for parameter in parameters:
        kind = parameter.type
        if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            kind = kind.target().pointer()
        align = kind.strip_typedefs().alignof or 8
        at = (at + align - 1) // align * align
        found[parameter.name] = gdb.Value(at).cast(kind.pointer()).dereference()
        at += kind.sizeof
    return found


class Argument(gdb.Function):
    """$argument("NAME"): an argument of the kernel as it was launched, also where the compiler keeps it nowhere."""

    def __init__(self):
        super().__init__("argument")

    def invoke(self, name):
        found = launch_arguments().get(name.string())
        if found is None:
            raise gdb.GdbError(f"The kernel has no argument {name.string()}, or its arguments are not known.")
        return found


def launched_behind_args():
    """What `info args` shows behind the arguments of a kernel that the compiler keeps nowhere."""
    try:
        frame = gdb.selected_frame()
        if not here() or not is_shadow(frame.pc()) or frame != kernel_function():
            return
        for name, value in launch_arguments().items():
            if frame.read_var(name).is_optimized_out:
                print(f"{name} = {value} when the kernel was launched")
    except (gdb.error, ValueError):
        return


# ---- backwards --------------------------------------------------------------------------------------------------------------------------


class Reached(gdb.Breakpoint):
    """Where the library comes when a run is at the goal."""

    def __init__(self, address):
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True


class Backwards:
    """Going back is running the program again up to an earlier place, which is a launch and how many instructions it has run. That is the same
    place in each run of a replay."""

    def __init__(self):
        self.goal = self.reached = None

    def tell(self):
        """Tells the library of the goal, in a new process."""
        goal = symbol("wl_debug_goal")
        if goal is None or self.goal is None:
            return
        gdb.selected_inferior().write_memory(goal, struct.pack("<2Q", *self.goal))
        if self.reached is None:
            self.reached = Reached(symbol("wl_debug_reached"))

    def is_reached(self):
        wave = here()
        return wave is not None and (wave.launch, wave.step) == self.goal and "wl_debug_reached" in (gdb.newest_frame().name() or "")

    def run(self, goal, visit=None):
        """Runs the program again up to a place, and calls `visit` at each stop before it, or lets no breakpoint stop it."""
        points = [point for point in gdb.breakpoints() if point.enabled and not (visit and point.silent)]
        confirm, lane = gdb.parameter("confirm"), need_here().lane
        gdb.execute("set confirm off")
        self.goal = goal
        try:
            for point in points:
                setattr(point, *(("silent", True) if visit else ("enabled", False)))
            gdb.execute("run", to_string=True)
            while gdb.selected_inferior().pid and not self.is_reached():
                if visit:
                    visit()
                gdb.execute("continue", to_string=True)
            if not gdb.selected_inferior().pid:
                raise gdb.GdbError("The program did not come to the same place again.")
            self.at_shadow()
            if lane != need_here().lane:
                keep_frame(lambda: choose_lane(lane))
        finally:
            self.goal = None
            if self.reached:
                self.reached.delete()
                self.reached = None
            for point in points:
                setattr(point, *(("silent", False) if visit else ("enabled", True)))
            gdb.execute(f"set confirm {'on' if confirm else 'off'}")

    def forward(self, goal):
        """Goes on up to a place that is ahead, or to where the program stops before, or ends."""
        self.goal = goal
        try:
            self.tell()
            gdb.execute("continue", to_string=True)
            if gdb.selected_inferior().pid and self.is_reached():
                self.at_shadow()
        finally:
            self.goal = None

    def at_shadow(self):
        """From the library's function to the instruction, where the person goes on."""
        gdb.selected_inferior().write_memory(symbol("wl_debug_goal"), bytes(16))
        point = gdb.Breakpoint(f"*{here().pc:#x}", internal=True)
        point.silent = True
        gdb.execute("continue", to_string=True)
        point.delete()


back = Backwards()


def past_of(wave):
    """(step, pc, depth) of what the wave did before, newest first."""
    table = memory(symbol("wl_debug_history"), HISTORY * PAST.size)
    number = ((wave.block[2] * wave.grid_dim[1] + wave.block[1]) * wave.grid_dim[0] + wave.block[0]) * MOST_WAVES + wave.wave
    for step in range(wave.step - 1, max(-1, wave.step - 1 - HISTORY), -1):
        pc, of, at, depth = PAST.unpack_from(table, step % HISTORY * PAST.size)
        if at == step and of == number:
            yield step, pc, depth


def line_at(pc):
    line = gdb.find_pc_line(pc)
    return (line.symtab.filename, line.line) if line.symtab and line.line else None


def begin_of_line(past, least):
    """The first step, and its pc, of the line that the newest entries of the past are of: of functions no deeper than `least`, if that is not
    None."""
    found = None
    for step, pc, depth in past:
        line = line_at(pc)
        if line is None or (least is not None and depth > least):
            continue
        if found is None or (line, depth) == found[2:]:
            found = step, pc, line, depth
        elif depth <= found[3]:
            break
    return found


def step_back(wave, least):
    """The place of the line before. What a function does before its first line belongs to the call."""
    past = list(past_of(wave))
    while past:
        found = begin_of_line(past, least)
        if found is None:
            return None
        past = [row for row in past if row[0] < found[0]]
        if found[1] != function_of(found[1]) or not past:
            return wave.launch, found[0]
    return None


class ReverseCommand(gdb.Command):
    """A command that goes back, by its `name`: in a replay (wavelift record), of the wave that has stopped."""

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        wave = here()
        if not wave or not is_replay():
            gdb.execute("set exec-direction reverse")  # gdb's own recording, if there is one
            try:
                gdb.execute(f"{self.name[len('reverse-'):]} {argument}")
            finally:
                gdb.execute("set exec-direction forward")
            return
        for _ in range(int(argument) if argument.strip().isdigit() else 1):
            wave = need_here()
            goal = self.find(wave)
            if goal is None:
                print("\nNo more reverse-execution history.")
                break
            back.run(goal)
        gdb.execute("frame")


def depth_of(wave):
    """How many functions the kernel has called that have not returned."""
    return sum(1 for frame in frames() if is_shadow(frame.pc()) and frame.type() != gdb.INLINE_FRAME) - 1


class ReverseStepi(ReverseCommand):
    """Goes back to the instruction that the wave has run last."""

    name = "reverse-stepi"

    def find(self, wave):
        return next(((wave.launch, step) for step, _, _ in past_of(wave)), None)


class ReverseStep(ReverseCommand):
    """Goes back to the begin of the line that the wave has run last, also within a function that has returned."""

    name = "reverse-step"

    def find(self, wave):
        return step_back(wave, None)


class ReverseNext(ReverseCommand):
    """Goes back to the begin of the line that the wave has run last, and passes over the functions that it called."""

    name = "reverse-next"

    def find(self, wave):
        return step_back(wave, depth_of(wave))


class ReverseFinish(ReverseCommand):
    """Goes back to the call of the function that the wave is in."""

    name = "reverse-finish"

    def find(self, wave):
        own = depth_of(wave)
        return next(((wave.launch, step) for step, _, depth in past_of(wave) if depth < own), None)


class ReverseContinue(ReverseCommand):
    """Goes back to the last stop at a breakpoint in a kernel."""

    name = "reverse-continue"

    def find(self, wave):
        now, found = (wave.launch, wave.step), []

        def visit():
            there = here()
            if there and is_shadow(gdb.newest_frame().pc()) and (there.launch, there.step) < now:
                found.append((there.launch, there.step))

        back.run(now, visit)
        return found[-1] if found else None


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
    gdb.events.exited.connect(ended)
    gdb.events.breakpoint_created.connect(breakpoint_changed)
    gdb.events.breakpoint_modified.connect(breakpoint_changed)
    gdb.events.breakpoint_created.connect(watch_created)
    gdb.events.breakpoint_deleted.connect(breakpoint_gone)
    gdb.events.memory_changed.connect(memory_changed)
    WithoutRuntime()
    register_unwinder(None, other_wave, replace=True)
    for stepping in STEPPING:
        gdb.execute(f"define hook-{stepping}\npython take_turn()\nend")
    Refuse()
    for moving in ("return", "jump"):
        gdb.execute(f"define hook-{moving}\nwavelift-refuse {moving}\nend")
    for command in (LaneCommand, LaneApply, WaveCommand, WaveApply, InfoLanes, InfoWaves, InfoDispatches, InfoQueues, InfoAgents, InfoRegisters,
                    ReverseStepi, ReverseStep, ReverseNext, ReverseFinish, ReverseContinue):
        command()
    Finder("agent", "agents", agent_names)
    Finder("queue", "queues", lambda: [(row[0], "Target Id", row[1]) for row in queue_rows()])
    Finder("dispatch", "dispatches", dispatch_names)
    gdb.execute("define info hookpost-threads\npython waves_behind_threads()\nend")
    gdb.execute("define info hookpost-args\npython launched_behind_args()\nend")
    Argument()
    add_disassembler()
    attach()
