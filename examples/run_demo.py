#!/usr/bin/env python3
"""Runs every example under CPython/NumPy and under naja, checks that both agree, and shows what it gains.

    run_demo.py [--output FOLDER] [NAME ...]

Prints a table (first call with its compilation, steady state, speed-up) and writes the pictures and index.html.
"""

import argparse
import html
import importlib
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = ("seam_carving", "kmeans_digits", "bilateral_filter", "implied_volatility", "solar_system",
            "reaction_diffusion", "mandelbrot", "spelling")  # fmt: skip


def interpreted(name, file):
    """Runs in a process with the JIT switched off: seconds and the result, pickled into `file`."""
    module = importlib.import_module(name)
    inputs = module.load()
    start = time.perf_counter()
    result = module.run(inputs)
    Path(file).write_bytes(pickle.dumps((time.perf_counter() - start, result)))


def agree(got, want):
    """Equal within rounding: 1e-9 relative."""
    import numpy as np

    if isinstance(want, tuple):
        return len(got) == len(want) and all(agree(g, w) for g, w in zip(got, want))
    got, want = np.asarray(got), np.asarray(want)
    return got.shape == want.shape and got.dtype == want.dtype and np.allclose(got, want, rtol=1e-9, atol=1e-9)


def measure(name):
    """(CPython seconds, first call, steady state, inputs, result); raises where the results differ."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "result")
        env = {**os.environ, "NAJA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run([sys.executable, __file__, "--interpreted", name, str(file)], env=env, check=True)
        plain, want = pickle.loads(file.read_bytes())
    module = importlib.import_module(name)
    inputs = module.load()
    start = time.perf_counter()
    result = module.run(inputs)
    first = time.perf_counter() - start
    steady = first
    for _ in range(3):
        start = time.perf_counter()
        module.run(inputs)
        steady = min(steady, time.perf_counter() - start)
    if not agree(result, want):
        raise SystemExit(f"demo: FAILED: {name}: naja and CPython disagree")
    return module, plain, first, steady, inputs, result


def save_picture(path, image):
    import numpy as np
    from PIL import Image

    Image.fromarray((np.clip(image, 0.0, 1.0) * 255).astype(np.uint8)).save(path)


def page(rows):
    cells = "".join(
        f"<section><h2>{html.escape(title)}</h2><p>{html.escape(doc)}</p><p>CPython {plain:.2f} s, naja first call "
        f"{first:.3f} s, then {steady:.4f} s: <b>{plain / steady:,.0f} times faster</b></p>"
        + (f'<img src="{file}" alt="{html.escape(title)}">' if file else "")
        + "</section>"
        for title, doc, plain, first, steady, file in rows
    )
    return (
        "<!doctype html><meta charset=utf-8><title>naja examples</title><style>body{font-family:sans-serif;"
        "max-width:60em;margin:2em auto}img{max-width:100%;image-rendering:pixelated}section{margin:2em 0}</style>"
        f"<h1>naja examples</h1>{cells}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, default=HERE / "output")
    parser.add_argument("--interpreted", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", default=EXAMPLES)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if options.interpreted:
        interpreted(*options.interpreted)
        return
    options.output.mkdir(parents=True, exist_ok=True)
    rows = []
    heading = f"{'program':32}{'CPython':>12}{'first call':>12}{'steady':>12}{'speed-up':>10}"
    print(heading)
    for number, name in enumerate(options.names, 1):
        if sys.stderr.isatty():
            print(f"[{number}/{len(options.names)}] {name} ...", end="\r", file=sys.stderr, flush=True)
        module, plain, first, steady, inputs, result = measure(name)
        image = module.picture(inputs, result)
        if image is not None:
            save_picture(options.output / f"{name}.png", image)
        print(f"{module.TITLE:32}{plain:>10.3f} s{first:>10.3f} s{steady:>10.4f} s{plain / steady:>9.0f}x", flush=True)
        rows.append((module.TITLE, module.__doc__.split("\n")[0], plain, first, steady,
                     f"{name}.png" if image is not None else None))  # fmt: skip
    (options.output / "index.html").write_text(page(rows))
    print(f"all results agree; pictures: {options.output / 'index.html'}")


if __name__ == "__main__":
    main()
