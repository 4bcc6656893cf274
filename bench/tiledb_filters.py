#!/usr/bin/env python3
"""How fast TileDB undoes each filter: 1,000,000 bytes of unfiltered content a second, on one thread, the best of many reads.

Needs `pip install tiledb numpy`. Prints a table for bench/RESULTS.md; src/filters/registry.ts has its numbers.
"""
import json
import tempfile

import numpy as np
import tiledb

CONFIG = {"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1", "sm.tile_cache_size": "0"}
KEY = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": "0123456789abcdeF0123456789abcdeF"}
READS = 40
random = np.random.default_rng(1)
INTEGERS = np.cumsum(random.integers(0, 100, 400_000)).astype(np.int64)
FLOATS = np.round(random.random(400_000) * 1000, 2)
TEXTS = np.array([b"name%d" % (i % 500) for i in range(100_000)], dtype="S7")
X, Y = np.meshgrid(np.arange(512), np.arange(1024))
PIXELS = np.repeat(((X + Y) // 6).astype(np.uint8), 4, axis=0)[:1024] ^ random.integers(0, 16, (1024, 512), dtype=np.uint8)

f = tiledb
CASES = [
    ("GZIP", INTEGERS, f.GzipFilter()), ("ZSTD", INTEGERS, f.ZstdFilter()), ("LZ4", INTEGERS, f.LZ4Filter()),
    ("BZIP2", INTEGERS, f.Bzip2Filter()), ("RLE", np.repeat(INTEGERS[:4000], 100), f.RleFilter()),
    ("DELTA", INTEGERS, f.DeltaFilter()), ("DOUBLE_DELTA", INTEGERS, f.DoubleDeltaFilter()),
    ("DICTIONARY_ENCODING", TEXTS, f.DictionaryFilter()), ("BITSHUFFLE", INTEGERS, f.BitShuffleFilter()),
    ("BYTESHUFFLE", INTEGERS, f.ByteShuffleFilter()), ("POSITIVE_DELTA", INTEGERS, f.PositiveDeltaFilter()),
    ("BIT_WIDTH_REDUCTION", INTEGERS, f.BitWidthReductionFilter()), ("XOR", INTEGERS, f.XORFilter()),
    ("SCALE_FLOAT", FLOATS, f.FloatScaleFilter(0.01, 0, 4)), ("CHECKSUM_MD5", INTEGERS, f.ChecksumMD5Filter()),
    ("CHECKSUM_SHA256", INTEGERS, f.ChecksumSHA256Filter()), ("AES_256_GCM", INTEGERS, None),
    ("WEBP", PIXELS, f.WebpFilter(f.WebpFilter.WebpInputFormat.WEBP_RGBA, 100.0, True)),
]  # fmt: skip


def rate(name, cells, used):
    config = CONFIG | (KEY if name == "AES_256_GCM" else {})
    texts = cells.dtype.kind == "S"
    dims = [
        tiledb.Dim(f"d{i}", (0, n - 1), n if cells.ndim > 1 else n // 8, dtype=np.int64) for i, n in enumerate(cells.shape)
    ]
    attribute = tiledb.Attr("a", dtype="ascii" if texts else cells.dtype, var=texts or None, filters=[used] if used else [])
    with tempfile.TemporaryDirectory() as folder:
        tiledb.Array.create(folder + "/a", tiledb.ArraySchema(tiledb.Domain(*dims), [attribute]), ctx=tiledb.Ctx(config))
        with tiledb.open(folder + "/a", "w", ctx=tiledb.Ctx(config)) as array:
            array[:] = cells
        return max(once(folder + "/a", config) for _ in range(READS))


def once(path, config):
    ctx = tiledb.Ctx(config)
    tiledb.stats_enable()
    tiledb.stats_reset()
    with tiledb.open(path, ctx=ctx) as array:
        array.query(attrs=["a"])[:]
    found = tiledb.stats_dump(json=True, print_out=False)
    found = found if isinstance(found, dict) else json.loads(found)
    seconds = sum(v for k, v in found["timers"].items() if k.endswith("unfilter_attr_tiles.sum"))
    read = ".Reader.read_unfiltered_byte_num"
    return sum(v for k, v in found["counters"].items() if k.endswith(read)) / 1e6 / seconds


print("| filter | MB/s |\n| --- | ---: |")
for case in CASES:
    print(f"| {case[0]} | {rate(*case):.0f} |", flush=True)
