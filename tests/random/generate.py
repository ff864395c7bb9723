"""Random kernels of six kinds, each printed twice: as a kernel, which a lane runs by itself, and as plain C that keeps every
variable as an array over the workgroup and every `if` as a set of lanes, statement by statement.

    float, double   expressions; results bit for bit, except that all NaNs are one
    packed          halves of registers, 64-bit integers, bit fields and byte permutations
    control         nested conditions, loops with break and continue, switches, early returns, calls, also through pointers
    lds             exchange through LDS with barriers, LDS and global atomics, private arrays
    wave            ballots, permutes, swizzles, DPP, readlane under divergent control flow

An expression's text is the same on both sides: `@x` is the variable x of the lane at hand.
"""

import random
import re


TRACE = False # store what the variables hold behind each statement of the kernel: says where a program first differs
KINDS = ("float", "double", "packed", "control", "lds", "wave")

TYPES = {"u": "unsigned", "s": "unsigned", "q": "unsigned long long", "f": "float", "d": "double", "h": "_Float16", "p": "ushort2", "g": "short2"}
# Variables of each kind: letter -> number. `s` starts uniform.
VARIABLES = {
    "float": {"f": 5, "u": 2, "h": 2},
    "double": {"d": 4, "f": 2, "u": 2, "q": 1},
    "packed": {"q": 4, "u": 3, "p": 2, "g": 2, "s": 2},
    "control": {"u": 5, "s": 3, "q": 1},
    "lds": {"u": 4, "s": 1, "q": 1, "f": 1},
    "wave": {"u": 5, "s": 2},
}
OUTPUTS = {"u": "{}", "s": "{}", "q": "(unsigned)({0} ^ {0} >> 32)", "f": "bits_f({})", "d": "bits_d({})", "h": "bits_h({})", "p": "bits_p({})", "g": "bits_g({})"}

# Expressions by the letter of their result; a letter in braces is a subexpression of that type, {c} a small constant, {C} any.
# Fractions beside conversions of signed numbers: clang 19 makes a product of two converted integers a converted product, which loses -0.
EXPRESSIONS = {
    "u": ["({u} + {u})", "({u} - {u})", "({u} * {u})", "({u} & {u})", "({u} | {u})", "({u} ^ {u})", "(~{u})", "({u} << ({u} & 31))", "({u} >> ({u} & 31))",
          "(unsigned)((int){u} >> ({u} & 31))", "({u} < {u} ? {u} : {u})", "((int){u} < (int){u} ? {u} : {u})", "(opaque({u}) / ({u} | 1))", "(opaque({u}) % ({u} | 1))",
          "(unsigned)((int){u} / ((int)({u} & 0xffff) + 1))", "rotate({u}, {c})", "(unsigned)__builtin_popcount({u})", "(unsigned)__builtin_clz({u} | 1)",
          "(unsigned)__builtin_ctz({u} | 0x80000000)", "min_u({u}, {u})", "max_i({u}, {u})", "({u} * {c} + {u})", "mul_hi({u}, {u})", "({u} == {u})", "({u} + {C})",
          "({u} ^ {C})", "(unsigned)(unsigned char){u}", "(unsigned)(int)(short){u}", "__builtin_bitreverse32({u})"],
    "packed:u": ["bfe_u({u}, {u}, {u})", "bfe_i({u}, {u}, {u})", "permute_bytes({u}, {u}, {u})", "align_bit({u}, {u}, {u})", "align_byte({u}, {u}, {u})", "sad_u8({u}, {u}, {u})",
                 "lerp({u}, {u}, {u})", "(unsigned){q}", "(unsigned)({q} >> 32)", "bits_p({p})", "bits_g({g})", "({q} < {q} ? {u} : {u})", "(unsigned)__builtin_popcountll({q})",
                 "(unsigned)__builtin_clzll({q} | 1)", "__builtin_elementwise_add_sat({u}, {u})", "__builtin_elementwise_sub_sat({u}, {u})",
                 "(unsigned)__builtin_elementwise_add_sat((int){u}, (int){u})", "bits_p(to_p({u}) + to_p({u}))"],
    "q": ["({q} + {q})", "({q} - {q})", "({q} * {q})", "({q} & {q})", "({q} | {q})", "({q} ^ {q})", "({q} << ({u} & 63))", "({q} >> ({u} & 63))",
          "(unsigned long long)((long long){q} >> ({u} & 63))", "({q} < {q} ? {q} : {q})", "((long long){q} < (long long){q} ? {q} : {q})", "(unsigned long long){u} * {u}",
          "(unsigned long long)((long long)(int){u} * (int){u})", "(opaque({q}) / ({q} | 1))", "(opaque({q}) % (({q} >> 17) | 1))", "({q} + {u})", "((unsigned long long){u} << 32 | {u})",
          "(~{q})", "({q} == {q} ? {q} : (unsigned long long){u})", "(unsigned long long)(long long)(int){u}"],
    "p": ["({p} + {p})", "({p} - {p})", "({p} * {p})", "({p} & {p})", "({p} ^ {p})", "({p} << ({p} & (ushort2)15))", "({p} >> ({p} & (ushort2)15))", "__builtin_elementwise_min({p}, {p})",
          "__builtin_elementwise_max({p}, {p})", "__builtin_elementwise_add_sat({p}, {p})", "__builtin_elementwise_sub_sat({p}, {p})", "to_p({u})", "{p}.yx", "({p} * {p} + {p})"],
    "g": ["({g} + {g})", "({g} - {g})", "({g} * {g})", "__builtin_elementwise_min({g}, {g})", "__builtin_elementwise_max({g}, {g})", "({g} >> ({g} & (short2)15))",
          "__builtin_elementwise_add_sat({g}, {g})", "__builtin_elementwise_sub_sat({g}, {g})", "to_g({u})", "{g}.yx", "__builtin_elementwise_abs({g})"],
    "f": ["({f} + {f})", "({f} - {f})", "({f} * {f})", "({f} / {f})", "__builtin_fmaf({f}, {f}, {f})", "__builtin_sqrtf(__builtin_fabsf({f}))", "min_f({f}, {f})", "max_f({f}, {f})",
          "({f} < {f} ? {f} : {f})", "({f} == {f} ? {f} : {f})", "(-{f})", "__builtin_fabsf({f})", "__builtin_floorf({f})", "__builtin_ceilf({f})", "__builtin_truncf({f})",
          "__builtin_rintf({f})", "(float){u}", "((float)(int){u} + 0.25f)", "({f} * {F})", "({f} + {F})", "({f} >= {f} ? {F} : {f})", "fract_f({f})", "__builtin_ldexpf({f}, (int)({u} & 63) - 32)",
          "frexp_f({f})", "__builtin_copysignf({f}, some({f}))"],
    "float:f": ["(float){h}", "(float)(unsigned char){u}", "(float)(unsigned char)({u} >> 8)", "(!({f} < {f}) ? {f} : {f})"],
    "double:f": ["(float){d}"],
    "h": ["half_add({h}, {h})", "half_mul({h}, {h})", "half_sub({h}, {h})", "(_Float16){f}", "({f} < {f} ? {h} : {h})", "(-{h})", "({h} < {h} ? {h} : {h})", "(_Float16)(short){u}"],
    "float:u": ["to_int({f})", "to_unsigned({f})", "({f} < {f} ? {u} : {u})", "bits_f({f})", "bits_h({h})", "({f} != {f})"],
    "d": ["({d} + {d})", "({d} - {d})", "({d} * {d})", "({d} / {d})", "__builtin_fma({d}, {d}, {d})", "__builtin_sqrt(__builtin_fabs({d}))", "min_d({d}, {d})", "max_d({d}, {d})",
          "({d} < {d} ? {d} : {d})", "(-{d})", "__builtin_fabs({d})", "__builtin_floor({d})", "__builtin_ceil({d})", "__builtin_trunc({d})", "__builtin_rint({d})", "(double){u}",
          "((double)(int){u} + 0.25)", "(double){f}", "({d} * {F})", "({d} + {F})", "__builtin_ldexp({d}, (int)({u} & 255) - 128)", "(double){q}", "((double)(long long){q} + 0.25)", "frexp_d({d})",
          "fract_d({d})"],
    "double:u": ["to_int_d({d})", "({d} < {d} ? {u} : {u})", "bits_d({d})", "({d} == {d} ? {u} : {u})"],
    "double:q": ["to_long_d({d})"],
    "lds:f": ["({f} + {f})"],
}
CONDITIONS = ["{u} < {u}", "({u} & {c}) == 0", "(int){u} < (int){u}", "{u} & 1", "({u} >> {c}) & 1", "{u} == {u}", "T_ < {c}", "({u} & 3) != 3"]
MORE_CONDITIONS = {"float": ["{f} < {f}", "!({f} >= {f})", "{f} != {f}"], "double": ["{d} < {d}", "{d} != {d}"], "packed": ["{q} < {q}", "(long long){q} < (long long){q}"],
                   "control": ["{s} & 1", "{s} < {s}", "BLOCK_ & 1", "{q} < {q}"], "wave": ["{s} & 1", "LANE_ & {c}", "LANE_ < {c}"], "lds": ["{s} & 1"]}


class Program:
    def __init__(self, seed, size, kind):
        self.rng = random.Random(f"{kind} {seed}")
        self.kind = kind
        self.seed = seed
        self.name = f"{kind}_{seed}"
        self.threads = self.rng.choice([48, 64, 112, 128])
        self.blocks = self.rng.choice([1, 2, 3])
        self.device, self.host = [], []
        self.scale = {"tiny": 0.3, "small": 0.6 if kind in ("control", "wave") else 1, "large": 2.5}[size]
        self.count = 0
        self.functions = []  # names of device functions
        self.points = 0 # of the trace

    # ---- expressions

    def leaf(self, letter):
        if letter == "F":
            return self.rng.choice(["0.5f", "3.0f", "-1.25f", "0x1p-24f", "1e10f", "0.1f", "-7.0f"])
        names = [name for name in self.names if name[0] == letter]
        if letter == "u":
            names += [name for name in self.names if name[0] == "s"]
            if self.rng.random() < 0.2:
                return self.rng.choice(["T_", "LANE_", "BLOCK_", f"{self.rng.randrange(256)}u", f"0x{self.rng.getrandbits(32):x}u"])
        if letter == "s" and not names:
            names = [name for name in self.names if name[0] == "u"]
        return "@" + self.rng.choice(names) if names else {"f": "1.5f", "d": "2.5", "q": "12345678901ull"}.get(letter, "17u")

    def expression(self, letter, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15 or letter == "F":
            return self.leaf(letter)
        if letter == "s":
            letter = "u"
        choices = EXPRESSIONS.get(letter, []) + 2 * EXPRESSIONS.get(f"{self.kind}:{letter}", [])
        usable = [c for c in choices if all(any(n[0] == x for n in self.names) or x in "ucCF" for x in re.findall(r"\{(\w)\}", c))]
        return self.fill(rng.choice(usable), depth - 1)

    def fill(self, template, depth):
        constants = {"c": lambda: str(self.rng.randrange(1, 31)), "C": lambda: f"0x{self.rng.getrandbits(32):x}u"}
        return re.sub(r"\{(\w)\}", lambda m: constants[m[1]]() if m[1] in constants else self.expression(m[1], depth), template)

    def condition(self):
        return self.fill(self.rng.choice(CONDITIONS + MORE_CONDITIONS.get(self.kind, [])), 1)

    # ---- printing

    def both(self, text):
        self.device.append(text)
        self.host.append(text)

    def on_host(self, text):
        return re.sub(r"@(\w+)", r"\1[t]", text)

    def on_device(self, text):
        return text.replace("@", "")

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def assign(self, target, text):
        """`target` and `text` with @: one statement of a lane."""
        self.device.append(f"{self.on_device(target)} = {self.on_device(text)};")
        self.host.append(f"LANES({self.masks[-1]}) {self.on_host(target)} = {self.on_host(text)};")

    def push(self, condition, of=None):
        """Host: a set of lanes where `condition` holds, among those of the set at hand."""
        mask = self.fresh("m")
        self.host.append(f"{{ bool {mask}[THREADS]; ALL {mask}[t] = {of or self.masks[-1]}[t] && ({self.on_host(condition)});")
        self.masks.append(mask)

    def pop(self):
        self.host.append("}")
        self.masks.pop()

    def drop(self, masks):
        """Host: the lanes of the set at hand leave the sets `masks`."""
        here = self.masks[-1]
        self.host.append(f"ALL if ({here}[t]) {{ {' '.join(f'{m}[t] = false;' for m in masks if m != here)} {here}[t] = false; }}")

    # ---- statements

    def statement(self, depth):
        menu = [("assignment", 6), ("branch", 2 if depth > 0 else 0)]
        if self.kind in ("control", "wave"):
            menu += [("loop", 2 if depth > 0 and len(self.loops) < 2 else 0), ("switch", 1.5 if depth > 0 else 0), ("leave", 1.5 if self.loops else 0)]
        elif self.kind in ("float", "double", "packed"):
            menu += [("loop", 0.7 if depth > 0 and not self.loops else 0)]
        if self.kind == "control":
            menu += [("returns", 0.7 if len(self.masks) > 1 else 0), ("call", 2.5 if self.functions else 0), ("private", 1.5)]
        if self.kind == "wave":
            menu += [("wave_operation", 9), ("call", 1 if self.functions else 0)]
        if self.kind == "lds":
            uniform = len(self.masks) == 1
            menu += [("exchange", 4 if uniform else 0), ("atomic", 4), ("private", 1.5), ("own", 2), ("rounds", 1 if uniform and depth > 0 else 0), ("unique", 1.5)]
        names, weights = zip(*menu)
        getattr(self, self.rng.choices(names, weights)[0])(depth)

    def statements(self, count, depth):
        for _ in range(max(1, int(count))):
            self.statement(depth)
            if TRACE and len(self.masks) == 1 and self.result == "early" and self.kind != "lds":
                self.trace()

    def trace(self):
        """A word of memory for each lane that says what the variables hold now."""
        lanes = self.blocks * self.threads
        place = f"memory[{self.points * lanes} + BLOCK_ * {self.threads} + T_]"
        self.assign(place, " ^ ".join(f"({OUTPUTS[n[0]].format('@' + n)}) * {2 * i + 1}" for i, n in enumerate(self.names)))
        self.device[-1] += f" // point {self.points}"
        self.points += 1

    def assignment(self, depth):
        name = self.rng.choice(self.names)
        self.assign("@" + name, self.expression(name[0], self.rng.choice([1, 2, 3])))

    def block(self, count, depth):
        self.statements(self.rng.randint(1, count), depth - 1)

    def branch(self, depth):
        text = self.condition()
        chosen = self.fresh("c")
        self.host.append(f"bool {chosen}[THREADS]; LANES({self.masks[-1]}) {chosen}[t] = {self.on_host(text)};")
        self.device.append(f"if ({self.on_device(text)}) {{")
        self.push(f"{chosen}[t]")
        self.block(3, depth)
        self.pop()
        if self.rng.random() < 0.5: # lanes that left the outer set in the first block had the condition, so that set still serves
            self.device.append("} else {")
            self.push(f"!{chosen}[t]")
            self.block(3, depth)
            self.pop()
        self.device.append("}")

    def loop(self, depth):
        i, live = self.fresh("i"), self.fresh("live")
        bound = self.rng.choice([f"({self.leaf('u')} & 7)", f"({self.leaf('s')} & 3) + 2", str(self.rng.randint(2, 5))])
        limit = self.fresh("n")
        self.device.append(f"{{ const unsigned {limit} = {self.on_device(bound)}; for (unsigned {i} = 0; {i} < {limit}; {i}++) {{")
        self.host.append(f"{{ unsigned {limit}[THREADS]; unsigned {i} = 0; bool {live}[THREADS]; LANES({self.masks[-1]}) {limit}[t] = {self.on_host(bound)};")
        self.host.append(f"ALL {live}[t] = {self.masks[-1]}[t] && {i} < {limit}[t]; while (any({live}, THREADS)) {{")
        self.masks.append(live)
        self.push("true")
        self.loops.append(len(self.masks) - 1)
        name = self.rng.choice([n for n in self.names if n[0] == "u"])
        self.assign("@" + name, f"@{name} * 5 + {i}")
        self.block(4, depth)
        self.loops.pop()
        self.pop()
        self.device.append("} }")
        self.host.append(f"{i}++; ALL {live}[t] = {live}[t] && {i} < {limit}[t]; }} }}")
        self.masks.pop()

    def leave(self, depth):
        body = self.loops[-1]
        stop = self.rng.random() < 0.5
        text = self.condition()
        self.device.append(f"if ({self.on_device(text)}) {{")
        self.push(text)
        if self.rng.random() < 0.5:
            self.assignment(depth)
        self.device.append("break; }" if stop else "continue; }")
        self.drop(self.masks[body - 1 if stop else body:])
        self.pop()

    def switch(self, depth):
        value, chosen = self.fresh("w"), self.expression("u", 1)
        cases = self.rng.randint(2, 5)
        self.host.append(f"{{ unsigned {value}[THREADS]; LANES({self.masks[-1]}) {value}[t] = ({self.on_host(chosen)}) % {cases + 1};")
        self.device.append(f"{{ const unsigned {value} = ({self.on_device(chosen)}) % {cases + 1};")
        # if-chains over a value, as compilers print switches, would be the same to us: print a real one. `break` inside leaves the
        # switch, so loops' break and continue stay out of it.
        self.device.append(f"switch ({value}) {{")
        loops, self.loops = self.loops, []
        falls = None
        for case in range(cases):
            self.device.append(f"case {case}:")
            through = falls
            condition = f"{value}[t] == {case}" if through is None else f"{value}[t] >= {through} && {value}[t] <= {case}"
            self.push(condition)
            self.block(2, depth)
            self.pop()
            if case + 1 < cases and self.kind != "wave" and self.rng.random() < 0.25: # which lanes meet in such a case is open
                falls = case if falls is None else falls
            else:
                falls = None
                self.device.append("break;")
        if self.rng.random() < 0.5:
            self.device.append("default:")
            self.push(f"{value}[t] == {cases}")
            self.block(2, depth)
            self.pop()
        self.device.append("} }")
        self.host.append("}")
        self.loops = loops

    def returns(self, depth):
        if self.no_return:
            return self.assignment(depth)
        text = self.condition()
        result = self.expression("u", 2)
        self.device.append(f"if ({self.on_device(text)}) {{ {self.leaving(result)} }}")
        self.push(text)
        self.host.append(f"LANES({self.masks[-1]}) {self.result}[t] = {self.on_host(result)};")
        self.drop(self.masks[:-1])
        self.pop()

    def leaving(self, result):
        return f"return {self.on_device(result)};" if self.in_function else f"early = {self.on_device(result)}; goto end;"

    def call(self, depth):
        target = "@" + self.rng.choice([n for n in self.names if n[0] == "u"])
        a, b = self.expression("u", 1), self.expression("u", 1)
        ta, tb, tr = self.fresh("a"), self.fresh("a"), self.fresh("r")
        mask = self.masks[-1]
        self.host.append(f"{{ unsigned {ta}[THREADS], {tb}[THREADS], {tr}[THREADS]; LANES({mask}) {{ {ta}[t] = {self.on_host(a)}; {tb}[t] = {self.on_host(b)}; }}")
        if len(self.functions) > 1 and self.rng.random() < 0.4:
            selector = self.leaf(self.rng.choice("us"))
            first, second = self.rng.sample(self.functions, 2)
            pointer = self.fresh("pointer")
            self.device.append(f"{{ unsigned (*{pointer})(unsigned, unsigned) = ({self.on_device(selector)}) & 1 ? {first} : {second}; "
                               f"{self.on_device(target)} = {pointer}({self.on_device(a)}, {self.on_device(b)}); }}")
            self.push(f"({selector}) & 1")
            self.host.append(f"host_{first}({self.masks[-1]}, {tr}, {ta}, {tb}, block, wave);")
            self.pop()
            self.push(f"!(({selector}) & 1)")
            self.host.append(f"host_{second}({self.masks[-1]}, {tr}, {ta}, {tb}, block, wave);")
            self.pop()
        else:
            function = self.rng.choice(self.functions)
            self.device.append(f"{self.on_device(target)} = {function}({self.on_device(a)}, {self.on_device(b)});")
            self.host.append(f"host_{function}({mask}, {tr}, {ta}, {tb}, block, wave);")
        self.host.append(f"LANES({mask}) {self.on_host(target)} = {tr}[t]; }}")

    def private(self, depth):
        """An array indexed at run time."""
        index, value = self.leaf("u"), self.expression("u", 1)
        target = "@" + self.rng.choice([n for n in self.names if n[0] == "u"])
        self.device.append(f"private_[({self.on_device(index)}) & 7] ^= {self.on_device(value)};")
        self.host.append(f"LANES({self.masks[-1]}) private_[t][({self.on_host(index)}) & 7] ^= {self.on_host(value)};")
        other = self.leaf("u")
        self.device.append(f"{self.on_device(target)} += private_[({self.on_device(other)}) & 7];")
        self.host.append(f"LANES({self.masks[-1]}) {self.on_host(target)} += private_[t][({self.on_host(other)}) & 7];")

    # ---- LDS and memory

    def exchange(self, depth):
        """Every lane stores, all wait, every lane loads what others stored."""
        kind = self.rng.choice(["unsigned", "unsigned", "unsigned short", "unsigned char", "unsigned long long"])
        area = {"unsigned": "lds", "unsigned short": "((unsigned short *)lds)", "unsigned char": "((unsigned char *)lds)", "unsigned long long": "((unsigned long long *)lds)"}[kind]
        stride = self.rng.choice([1, 1, 3, 5, 11])  # odd, and no divisor of the workgroup's size
        if self.threads % stride == 0:
            stride = 1
        add, read = self.rng.randrange(self.threads), self.rng.randrange(1 << 16)
        name = self.rng.choice([n for n in self.names if n[0] in ("u", "q")])
        value = self.expression("q" if kind.endswith("long long") else "u", 2)
        where = f"(T_ * {stride} + {add}) % {self.threads}"
        index = self.rng.choice([f"(T_ + {read}) % {self.threads}", f"({self.leaf('u')}) % {self.threads}", str(read % self.threads)])
        self.assign(f"{area}[{where}]", value)
        self.device.append("barrier();")
        self.assign("@" + name, f"@{name} ^ {area}[{index}]")
        self.device.append("barrier();")

    def rounds(self, depth):
        i = self.fresh("i")
        self.both(f"for (unsigned {i} = 0; {i} < {self.rng.randint(2, 4)}; {i}++) {{")
        self.exchange(depth - 1)
        self.statements(2, 0)
        self.both("}")

    def own(self, depth):
        """Words of global memory that belong to the lane: stores and loads in order."""
        name = self.rng.choice([n for n in self.names if n[0] == "u"])
        index, other = self.leaf("u"), self.leaf("u")
        base = f"memory[64 + (BLOCK_ * {self.threads} + T_) * 8 + "
        self.assign(f"{base}(({index}) & 7)]", self.expression("u", 1))
        self.assign("@" + name, f"@{name} + {base}(({other}) & 7)]")

    def atomic(self, depth):
        """Operations whose order does not matter, their old values unused; on words that nothing else touches."""
        operation, slot, kind, value = self.rng.choice([
            ("add", 0, "unsigned", self.leaf("u")), ("xor", 8, "unsigned", self.leaf("u")), ("or", 16, "unsigned", self.leaf("u")), ("max", 24, "unsigned", self.leaf("u")),
            ("add", 32, "float", f"(float)(({self.leaf('u')}) & 15)"), ("max", 40, "int", f"(int)({self.leaf('u')})"),
            ("add", 48, "unsigned long long", f"(unsigned long long)({self.leaf('u')}) << 20")])
        wide = kind == "unsigned long long"
        index = f"({self.leaf('u')}) & {3 if wide else 7}"
        if self.rng.random() < 0.5:
            place = f"(({kind} *)memory)[{slot // (2 if wide else 1)} + ({index})]"
        else:
            place = f"(({kind} *)counters)[{slot // (2 if wide else 1)} + ({index})]"
        self.device.append(f"atomic_{operation}(&{self.on_device(place)}, {self.on_device(value)});")
        self.host.append(f"LANES({self.masks[-1]}) host_{operation}(&{self.on_host(place)}, {self.on_host(value)});")

    def unique(self, depth):
        """Atomics with their old values, on a word of the lane's own."""
        name = self.rng.choice([n for n in self.names if n[0] == "u"])
        operation = self.rng.choice(["add", "xor", "or", "max", "swap"])
        place = self.rng.choice([f"own[T_]", f"memory[64 + (BLOCK_ * {self.threads} + T_) * 8 + (({self.leaf('u')}) & 7)]"])
        value = self.leaf("u")
        self.device.append(f"{name} = atomic_{operation}(&{self.on_device(place)}, {self.on_device(value)});")
        self.host.append(f"LANES({self.masks[-1]}) {name}[t] = host_{operation}(&{self.on_host(place)}, {self.on_host(value)});")

    # ---- waves

    def wave_operation(self, depth):
        rng = self.rng
        name = rng.choice([n for n in self.names if n[0] == "u"])
        source, index = self.expression("u", 1), self.leaf("u")
        whole = len(self.masks) == 1 and not self.in_function # functions are called from branches, too
        constant = rng.randrange(16)
        control = rng.choice([rng.randrange(256), 0x100 + rng.randint(1, 15), 0x110 + rng.randint(1, 15), 0x120 + rng.randint(1, 15), 0x140, 0x141])
        bound, rows, banks = rng.randrange(2), rng.choice([15, 15, 15, 5, 12]), rng.choice([15, 15, 15, 3, 9])
        pattern = rng.choice([rng.randrange(1 << 15), 0x8000 | rng.randrange(256)])
        condition = self.condition()
        menu = [
            (f"ballot({condition})", f"ballot(v, {{m}}, t, wave, THREADS)", condition),
            (f"rank({condition})", f"rank(v, {{m}}, t, wave, THREADS)", condition),
            (f"any_lane({condition})", f"(lanes_of(v, {{m}}, t, wave, THREADS) != 0)", condition),
            (f"all_lanes({condition})", f"all_lanes(v, {{m}}, t, wave, THREADS)", condition),
            (f"bpermute({index}, {source})", f"bpermute({self.on_host(index)}, v, {{m}}, t, wave, THREADS)", source),
            (f"bpermute({index}, {source})", f"bpermute({self.on_host(index)}, v, {{m}}, t, wave, THREADS)", source),
            (f"permute_xor({constant}, {source})", f"bpermute((t % wave) ^ {constant}, v, {{m}}, t, wave, THREADS)", source),
            (f"first_lane({source})", f"v[first_of({{m}}, t, wave, THREADS)]", source),
            (f"first_lane({source})", f"v[first_of({{m}}, t, wave, THREADS)]", source),
            (f"swizzle({source}, {pattern})", f"swizzle(v, {pattern}, {{m}}, t, wave, THREADS)", source),
            (f"dpp(@{name}, {source}, {control}, {rows}, {banks}, {bound})", f"dpp({name}[t], v, {control}, {rows}, {banks}, {bound}, {{m}}, t, wave, THREADS)", source),
            (f"dpp(@{name}, {source}, {control}, {rows}, {banks}, {bound})", f"dpp({name}[t], v, {control}, {rows}, {banks}, {bound}, {{m}}, t, wave, THREADS)", source),
        ]
        if whole:
            menu.append((f"read_lane({source}, {constant})", f"v[t / wave * wave + {constant}]", source))
        device, host, source = rng.choice(menu)
        mask, result = self.masks[-1], self.fresh("r")
        self.device.append(f"{name} = {self.on_device(device)};")
        self.host.append(f"{{ unsigned v[THREADS], {result}[THREADS]; LANES({mask}) v[t] = {self.on_host(source)};")
        self.host.append(f"LANES({mask}) {result}[t] = {host.replace('{m}', mask)}; LANES({mask}) {name}[t] = {result}[t]; }}")

    # ---- programs

    def body(self, count, depth):
        self.masks, self.loops = ["m0"], []
        self.statements(count * self.scale, depth)

    def function(self, number):
        name = f"{self.name}_f{number}"
        self.names = ["u0", "u1", "u2"]
        self.in_function, self.no_return, self.result = True, False, "result"
        attribute = self.rng.choice(["noinline", "noinline", "always_inline"])
        self.device += [f"__attribute__(({attribute})) static unsigned {name}(unsigned a_, unsigned b_) {{", "unsigned u0 = a_, u1 = b_, u2 = a_ ^ b_ * 9, private_[8] = {a_, b_};"]
        self.host += [f"static void host_{name}(const bool *mask, unsigned *result, const unsigned *a_, const unsigned *b_, unsigned block, unsigned wave) {{",
                      "bool m0[THREADS]; unsigned u0[THREADS], u1[THREADS], u2[THREADS], private_[THREADS][8]; ALL m0[t] = mask[t];",
                      "LANES(m0) { u0[t] = a_[t]; u1[t] = b_[t]; u2[t] = a_[t] ^ b_[t] * 9; for (unsigned k = 0; k < 8; k++) private_[t][k] = k == 0 ? a_[t] : k == 1 ? b_[t] : 0; }"]
        self.body(6, 2)
        self.device.append("return u0 ^ u1 + u2; }")
        self.host.append("LANES(m0) result[t] = u0[t] ^ u1[t] + u2[t]; }")
        self.functions.append(name)

    def declare(self):
        lanes = self.blocks * self.threads
        word = 0
        for name in self.names:
            letter = name[0]
            at = "({0} * %d + {1})" % lanes
            one = lambda w: at.format(w, f"BLOCK_ * {self.threads} + T_")
            first = f"in[{one(word)}]"
            if letter == "s":
                first = f"in[{word * lanes}]"
            elif letter in ("q", "d"):
                first = f"{'to_d' if letter == 'd' else 'to_q'}({first}, in[{one(word + 1)}])"
                word += 1
            elif letter in "fhpg":
                first = f"to_{letter}({first})"
            word += 1
            self.device.append(f"{TYPES[letter]} {name} = {first};")
            self.host.append(f"{TYPES[letter]} {name}[THREADS]; LANES(m0) {name}[t] = {first};")
        return word

    def make(self):
        if self.kind in ("control", "wave"):
            for number in range(self.rng.randint(0, 3 if self.kind == "control" else 1)):
                self.function(number)
        # The floats come first, so that the inputs' kind fits the words.
        order = "dqfhpgus" if self.kind == "double" else "fhdqpgus"
        self.names = [f"{letter}{i}" for letter in order for i in range(VARIABLES[self.kind].get(letter, 0))]
        self.in_function, self.no_return, self.result = False, False, "early"
        lanes = self.blocks * self.threads
        shared = self.kind == "lds"
        self.device += [f'extern "C" __attribute__((global)) __attribute__((launch_bounds({self.threads}))) void {self.name}(unsigned *out, const unsigned *in, unsigned *memory) {{',
                        "unsigned private_[8] = {}; unsigned early = 0; (void)private_;"]
        self.host += [f"static void host_{self.name}(unsigned *out, const unsigned *in, unsigned *memory, unsigned wave) {{",
                      f"for (unsigned block = 0; block < {self.blocks}; block++) {{",
                      "unsigned private_[THREADS][8] = {}; unsigned early[THREADS] = {}; bool m0[THREADS]; ALL m0[t] = true;"]
        if shared:
            self.device.append(f"__shared__ unsigned lds[{2 * self.threads}] __attribute__((aligned(8))); __shared__ unsigned counters[64] __attribute__((aligned(8))), own[{self.threads}];")
            self.device.append("own[T_] = 0; for (unsigned k = T_; k < 64; k += THREADS) counters[k] = 0; barrier();")
            self.host.append(f"unsigned lds[{2 * self.threads}] __attribute__((aligned(8))) = {{}}, counters[64] __attribute__((aligned(8))) = {{}}, own[{self.threads}] = {{}}; (void)own;")
        words = self.declare()
        self.body(16, 3)
        if shared: # what the counters hold in the end
            self.device.append("barrier(); early ^= counters[T_ % 64] + own[T_];")
            self.host.append("ALL early[t] ^= counters[t % 64] + own[t];")
        if any("goto end" in line for line in self.device):
            # jumps may not pass initializers: everything up to the label is one block
            start = next(i for i, line in enumerate(self.device) if line.startswith("unsigned private_[8] = {}; unsigned early"))
            declared = self.device[start + 1:]
            self.device[start + 1:] = ["[&]() __attribute__((always_inline)) {"] + [line.replace("goto end;", "return;") for line in declared]
            self.outputs(lanes)
            self.device.append("}();")
        else:
            self.outputs(lanes)
        self.device.append(f"out[{len(self.names) * lanes} + BLOCK_ * {self.threads} + T_] = early; }}")
        self.host.append(f"ALL out[{len(self.names) * lanes} + BLOCK_ * {self.threads} + T_] = early[t]; }} }}")
        memory = 64 + lanes * 8 if shared else self.points * lanes
        kind = {"float": "RANDOM_FLOATS", "double": "RANDOM_DOUBLES"}.get(self.kind, "RANDOM_BITS")
        source = "\n".join(["", f"#define THREADS {self.threads}", "#ifdef DEVICE"] + self.device + ["#else"] + self.host + ["#endif", "#undef THREADS", ""])
        row = f'{{"{self.name}", {self.blocks}, {self.threads}, {len(self.names) + 1}, {words}, {memory}, {kind}, {self.seed}u, host_{self.name}}}'
        return source, self.name, row

    def outputs(self, lanes):
        for word, name in enumerate(self.names):
            place = f"out[{word * lanes} + BLOCK_ * {self.threads} + T_]"
            self.device.append(f"{place} = {OUTPUTS[name[0]].format(name)};")
            self.host.append(f"LANES(m0) {place} = {OUTPUTS[name[0]].format(name + '[t]')};")


def generate(seed, size, kind):
    """The C++ text of one program, its name, and its row of random_programs."""
    return Program(seed, size, kind).make()


def prelude():
    return '#include "generate_program.h"\n'
