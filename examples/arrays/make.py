#!/usr/bin/env python3
"""Makes `weather` (dense), `places` (sparse) and `blood` (an experiment of SOMA) anew: pip install tiledb==0.36.1 tiledbsoma==2.3.0 && ./make.py

The weather is invented, from a seeded generator; the places are real, with rounded populations and, where a day is
traditionally given for it, the date of their founding. The cells of `blood` are invented, from a seeded generator, too.
"""
import pathlib
import shutil

import numpy as np
import tiledb

HERE = pathlib.Path(__file__).resolve().parent
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


def fresh(name):
    path = HERE / name
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


if __name__ == "__main__":
    weather()
    places()
    blood()
