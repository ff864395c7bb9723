"""Programs by csmith (Debian's package), one struct each, so that every lane runs it on globals of its own.

Lane 0 runs the program as csmith wrote it. In the other lanes some of the scalar globals start with other values, so that the
lanes' control flow parts; csmith's programs are free of undefined behaviour for any values of them, since its analysis
follows pointers and never integers.
"""

import random
import re
import resource
import subprocess

SAFE_MATH = "/usr/include/csmith/safe_math.h"


def prelude():
    """csmith's safe arithmetic. clang 19 takes the dividend of an unsigned division for narrow when it is a sign-extended number; so
    what it knows about dividends is hidden."""
    with open(SAFE_MATH) as file:
        text = file.read()
    return '#include "csmith_program.h"\n' + re.sub(r"\(ui1 ([/%]) ui2\)", r"(opaque(ui1) \1 ui2)", text)


GLOBAL = re.compile(r"^static (volatile )?(u?int(?:8|16|32|64)_t) (g_\d+) = ", re.M)
FORWARD = re.compile(r"^static [^=;{]*\bfunc_\d+\([^;{]*\);\n", re.M)
MAIN = re.compile(r"^int main \(void\)\n\{(.*?)^\}", re.M | re.S)


# What is asked of csmith, and the longest text that is taken.
SIZES = {
    "tiny": (["--max-funcs", "2", "--max-block-depth", "2", "--max-block-size", "3", "--max-expr-complexity", "5", "--max-array-len-per-dim", "4"], 5000),
    "small": (["--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6", "--max-array-len-per-dim", "6"], 12000),
    "large": ([], 60000),
}
ATTEMPTS = 16


def limit_processor_time():
    """csmith sometimes never ends. Not the clock's time: which program a seed gives must not depend on how busy the machine is."""
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


def generate_text(seed, size):
    """csmith's own text, of the first of ATTEMPTS seeds that gives one of this size; None if none does."""
    options, longest = SIZES[size]
    packed = "--no-packed-struct" if seed % 3 == 0 else "--packed-struct"
    for attempt in range(ATTEMPTS):
        command = ["csmith", "--seed", str(seed * ATTEMPTS + attempt), "--no-argc", "--concise", "--lang-cpp", packed]
        made = subprocess.run(command + options, capture_output=True, text=True, preexec_fn=limit_processor_time)
        if made.returncode == 0 and 1500 < len(made.stdout) < longest:
            return made.stdout
    return None


def generate(seed, size):
    """The C++ text of one program and its row of random_programs, or None."""
    text = generate_text(seed, size)
    if text is None:
        return None
    rng = random.Random(seed)
    text = re.sub(r'^(//.*|#include.*|static long __undefined;)\n', "", text, flags=re.M)
    varied = [(kind, name) for _, kind, name in GLOBAL.findall(text) if rng.random() < 0.5]
    text = FORWARD.sub("", text)
    body = MAIN.search(text)
    if not body:
        return None
    run = re.sub(r"^.*(printf|print_hash_value = 0|platform_main_begin|crc32_gentab|platform_main_end|return 0).*\n", "", body.group(1), flags=re.M)
    text = MAIN.sub("", text)
    text = re.sub(r"^static ", "", text, flags=re.M)
    vary = "\n".join(f"        {name} ^= ({kind})(salt * {rng.getrandbits(32)}u >> {rng.randrange(0, 30)});" for kind, name in varied)
    name = f"csmith_{seed}"
    threads = rng.choice([64, 48, 100])
    blocks = 2
    lanes = threads * blocks
    place = f"    Program_{seed} &program = store[lane];" if seed % 2 else f"    Program_{seed} program;"
    store = f"    static __device__ unsigned char bytes[sizeof(Program_{seed}) * {lanes}] __attribute__((aligned(16)));\n" \
            f"    Program_{seed} *store = (Program_{seed} *)bytes;\n    new (&store[lane]) Program_{seed};\n" if seed % 2 else ""
    source = f"""
struct Program_{seed} {{
    uint32_t checksum_ = 0xffffffffu;
{text}
    uint32_t run_() {{
        {run}
        return ~checksum_;
    }}
    void vary_(uint32_t salt) {{
        if (!salt)
            return;
{vary}
    }}
}};
#ifdef DEVICE
extern "C" __attribute__((global)) __attribute__((launch_bounds({threads}))) void {name}(unsigned *out, const unsigned *in, unsigned *memory) {{
    unsigned lane = __builtin_amdgcn_workgroup_id_x() * {threads} + __builtin_amdgcn_workitem_id_x();
{store}{place}
    program.vary_(lane);
    out[lane] = program.run_();
}}
#else
static void host_{name}(unsigned *out, const unsigned *in, unsigned *memory, unsigned wave) {{
    for (unsigned lane = 0; lane < {lanes}; lane++) {{
        Program_{seed} program;
        program.vary_(lane);
        out[lane] = program.run_();
    }}
}}
#endif
"""
    return source, name, f'{{"{name}", {blocks}, {threads}, 1, 0, 0, RANDOM_BITS, {seed}u, host_{name}}}'
