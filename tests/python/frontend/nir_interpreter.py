"""Executes untyped NIR with Python's own operators: what a translation means, checked against CPython itself."""

import operator

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
INPLACE = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "@": operator.imatmul,
    "<<": operator.ilshift,
    ">>": operator.irshift,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
}
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}
COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
CONVERSIONS = {0: lambda x: x, ord("s"): str, ord("r"): repr, ord("a"): ascii}
UNBOUND = object()


class Malformed(AssertionError):
    """The NIR breaks its own rules."""


class Closure:
    """An inner function with what it captured."""

    def __init__(self, program, index, captured, defaults, keyword_defaults):
        self.program, self.index = program, index
        self.captured, self.defaults, self.keyword_defaults = captured, defaults, keyword_defaults

    def __call__(self, *args, **kwargs):
        return execute(self.program, self.index, args, kwargs, self.captured, self.defaults, self.keyword_defaults)


def bind(function, args, kwargs, captured, defaults, keyword_defaults):
    """Arguments in the order of g.arg: captured, positional, keyword-only, *args."""
    _, names, _, (positional, keyword_only, star) = function
    names = names[len(captured) :]
    values = dict(zip(names[:positional], args))
    for name, value in zip(names[positional - len(defaults) : positional], defaults):
        if name not in values and name not in kwargs:
            values[name] = value
    values.update(kwargs)
    for name, value in keyword_defaults.items():
        values.setdefault(name, value)
    ordered = [values[name] for name in names[: positional + keyword_only]]
    if star:
        ordered.append(tuple(args[positional:]))
    elif len(args) > positional:
        raise TypeError("too many arguments")
    return list(captured) + ordered


class Frame:
    def __init__(self, program, arguments):
        self.program, self.arguments, self.values = program, arguments, {}

    def operand(self, index):
        if index not in self.values:
            raise Malformed(f"value {index} is used before it is defined")
        return self.values[index]


def make_function(frame, attr, ops, ints):
    captured, defaults = ints[0], ints[1]
    rest = ops[captured + defaults :]
    return Closure(frame.program, attr, ops[:captured], ops[captured : captured + defaults], dict(zip(ints[2:], rest)))


def call(frame, attr, ops, names):
    split = len(ops) - len(names)
    return ops[0](*ops[1:split], **dict(zip(names, ops[split:])))


def call_star(frame, attr, ops, names):
    return ops[0](*ops[1], **dict(zip(names, ops[2:])))


def unpack_check(frame, attr, ops, _):
    if len(ops[0]) < attr:
        raise ValueError(f"not enough values to unpack (expected {attr}, got {len(ops[0])})")
    if len(ops[0]) > attr:
        raise ValueError(f"too many values to unpack (expected {attr})")


def check_bound(frame, attr, ops, _):
    if ops[0] is UNBOUND:
        raise UnboundLocalError(attr)
    return ops[0]


def undefined_name(frame, attr, ops, _):
    raise NameError(attr)


def extend(frame, attr, ops, _):
    if isinstance(ops[0], set):
        return ops[0] | set(ops[1])
    return type(ops[0])(list(ops[0]) + list(ops[1]))


def set_item(frame, attr, ops, _):
    ops[0][ops[1]] = ops[2]


def del_item(frame, attr, ops, _):
    del ops[0][ops[1]]


OPERATIONS = {
    "const": lambda f, a, o, i: a,
    "g.arg": lambda f, a, o, i: f.arguments[a],
    "g.undefined_name": undefined_name,
    "g.unbound": lambda f, a, o, i: UNBOUND,
    "g.check_bound": check_bound,
    "g.binary": lambda f, a, o, i: BINARY[a](*o),
    "g.inplace": lambda f, a, o, i: INPLACE[a](*o),
    "g.unary": lambda f, a, o, i: UNARY[a](*o),
    "g.compare": lambda f, a, o, i: COMPARE[a](*o),
    "g.is": lambda f, a, o, i: o[0] is o[1],
    "g.contains": lambda f, a, o, i: o[0] in o[1],
    "g.truth": lambda f, a, o, i: bool(o[0]),
    "g.getattr": lambda f, a, o, i: getattr(o[0], a),
    "g.setattr": lambda f, a, o, i: setattr(o[0], a, o[1]),
    "g.getitem": lambda f, a, o, i: o[0][o[1]],
    "g.setitem": set_item,
    "g.delitem": del_item,
    "g.slice": lambda f, a, o, i: slice(*o),
    "g.tuple": lambda f, a, o, i: tuple(o),
    "g.list": lambda f, a, o, i: list(o),
    "g.set": lambda f, a, o, i: set(o),
    "g.dict": lambda f, a, o, i: dict(zip(o[::2], o[1::2])),
    "g.list_append": lambda f, a, o, i: o[0].append(o[1]),
    "g.set_add": lambda f, a, o, i: o[0].add(o[1]),
    "g.dict_set": set_item,
    "g.list_to_tuple": lambda f, a, o, i: tuple(o[0]),
    "g.extend": extend,
    "g.format": lambda f, a, o, i: format(CONVERSIONS[a](o[0]), *o[1:]),
    "g.join_str": lambda f, a, o, i: "".join(o),
    "g.unpack_check": unpack_check,
    "g.unpack_item": lambda f, a, o, i: o[0][a],
    "g.call": call,
    "g.call_star": call_star,
    "g.make_function": make_function,
    "g.iter": lambda f, a, o, i: list(o[0]),
    "g.iter_state": lambda f, a, o, i: 0,
    "g.iter_valid": lambda f, a, o, i: o[1] < len(o[0]),
    "g.iter_value": lambda f, a, o, i: o[0][o[1]],
    "g.iter_next": lambda f, a, o, i: o[1] + 1,
}


def follow(frame, blocks, edge):
    target, args = edge
    params = blocks[target][0]
    if len(params) != len(args):
        raise Malformed(f"block {target} has {len(params)} parameters, its edge {len(args)} arguments")
    values = [frame.operand(arg) for arg in args]
    frame.values.update(zip(params, values))
    return target


def run_block(frame, blocks, block):
    """(True, result) or (False, next block)."""
    for opcode, result, operands, attr, ints, edges in blocks[block][1]:
        ops = [frame.operand(operand) for operand in operands]
        if opcode == "br":
            return False, follow(frame, blocks, edges[0])
        if opcode == "cond_br":
            if not isinstance(ops[0], bool):
                raise Malformed("a condition that is not a bool")
            return False, follow(frame, blocks, edges[0 if ops[0] else 1])
        if opcode == "return":
            return True, ops[0]
        if opcode == "g.raise":
            raise ops[0] from (ops[1] if len(ops) > 1 else None)
        value = OPERATIONS[opcode](frame, attr, ops, ints)
        if result >= 0:
            frame.values[result] = value
    raise Malformed("a block without a terminator")


def execute(program, index, args, kwargs, captured=(), defaults=(), keyword_defaults=None):
    function = program[index]
    frame = Frame(program, bind(function, args, kwargs, captured, defaults, keyword_defaults or {}))
    block = 0
    while True:
        done, value = run_block(frame, function[2], block)
        if done:
            return value
        block = value
