"""The nearest words of a dictionary to misspelt ones, by edit distance, on Debian's American word list."""

from pathlib import Path

import numpy as np
from naja import njit

TITLE = "Spelling correction"
WORD_LIST = Path("/usr/share/dict/words")
MISSPELT = ["recieve", "seperate", "definately", "accomodate", "occured", "pharoah"]


@njit
def edit_distance(a, b, cost):
    for j in range(b.shape[0] + 1):
        cost[j] = j
    for i in range(a.shape[0]):
        diagonal, cost[0] = cost[0], i + 1
        for j in range(b.shape[0]):
            above = cost[j + 1]
            best = diagonal if a[i] == b[j] else diagonal + 1
            cost[j + 1] = min(best, above + 1, cost[j] + 1)
            diagonal = above
    return cost[b.shape[0]]


@njit
def nearest(word, letters, starts):
    """Index of the first word with the least edit distance: word w is letters[starts[w]:starts[w + 1]]."""
    cost = np.empty(64, np.int64)
    best, at = 1 << 30, -1
    for w in range(starts.shape[0] - 1):
        length = starts[w + 1] - starts[w]
        if abs(length - word.shape[0]) >= best:
            continue
        distance = edit_distance(word, letters[starts[w] : starts[w + 1]], cost)
        if distance < best:
            best, at = distance, w
    return at, best


def load():
    words = sorted({w for w in WORD_LIST.read_text().split() if w.isascii() and w.isalpha() and len(w) < 60})[::2]
    letters = np.frombuffer("".join(words).encode(), np.uint8)
    starts = np.concatenate([[0], np.cumsum([len(w) for w in words])])
    return words, letters, starts


def run(inputs):
    words, letters, starts = inputs
    found = [nearest(np.frombuffer(w.encode(), np.uint8), letters, starts) for w in MISSPELT]
    return np.array(found)


def picture(inputs, result):
    return None


if __name__ == "__main__":
    inputs = load()
    for word, (at, distance) in zip(MISSPELT, run(inputs)):
        print(f"{word}: {inputs[0][at]} (distance {distance})")
