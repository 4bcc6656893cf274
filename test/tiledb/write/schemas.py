"""Lets TileDB make an array of a schema document.

`python schemas.py --serve LIBRARY` reads lines of JSON, {"dir", "document"}, and answers each with {"error": text or null}. What a document
leaves out keeps the default of TileDB. Values are numbers and text as `schema --json --raw` prints them.
"""
import base64
import ctypes as C
import json
import pathlib
import struct
import sys

import libtiledb
from libtiledb import DATATYPES, LAYOUTS, VAR

FILTER_NAMES = {"NONE": 0, "GZIP": 1, "ZSTD": 2, "LZ4": 3, "RLE": 4, "BZIP2": 5, "DOUBLE_DELTA": 6, "BIT_WIDTH_REDUCTION": 7, "BITSHUFFLE": 8, "BYTESHUFFLE": 9,
                "POSITIVE_DELTA": 10, "CHECKSUM_MD5": 12, "CHECKSUM_SHA256": 13, "DICTIONARY_ENCODING": 14, "SCALE_FLOAT": 15, "XOR": 16, "WEBP": 18, "DELTA": 19}
WEBP_FORMATS = ("NONE", "RGB", "BGR", "RGBA", "BGRA")
OPTIONS = {"level": (0, C.c_int32), "byte_width": (3, C.c_uint64), "scale": (4, C.c_double), "offset": (5, C.c_double), "quality": (6, C.c_float),
           "format": (7, C.c_uint8), "lossless": (8, C.c_uint8), "reinterpret_datatype": (9, C.c_uint8)}
WIDTHS = {"CHAR": "b", "STRING_ASCII": "B", "STRING_UTF8": "B", "STRING_UTF16": "H", "STRING_UCS2": "H", "STRING_UTF32": "I", "STRING_UCS4": "I", "ANY": "B", "BLOB": "B",
          "GEOM_WKB": "B", "GEOM_WKT": "B"}


def raw(datatype, value):
    """The bytes of a cell."""
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    kind = libtiledb.code(datatype)
    if isinstance(value, str) and kind not in ("f", "d"):
        encoding = {"H": "utf-16-le", "I": "utf-32-le"}.get(WIDTHS.get(datatype), "utf8")
        return value.encode(encoding)
    values = value if isinstance(value, list) else [value]
    return struct.pack("<%d%s" % (len(values), kind or WIDTHS[datatype]), *[float(v) if kind in ("f", "d") else v for v in values])


def cells(value, otherwise):
    return otherwise if value is None else VAR if value == "var" else value


class Maker:
    def __init__(self, path):
        self.lib = libtiledb.Library(path)

    def filters(self, pipeline):
        lib = self.lib
        out = lib.new("filter_list_alloc")
        for f in pipeline.get("filters") or []:
            one = lib.new("filter_alloc", C.c_int(FILTER_NAMES[f["name"]]))
            for key, value in f.items():
                if key in ("name", "y_extent", "x_extent", "extra", "compressor") or value is None:
                    continue
                if key == "max_window_size":
                    number, kind = (1 if f["name"] == "BIT_WIDTH_REDUCTION" else 2), C.c_uint32
                else:
                    number, kind = OPTIONS[key]
                if key == "reinterpret_datatype":
                    value = DATATYPES.index(value) if value in DATATYPES else 17
                if key == "format":
                    value = WEBP_FORMATS.index(value)
                lib("filter_set_option", one, C.c_int(number), C.byref(kind(value)))
            lib("filter_list_add_filter", out, one)
        if pipeline.get("max_chunk_size") is not None:
            lib("filter_list_set_max_chunk_size", out, C.c_uint32(pipeline["max_chunk_size"]))
        return out

    def attribute(self, a):
        lib = self.lib
        out = lib.new("attribute_alloc", a["name"], C.c_int(DATATYPES.index(a["type"])))
        lib("attribute_set_cell_val_num", out, C.c_uint32(cells(a.get("cell_val_num"), VAR if a["type"] == "ANY" else 1)))
        if a.get("filters") is not None:
            lib("attribute_set_filter_list", out, self.filters(a["filters"]))
        if a.get("nullable"):
            lib("attribute_set_nullable", out, C.c_uint8(1))
        if a.get("fill_value") is not None:
            fill = raw(a["type"], a["fill_value"])
            if a.get("nullable"):
                lib("attribute_set_fill_value_nullable", out, lib.buffer(fill), C.c_uint64(len(fill)), C.c_uint8(1 if a.get("fill_value_validity") else 0))
            else:
                lib("attribute_set_fill_value", out, lib.buffer(fill), C.c_uint64(len(fill)))
        if a.get("enumeration") is not None:
            lib("attribute_set_enumeration_name", out, a["enumeration"])
        return out

    def enumeration(self, e):
        lib = self.lib
        var = cells(e.get("cell_val_num"), VAR if e["type"].startswith("STRING") or e["type"] == "CHAR" else 1)
        values = [raw(e["type"], v) for v in e["values"]]
        data = b"".join(values)
        starts = [sum(map(len, values[:i])) for i in range(len(values))]
        offsets = struct.pack("<%dQ" % len(starts), *starts) if var == VAR else b""
        return lib.new("enumeration_alloc", e["name"], C.c_int(DATATYPES.index(e["type"])), C.c_uint32(var), C.c_int(bool(e.get("ordered"))),
                       lib.buffer(data) if data else None, C.c_uint64(len(data)), lib.buffer(offsets) if offsets else None, C.c_uint64(len(offsets)))

    def dimension(self, d):
        lib = self.lib
        domain = d.get("domain")
        both = None if domain is None else lib.buffer(raw(d["type"], domain[0]) + raw(d["type"], domain[1]))
        extent = None if d.get("tile_extent") is None else lib.buffer(raw(d["type"], d["tile_extent"]))
        out = lib.new("dimension_alloc", d["name"], C.c_int(DATATYPES.index(d["type"])), both, extent)
        if d.get("cell_val_num") is not None:
            lib("dimension_set_cell_val_num", out, C.c_uint32(cells(d["cell_val_num"], 1)))
        if d.get("filters") is not None:
            lib("dimension_set_filter_list", out, self.filters(d["filters"]))
        return out

    def make(self, uri, s):
        lib = self.lib
        schema = lib.new("array_schema_alloc", C.c_int(1 if s["array_type"] == "sparse" else 0))
        for which in ("cell", "tile"):
            order = s.get(which + "_order")
            if order is not None:
                lib("array_schema_set_%s_order" % which, schema, C.c_int({"global-order": 2}.get(order, LAYOUTS.get(order))))
        domain = lib.new("domain_alloc")
        for d in s["dimensions"]:
            lib("domain_add_dimension", domain, self.dimension(d))
        lib("array_schema_set_domain", schema, domain)
        if s.get("capacity") is not None:
            lib("array_schema_set_capacity", schema, C.c_uint64(s["capacity"]))
        if s.get("allows_duplicates") is not None:
            lib("array_schema_set_allows_dups", schema, C.c_int(bool(s["allows_duplicates"])))
        for which in ("coords", "offsets", "validity"):
            if s.get(which + "_filters") is not None:
                lib("array_schema_set_%s_filter_list" % which, schema, self.filters(s[which + "_filters"]))
        for e in s.get("enumerations") or []:
            lib("array_schema_add_enumeration", schema, self.enumeration(e))
        for a in s["attributes"]:
            lib("array_schema_add_attribute", schema, self.attribute(a))
        if s.get("current_domain") is not None:
            rectangle = lib.new("ndrectangle_alloc", domain)
            for d in s["dimensions"]:
                low, high = (raw(d["type"], v) for v in s["current_domain"][d["name"]])
                lib("ndrectangle_set_range_for_name", rectangle, d["name"], C.byref(libtiledb.Range(
                    C.cast(lib.buffer(low), C.c_void_p), len(low), C.cast(lib.buffer(high), C.c_void_p), len(high))))
            current = lib.new("current_domain_create")
            lib("current_domain_set_ndrectangle", current, rectangle)
            lib("array_schema_set_current_domain", schema, current)
        lib("array_schema_check", schema)
        lib("array_create", uri, schema)
        array = lib.open(uri, libtiledb.READ)
        lib("array_close", array)

    def open(self, uri):
        lib = self.lib
        array = lib.open(uri, libtiledb.READ)
        lib("array_close", array)


def differences(library, folder):
    """Schemas of which TileDB says something else than schemas.json. Each gets a folder, but all share a process, because none crashes."""
    out, maker = [], Maker(library)
    rules = json.loads((pathlib.Path(__file__).parent / "schemas.json").read_text())
    for i, rule in enumerate(rules):
        try:
            maker.make("%s/%d" % (folder, i), rule["document"])
            error = None
        except (RuntimeError, struct.error) as e:
            error = str(e)
        maker.lib.keep.clear()
        if (error is None) != (rule["refused"] is None):
            out.append("%s: ours %s, TileDB's %s" % (rule["name"], rule["refused"] or "made", error or "made"))
    return out, len(rules)


def serve(path):
    maker = Maker(path)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if asked.get("document") is None:
                maker.open(asked["dir"])
            else:
                maker.make(asked["dir"], asked["document"])
            error = None
        except (RuntimeError, struct.error, OverflowError, KeyError, ValueError) as e:
            error = "%s: %s" % (type(e).__name__, e)
        maker.lib.keep.clear()
        print("\0" + json.dumps({"error": error}), flush=True)


if __name__ == "__main__":
    serve(sys.argv[2])
