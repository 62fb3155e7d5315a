"""Colours of the samples of a picture: skin, lips, brows, eyes, teeth, hair and background, lit by one lamp.

What is painted on the head is a function of the place on the *average, resting* head that a sample sees. So paint moves
with the skin, is as fine as the picture, and needs no texture file.
"""

import numba
import numpy as np

SKIN, EYE, LASH, TEETH, TONGUE, HAIR = range(6)
# places on the resting head, decimetres from the point between the eyes
_BROW_INNER, _BROW_OUTER, _BROW_HEIGHT = 0.10, 0.56, 0.21
EYE_RADIUS = 0.138
# rows of the table of colours
SKIN_C, LIPS_C, HAIR_C, BROWS_C, IRIS_C, CLOTHES_C, BACK_1, BACK_2 = range(8)


@numba.njit(cache=True, inline="always")
def _smooth(low, high, x):
    t = min(1.0, max(0.0, (x - low) / (high - low)))
    return t * t * (3 - 2 * t)


@numba.njit(cache=True)
def background(colours, numbers, size):
    """Colours `(size, size, 3)` of a background, 0 to 1; it is the same in every picture of a person."""
    out = np.zeros((size, size, 3), dtype=np.float32)
    p1, p2, p3 = 6.283 * numbers[5], 6.283 * numbers[6], 6.283 * numbers[7]
    for row in range(size):
        for column in range(size):
            u, v = (column + 0.5) / size, (row + 0.5) / size
            along = 0.5 + 0.5 * np.sin(p1 + 3.0 * u * np.cos(p2) + 3.0 * v * np.sin(p2))
            along += 0.15 * np.sin(p3 + 9.0 * u) * np.sin(p1 + 8.0 * v)
            along = min(1.0, max(0.0, along))
            for k in range(3):
                out[row, column, k] = colours[BACK_1, k] + along * (colours[BACK_2, k] - colours[BACK_1, k])
    return out


@numba.njit(cache=True)
def shade(seen, parts, at, colours, numbers, light, ambient, style, eye_x, behind, samples):
    """A picture `(S / samples, S / samples, 3)` float32, 0 to 1; a pixel is the mean of its samples.

    Args:
        seen: `(S, S)` triangle numbers, -1 for the background.
        parts: `(T,)` of the triangles.
        at: `(S, S, 10)` interpolated: place on the resting head (3), normal in the picture's frame (3), and lips,
            eyelids, inside of the mouth, ears, 0 to 1.
        colours: `(8, 3)`, rows as named in this module.
        numbers: `(8,)` see `core.face.head.people.Person`.
        light, ambient, style: see there.
        eye_x: distance of an eye's centre from the middle on the resting head.
        behind: `(S / samples, S / samples, 3)` the background.
        samples: on a side of a pixel.
    """
    size = seen.shape[0]
    out = np.zeros(behind.shape, dtype=np.float32)
    c = np.zeros(3)
    hx, hy, hz = light[0], light[1], light[2] + 1.0  # halfway between the lamp and the camera
    h = np.sqrt(hx * hx + hy * hy + hz * hz)
    p1, p2, p3 = 6.283 * numbers[5], 6.283 * numbers[6], 6.283 * numbers[7]
    for row in range(size):
        for column in range(size):
            t = seen[row, column]
            i, j = row // samples, column // samples
            if t < 0:
                for k in range(3):
                    out[i, j, k] += behind[i, j, k]
                continue
            part = parts[t]
            x, y, z = at[row, column, 0], at[row, column, 1], at[row, column, 2]
            nx, ny, nz = at[row, column, 3], at[row, column, 4], at[row, column, 5]
            length = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-9
            nx, ny, nz = nx / length, ny / length, nz / length
            if nz < 0 and part >= HAIR:  # sheets, seen from behind
                nx, ny, nz = -nx, -ny, -nz
            gloss, wrap = 0.08, 0.5
            ax = abs(x)
            if part == SKIN:
                lips, lids, inside = at[row, column, 6], at[row, column, 7], at[row, column, 8]
                blotch = 0.05 * np.sin(7 * x + p1) * np.sin(6 * y + p2) + 0.03 * np.sin(17 * x + 11 * y + p3)
                for k in range(3):
                    c[k] = colours[SKIN_C, k] * (1 + blotch)
                # cheeks, nose and chin are redder, the lids darker
                if z > -0.5 and -1.3 < y < 0.2:
                    red = np.exp(-((ax - 0.5) ** 2 / 0.06 + (y + 0.55) ** 2 / 0.08))
                    red += 0.7 * np.exp(-(x * x + (y + 0.5) ** 2) / 0.02)
                    c[1] *= 1 - 0.10 * red
                    c[2] *= 1 - 0.12 * red
                if numbers[3] > 0.6:  # freckles
                    spot = np.sin(61 * x + p1) * np.sin(53 * y + p2) * np.sin(47 * (x + y) + p3)
                    dark = 0.2 * _smooth(0.3, 0.7, spot) * np.exp(-(x * x / 0.3 + (y + 0.45) ** 2 / 0.08))
                    for k in range(3):
                        c[k] *= 1 - dark * (0.6 + 0.3 * k)
                beard = (
                    numbers[2] * _smooth(-0.55, -0.8, y) * _smooth(-0.6, 0.0, z) * (1 - lips) * _smooth(-1.5, -1.25, y)
                )
                for k in range(3):
                    c[k] += 0.4 * beard * (0.12 + 0.5 * colours[HAIR_C, k] - c[k])
                    c[k] *= 1 - 0.16 * lids
                    c[k] += _smooth(0.25, 0.75, lips) * (colours[LIPS_C, k] - c[k])
                # brows: a band that rises to two thirds of its length and thins out
                s = (ax - _BROW_INNER) / (_BROW_OUTER - _BROW_INNER)
                if -0.1 < s < 1.1 and z > -0.2 and 0.05 < y < 0.45:
                    middle = _BROW_HEIGHT + 0.05 * (numbers[1] - 0.5) + 0.10 * s - 0.13 * s * s * s
                    half = (0.028 + 0.035 * numbers[0]) * (1.15 - 0.65 * max(s, 0.0))
                    hairs = 0.92 + 0.06 * np.sin(90 * x + 40 * y)
                    cover = (
                        _smooth(1.25, 0.75, abs(y - middle) / half) * _smooth(-0.08, 0.06, s) * _smooth(1.08, 0.9, s)
                    )
                    for k in range(3):
                        c[k] += cover * hairs * (colours[BROWS_C, k] - c[k])
                if style >= 1:  # the scalp: above a hairline that comes down at the temples, and behind the ears
                    line = 0.78 + 0.12 * numbers[4] - 0.28 * _smooth(0.35, 0.8, ax) - 0.55 * _smooth(0.0, -0.75, z)
                    line -= 0.7 * _smooth(-0.75, -1.2, z)
                    cover = _smooth(-0.04, 0.05, y - line) * (1 - at[row, column, 9])
                    if cover > 0:
                        strand = 0.9 + 0.1 * np.sin(38 * ax + 12 * z + p1) + 0.06 * np.sin(61 * ax + p2)
                        for k in range(3):
                            c[k] += cover * (colours[HAIR_C, k] * strand - c[k])
                deep = _smooth(0.2, 0.8, inside)
                c[0] += deep * (0.22 - c[0])
                c[1] += deep * (0.05 - c[1])
                c[2] += deep * (0.06 - c[2])
                dressed = _smooth(-1.5, -1.56, y - 0.35 * ax + 0.2 * min(z, 0.0))
                for k in range(3):
                    c[k] += dressed * (colours[CLOTHES_C, k] - c[k])
                gloss = 0.10 + 0.12 * lips
            elif part == EYE:
                dx, dy = ax - eye_x, y
                r = np.sqrt(dx * dx + dy * dy) / EYE_RADIUS
                if z < 0.0:
                    r = 2.0
                iris, pupil, rim = _smooth(0.56, 0.46, r), _smooth(0.24, 0.18, r), _smooth(0.36, 0.5, r)
                for k in range(3):
                    white = 0.93 - 0.03 * k - 0.05 * max(0.0, r - 0.8)
                    c[k] = white + iris * (colours[IRIS_C, k] * (1 - 0.45 * rim) - white)
                    c[k] += pupil * (0.03 - c[k])
                gloss, wrap = 0.35, 0.6
            elif part == LASH:
                c[0], c[1], c[2] = 0.07, 0.05, 0.05
                gloss = 0.0
            elif part == TEETH:
                gap = 0.9 + 0.1 * _smooth(0.1, 0.35, abs(np.sin(24 * x)))
                c[0], c[1], c[2] = 0.93 * gap, 0.90 * gap, 0.83 * gap
                wrap = 0.6
            elif part == TONGUE:
                back = 0.45 + 0.55 * _smooth(-0.1, 0.2, z)
                c[0], c[1], c[2] = 0.66 * back, 0.30 * back, 0.30 * back
                wrap = 0.5
            else:
                strand = 0.8 + 0.25 * np.sin(26 * ax + 9 * z + p1) + 0.1 * np.sin(61 * ax + p2)
                for k in range(3):
                    c[k] = colours[HAIR_C, k] * strand
                gloss = 0.12
            lit = (nx * light[0] + ny * light[1] + nz * light[2] + wrap) / (1 + wrap)
            lit = max(0.0, lit)
            shine = max(0.0, (nx * hx + ny * hy + nz * hz) / h) ** 4
            shine = gloss * shine * shine * shine * shine * shine * shine
            for k in range(3):
                value = c[k] * (ambient * (0.85 + 0.15 * ny) + (1.08 - 0.75 * ambient) * lit) + shine
                out[i, j, k] += min(1.0, max(0.0, value))
    return out / np.float32(samples * samples)
