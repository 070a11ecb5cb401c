"""A 2-D convolution: a device function clamps positions to the image."""

import numpy as np
from naja import cuda, float32


@cuda.jit(device=True)
def clamp(i, n):
    return min(max(i, 0), n - 1)


@cuda.jit
def convolve(image, weights, out):
    x, y = cuda.grid(2)
    if y < image.shape[0] and x < image.shape[1]:
        total = float32(0.0)
        for dy in range(3):
            for dx in range(3):
                total += image[clamp(y + dy - 1, image.shape[0]), clamp(x + dx - 1, image.shape[1])] * weights[dy, dx]
        out[y, x] = total


def main(height=90, width=130):
    image = np.random.default_rng(1).random((height, width), dtype=np.float32)
    weights = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32) / np.float32(16)
    out = np.zeros_like(image)
    convolve[(-(-width // 16), -(-height // 16)), (16, 16)](image, weights, out)
    padded = np.pad(image, 1, mode="edge")
    expected = sum(weights[i, j] * padded[i:i + height, j:j + width] for i in range(3) for j in range(3))
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    print(f"blurred an image of {height}x{width}: mean {out.mean():.4f}")


if __name__ == "__main__":
    main()
