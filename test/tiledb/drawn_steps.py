"""Draws random lists of steps of write-sample, for history.py."""
import json
import string

FILTERS = {"a": ["bit_width_reduction", "zstd"], "s": ["gzip"], "f": ["byteshuffle", "lz4"]}


def drawn_schema(version, draw):
    sparse = draw.random() < 0.75
    kinds = [("INT32", 0, 99, 10), ("INT64", -50, 49, 25), ("UINT8", 0, 60, 7), ("INT16", -20, 30, 12)]
    if not sparse:
        kinds = [("INT32", 0, 11, 4), ("INT32", 0, 8, 3), ("INT64", -4, 5, 5)]
    first = draw.choice(kinds)
    # Domains of several types exist since format 5.
    dims = [first] + [draw.choice(kinds) if version >= 5 and sparse else first for _ in range(draw.randrange(2))]
    cell_orders = ["row-major", "col-major"] + (["hilbert"] if sparse and version >= 7 else [])
    cell_order = draw.choice(cell_orders)
    more = {}
    if version >= 22 and draw.random() < 0.5:
        more["current_domain"] = {"xyz"[i]: [lo, hi - draw.randrange(5)] for i, (_, lo, hi, _) in enumerate(dims)}
    elif version >= 18 and cell_order != "hilbert" and draw.random() < 0.4:
        more["dimension_labels"] = [drawn_label(draw.randrange(len(dims)), i, draw) for i in range(draw.randint(1, 2))]
    return {
        **more,
        "format_version": version,
        "array_type": "sparse" if sparse else "dense",
        "cell_order": cell_order,
        "tile_order": "row-major" if cell_order == "hilbert" else draw.choice(["row-major", "col-major"]),
        "capacity": draw.choice([2, 3, 7, 100]),
        "allows_duplicates": bool(sparse and version >= 5 and draw.random() < 0.3),
        "dimensions": [
            {"name": "xyz"[i], "type": t, "cell_val_num": 1, "domain": [lo, hi], "tile_extent": None if cell_order == "hilbert" else e} for i, (t, lo, hi, e) in enumerate(dims)
        ],
        "attributes": [attribute("a", "INT32"), attribute("s", "STRING_ASCII", var=True)] + ([attribute("f", "FLOAT64", nullable=True)] if version >= 7 else []),
    }


def drawn_label(dimension, number, draw):
    return {"name": "l%d" % number, "dimension_index": dimension, "order": draw.choice(["increasing", "decreasing"]), "type": draw.choice(["INT64", "FLOAT64", "STRING_ASCII"])}


def label_of(label, index, shift):
    """The label at an index. Labels rise or fall with the index, whichever of them are written."""
    value = (index + 100) * 3 + shift
    value = value if label["order"] == "increasing" else 1000 - value
    return "n%04d" % value if label["type"].startswith("STRING") else value / 4 if label["type"] == "FLOAT64" else value


def ends_of(schema):
    """The box that cells may be in."""
    return [(schema.get("current_domain") or {}).get(d["name"], d["domain"]) for d in schema["dimensions"]]


def schema_after(steps, at=None):
    """The schema after the steps up to a time."""
    schema = json.loads(json.dumps(steps[0]["schema"]))
    for step in steps:
        if step["step"] != "evolve" or at is not None and step["time"] > at:
            continue
        schema["attributes"] = [a for a in schema["attributes"] if a["name"] not in step.get("drop_attributes", [])] + step.get("add_attributes", [])
        schema["current_domain"] = step.get("current_domain", schema.get("current_domain"))
    return schema


def attribute(name, datatype, var=False, nullable=False):
    names = [{"name": f.upper()} for f in FILTERS.get(name, [])]
    return {"name": name, "type": datatype, "cell_val_num": "var" if var else 1, "nullable": nullable, "filters": {"filters": names}}


def drawn_value(a, draw):
    if a["nullable"] and draw.random() < 0.2:
        return None
    if a["cell_val_num"] == "var":
        return "".join(draw.choice(string.ascii_lowercase) for _ in range(draw.randrange(1, 6)))
    return draw.randrange(-4000, 4000) / 8 if a["type"].startswith("FLOAT") else draw.randrange(-50, 50)


def drawn_cells(schema, draw):
    """Draws cells in row-major order. Those of a dense array fill a box. @returns the cells, and the box"""
    dims, attributes = schema["dimensions"], schema["attributes"]
    if schema["array_type"] == "dense":
        box = [sorted(draw.choices(range(lo, hi + 1), k=2)) for lo, hi in ends_of(schema)]
        places = [[]]
        for lo, hi in box:
            places = [p + [v] for p in places for v in range(lo, hi + 1)]
    else:
        box = None
        places = [[draw.randint(max(lo, hi - 15), hi) for lo, hi in ends_of(schema)] for _ in range(draw.randint(1, 25))]
        if not schema["allows_duplicates"]:
            places = [list(p) for p in sorted({tuple(p) for p in places})]
    names = [d["name"] for d in dims]
    return [dict(zip(names, p), **{a["name"]: drawn_value(a, draw) for a in attributes}) for p in places], box


def drawn_condition(schema, draw):
    """A condition as text, and in the form of the C API."""
    one = lambda: draw.choice([("a", "INT32", draw.choice(["<", ">", "<=", ">=", "==", "!="]), draw.randrange(-50, 50)),
                               ("s", "STRING_ASCII", draw.choice(["<", ">="]), draw.choice("dkrx"))])
    text = lambda c: "%s %s %s" % (c[0], c[2], json.dumps(c[3]))
    first = one()
    if draw.random() < 0.5:
        return text(first), first
    op, second = draw.choice(["and", "or"]), one()
    return "%s %s %s" % (text(first), op, text(second)), (op, first, second)


def drawn_steps(version, first, draw):
    """Draws steps on an array of format version `first`. If `first` is older than `version`, or by chance, TileDB does some steps before write-sample appends the rest.

    @returns the steps, what the C API needs in addition for each, and the number of steps that TileDB does
    """
    schema = drawn_schema(first, draw)
    steps, beside = [{"step": "create", "schema": json.loads(json.dumps(schema)), "time": 100}], [None]
    now, given, added, format_version = 100, 0, 0, first

    def add(step, more=None, timed=True):
        nonlocal now
        if timed:
            now += draw.randint(1, 5)
            step["time"] = now
        steps.append(step)
        beside.append(more)

    def write():
        cells, box = drawn_cells(schema, draw)
        add({"step": "write", "cells": cells}, box)

    def write_label():
        number = draw.randrange(len(schema["dimension_labels"]))
        label = schema["dimension_labels"][number]
        lo, hi = schema["dimensions"][label["dimension_index"]]["domain"]
        if draw.random() < 0.4:
            lo, hi = sorted(draw.sample(range(lo, hi + 1), 2))
        shift = draw.randrange(3)
        add({"step": "write", "path": "__labels/l%d" % number, "cells": [{"index": i, "label": label_of(label, i, shift)} for i in range(lo, hi + 1)]}, label)

    def consolidate():
        mode = draw.choice(["fragments"] * 3 + ["fragment_meta"] * (format_version >= 5) + ["commits"] * (format_version >= 12) + ["array_meta"] * (format_version >= 5 and first >= 4))
        add({"step": "consolidate", "mode": mode}, timed=False)
        # --append removes no existing file.
        if format_version >= 5 and not given and draw.random() < 0.6:
            add({"step": "vacuum", "mode": mode}, timed=False)

    def evolve():
        nonlocal added
        if schema.get("dimension_labels"):
            return  # then TileDB does not find the schemas of the labels
        current = schema.get("current_domain")
        if current and draw.random() < 0.6:
            grown = {d["name"]: [current[d["name"]][0], draw.randint(current[d["name"]][1], d["domain"][1])] for d in schema["dimensions"]}
            add({"step": "evolve", "current_domain": grown})
        elif added and draw.random() < 0.4:
            add({"step": "evolve", "drop_attributes": ["b%d" % added]})
            added = 0
        elif not added:
            added = draw.randint(1, 9)
            add({"step": "evolve", "add_attributes": [attribute("b%d" % added, "INT64")]})
        schema.update(schema_after(steps))

    write()
    if schema.get("dimension_labels"):
        write_label()
    before = draw.randint(0, 3) if first < version or first >= 5 and draw.random() < 0.2 else None
    for turn in range(draw.randint(2, 7)):
        if turn == before:
            given = len(steps)
            if first < version and version >= 10 and not schema.get("dimension_labels") and draw.random() < 0.5:
                format_version = version
                add({"step": "evolve", "format_version": version})
        kind = draw.random()
        if kind < 0.4:
            write()
        elif kind < 0.45 and schema.get("dimension_labels"):
            write_label()
        elif kind < 0.6 and format_version >= 16 and schema["array_type"] == "sparse":
            where, tree = drawn_condition(schema, draw)
            add({"step": "delete", "where": where}, tree)
        # Before format 10, TileDB computes the length of a footer from the newest schema, so it cannot open fragments of older schemas.
        elif kind < 0.7 and first >= 10 and format_version >= (12 if schema["array_type"] == "sparse" else 18):  # older releases never finish a read of such dense arrays
            evolve()
        elif kind < 0.78 and format_version >= 5 and first >= 4:  # otherwise releases do not make the folder of the metadata
            put = {"k%d" % draw.randrange(3): draw.randrange(1000), "t": draw.choice(["text", "other"])}
            add({"step": "metadata", "put": put, "delete": draw.choice([[], ["k1"] if "k1" not in put else []])})
        elif format_version >= 5 or schema["array_type"] == "sparse" and first == version:  # older formats do not initialise empty text between dense fragments
            consolidate()
    if before is not None and not given:
        given = len(steps)
        write()
    if given == len(steps):
        write()
    return steps, beside, given


def drawn_group(version, draw):
    """Draws steps on a group whose members are arrays and groups. @returns the steps, and the number of them that TileDB does"""
    steps, now, members = [], 100, {}

    def add(step):
        nonlocal now
        now += draw.randint(1, 5)
        steps.append({**step, "time": now})

    def change(**what):
        add({"step": "group", "format_version": version, **what})

    change()
    for number in range(draw.randint(1, 5)):
        kind = draw.choice(["array", "array", "group"])
        path = "m%d" % number
        if kind == "group":
            change(path=path)
        else:
            schema = {"format_version": version, "array_type": "sparse", "dimensions": [{"name": "x", "type": "INT32", "cell_val_num": 1, "domain": [0, 9], "tile_extent": 5}],
                      "attributes": [attribute("a", "INT32")], "cell_order": "row-major", "tile_order": "row-major", "capacity": 100, "allows_duplicates": False}
            add({"step": "create", "path": path, "schema": schema})
        name = draw.choice([None, "name %d" % number])
        change(add=[{"uri": path, **({"name": name} if name else {})}])
        members[path] = name
        if draw.random() < 0.3 and any(members.values()):
            gone = draw.choice([path for path in members if members[path]])
            change(remove=[members[gone]])
            if draw.random() < 0.5:
                change(add=[{"uri": gone, "name": members[gone]}])
            else:
                del members[gone]
        if draw.random() < 0.3:
            add({"step": "metadata", "put": {"k%d" % draw.randrange(2): draw.randrange(99)}})
    return steps, [None] * len(steps), draw.randint(1, len(steps) - 1) if draw.random() < 0.4 else 0
