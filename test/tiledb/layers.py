#!/usr/bin/env python3
"""Writes datasets as the libraries on top of TileDB do, and faults in them: layers.py [--seed N]

GDAL, PDAL and silvimetric are not on PyPI with TileDB, so TileDB-Py writes their layouts here; data frames and files it writes itself. `check --level cells`
must say nothing above a note of each healthy dataset, and name each fault. The exit code is 1 if anything differs.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from random import Random

import environment

environment.enter()

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import tiledb  # noqa: E402

CLI = ["node", str(environment.ROOT / "bin" / "tiledb-inspect.js")]

WKT = 'PROJCS["NAD27 / UTM zone 11N",GEOGCS["NAD27",AUTHORITY["EPSG","4267"]],UNIT["metre",1],AUTHORITY["EPSG","26711"]]'


def put(path, **keys):
    """Sets keys of an array or a group, or removes those that are None."""
    opened = tiledb.Group(path, "w") if tiledb.object_type(path) == "group" else tiledb.open(path, "w")
    with opened as one:
        for key, value in keys.items():
            if value is None:
                del one.meta[key]
            elif isinstance(value, np.ndarray):
                # As a library in C++ does: TileDB-Py would give the key a prefix.
                one.meta._array_or_group._put_metadata(key, value)
            else:
                one.meta[key] = value


def as_bytes(text):
    return np.frombuffer(text.encode(), dtype=np.uint8)


def pam(width, height, overviews=0):
    count = "<tiledb:OverviewCount>%d</tiledb:OverviewCount>" % overviews if overviews else ""
    items = {"DATA_TYPE": "Byte", "INTERLEAVE": "BAND", "NBITS": 8, "X_SIZE": width, "Y_SIZE": height}
    structure = "".join('<MDI key="%s">%s</MDI>' % item for item in items.items())
    return as_bytes(
        '<PAMDataset>\n  <SRS dataAxisToSRSAxisMapping="1,2">%s</SRS>\n  <GeoTransform>440720.0, 60.0, 0.0, 3751320.0, 0.0, -60.0</GeoTransform>\n'
        '  <Metadata><MDI key="AREA_OR_POINT">Area &amp; more</MDI></Metadata>\n  <Metadata domain="IMAGE_STRUCTURE">%s</Metadata>%s\n</PAMDataset>\n' % (WKT, structure, count)
    )


def raster(path, width, height, block=16, bands=1):
    """An array of GDAL: filled up to whole blocks."""
    sizes = [-(-size // block) * block for size in (height, width)]
    dims = [tiledb.Dim("BANDS", domain=(1, bands), tile=1, dtype=np.uint64)]
    dims += [tiledb.Dim(name, domain=(0, size - 1), tile=block, dtype=np.uint64) for name, size in zip("YX", sizes)]
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(*dims), attrs=[tiledb.Attr("TDB_VALUES", dtype=np.uint8)]))
    with tiledb.open(path, "w") as array:
        array[:] = np.full((bands, *sizes), 7, dtype=np.uint8)
    put(path, dataset_type="raster", _gdal=pam(width, height))


def pyramid(path, width, height, levels, prefix="l"):
    tiledb.Group.create(path)
    for level in range(levels + 1):
        name = "%s_%d" % (prefix, level)
        raster(os.path.join(path, name), -(-width // 2**level), -(-height // 2**level))
        with tiledb.Group(path, "w") as group:
            group.add(name, name=name, relative=True)
    put(path, dataset_type="raster", _gdal=pam(width, height, levels))


def vector(path):
    dims = [tiledb.Dim(name, domain=(-1e6, 1e6), tile=1e5, dtype=np.float64) for name in ("_X", "_Y")]
    attrs = [tiledb.Attr("FID", dtype=np.int64), tiledb.Attr("name", dtype="U", var=True), tiledb.Attr("wkb_geometry", dtype="blob", var=True)]
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(*dims), attrs=attrs, sparse=True, allows_duplicates=True))
    with tiledb.open(path, "w") as array:
        array[[1.0, 2.5], [3.0, -4.0]] = {"FID": np.array([1, 2]), "name": np.array(["a", "b"]), "wkb_geometry": np.array([b"\x01\x02", b"\x03"], dtype="O")}
    keys = {"FID_ATTRIBUTE_NAME": "FID", "GEOMETRY_ATTRIBUTE_NAME": "wkb_geometry", "GeometryType": "Polygon", "CRS": WKT, "PAD_X": 1.5, "PAD_Y": 2.0}
    put(path, dataset_type="geometry", **keys)


def vectors(path):
    tiledb.Group.create(path)
    tiledb.Group.create(os.path.join(path, "layers"))
    for name in ("roads", "houses"):
        vector(os.path.join(path, "layers", name))
        with tiledb.Group(os.path.join(path, "layers"), "w") as group:
            group.add(name, name=name, relative=True)
    with tiledb.Group(path, "w") as group:
        group.add("layers", name="layers", relative=True)
    put(path, dataset_type="geometry")


def multidim(path, width):
    tiledb.Group.create(path)
    for name, dims in (("x", ("x",)), ("wind", ("y", "x"))):
        at = os.path.join(path, name)
        domain = tiledb.Domain(*[tiledb.Dim(one, domain=(0, width - 1), tile=width, dtype=np.uint64) for one in dims])
        tiledb.Array.create(at, tiledb.ArraySchema(domain, attrs=[tiledb.Attr(name + "_values", dtype=np.float32)]))
        with tiledb.open(at, "w") as array:
            array[:] = np.ones([width] * len(dims), dtype=np.float32)
            array.meta["_UNIT"] = "m/s"
            array.meta["_CRS"] = WKT
        with tiledb.Group(path, "w") as group:
            # As GDAL does.
            group.add("file://" + at, name=name, relative=False)


def points(path, rng, hilbert=False, scale=None, ended=True):
    bounds = {} if hilbert else {"tile": 50.0}
    filters = tiledb.FilterList([tiledb.FloatScaleFilter(scale, 0, 4), tiledb.ZstdFilter(7)] if scale else [tiledb.ZstdFilter(7)])
    dims = [tiledb.Dim(name, domain=(0.0, 100.0), dtype=np.float64, filters=filters, **bounds) for name in "XYZ"]
    attrs = [tiledb.Attr("Intensity", dtype=np.uint16), tiledb.Attr("BitFields", dtype=np.uint8)]
    order = {"cell_order": "hilbert"} if hilbert else {}
    schema = tiledb.ArraySchema(tiledb.Domain(*dims), attrs=attrs, sparse=True, allows_duplicates=True, capacity=100000, **order)
    tiledb.Array.create(path, schema)
    count = rng.randint(3, 20)
    with tiledb.open(path, "w") as array:
        at = [np.round([rng.uniform(0, 100) for _ in range(count)], 1) for _ in range(3)]
        array[tuple(at)] = {"Intensity": np.ones(count, dtype=np.uint16), "BitFields": np.ones(count, dtype=np.uint8)}
    put(path, dataset_type="pointcloud")
    if ended:
        document = {"root": {"filters.stats": {"bbox": {}}, "writers.tiledb": {"spatialreference": WKT}}}
        put(path, _pdal=as_bytes(json.dumps(document) + "\0"))


def forest(path, rng, writes=2):
    size, resolution = rng.randint(5, 12), 30
    dims = [tiledb.Dim(name, domain=(0, size), tile=4, dtype=np.uint64) for name in "XY"]
    names = ["count", "Z", "Intensity", "m_Z_mean"]
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(*dims), attrs=[tiledb.Attr(name, dtype=np.float32) for name in names]))
    with tiledb.open(path, "w") as array:
        array[:] = {name: np.ones((size + 1, size + 1), dtype=np.float32) for name in names}
    config = {
        "tdb_dir": path, "log": {}, "debug": False, "root": [300.0, 600.0, 300.0 + size * resolution, 600.0 + size * resolution],
        "crs": {"type": "ProjectedCRS", "name": "NAD83 / UTM zone 10N"}, "resolution": resolution, "attrs": [{"name": "Z", "dtype": "<f8"}, {"name": "Intensity", "dtype": "<u2"}],
        "metrics": [{"name": "mean"}], "version": "1.4.0", "capacity": 1000000, "next_time_slot": writes + 1,
    }
    put(path, config=json.dumps(config))
    for slot in range(1, writes + 1):
        put(path, **{"shatter_%d" % slot: json.dumps({"filename": "a.laz", "time_slot": slot, "finished": True, "point_count": 1000 + slot, "bounds": config["root"]})})


def frame(path):
    tiledb.from_pandas(path, pd.DataFrame({"when": pd.date_range("2024-01-01", periods=4), "value": [1.5, 2, 3, 4]}).set_index("when"), sparse=True)


def file(path):
    source = path + ".txt"
    with open(source, "wb") as out:
        out.write(b"some text\n" * 300)
    tiledb.Array.create(path, tiledb.ArraySchema.from_file(source))
    tiledb.Filestore.copy_from(path, source)
    os.remove(source)


HEALTHY = {
    "raster": lambda p, r: raster(p, r.randint(20, 90), r.randint(20, 90), bands=3),
    "raster_overviews": lambda p, r: pyramid(p, r.randint(64, 200), r.randint(64, 200), 2),
    "raster_old_names": lambda p, r: pyramid(p, r.randint(64, 200), r.randint(64, 200), 1, os.path.basename(p)),
    "vector": lambda p, r: vector(p),
    "vectors": lambda p, r: vectors(p),
    "multidim": lambda p, r: multidim(p, r.randint(4, 9)),
    "points": lambda p, r: points(p, r),
    "points_hilbert": lambda p, r: points(p, r, hilbert=True),
    "points_scaled": lambda p, r: points(p, r, scale=0.01),
    "forest": lambda p, r: forest(p, r),
    "forest_unwritten": lambda p, r: forest(p, r, writes=0),
    "forest_many": lambda p, r: forest(p, r, writes=9),
    "forest_deleted": lambda p, r: [forest(p, r), put(p, shatter_1='{"finished": false, "mbr": [], "start_timestamp": null, "end_timestamp": null}')],
    "forest_old": lambda p, r: [forest(p, r, writes=0), changed(p, next_time_slot=3), put(p, shatter='{"finished": true}')],
    "frame": lambda p, r: frame(p),
    "file": lambda p, r: file(p),
}


def changed(path, **keys):
    """Changes keys of the settings of a forest."""
    with tiledb.open(path) as array:
        config = json.loads(array.meta["config"])
    put(path, config=json.dumps({**config, **keys}))


def without_member(path, name):
    with tiledb.Group(path, "w") as group:
        group.remove(name)


def again(path, make):
    shutil.rmtree(path)
    make()


# What is damaged, how, and the code and the words that must be said.
FAULTS = {
    "xml_cut": ("raster", lambda p: put(p, _gdal=pam(10, 10)[:300]), "LAYER_TEXT", ["_gdal"]),
    "xml_crossed": ("raster", lambda p: put(p, _gdal=as_bytes("<PAMDataset><SRS>a</PAMDataset></SRS>")), "LAYER_TEXT", ["_gdal", "</PAMDataset>"]),
    "xml_gone": ("raster", lambda p: put(p, _gdal=None), "LAYER_METADATA", ["_gdal"]),
    "too_large": ("raster", lambda p: put(p, _gdal=pam(5000, 10)), "LAYER_SHAPES_DIFFER", ["X_SIZE", "5000"]),
    "overview_gone": ("raster_overviews", lambda p: shutil.rmtree(p + "/l_2"), "GROUP_MEMBER_MISSING", ["l_2"]),
    "overview_unlisted": ("raster_overviews", lambda p: without_member(p, "l_1"), "LAYER_MEMBER", ["l_1"]),
    "full_gone": ("raster_overviews", lambda p: without_member(p, "l_0"), "LAYER_MEMBER", ["l_0"]),
    "overview_larger": ("raster_overviews", lambda p: again(p + "/l_1", lambda: raster(p + "/l_1", 400, 400)), "LAYER_SHAPES_DIFFER", ["l_1", "400 × 400"]),
    "overview_narrow": ("raster_overviews", lambda p: again(p + "/l_2", lambda: raster(p + "/l_2", 3, 30)), "LAYER_SHAPES_DIFFER", ["l_2", "3 × 30"]),
    "geometry_gone": ("vector", lambda p: put(p, GEOMETRY_ATTRIBUTE_NAME="geom"), "LAYER_SCHEMA", ["geom"]),
    "padding": ("vectors", lambda p: put(p + "/layers/roads", PAD_X=-1.0), "LAYER_METADATA", ["roads", "PAD_X"]),
    "no_layers": ("vectors", lambda p: [without_member(p + "/layers", one) for one in ("roads", "houses")], "LAYER_MEMBER", ["layers"]),
    "not_vectors": ("forest", lambda p: put(p, dataset_type="geometry"), "LAYER_SCHEMA", ["_X"]),
    "values_short": ("multidim", lambda p: again(p + "/x", lambda: None) or short(p + "/x"), "LAYER_SHAPES_DIFFER", ["x"]),
    "json_cut": ("points", lambda p: put(p, _pdal=as_bytes('{"root": {"a"')), "LAYER_TEXT", ["_pdal"]),
    "json_text": ("points_scaled", lambda p: put(p, _pdal=as_bytes('"text"\0')), "LAYER_TEXT", ["_pdal"]),
    "no_end": ("points", lambda p: put(p, _pdal=None), "LAYER_INCOMPLETE", ["_pdal"]),
    "not_points": ("forest", lambda p: put(p, dataset_type="pointcloud"), "LAYER_SCHEMA", ["Z"]),
    "config_cut": ("forest", lambda p: put(p, config='{"root": [1, "next_time_slot"'), "LAYER_TEXT", ["config"]),
    "write_broken": ("forest", lambda p: put(p, shatter_2='{"finished": false, "point_count": 17}'), "LAYER_INCOMPLETE", ["shatter_2", "17"]),
    "write_gone": ("forest_many", lambda p: put(p, shatter_4=None), "LAYER_INCOMPLETE", ["shatter_4"]),
    "attribute_gone": ("forest", lambda p: changed(p, attrs=[{"name": "Red"}]), "LAYER_SCHEMA", ["Red"]),
    "bounds": ("forest", lambda p: changed(p, resolution=3), "LAYER_SHAPES_DIFFER", ["config"]),
    "index_gone": ("frame", lambda p: put(p, __pandas_index_dims='{"where": "int64"}'), "LAYER_SCHEMA", ["where"]),
    "index_cut": ("frame", lambda p: put(p, __pandas_index_dims='{"when"'), "LAYER_TEXT", ["__pandas_index_dims"]),
    "file_short": ("file", lambda p: put(p, file_size=1000000), "LAYER_INCOMPLETE", ["file_size", "1000000"]),
}


def short(path):
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(tiledb.Dim("x", domain=(0, 1), tile=2, dtype=np.uint64)), attrs=[tiledb.Attr("x_values", dtype=np.float32)]))
    put(path, _UNIT="m")


def check(path):
    done = subprocess.run([*CLI, "check", "--level", "cells", "--json", path], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["findings"], done.stderr
    except (ValueError, KeyError):
        return [], "failed: " + done.stdout + done.stderr


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int)
    args = ap.parse_args()
    seed = args.seed if args.seed is not None else int(time.time())
    print("seed %d" % seed, flush=True)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="layers") as folder:
        folder = os.path.realpath(folder)
        for name, make in HEALTHY.items():
            path = os.path.join(folder, name)
            make(path, Random("%d %s" % (seed, name)))
            findings, said = check(path)
            serious = [one for one in findings if one["severity"] != "note"]
            if serious or said:
                wrong += 1
                print("%s: %s %s" % (name, json.dumps(serious), said), flush=True)
        for name, (base, damage, code, words) in FAULTS.items():
            # The members of some have absolute paths.
            path = os.path.join(folder, base)
            kept = os.path.join(folder, "kept")
            shutil.copytree(path, kept)
            damage(path)
            findings, said = check(path)
            found = [one for one in findings if one["code"] == code and one["severity"] != "note"]
            text = json.dumps(found, ensure_ascii=False)
            if said or not all(word in text for word in words):
                wrong += 1
                print("%s: %s of %s not named in %s %s" % (name, code, words, json.dumps(findings, ensure_ascii=False), said), flush=True)
            shutil.rmtree(path)
            os.rename(kept, path)
    print("%d datasets and %d faults, %d wrong" % (len(HEALTHY), len(FAULTS), wrong))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
