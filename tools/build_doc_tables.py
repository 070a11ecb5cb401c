"""Writes the tables of docs/user that follow from the source: NumPy functions and names of modules from the builtin table,
environment variables from the options registry. `--check` only says what is out of date.

    python tools/build_doc_tables.py [--check]
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[1]
USER = ROOT / "docs/user"

#: Groups of NumPy's functions, in the order of the table; what is in none is shown under "other".
GROUPS = {
    "make arrays": "arange array asarray ascontiguousarray asfortranarray copy diag empty empty_like eye full full_like "
                   "identity linspace logspace geomspace meshgrid ones ones_like tri tril triu vander zeros zeros_like "
                   "lib.stride_tricks.as_strided frombuffer indices fromiter tril_indices triu_indices "
                   "tril_indices_from triu_indices_from array_str asarray_chkfinite mask_indices",
    "shape": "atleast_1d atleast_2d atleast_3d broadcast_to broadcast_arrays broadcast_shapes column_stack concatenate "
             "diagonal dstack expand_dims flip fliplr flipud hstack moveaxis ndim ravel repeat reshape resize roll rot90 "
             "row_stack shape size squeeze stack swapaxes tile transpose vstack split array_split hsplit vsplit dsplit "
             "rollaxis block pad",
    "reductions": "all amax amin any argmax argmin average count_nonzero cumprod cumsum max mean median min nanargmax "
                  "nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd "
                  "nansum nanvar percentile prod ptp quantile std sum trace var",
    "sorting and searching": "argpartition argsort argwhere bincount digitize extract flatnonzero histogram in1d "
                             "intersect1d isin nonzero partition searchsorted setdiff1d setxor1d sort union1d unique where "
                             "lexsort select sort_complex",
    "linear algebra": "cross dot inner kron matmul outer tensordot vdot einsum linalg.*",
    "signals, statistics, items": "append convolve corrcoef correlate cov delete diff ediff1d fill_diagonal gradient "
                                  "insert interp nan_to_num place put put_along_axis take take_along_axis trapezoid trapz "
                                  "unwrap trim_zeros allclose array_equal array_equiv apply_along_axis bartlett blackman "
                                  "hamming hanning kaiser choose piecewise compress clip around round fix real imag angle "
                                  "isclose sinc real_if_close ndenumerate ndindex nditer iscomplex isreal iscomplexobj "
                                  "isrealobj isneginf isposinf isscalar i0 cumulative_sum cumulative_prod",
    "random numbers": "random.*",
    "types": "can_cast complexfloating dtype finfo floating generic iinfo inexact integer issubdtype ndarray number "
             "promote_types result_type signedinteger unsignedinteger min_scalar_type",
}
UFUNCS = "functions of each element (ufuncs)"


def builtin_names():
    from naja import _compiler

    return sorted(_compiler.builtin_names())


def is_ufunc(name):
    import numpy

    return isinstance(getattr(numpy, name, None), numpy.ufunc) or name in NEW_UFUNCS


def numpy_groups(names):
    rows = {}
    place = {n: title for title, text in GROUPS.items() for n in text.split()}
    for name in names:
        parent = name.rpartition(".")[0]
        title = place.get(name) or place.get(f"{parent}.*") or (UFUNCS if is_ufunc(name) else "other")
        rows.setdefault(title, []).append(name)
    return {t: rows[t] for t in (*GROUPS, UFUNCS, "other") if t in rows}


#: Names that only newer versions of NumPy have; the table must not depend on the one installed.
NEW_UFUNCS = set("acos acosh asin asinh atan atan2 atanh bitwise_invert bitwise_left_shift bitwise_right_shift pow "
                 "bitwise_count vecdot matvec vecmat".split())


def listed(names):
    return " ".join(f"`{n}`" for n in names)


def numpy_table():
    names = [n.removeprefix("numpy.") for n in builtin_names() if n.startswith("numpy.")]
    rows = [f"| {title} | {listed(group)} |" for title, group in numpy_groups(names).items()]
    return "\n".join([f"{len(names)} names of NumPy:", "", "| | `np.` |", "|---|---|", *rows])


def modules_table():
    rows = []
    for module in ("builtins", "math", "cmath", "operator"):
        names = [n.split(".", 1)[1] for n in builtin_names() if n.startswith(module + ".")]
        rows.append(f"| `{module}` | {listed(names)} |")
    return "\n".join(["| module | names |", "|---|---|", *rows])


def environment_table():
    """From the registry itself, so that the page is right even for a build that is not."""
    text = (ROOT / "cpp/naja/support/options.def").read_text()
    rows = re.findall(r'^NAJA_OPTION\((\w+), (\w+), "([^"]*)", (\w+), (\w+), "([^"]*)"\)', text, re.M)
    if len(rows) != len(re.findall(r"^NAJA_OPTION\(", text, re.M)):
        raise SystemExit("a row of options.def has a form that this script does not know")
    table = ["| variable | kind | default | what it does | `NUMBA_` too |", "|---|---|---|---|---|"]
    for name, kind, default, _, alias, help_text in rows:
        table.append(f"| `NAJA_{name}` | {kind} | {f'`{default}`' if default else ''} | {help_text} | "
                     f"{'yes' if alias == 'true' else ''} |")
    return "\n".join(table)


TABLES = {"arrays.md": {"numpy": numpy_table}, "language.md": {"modules": modules_table},
          "environment.md": {"environment": environment_table}}


def updated(page, tables):
    text = (USER / page).read_text()
    for name, make in tables.items():
        begin, end = f"<!-- begin generated: {name} (tools/build_doc_tables.py) -->", "<!-- end generated -->"
        if text.count(begin) != 1:
            raise SystemExit(f"{page}: one {begin} is needed")
        head, rest = text.split(begin)
        text = f"{head}{begin}\n{make()}\n{end}{rest.split(end, 1)[1]}"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    texts = {page: updated(page, tables) for page, tables in TABLES.items()}
    stale = [page for page, text in texts.items() if (USER / page).read_text() != text]
    if check:
        print("\n".join(f"docs/user/{page} is out of date: run tools/build_doc_tables.py" for page in stale), end="")
        return 1 if stale else 0
    for page in stale:
        (USER / page).write_text(texts[page])
    return 0


if __name__ == "__main__":
    sys.exit(main())
