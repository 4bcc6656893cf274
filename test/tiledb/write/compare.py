"""Compares what our reader says of a sample with what TileDB says."""
import struct

FILTERS = {"md5": "CHECKSUM_MD5", "sha256": "CHECKSUM_SHA256", "dictionary": "DICTIONARY_ENCODING", "float_scale": "SCALE_FLOAT"}
OPTIONS = {"level": "level", "bit_width_max_window": "max_window_size", "positive_delta_max_window": "max_window_size", "bytewidth": "byte_width", "factor": "scale", "offset": "offset",
           "quality": "quality", "lossless": "lossless"}


def value(v, datatype=None):
    """A value in the form in which both sides are compared."""
    if isinstance(v, dict):
        return v.get("b64", v.get("base64"))
    if isinstance(v, list):
        return [value(x, datatype) for x in v]
    if isinstance(v, bool):
        return int(v)
    if datatype == "FLOAT32" and isinstance(v, (int, float)):
        return struct.unpack("<f", struct.pack("<f", v))[0]
    return v


def pipeline(theirs):
    return [dict({"name": FILTERS.get(f["name"], f["name"].upper())}, **{OPTIONS[k]: int(x) if k == "lossless" else x for k, x in f.items() if k in OPTIONS}) for f in theirs]


def our_pipeline(ours):
    return [{k: int(x) if isinstance(x, bool) else x for k, x in f.items() if k == "name" or k in OPTIONS.values()} for f in ours["filters"]]


class Differences(list):
    def check(self, what, ours, theirs):
        if ours != theirs:
            self.append("%s: ours %.200r, TileDB's %.200r" % (what, ours, theirs))


def schema(ours, theirs, out):
    for k, mine in (("array_type",) * 2, ("cell_order",) * 2, ("tile_order",) * 2, ("capacity",) * 2, ("allows_duplicates",) * 2, ("version", "format_version")):
        out.check("schema " + k, ours[mine], theirs[k])
    for k in ("offsets", "coords"):
        out.check("schema %s filters" % k, our_pipeline(ours[k + "_filters"]), pipeline(theirs[k + "_filters"]))
    if theirs["version"] >= 7:
        out.check("schema validity filters", our_pipeline(ours["validity_filters"]), pipeline(theirs["validity_filters"]))
    out.check("schema dimensions", [d["name"] for d in ours["dimensions"]], [d["name"] for d in theirs["dims"]])
    for mine, d in zip(ours["dimensions"], theirs["dims"]):
        out.check("dimension type", mine["type"], d["type"])
        if d["domain"] is not None:
            out.check("dimension domain", value(mine["domain"], d["type"]), value(d["domain"], d["type"]))
        if d["tile"] is not None:
            out.check("dimension extent", value(mine["tile_extent"], d["type"]), value(d["tile"], d["type"]))
        out.check("dimension filters", our_pipeline(mine["filters"]) or our_pipeline(ours["coords_filters"]), pipeline(d["filters"]) or our_pipeline(ours["coords_filters"]))
    out.check("schema attributes", [a["name"] for a in ours["attributes"]], [a["name"] for a in theirs["attrs"]])
    for mine, a in zip(ours["attributes"], theirs["attrs"]):
        for k in ("type", "cell_val_num", "nullable"):
            out.check("attribute " + k, mine[k], a[k])
        if a["enumeration"] is not None:
            out.check("attribute enumeration", mine["enumeration"] or "", a["enumeration"])
        if a["fill"] is not None:
            out.check("attribute fill value", value(mine["fill_value"], a["type"]), value(a["fill"], a["type"]))
        out.check("attribute filters", our_pipeline(mine["filters"]), pipeline(a["filters"]))


def fragment(mine, listed, theirs, s, out):
    """mine: cells and R-tree; listed: what ls says."""
    for k in ("cell_num", "format_version", "dense", "timestamp_range"):
        out.check("fragment " + k, listed[k], theirs[k])
    types = [d["type"] for d in s["dims"]]
    box = lambda ranges: [value(r, t) for r, t in zip(ranges, types)]
    out.check("non-empty domain", box(listed["nonempty_domain"]), box(theirs["nonempty_domain"]))
    if not theirs["dense"]:
        levels = mine["rtree"]["levels"]
        out.check("MBRs", [box(m) for m in levels[-1]] if levels else [], [box(m) for m in theirs["mbrs"]])
    fields = {a["name"]: a["type"] for a in s["attrs"]}
    cells = mine["cells"]
    if theirs["dense"]:
        names = [d["name"] for d in s["dims"]]
        cells = sorted(cells, key=lambda row: [row[n] for n in names])
    else:
        fields.update((d["name"], d["type"]) for d in s["dims"])
    columns = dict(theirs["cells"]["coords"], **theirs["cells"]["attrs"])
    for name, datatype in fields.items():
        column = columns[name]
        if isinstance(column, dict):
            raise ValueError("too many cells to compare")
        ours, tiledbs = [value(row[name], datatype) for row in cells], [value(v, datatype) for v in column]
        if ours != tiledbs:
            at = next((i for i, (a, b) in enumerate(zip(ours, tiledbs)) if a != b), min(len(ours), len(tiledbs)))
            out.append("cells of %s (%d, %d) from %d on: ours %.120r, TileDB's %.120r" % (name, len(ours), len(tiledbs), at, ours[at : at + 3], tiledbs[at : at + 3]))
