#!/usr/bin/env python3
"""Makes `weather` (dense), `places` (sparse) and `blood` (an experiment of SOMA) anew: pip install tiledb==0.36.1 tiledbsoma==2.3.0 && ./make.py

The weather is invented, from a seeded generator; the places are real, with rounded populations and, where a day is
traditionally given for it, the date of their founding. The cells of `blood` are invented, from a seeded generator, too.

`./make.py gallery` makes the arrays in `examples/gallery` anew instead: `island` (an image), `walnut` (a volume) and `harbour` (a time
series). Their cells follow from formulas. They have more cells than the others, so the package is without them.
"""
import heapq
import json
import pathlib
import shutil
import subprocess
import sys
from itertools import product

import numpy as np
import tiledb

HERE = pathlib.Path(__file__).resolve().parent
GALLERY = HERE.parent / "gallery"
WRITTEN = 1714557600000  # 2024-05-01 10:00 UTC, the time stamp of the fragments

STATIONS = ["Helsinki", "Reykjavik", "Zurich", "Lisbon", "Nairobi", "Quito"]
CLIMATE = {  # mean temperature in January and its rise to April, spread of a day, share of wet days
    "Helsinki": (-5.0, 9.5, 3.5, 0.45), "Reykjavik": (0.5, 3.5, 2.5, 0.65), "Zurich": (0.5, 9.5, 3.0, 0.4),
    "Lisbon": (11.5, 4.0, 1.8, 0.35), "Nairobi": (19.5, 0.5, 1.2, 0.4), "Quito": (14.0, 0.2, 1.0, 0.6),
}

PLACES = [  # name, latitude, longitude, people (None: not said here), founded on
    ("Helsinki", 60.17, 24.94, 658000, "1550-06-12"), ("Reykjavík", 64.15, -21.94, 139000, "1786-08-18"), ("Zürich", 47.37, 8.54, 421000, None),
    ("Lisboa", 38.72, -9.14, 545000, None), ("Nairobi", -1.29, 36.82, 4397000, None), ("Quito", -0.18, -78.47, None, "1534-12-06"),
    ("東京", 35.68, 139.69, 14000000, None), ("Αθήνα", 37.98, 23.73, 643000, None), ("القاهرة", 30.04, 31.24, None, None), ("Київ", 50.45, 30.52, 2950000, None),
    ("İstanbul", 41.01, 28.98, 15600000, "0330-05-11"), ("København", 55.68, 12.57, 653000, None), ("Санкт-Петербург", 59.94, 30.31, 5600000, "1703-05-27"),
    ("Tromsø", 69.65, 18.96, 77000, "1794-06-20"), ("Praha", 50.08, 14.44, 1357000, None), ("मुंबई", 19.08, 72.88, 12400000, None), ("서울", 37.57, 126.98, 9400000, None),
    ("北京", 39.90, 116.41, None, None), ("Brasília", -15.79, -47.88, 2817000, "1960-04-21"), ("São Paulo", -23.55, -46.63, 11450000, "1554-01-25"),
    ("Rio de Janeiro", -22.91, -43.17, 6211000, "1565-03-01"), ("Lima", -12.05, -77.04, None, "1535-01-18"), ("Bogotá", 4.71, -74.07, None, "1538-08-06"),
    ("Santiago", -33.45, -70.67, None, "1541-02-12"), ("Buenos Aires", -34.60, -58.38, 3121000, "1580-06-11"), ("La Habana", 23.11, -82.37, None, "1519-11-16"),
    ("Montréal", 45.50, -73.57, 1763000, "1642-05-17"), ("Québec", 46.81, -71.21, 549000, "1608-07-03"), ("Los Angeles", 34.05, -118.24, 3899000, "1781-09-04"),
    ("San Francisco", 37.77, -122.42, 874000, "1776-06-29"), ("New Orleans", 29.95, -90.07, 384000, "1718-05-07"), ("Honolulu", 21.31, -157.86, 351000, None),
    ("Kaapstad", -33.92, 18.42, None, "1652-04-06"), ("Singapore", 1.35, 103.82, 5640000, "1819-02-06"), ("Sydney", -33.87, 151.21, None, "1788-01-26"),
    ("Melbourne", -37.81, 144.96, None, "1835-08-30"), ("Adelaide", -34.93, 138.60, None, "1836-12-28"), ("Canberra", -35.28, 149.13, 456000, "1913-03-12"),
    ("Auckland", -36.85, 174.76, None, "1840-09-18"), ("Ulaanbaatar", 47.89, 106.91, 1640000, None),
]


GENES = ["MS4A1", "CD3E", "LYZ", "NKG7", "PPBP"]
CELL_TYPES = {  # mean counts of each gene
    "B cell": (6, 0.2, 0.5, 0.1, 0.1), "T cell": (0.2, 5, 0.3, 0.5, 0.1), "monocyte": (0.1, 0.2, 9, 0.2, 0.3), "NK cell": (0.1, 0.6, 0.4, 8, 0.1),
}


def fresh(name, folder=HERE):
    path = folder / name
    shutil.rmtree(path, ignore_errors=True)
    return str(path)


def prune(path):
    """Git keeps no empty folders."""
    for d in sorted((d for d in pathlib.Path(path).rglob("*") if d.is_dir()), key=lambda d: -len(d.parts)):
        if not any(d.iterdir()):
            d.rmdir()


def weather():
    days = 121  # 1 January to 30 April 2024
    path = fresh("weather")
    schema = tiledb.ArraySchema(
        domain=tiledb.Domain(
            tiledb.Dim("station", domain=(0, len(STATIONS) - 1), tile=3, dtype=np.int32),
            tiledb.Dim("day", domain=(1, 366), tile=31, dtype=np.int32),
        ),
        attrs=[
            tiledb.Attr("temperature", dtype=np.float32, filters=[tiledb.ByteShuffleFilter(), tiledb.ZstdFilter(9), tiledb.ChecksumSHA256Filter()]),
            tiledb.Attr("rain_mm", dtype=np.int16, nullable=True, filters=[tiledb.BitWidthReductionFilter(), tiledb.GzipFilter(6)]),
            tiledb.Attr("sky", dtype="ascii", var=True, filters=[tiledb.DictionaryFilter()]),
        ],
        offsets_filters=[tiledb.DoubleDeltaFilter(), tiledb.BitWidthReductionFilter(), tiledb.ZstdFilter()],
    )
    tiledb.Array.create(path, schema)

    rng = np.random.default_rng(2024)
    temperature, rain, sky = [], [], []
    for name in STATIONS:
        january, rise, spread, wet = CLIMATE[name]
        drift = 0.0
        for day in range(days):
            drift = 0.7 * drift + rng.normal(0, spread * 0.7)
            temperature.append(round(january + rise * day / days + drift, 1))
            falls = rng.random() < wet
            rain.append(None if rng.random() < 0.04 else 1 + int(rng.gamma(1.2, 5)) if falls else 0)
            sky.append(("snow" if temperature[-1] < 0.5 else "rain") if falls else ["clear", "fair", "cloudy"][rng.integers(3)])
    shape = (len(STATIONS), days)
    with tiledb.open(path, "w", timestamp=WRITTEN) as array:
        array[:, 1 : days + 1] = {
            "temperature": np.array(temperature, np.float32).reshape(shape),
            "rain_mm": np.array(rain, np.float64).reshape(shape),  # TileDB-Py takes NaN for null
            "sky": np.array(sky).reshape(shape),
        }
    with tiledb.open(path, "w", timestamp=WRITTEN + 1000) as array:
        array.meta["title"] = "Weather at six stations, January to April 2024"
        array.meta["source"] = "invented for the examples of tiledb-inspect"
        array.meta["stations"] = ", ".join(STATIONS)
        array.meta["year"] = 2024
        array.meta["missing_share"] = 0.04
    prune(path)


def places():
    path = fresh("places")
    packed = tiledb.FilterList([tiledb.ByteShuffleFilter(), tiledb.ZstdFilter(9), tiledb.ChecksumSHA256Filter()])
    schema = tiledb.ArraySchema(
        domain=tiledb.Domain(
            tiledb.Dim("lat", domain=(-90.0, 90.0), dtype=np.float64, filters=packed),
            tiledb.Dim("lon", domain=(-180.0, 180.0), dtype=np.float64, filters=packed),
        ),
        attrs=[
            tiledb.Attr("name", dtype=np.str_, var=True, filters=[tiledb.ZstdFilter(9), tiledb.ChecksumMD5Filter()]),
            tiledb.Attr("population", dtype=np.uint32, nullable=True, filters=[tiledb.BitWidthReductionFilter(), tiledb.ChecksumSHA256Filter()]),
            tiledb.Attr("founded", dtype="datetime64[D]", nullable=True, filters=[tiledb.ZstdFilter(9)]),
        ],
        cell_order="hilbert",
        sparse=True,
        capacity=8,
    )
    tiledb.Array.create(path, schema)
    name, lat, lon, population, founded = zip(*PLACES)
    with tiledb.open(path, "w", timestamp=WRITTEN) as array:
        array[np.array(lat), np.array(lon)] = {
            "name": np.array(name, np.str_),
            "population": np.array(population, np.float64),
            "founded": np.array(founded, "datetime64[D]"),
        }
    prune(path)


def blood():
    import pyarrow as pa
    import tiledbsoma as soma

    path = fresh("blood")
    rng = np.random.default_rng(2024)
    types = [name for name in CELL_TYPES for _ in range(6)]
    counts = rng.poisson([CELL_TYPES[name] for name in types])

    def frame(below, columns):
        table = pa.table({"soma_joinid": np.arange(len(next(iter(columns.values()))), dtype=np.int64), **columns})
        soma.DataFrame.create(f"{path}/{below}", schema=table.schema, domain=[(0, len(table) - 1)]).close()
        with soma.DataFrame.open(f"{path}/{below}", "w") as one:
            one.write(table)
        return soma.DataFrame.open(f"{path}/{below}")

    def matrix(collection, name, values):
        with collection.add_new_sparse_ndarray(name, type=pa.from_numpy_dtype(values.dtype), shape=values.shape) as one:
            i, j = np.nonzero(values)
            one.write(pa.table({"soma_dim_0": i, "soma_dim_1": j, "soma_data": values[i, j]}))

    with soma.Experiment.create(path) as experiment:
        names = pa.array(types).dictionary_encode()
        obs = {"obs_id": [f"cell{i:02}" for i in range(len(types))], "cell_type": names, "n_counts": counts.sum(axis=1)}
        experiment.set("obs", frame("obs", obs), use_relative_uri=True)
        rna = experiment.add_new_collection("ms").add_new_collection("RNA", soma.Measurement)
        rna.set("var", frame("ms/RNA/var", {"var_id": GENES, "n_cells": (counts > 0).sum(axis=0)}), use_relative_uri=True)
        layers = rna.add_new_collection("X")
        matrix(layers, "data", counts.astype(np.float32))
        matrix(layers, "log", np.log1p(counts).astype(np.float32))
        matrix(rna.add_new_collection("obsm"), "X_pca", rng.normal(size=(len(types), 2)).astype(np.float32))
    prune(path)


def at(text):
    """The time stamp of a fragment: milliseconds of a time in UTC."""
    return int(np.datetime64(text, "ms").astype(np.int64))


def small(*filters):
    return tiledb.FilterList([*filters, tiledb.ZstdFilter(19), tiledb.ChecksumSHA256Filter()])


def hills(y, x):
    """Hills from -1 to 1 that do not repeat: waves of falling size, each turned against the one before, and bent by it."""
    total, size, bend = 0, 1, 0
    for i in range(7):
        turn, narrow = 0.7 + 1.9 * i, 1.9**i
        u, v = np.cos(turn) * x - np.sin(turn) * y, np.sin(turn) * x + np.cos(turn) * y
        wave = np.sin(u * narrow + bend) * np.cos(v * narrow + 1.3 * i - bend)
        total, bend, size = total + size * (1 - 2 * np.sqrt(np.abs(wave))), bend + 0.9 * wave, size / 2
    return total / 2


def without_pits(height):
    """The heights, with all that has no way out to the sea filled up, so that water runs from everywhere."""
    rows, columns = height.shape
    filled = np.full(height.shape, np.inf)
    edge = [(r, c) for r, c in product(range(rows), range(columns)) if r in (0, rows - 1) or c in (0, columns - 1) or height[r, c] <= 0]
    queue = [(height[one], *one) for one in edge]
    for one in edge:
        filled[one] = height[one]
    heapq.heapify(queue)
    while queue:
        level, r, c = heapq.heappop(queue)
        for one in product((r - 1, r, r + 1), (c - 1, c, c + 1)):
            if 0 <= one[0] < rows and 0 <= one[1] < columns and filled[one] == np.inf:
                filled[one] = max(height[one], level + 0.01)
                heapq.heappush(queue, (filled[one], *one))
    return filled


def streams(height):
    """How many cells send their water through each: a cell gives what it has to its lowest neighbour."""
    rows, columns = height.shape
    flat, water = height.ravel(), np.ones(height.size)
    for cell in np.argsort(flat, kind="stable")[::-1]:
        r, c = divmod(int(cell), columns)
        if flat[cell] <= 0 or r in (0, rows - 1) or c in (0, columns - 1):
            continue
        lowest = min((cell + down * columns + right for down in (-1, 0, 1) for right in (-1, 0, 1)), key=lambda one: flat[one])
        water[lowest] += water[cell] if lowest != cell else 0
    return water.reshape(height.shape)


COVERS = ["sea", "beach", "meadow", "forest", "rock", "snow", "river", "lava"]
SHADES = [  # metres, and the colour of the map at that height
    (-500, (24, 60, 105)), (-200, (42, 104, 156)), (-1, (112, 172, 202)), (0, (222, 205, 150)), (40, (124, 160, 84)), (400, (64, 116, 62)),
    (900, (122, 112, 88)), (1400, (152, 142, 132)), (1800, (245, 245, 250)),
]


def surveyed(height, water, lava):
    """What is known of each cell of the island: metres, the cover, and the colours of a map that is lit from the north-west."""
    steps = [np.digitize(height, [0, 25, 400, 900, 1500])]
    cover = np.choose(steps[0], [0, 1, 2, 3, 4, 5]).astype(np.uint8)
    cover[(water > 220) & (height > 0)] = COVERS.index("river")
    cover[lava] = COVERS.index("lava")
    north, east = np.gradient(height)
    light = np.where(height > 0, np.clip(0.75 + (north - east) / 200, 0.35, 1.25), 1)
    metres, colours = zip(*SHADES)
    painted = {}
    for k, name in enumerate(("red", "green", "blue")):
        shade = np.interp(height, metres, [one[k] for one in colours]) * light
        shade[cover == COVERS.index("river")] = (70, 130, 190)[k]
        shade[cover == COVERS.index("lava")] *= (1.6, 0.45, 0.3)[k]
        painted[name] = (np.clip(shade, 0, 255) // 8 * 8).astype(np.uint8)
    return {"elevation": np.round(height).astype(np.int16), "cover": cover, **painted}


def island():
    """An island with rivers: the whole of it, then what a Tuesday's eruption changed, then a new survey of a part."""
    rows, columns = 240, 360
    path = fresh("island", GALLERY)
    relief = small(tiledb.DeltaFilter(), tiledb.ByteShuffleFilter())
    schema = tiledb.ArraySchema(
        domain=tiledb.Domain(
            tiledb.Dim("y", domain=(0, rows - 1), tile=60, dtype=np.int32),
            tiledb.Dim("x", domain=(0, columns - 1), tile=60, dtype=np.int32),
        ),
        attrs=[
            tiledb.Attr("elevation", dtype=np.int16, filters=relief),
            tiledb.Attr("cover", dtype=np.uint8, enum_label="covers", filters=small()),
            *[tiledb.Attr(name, dtype=np.uint8, filters=small(tiledb.DeltaFilter())) for name in ("red", "green", "blue")],
        ],
        enums=[tiledb.Enumeration("covers", False, np.array(COVERS))],
    )
    tiledb.Array.create(path, schema)

    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1.5, 1.5, columns), indexing="ij")
    bays = 0.45 * np.sin(2.6 * x + 1.4) * np.cos(2.2 * y - 0.6) + 0.5 * hills(2.2 * y + 5, 2.2 * x) + 0.2 * hills(5 * y, 5 * x + 2)
    shore = 1 - (x / 1.3) ** 2 - (y / 0.85) ** 2 + bays
    far = (x + 0.35) ** 2 + (y - 0.15) ** 2
    height = 500 * np.tanh(2.2 * shore) + 1100 * (0.35 + hills(1.5 * y, 1.5 * x)) * np.clip(shore, 0, 1)
    height += 1500 * np.exp(-far / 0.05) - 700 * np.exp(-far / 0.0025)
    water = streams(without_pits(height))

    def write(time, heights, lava, box):
        cells = surveyed(heights, water, lava)
        with tiledb.open(path, "w", timestamp=at(time)) as array:
            array[box] = {name: np.ascontiguousarray(values[box]) for name, values in cells.items()}

    whole = np.s_[0:rows, 0:columns]
    write("2024-03-04T09:30", height, np.zeros(height.shape, bool), whole)
    # The lava runs from the crater to the north-west, in bends.
    along = -(x + 0.35) + (y - 0.15)
    beside = (x + 0.35) + (y - 0.15) - 0.1 * np.sin(9 * along)
    lava = (np.abs(beside) < 0.045 + 0.06 * along) & (along > -0.05) & (along < 0.85) & (height > 0)
    risen = height + np.where(lava, 60, 0) + 500 * np.exp(-far / 0.002)
    write("2024-06-11T14:00", risen, lava, np.s_[120:220, 70:170])
    write("2024-09-19T11:15", risen, lava, np.s_[60:150, 120:240])
    with tiledb.open(path, "w", timestamp=at("2024-09-19T11:16")) as array:
        array.meta["title"] = "An invented island, surveyed three times"
        array.meta["unit"] = "metres above the sea"
    prune(path)


TISSUES = ["air", "shell", "wall", "kernel"]


def walnut():
    """A walnut as a scanner sees it: three parts, one above the other, and a second scan of the middle."""
    shape = (48, 96, 96)
    path = fresh("walnut", GALLERY)
    dims = [tiledb.Dim(name, domain=(0, size - 1), tile=size // 3, dtype=np.uint16) for name, size in zip("zyx", shape)]
    attrs = [
        tiledb.Attr("density", dtype=np.uint8, filters=small(tiledb.DeltaFilter())),
        tiledb.Attr("tissue", dtype=np.uint8, enum_label="tissues", filters=small()),
    ]
    schema = tiledb.ArraySchema(tiledb.Domain(*dims), attrs, enums=[tiledb.Enumeration("tissues", False, np.array(TISSUES))])
    tiledb.Array.create(path, schema)

    z, y, x = np.meshgrid(np.linspace(-1, 1, shape[0]), np.linspace(-1.1, 1.1, shape[1]), np.linspace(-1.1, 1.1, shape[2]), indexing="ij")
    around = np.arctan2(y, x)
    bumps = 0.025 * np.sin(9 * around + 4 * z) * np.cos(7 * z) + 0.05 * np.exp(-((y / 0.09) ** 2))
    radius = np.sqrt(x**2 + (1.1 * y) ** 2 + (1.08 * z) ** 2) / (0.92 + bumps)
    folds = np.sin(9 * x + 2 * np.sin(5 * z)) * np.sin(8 * z + 2 * np.cos(4 * y)) + np.cos(10 * y + 3 * np.sin(4 * x)) + 0.9
    is_kernel = (radius < 0.8) & (np.abs(y) > 0.09) & (folds + 2.2 * (0.72 - radius) > 0.3)
    is_wall = (radius < 0.9) & (np.abs(y + 0.03 * np.sin(7 * x)) < 0.025)
    is_shell = (radius > 0.86) & (radius < 1)
    tissue = np.select([is_shell, is_wall, is_kernel], [1, 2, 3], 0).astype(np.uint8)
    grain = 6 * np.sin(31 * x + 7 * y) * np.cos(29 * z - 5 * y)
    density = np.choose(tissue, [8, 205, 150, 105]) + np.where(tissue > 0, grain, 0) + np.where(is_kernel, 25 * (0.8 - radius), 0)

    def write(time, box, sharp):
        cells = {"density": np.clip(sharp * density[box], 0, 255) // 4 * 4, "tissue": tissue[box]}
        with tiledb.open(path, "w", timestamp=at(time)) as array:
            array[box] = {name: np.ascontiguousarray(values, dtype=np.uint8) for name, values in cells.items()}

    for i, time in enumerate(["2024-05-14T08:00", "2024-05-14T08:20", "2024-05-14T08:40"]):
        write(time, np.s_[16 * i : 16 * i + 16, 0:96, 0:96], 1)
    write("2024-05-15T16:05", np.s_[16:32, 30:66, 24:72], 1.2)
    prune(path)


GAUGES = ["good", "doubtful", "stuck"]


def harbour():
    """Each hour of a year at a gauge: written by quarters, a storm on a Tuesday measured anew, and what a stuck gauge said deleted."""
    path = fresh("harbour", GALLERY)
    domain = (np.datetime64("2024-01-01T00", "h"), np.datetime64("2024-12-31T23", "h"))
    time = tiledb.Dim("time", domain=domain, tile=np.timedelta64(720, "h"), dtype="datetime64[h]", filters=small(tiledb.DoubleDeltaFilter()))
    attrs = [
        tiledb.Attr("level", dtype=np.float32, filters=small(tiledb.ByteShuffleFilter())),
        tiledb.Attr("wind", dtype=np.float32, filters=small(tiledb.ByteShuffleFilter())),
        tiledb.Attr("gauge", dtype=np.uint8, enum_label="gauges", filters=small()),
    ]
    enums = [tiledb.Enumeration("gauges", True, np.array(GAUGES))]
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(time), attrs, enums=enums, sparse=True, capacity=500))

    hours = np.arange(domain[0], domain[1] + 1)
    t = np.arange(len(hours), dtype=np.float64)
    # Periods of the tides in hours, and their heights in metres.
    level = sum(high * np.sin(2 * np.pi * t / period) for period, high in [(12.4206, 1.4), (12, 0.45), (25.8193, 0.15), (23.9345, 0.2)])
    gusts = np.abs(np.sin(t / 71) * np.sin(t / 47 + 1) + 0.4 * np.sin(t / 13)) * (1 + 0.3 * np.cos(2 * np.pi * t / len(t)))
    since = t - float((np.datetime64("2024-10-22T16", "h") - domain[0]).astype(int))  # hours since the height of the storm
    storm = np.exp(-((since / 9) ** 2))
    wind = 3 + 9 * gusts + 22 * storm
    level = level + 0.02 * wind + 2.1 * np.exp(-(((since - 2) / 8) ** 2))
    gauge = np.where(wind > 18, 1, 0)
    stuck = (t > 4500) & (t < 4560)
    level, gauge = np.where(stuck, 4.9, level), np.where(stuck, 2, gauge)

    def write(stamp, chosen, more=0.0):
        cells = {"level": np.round(level + more, 2).astype(np.float32), "wind": np.round(wind, 1).astype(np.float32), "gauge": gauge.astype(np.uint8)}
        with tiledb.open(path, "w", timestamp=at(stamp)) as array:
            array[hours[chosen]] = {name: values[chosen] for name, values in cells.items()}

    months = hours.astype("datetime64[M]").astype(int) % 12
    for quarter, stamp in enumerate(["2024-04-01T06:00", "2024-07-01T06:00", "2024-10-01T06:00", "2025-01-01T06:00"]):
        write(stamp, months // 3 == quarter)
    write("2025-01-07T10:30", np.abs(since) < 30, 0.35 * storm)
    with tiledb.open(path, "d", timestamp=at("2025-01-08T09:00")) as array:
        array.query(cond="gauge == 'stuck'").submit()
    with tiledb.open(path, "w", timestamp=at("2025-01-08T09:05")) as array:
        array.meta["title"] = "Invented levels and winds at a harbour, 2024"
        array.meta["units"] = "level in metres, wind in metres a second"
    prune(path)


def gallery():
    GALLERY.mkdir(exist_ok=True)
    for make in (island, walnut, harbour):
        make()
        facts = {"case": make.__name__, "tags": ["example"], "libtiledb": ".".join(map(str, tiledb.libtiledb.version())), "release": tiledb.__version__}
        (GALLERY / f"{make.__name__}.facts.json").write_text(json.dumps(facts))
    # What TileDB reads from them.
    subprocess.run([sys.executable, HERE.parents[1] / "test/fixtures/expected.py", GALLERY], check=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["gallery"]:
        gallery()
        sys.exit()
    weather()
    places()
    blood()
