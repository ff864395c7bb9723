"""Conditions of breakpoints that gdb has no bytecode for, because there are floating-point numbers in them (tools/wavelift-gdb.py).

A condition is read as gdb reads expressions of C. What has no such numbers, and each of them that is in memory, is left to gdb's compiler; what is done with
them becomes operations of the library (src/device/cpu/debug/condition.h)."""

import re
import struct

# Operations of gdb's bytecode, and, from 128 on, the library's own.
IF_GOTO, GOTO, CONST64, LOG_NOT, BIT_XOR, EQUAL, LESS_SIGNED, LESS_UNSIGNED, EXT, ZERO_EXT = 32, 33, 37, 14, 17, 19, 20, 21, 22, 42
WIDEN, FROM_SIGNED, FROM_UNSIGNED, ROUND, ADD, SUB, MUL, DIV, FLOAT_EQUAL, FLOAT_LESS, FLOAT_LESS_EQUAL, TO_INTEGER = range(128, 140)

TOKEN = re.compile(r"\s*(?:(?P<float>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?[fFlL]?|\d+[eE][+-]?\d+[fFlL]?)|(?P<int>0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*)"
                   r"|(?P<name>\$?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)|(?P<sign><<|>>|<=|>=|==|!=|&&|\|\||->|[-+*/%&|^~!<>?:.()\[\],]))")
BINARY = [("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%")]
KEYWORDS = {"unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool", "const"}


class Unknown(Exception):
    """The condition cannot be read here."""


class Node:
    """An expression: its text, its type, and the items that become operations: (operation, operand), ("gdb", text), ("label", label) and
    ("jump", operation, label)."""

    def __init__(self, text, of, items=None, place=False):
        self.text, self.of, self.items, self.is_place = text, of, items, place
        self.is_float, self.is_pure = of.kind == "float", items is None

    def emit(self):
        if not self.is_pure:
            return self.items
        if not self.is_float:
            return [("gdb", self.text)]
        if not self.is_place:
            raise Unknown
        word = "unsigned int" if self.of.size == 4 else "unsigned long"
        return [("gdb", f"*({word} *)&({self.text})")] + ([(WIDEN, 0)] if self.of.size == 4 else [])


class Kind:
    """A type: kind is "int", "float" or "other"."""

    def __init__(self, kind, size=4, signed=True, full=None):
        self.kind, self.size, self.signed, self.full = kind, size, signed, full


INT = Kind("int")


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def common(a, b):
    """The type of arithmetic with two types."""
    if "other" in (a.kind, b.kind):
        return Kind("other", 8, False)
    if "float" in (a.kind, b.kind):
        return Kind("float", max(t.size for t in (a, b) if t.kind == "float"))
    size = max(a.size, b.size, 4)
    return Kind("int", size, all(t.signed or t.size < size for t in (a, b)))


def as_float(node, size):
    """The items that leave a node's value as a number of floating point."""
    items = list(node.emit())
    if node.is_float:
        return items
    if node.of.kind != "int":
        raise Unknown
    return items + [(FROM_SIGNED if node.of.signed or node.of.size < 8 else FROM_UNSIGNED, 0)] + ([(ROUND, 0)] if size == 4 else [])


def as_truth(node):
    if node.is_float:
        return node.emit() + [(CONST64, 0), (FLOAT_EQUAL, 0), (LOG_NOT, 0)]
    return node.emit() + [(LOG_NOT, 0), (LOG_NOT, 0)]


class Reader:
    """Reads a condition. `types` has what is known of the program: name(text), field(type, name), target(type), lookup(text) return a Kind or raise
    Unknown."""

    def __init__(self, text, types):
        self.types, self.tokens, at = types, [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if not match:
                raise Unknown
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        self.at, self.labels = 0, 0

    def sign(self, ahead=0):
        kind, text = self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ("end", "")
        return text if kind == "sign" else ""

    def take(self, *signs):
        if self.sign() in signs:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return ""

    def need(self, sign):
        if not self.take(sign):
            raise Unknown

    def label(self):
        self.labels += 1
        return self.labels

    def whole(self):
        node = self.ternary()
        if self.at != len(self.tokens):
            raise Unknown
        return node

    def ternary(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.ternary()
        self.need(":")
        no = self.ternary()
        of, text = common(yes.of, no.of), f"({condition.text}) ? ({yes.text}) : ({no.text})"
        if condition.is_pure and yes.is_pure and no.is_pure and not (condition.is_float or of.kind == "float"):
            return Node(text, of)
        then, end = self.label(), self.label()
        values = [as_float(node, of.size) if of.kind == "float" else node.emit() for node in (no, yes)]
        return Node(text, of, as_truth(condition) + [("jump", IF_GOTO, then)] + values[0] + [("jump", GOTO, end), ("label", then)] + values[1] +
                    [("label", end)])

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while True:
            sign = self.take(*BINARY[level])
            if not sign:
                return left
            left = self.join(sign, left, self.binary(level + 1))

    def join(self, sign, a, b):
        text, compares = f"({a.text}) {sign} ({b.text})", sign in ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
        of = INT if compares else common(a.of, b.of)
        if a.is_pure and b.is_pure and not a.is_float and not b.is_float:
            return Node(text, of)
        if sign in ("&&", "||"):
            rest, end = self.label(), self.label()
            first, second = ((as_truth(b), [(CONST64, 0)]) if sign == "&&" else ([(CONST64, 1)], as_truth(b)))
            return Node(text, INT, as_truth(a) + [("jump", IF_GOTO, rest)] + second + [("jump", GOTO, end), ("label", rest)] + first +
                        [("label", end)])
        with_float = common(a.of, b.of)
        if with_float.kind == "float":
            first, second = as_float(a, with_float.size), as_float(b, with_float.size)
            if compares:
                if sign in (">", ">="):
                    first, second = second, first
                code = FLOAT_EQUAL if sign in ("==", "!=") else FLOAT_LESS_EQUAL if "=" in sign else FLOAT_LESS
                return Node(text, INT, first + second + [(code, 0)] + ([(LOG_NOT, 0)] if sign == "!=" else []))
            code = {"+": ADD, "-": SUB, "*": MUL, "/": DIV}.get(sign)
            if code is None:
                raise Unknown
            return Node(text, of, first + second + [(code, 0)] + ([(ROUND, 0)] if of.size == 4 else []))
        if sign in ("==", "!=") and with_float.kind == "int":
            return Node(text, INT, a.emit() + b.emit() + [(EQUAL, 0)] + ([(LOG_NOT, 0)] if sign == "!=" else []))
        raise Unknown

    def cast(self):
        """The type of a cast that begins here; None: none does."""
        end = self.at + 1
        while end < len(self.tokens) and (self.tokens[end][0] == "name" or self.tokens[end][1] == "*"):
            end += 1
        words = [text for _, text in self.tokens[self.at + 1:end]]
        if not words or self.sign(end - self.at) != ")" or words[0].startswith("$"):
            return None
        if words[0] not in KEYWORDS and not self.types.is_type(words[0]):
            return None
        self.at = end + 1
        return self.types.lookup(" ".join(words)), " ".join(words)

    def unary(self):
        found = self.cast() if self.sign() == "(" else None
        if found:
            of, name = found
            node = self.unary()
            text = f"({name}) ({node.text})"
            if node.is_pure and not node.is_float and of.kind != "float":
                return Node(text, of)
            if of.kind == "float":
                return Node(text, of, as_float(node, of.size) + ([(ROUND, 0)] if of.size == 4 else []))
            if of.kind != "int":
                raise Unknown
            items = node.emit() + ([(TO_INTEGER, 0)] if node.is_float else [])
            return Node(text, of, items + [(EXT if of.signed else ZERO_EXT, 8 * of.size)])
        sign = self.take("-", "+", "!", "~", "*", "&")
        if not sign:
            return self.postfix()
        node = self.unary()
        text = f"{sign}({node.text})"
        if sign == "!" and (node.is_float or not node.is_pure):
            return Node(text, INT, as_truth(node) + [(LOG_NOT, 0)])
        if sign == "*" and node.is_pure:
            return Node(text, self.types.target(node.of), place=True)
        if sign == "&" and node.is_place:
            return Node(text, self.types.pointer(node.of))
        if sign in "+-" and node.is_float:
            return Node(text, node.of, node.emit() + ([(CONST64, 1 << 63), (BIT_XOR, 0)] if sign == "-" else []))
        if node.is_pure and not node.is_float and sign in "+-!~":
            return Node(text, INT if sign == "!" else common(node.of, INT))
        raise Unknown

    def postfix(self):
        node = self.primary()
        while True:
            if self.take("["):
                index = self.ternary()
                self.need("]")
                if not (node.is_pure and index.is_pure) or index.is_float:
                    raise Unknown
                node = Node(f"{node.text}[{index.text}]", self.types.target(node.of), place=True)
                continue
            sign = self.take(".", "->")
            if not sign:
                return node
            kind, name = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")
            if kind != "name" or not node.is_pure:
                raise Unknown
            self.at += 1
            if node.text.startswith("$"):
                node = Node(f"{node.text}.{name}", Kind("int", 4, False), place=True)
                continue
            of = self.types.target(node.of) if sign == "->" else node.of
            node = Node(f"{node.text}{sign}{name}", self.types.field(of, name), place=True)

    def primary(self):
        if self.take("("):
            node = self.ternary()
            self.need(")")
            node.text = f"({node.text})"
            return node
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")
        self.at += 1
        if kind == "int":
            digits = text.rstrip("uUlL")
            wide = "l" in text.lower() or int(digits, 0) >> 31
            return Node(text, Kind("int", 8 if wide else 4, "u" not in text.lower()))
        if kind == "float":
            value, of = float(text.rstrip("fFlL")), Kind("float", 4 if text[-1] in "fF" else 8)
            if of.size == 4:
                value = struct.unpack("<f", struct.pack("<f", value))[0]
            return Node(text, of, [(CONST64, bits_of(value))])
        if kind != "name":
            raise Unknown
        return Node(text, self.types.name(text), place=True)


def read(text, types):
    """The items of a condition; None: it cannot be read."""
    try:
        return as_truth(Reader(text, types).whole())
    except (Unknown, OverflowError, ValueError):
        return None


def assemble(items, operations_of, end):
    """The operations of items. `operations_of`: of a text, from gdb's compiler; the last one ends it. None: one of the texts has none."""
    operations, labels, jumps = [], {}, []
    for item in items:
        if item[0] == "label":
            labels[item[1]] = len(operations)
        elif item[0] == "jump":
            jumps.append((len(operations), item[2]))
            operations.append((item[1], 0))
        elif item[0] == "gdb":
            part, base = operations_of(item[1]), len(operations)
            if not part or part[-1][0] != end:
                return None
            operations += [(code, operand + base) if code in (IF_GOTO, GOTO) else (code, operand) for code, operand in part[:-1]]
        else:
            operations.append(item)
    for at, label in jumps:
        operations[at] = (operations[at][0], labels[label])
    return operations + [(end, 0)]
