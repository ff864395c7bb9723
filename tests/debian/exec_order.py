#!/usr/bin/env python3
"""exec_order.py WAVELIFT PROGRAM: mends in PROGRAM what clang 17 does wrong at -O0, and tells how often.

Where lanes come together again, clang 17 reloads vector registers from the stack (or from AGPRs) before it restores EXEC from a lane of a spilled
register. Lanes that are off get nothing, and use what the register had. Clang 15 and 19 restore EXEC first. WAVELIFT is the command, which
disassembles the AMD code in PROGRAM. In each basic block that begins so the restoration is moved to the front; nothing else changes, and no size."""
import os
import re
import subprocess
import sys

RELOAD = re.compile(r'buffer_load_dword|scratch_load_|v_accvgpr_read')
LANE = re.compile(r'v_readlane_b32 s|s_nop ')  # nothing that depends on the reloads
WAIT = re.compile(r's_waitcnt')
RESTORE = re.compile(r's_(or_b(32|64) exec(_lo)?, exec(_lo)?|mov_b(32|64) exec(_lo)?), s')
INSTRUCTION = re.compile(r' +([0-9a-f]+):  ((?:[0-9a-f]{8} ?)+) +(\S.*)')
AROUND = 12  # instructions that tell where in the file a block is


class Instruction:
    def __init__(self, match):
        self.address = int(match[1], 16)
        self.bytes = b''.join(int(word, 16).to_bytes(4, 'little') for word in match[2].split())
        self.text = match[3]


def disassemble(command, program):
    """The instructions of each code object, in order of address."""
    objects = []
    for line in subprocess.run([command, 'disasm', program], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines():
        match = INSTRUCTION.match(line)
        if line.startswith('code object '):
            objects.append([])
        elif match and objects:
            objects[-1].append(Instruction(match))
    return [sorted(code, key=lambda instruction: instruction.address) for code in objects]


def block_starts(code):
    index = {instruction.address: i for i, instruction in enumerate(code)}
    starts = {i + 1 for i, instruction in enumerate(code[:-1]) if instruction.text.startswith('s_cbranch')}
    for instruction in code:
        target = re.search(r'; to ([0-9a-f]+)', instruction.text)
        if target and int(target[1], 16) in index:
            starts.add(index[int(target[1], 16)])
    return sorted(starts)


def misplaced(code, start):
    """The block's first instructions up to EXEC's restoration, and the same with that in front; or None."""
    reloads, restoration = [], []
    for instruction in code[start:]:
        if RESTORE.match(instruction.text):
            restoration.append(instruction)
            if any(RELOAD.match(reload.text) for reload in reloads):
                return reloads + restoration, restoration + reloads
            return None
        if LANE.match(instruction.text):
            restoration.append(instruction)
        elif RELOAD.match(instruction.text) or WAIT.match(instruction.text):
            reloads.append(instruction)
        else:
            return None
    return None


def joined(instructions):
    return b''.join(instruction.bytes for instruction in instructions)


def main():
    command, program = sys.argv[1:]
    with open(program, 'rb') as file:
        before = file.read()
    after, count = bytearray(before), 0
    for code in disassemble(command, program):
        for start in block_starts(code):
            found = misplaced(code, start)
            if not found:
                continue
            old, new = found
            context = joined(code[max(0, start - AROUND):start + len(old) + AROUND])
            ahead = len(joined(code[max(0, start - AROUND):start]))
            at = before.find(context)
            while at >= 0:
                after[at + ahead:at + ahead + len(joined(old))] = joined(new)
                at = before.find(context, at + 1)
            count += 1
    with open(program + '.new', 'wb') as file:
        file.write(after)
    os.chmod(program + '.new', os.stat(program).st_mode)
    os.replace(program + '.new', program)
    print(f'{os.path.basename(program)}: in {count} basic blocks EXEC is restored before registers are reloaded now')


if __name__ == '__main__':
    main()
