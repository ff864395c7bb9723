"""For gdb: compares what it prints of a kernel's variables, at random stops, with what an interpreter of the code object's own DWARF says.

The interpreter is here and in llvm-dwarfdump: it reads AMD's registers and address spaces out of the wave's state, and knows nothing of the file
that gdb reads. Each variable that the DWARF describes at a stop has to be printed, and to have the interpreter's value.

The first code object in the program's file for WAVELIFT_ARCH is taken. VARIABLES_STOPS: how many stops, at least half of which have to be reached;
VARIABLES_STRIDE: at most so many instructions from one to the next; VARIABLES_SEED. LLVM_DWARFDUMP."""
import os
import random
import re
import struct
import subprocess
import tempfile

import gdb

env = os.environ
SGPRS, VGPRS = 128, 640  # in struct wl_wave
ROW = re.compile(r"^(0x[0-9a-f]{8}):( *)(DW_TAG_\w+|NULL)")
ATTRIBUTE = re.compile(r"^ +(DW_AT_\w+)\t\((.*)")
RANGE = re.compile(r"\[0x([0-9a-f]+), 0x([0-9a-f]+)\)(?:: (.*))?")


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


# ---- the code object -----------------------------------------------------------------------------------------------------------------------


def code_object():
    with open(gdb.current_progspace().filename, "rb") as file:
        data = file.read()
    at = data.index(b"__CLANG_OFFLOAD_BUNDLE__")
    place = at + 32
    for _ in range(struct.unpack_from("<Q", data, at + 24)[0]):
        offset, size, length = struct.unpack_from("<3Q", data, place)
        if data[place + 24 : place + 24 + length].decode().split("--")[-1].split(":")[0] == env["WAVELIFT_ARCH"]:
            return data[at + offset : at + offset + size]
        place += 24 + length
    raise SystemExit("the program has no such code object")


class Entry:
    def __init__(self, tag, parent):
        self.tag, self.parent, self.attributes, self.children = tag, parent, {}, []

    def ranges(self):
        text = self.attributes.get("DW_AT_ranges")
        if text:
            return [(int(low, 16), int(high, 16)) for low, high, _ in RANGE.findall(text)]
        low, high = self.attributes.get("DW_AT_low_pc"), self.attributes.get("DW_AT_high_pc")
        return [(int(low.rstrip(")"), 16), int(high.rstrip(")"), 16))] if low and high else []

    def covers(self, pc):
        return any(low <= pc < high for low, high in self.ranges())

    def name(self, entries):
        if "DW_AT_name" in self.attributes:
            return re.match(r'"(.*)"\)', self.attributes["DW_AT_name"])[1]
        origin = self.attributes.get("DW_AT_abstract_origin")
        return entries[origin.split()[0].rstrip(")")].name(entries) if origin else None

    def expression(self, pc):
        """The location at an address; None: the DWARF has none there."""
        text = self.attributes.get("DW_AT_location")
        if text is None:
            return None
        if "loclist" not in text:
            return text.rstrip(")")
        for line in text.split("\n")[1:]:
            found = RANGE.search(line)
            if found and int(found[1], 16) <= pc < int(found[2], 16):
                return found[3].rstrip(")")
        return None


def read_entries(text):
    entries, parents, entry, last = {}, {}, None, None
    for line in text.split("\n"):
        row = ROW.match(line)
        if row:
            depth = len(row[2])
            entry, last = Entry(row[3], parents.get(depth - 2)), None
            parents[depth] = entries[row[1]] = entry
            if entry.parent:
                entry.parent.children.append(entry)
            continue
        attribute = ATTRIBUTE.match(line)
        if attribute and entry:
            last = attribute[1]
            entry.attributes[last] = attribute[2]
        elif entry and last and line.strip():
            entry.attributes[last] += "\n" + line
    return entries


# ---- the interpreter -----------------------------------------------------------------------------------------------------------------------


class Unknown(Exception):
    """The DWARF describes it in a way that is not known here."""


class Wave:
    def __init__(self, here):
        self.state, self.size, self.lane, self.block = here["state"], here["wave_size"], here["lane"], here["block"]
        self.lds, self.scratch = struct.unpack("<2Q", memory(self.state + 24, 16))
        self.scratch_size = struct.unpack("<I", memory(self.state + 60, 4))[0]

    def register(self, number):
        """The address of a register, by AMD's number in DWARF, and its bytes."""
        if 32 <= number < 96:
            return self.state + SGPRS + (number - 32) * 4, 4
        if 1088 <= number < 1130:
            return self.state + SGPRS + (number - 1088 + 64) * 4, 4
        if number in (512, 768):
            return self.state + SGPRS + 106 * 4, 4 if number == 512 else 8
        if number in (1, 17):
            return self.state + SGPRS + 126 * 4, 4 if number == 1 else 8
        for first, row, size in ((1536, 0, 32), (2048, 256, 32), (2560, 0, 64), (3072, 256, 64)):
            if first <= number < first + 256:
                if size != self.size:
                    raise Unknown("a register of waves of another size")
                return self.state + VGPRS + ((row + number - first) * self.size + self.lane) * 4, 4
        raise Unknown(f"register {number}")

    def value(self, number):
        address, size = self.register(number)
        return int.from_bytes(memory(address, size), "little")

    def private(self, address, size):
        """Bytes of the lane's private memory, whose dwords lie one lane beside the other."""
        out = b""
        for at in range(address, address + size):
            if at >= self.scratch_size:
                raise Unknown("private memory that is not there")
            out += memory(self.scratch + (at >> 2) * self.size * 4 + self.lane * 4 + (at & 3), 1)
        return out


def signed(value):
    return value - (1 << 64) if value >> 63 else value


MASK = (1 << 64) - 1


class Interpreter:
    def __init__(self, wave, addresses, frame_base):
        self.wave, self.addresses, self.frame_base = wave, addresses, frame_base

    def load(self, place, size):
        kind, value = place
        if kind == "value":
            return (value & MASK).to_bytes(8, "little")[:size] if size <= 8 else None
        if kind == "bytes":
            return value[:size]
        if kind == "private":
            return self.wave.private(value, size)
        if kind == "local":
            return memory(self.wave.lds + value, size)
        return memory(value, size)

    def bytes_of(self, text, size):
        """The object's bytes; None in place of those that are nowhere."""
        out, place, used = [], None, False
        for operation in [part.strip() for part in text.split(", DW_OP_")]:
            words = operation.replace("DW_OP_", "").split()
            if words[0] == "piece":
                length = int(words[1], 16)
                out += [None] * length if place is None else list(self.load(self.finish(place), length))
                place, used = None, True
                continue
            place = self.step(place or [], words)
        if used:
            return out[:size]
        return list(self.load(self.finish(place), size))

    @staticmethod
    def finish(stack):
        top = stack[-1]
        return top if isinstance(top, tuple) else ("memory", top)

    def number_of(self, name):
        """llvm-dwarfdump names registers of waves of 64."""
        found = re.match(r"([SVA])GPR(\d+)", name)
        if not found:
            raise Unknown(f"register {name}")
        number = int(found[2])
        if found[1] == "S":
            return 32 + number if number < 64 else 1088 + number - 64
        return {"V32": 1536, "A32": 2048, "V64": 2560, "A64": 3072}[found[1] + str(self.wave.size)] + number

    def step(self, stack, words):
        name = words[0]
        if "regx" in name and not words[1].startswith("0x"):
            register, sign, offset = re.match(r"(\w+)([+-]?)(\d*)$", words[1]).groups()
            words = [name, str(self.number_of(register))] + ([sign + offset] if offset else [])
        numbers = [int(word, 0) for word in words[1:] if re.match(r"[+-]?(0x[0-9a-f]+|\d+)$", word)]
        if name == "regx" or re.match(r"reg\d+$", name):
            number = numbers[0] if name == "regx" else int(name[3:])
            return stack + [("memory", self.wave.register(number)[0])]
        if name == "bregx" or re.match(r"breg\d+$", name):
            number, offset = numbers if name == "bregx" else (int(name[4:]), numbers[0])
            return stack + [(self.wave.value(number) + offset) & MASK]
        if re.match(r"lit\d+$", name):
            return stack + [int(name[3:])]
        if re.match(r"const\d*[us]$", name):
            return stack + [numbers[0] & MASK]
        if name == "plus_uconst":
            return stack[:-1] + [(stack[-1] + numbers[0]) & MASK]
        if name == "stack_value":
            return stack[:-1] + [("value", stack[-1])]
        if name == "implicit_value":
            return stack + [("bytes", bytes(numbers[1:]))]
        if name == "convert":
            sign, bits = re.search(r"DW_ATE_(un)?signed_(\d+)", " ".join(words)).groups()
            low = stack[-1] & ((1 << int(bits)) - 1)
            return stack[:-1] + [low if sign or not low >> (int(bits) - 1) else (low - (1 << int(bits))) & MASK]
        if name == "fbreg":
            return stack + [(self.frame_base() + numbers[0]) & MASK]
        if name == "deref":
            return stack[:-1] + [int.from_bytes(memory(stack[-1], 8), "little")]
        if name in ("addrx", "addr"):
            return stack + [self.addresses[numbers[0]] if name == "addrx" else numbers[0]]
        if name == "swap":
            return stack[:-2] + [stack[-1], stack[-2]]
        if name == "xderef":
            space, address = {1: "private", 2: "local"}.get(stack[-2]), stack[-1]
            if space is None:
                raise Unknown("an address space")
            return stack[:-2] + [(space, address)]
        return self.arithmetic(stack, name)

    @staticmethod
    def arithmetic(stack, name):
        if name in ("neg", "not"):
            return stack[:-1] + [(-stack[-1] if name == "neg" else ~stack[-1]) & MASK]
        two = {"plus": lambda a, b: a + b, "minus": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b,
               "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b,
               "shra": lambda a, b: signed(a) >> b, "div": lambda a, b: int(signed(a) / signed(b)) if b else 0}
        if name not in two or len(stack) < 2:
            raise Unknown(f"operation {name}")
        return stack[:-2] + [two[name](stack[-2], stack[-1]) & MASK]


# ---- comparing ----------------------------------------------------------------------------------------------------------------------------


def scalars(value, at=0):
    """(offset, size, bytes) of the numbers that a value of gdb's consists of."""
    type_ = value.type.strip_typedefs()
    if type_.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        for field in type_.fields():
            if hasattr(field, "bitpos") and not field.bitsize and field.bitpos % 8 == 0:
                yield from scalars(value[field], at + field.bitpos // 8)
    elif type_.code == gdb.TYPE_CODE_ARRAY:
        size = type_.target().sizeof
        for index in range(*[bound + step for bound, step in zip(type_.range(), (0, 1))]):
            yield from scalars(value[index], at + index * size)
    elif type_.code == gdb.TYPE_CODE_FLT:
        if type_.sizeof in (4, 8):
            yield at, type_.sizeof, struct.pack("<f" if type_.sizeof == 4 else "<d", float(value))
    elif type_.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_PTR):
        yield at, type_.sizeof, (int(value) & ((1 << 8 * type_.sizeof) - 1)).to_bytes(type_.sizeof, "little")


class Check:
    def __init__(self):
        self.stops = self.variables = self.checked = self.unknown = 0
        self.missing, self.wrong, self.reasons = {}, {}, {}
        self.random = random.Random(int(env.get("VARIABLES_SEED", "1")))
        with tempfile.NamedTemporaryFile(suffix=".co") as file:
            file.write(code_object())
            file.flush()
            text = subprocess.run([env["LLVM_DWARFDUMP"], "--debug-info", file.name], capture_output=True, text=True, check=True).stdout
            addresses = subprocess.run([env["LLVM_DWARFDUMP"], "--debug-addr", file.name], capture_output=True, text=True, check=True).stdout
        self.entries = read_entries(text)
        self.addresses = [int(word, 16) for word in re.findall(r"^0x([0-9a-f]+)$", addresses, re.MULTILINE)]
        self.functions = [entry for entry in self.entries.values() if entry.tag == "DW_TAG_subprogram" and entry.ranges()]

    def levels(self, pc):
        """The variables by name, from the innermost inlined function on outwards."""
        function = next((entry for entry in self.functions if entry.covers(pc)), None)
        levels, scope = [], function
        while scope:
            if scope.tag != "DW_TAG_lexical_block":
                levels.append({})
            for child in scope.children:
                if child.tag in ("DW_TAG_variable", "DW_TAG_formal_parameter"):
                    levels[-1][child.name(self.entries)] = child
            scope = next((child for child in scope.children
                          if child.tag in ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine") and child.covers(pc)), None)
        return function, levels[::-1]

    def one(self, frame, name, entry, interpreter, pc):
        text = entry.expression(pc)
        if not text:
            return
        symbol, block = None, frame.block()
        while block and not symbol:
            symbol = next((each for each in block if each.name == name), None)
            block = block.superblock if not block.function else None
        where = f"{name} at {pc:#x}: {text}"
        try:
            value = symbol.value(frame) if symbol.needs_frame else symbol.value()
            value.fetch_lazy()
            if value.is_optimized_out:
                raise gdb.error("optimized out")
            expected = interpreter.bytes_of(text, value.type.sizeof)
            self.variables += 1
            for at, size, got in scalars(value):
                want = expected[at : at + size]
                if len(want) == size and None not in want:
                    self.checked += 1
                    if bytes(want) != got and not (got != got):
                        self.wrong[where] = f"{got.hex()} instead of {bytes(want).hex()}"
        except Unknown as unknown:
            self.unknown += 1
            self.reasons[str(unknown)] = where
        except (gdb.error, AttributeError) as error:
            pieces = "piece" in text and "optimized out" in str(error)  # a part of it is nowhere
            if not pieces:
                self.missing[where] = str(error)

    def stop(self, here):
        pc = here["mark"]
        function, levels = self.levels(pc)
        if not function:
            return
        wave = Wave(here)

        def frame_base():
            word = re.search(r"regx (\w+)", function.attributes["DW_AT_frame_base"])[1]
            value = wave.value(int(word, 16) if word.startswith("0x") else interpreter.number_of(word))
            return value // wave.size if env["WAVELIFT_ARCH"] in ("gfx90a", "gfx1030", "gfx908", "gfx906") else value

        interpreter = Interpreter(wave, self.addresses, frame_base)
        frame = gdb.newest_frame()
        frames = [frame]
        while frames[-1].type() == gdb.INLINE_FRAME:
            frames.append(frames[-1].older())
        self.stops += 1
        for frame, level in zip(frames[::-1], levels[::-1]):
            for name, entry in level.items():
                text = entry.expression(pc)
                if name and text and ("addr" not in text or "xderef" in text):  # static variables elsewhere are in memory as they are
                    self.one(frame, name, entry, interpreter, pc)


def run():
    from __main__ import back, choose_lane, here, symbol  # the extension's
    # Else instructions, by which the stops are named, are counted in replays alone.
    gdb.selected_inferior().write_memory(symbol("wl_debugger"), struct.pack("<I", 3))
    with open(gdb.selected_frame().find_sal().symtab.fullname(), encoding="utf-8") as source:
        for number, text in enumerate(source, 1):
            if "// place: walk" in text:  # where variables have values
                gdb.execute(f"break {number}")
    gdb.execute("delete 1")  # where the kernel begins, they have none
    check, most = Check(), int(env.get("VARIABLES_STOPS", "50"))

    def look():
        wave = here()
        for lane in {wave.lane, check.random.randrange(wave.wave_size)}:
            choose_lane(lane)
            wave = here()
            if wave.active(lane):
                check.stop({"mark": wave.mark, "state": wave.state, "wave_size": wave.wave_size, "lane": lane, "block": wave.block})

    while gdb.selected_inferior().pid and check.stops < most:
        wave = here()
        if wave is None:
            gdb.execute("continue", to_string=True)
            continue
        look()
        back.forward((wave.launch, wave.step + check.random.randint(1, int(env.get("VARIABLES_STRIDE", "40")))))
    for kind, found in (("not printed", check.missing), ("wrong", check.wrong)):
        for where, what in list(found.items())[:20]:
            print(f"{kind}: {where}: {what}")
    for reason, where in check.reasons.items():
        print(f"not known here: {reason}: {where}")
    print(f"{check.stops} stops, {check.variables} variables, {check.checked} values, {check.unknown} not known, "
          f"{len(check.missing)} not printed, {len(check.wrong)} wrong")
    gdb.execute(f"quit {1 if check.missing or check.wrong or check.stops < most / 2 or not check.variables else 0}")


run()
