"""The Sun and the outer planets, integrated with a leapfrog scheme (positions in AU, years, solar masses).

Starting values: the Jovian-planet system of the Computer Language Benchmarks Game.
"""

import math

import numpy as np
from naja import njit

TITLE = "Solar system"

DAYS = 365.24
SOLAR_MASS = 4 * math.pi**2
BODIES = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, SOLAR_MASS],
        [4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694 * DAYS,
         0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS, 0.000954791938424326609 * SOLAR_MASS],
        [8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411160 * DAYS,
         0.00499852801234917238 * DAYS, 0.0000230417297573763929 * DAYS, 0.000285885980666130812 * SOLAR_MASS],
        [12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618 * DAYS,
         0.00237847173959480950 * DAYS, -0.0000296589568540237556 * DAYS, 0.0000436624404335156298 * SOLAR_MASS],
        [15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322 * DAYS,
         0.00162824170038242295 * DAYS, -0.0000951592254519715870 * DAYS, 0.0000515138902046611451 * SOLAR_MASS],
    ]
)  # fmt: skip


@njit
def kick(position, velocity, mass, dt):
    n = mass.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            dx = position[i, 0] - position[j, 0]
            dy = position[i, 1] - position[j, 1]
            dz = position[i, 2] - position[j, 2]
            d2 = dx * dx + dy * dy + dz * dz
            f = dt / (d2 * math.sqrt(d2))
            velocity[i, 0] -= dx * mass[j] * f
            velocity[i, 1] -= dy * mass[j] * f
            velocity[i, 2] -= dz * mass[j] * f
            velocity[j, 0] += dx * mass[i] * f
            velocity[j, 1] += dy * mass[i] * f
            velocity[j, 2] += dz * mass[i] * f


@njit
def energy(position, velocity, mass):
    total = 0.0
    for i in range(mass.shape[0]):
        total += 0.5 * mass[i] * (velocity[i] ** 2).sum()
        for j in range(i):
            total -= mass[i] * mass[j] / np.sqrt(((position[i] - position[j]) ** 2).sum())
    return total


@njit
def integrate(bodies, steps, dt, record_every):
    position, velocity, mass = bodies[:, :3].copy(), bodies[:, 3:6].copy(), bodies[:, 6].copy()
    track = np.empty((steps // record_every, mass.shape[0], 3))
    start = energy(position, velocity, mass)
    for step in range(steps):
        kick(position, velocity, mass, dt / 2)
        position += dt * velocity
        kick(position, velocity, mass, dt / 2)
        if step % record_every == 0:
            track[step // record_every] = position
    return track, (energy(position, velocity, mass) - start) / start


def load():
    return BODIES, 60_000, 0.01, 60


def run(inputs):
    return integrate(*inputs)


def picture(inputs, result):
    image = np.zeros((400, 400))
    for body in range(result[0].shape[1]):
        x = (result[0][:, body, 0] * 6.0 + 200.0).astype(int)
        y = (result[0][:, body, 1] * 6.0 + 200.0).astype(int)
        image[np.clip(y, 0, 399), np.clip(x, 0, 399)] = 1.0
    return image


if __name__ == "__main__":
    print("relative energy error", run(load())[1])
