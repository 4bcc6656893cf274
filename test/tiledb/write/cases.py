"""The samples: (name, arguments of write-sample, options of the test)."""
VERSIONS = range(3, 23)
KEY = "0123456789abcdeF0123456789abcdeF"
INTS = ["INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64"]
UNITS = ["YEAR", "MONTH", "WEEK", "DAY", "HR", "MIN", "SEC", "MS", "US", "NS", "PS", "FS", "AS"]
DATES = ["DATETIME_" + u for u in UNITS]
TIMES = ["TIME_" + u for u in UNITS[4:]]
TEXTS = ["CHAR", "STRING_ASCII", "STRING_UTF8", "STRING_UTF16", "STRING_UTF32", "STRING_UCS2", "STRING_UCS4"]
BYTES = ["BLOB", "GEOM_WKB", "GEOM_WKT"]
TYPES = INTS + ["FLOAT32", "FLOAT64", "BOOL"] + DATES + TIMES + TEXTS + BYTES
ORDERS = ["row-major", "col-major"]
FILTERS = ["none", "gzip", "zstd", "lz4", "rle", "bzip2", "double-delta", "bit-width-reduction", "bitshuffle", "byteshuffle", "positive-delta", "md5", "sha256",
           "dictionary", "scale-float:scale=0.25", "xor", "delta", "webp:lossless=true"]
SINCE = {"sha256": 4, "dictionary": 13, "delta": 19}
PIPELINES = ["byteshuffle,zstd:level=9", "bitshuffle,lz4", "double-delta,zstd", "positive-delta,bit-width-reduction,zstd,sha256", "bit-width-reduction:max_window_size=32,gzip:level=6",
             "rle,bzip2,md5", "md5,byteshuffle,zstd,sha256", "zstd,zstd:level=19", "positive-delta:max_window_size=64,bitshuffle,lz4,md5", "xor,bitshuffle,zstd"]
SMALL = ["--cells", "150", "--capacity", "40"]


def cases():
    out = []

    def add(name, *args, **options):
        out.append((name, [str(a) for a in args], options))

    for v in VERSIONS:
        format_version = ("--format-version", v)
        add("v%d_sparse" % v, *format_version, "--cells", 300, ops=True)
        add("v%d_dense" % v, *format_version, "--dense", "--cells", 300, ops=True)
        add("v%d_sparse_key" % v, *format_version, *SMALL, key=KEY, ops=v % 4 == 2)
        add("v%d_dense_key" % v, *format_version, *SMALL, "--dense", key=KEY)
        for tile_order in ORDERS:
            for cell_order in ORDERS:
                orders = ("--tile-order", tile_order, "--cell-order", cell_order)
                short = "%s_%s" % (tile_order[:3], cell_order[:3])
                add("v%d_sparse_%s" % (v, short), *format_version, *orders, *SMALL, "--dim", "x:INT32:1..30:7", "--dim", "y:INT32:-20..19:6", "--attr", "id:INT64", "--attr", "t:STRING_ASCII")
                add("v%d_dense_%s" % (v, short), *format_version, *orders, "--dense", "--fragments", 1, "--dim", "x:INT32:1..10:4", "--dim", "y:INT32:-7..7:6", "--attr", "id:INT64",
                    "--attr", "t:STRING_ASCII", "--filters", "zstd", ops=v == 22)
        if v >= 7:
            add("v%d_hilbert" % v, *format_version, *SMALL, "--cell-order", "hilbert", ops=v in (7, 22))
            add("v%d_nullable" % v, *format_version, *SMALL, "--attr", "a:INT32:nullable", "--attr", "b:STRING_UTF8:nullable", "--attr", "c:FLOAT64:3:nullable", "--attr", "d:INT16:var:nullable")
        if v >= 5:
            add("v%d_string_dim" % v, *format_version, *SMALL, "--dim", "s:STRING_ASCII", ops=v in (5, 12, 22))
            add("v%d_mixed_dims" % v, *format_version, *SMALL, "--dim", "s:STRING_ASCII", "--dim", "i:INT64:-1000..1000:50", "--dim", "f:FLOAT32")
            add("v%d_duplicates" % v, *format_version, *SMALL, "--duplicates", ops=v in (5, 22))
        for f in ("gzip", "rle", "bit-width-reduction", "positive-delta", "byteshuffle", "sha256", "dictionary", "delta"):
            if v < 22 and v >= SINCE.get(f, 3):
                add("v%d_filter_%s" % (v, f), *format_version, *SMALL, "--filters", f, "--attr", "id:INT64", "--attr", "s:STRING_ASCII", "--attr", "t:DATETIME_MS")
        for i in (0, 3):
            if 3 < v < 22:
                add("v%d_pipeline_%d" % (v, i), *format_version, *SMALL, "--filters", PIPELINES[i], *(["--dense"] if v % 2 else []))
    for f in FILTERS:
        short = f.split(":")[0]
        if not f.startswith("webp"):
            for kind in ("--sparse", "--dense"):
                extra = ["--attr", "f:FLOAT32", "--attr", "g:FLOAT64:2"] if "scale" in f else [x for t in INTS for x in ("--attr", "%s:%s" % (t.lower(), t))] + ["--attr", "s:STRING_UTF8", "--attr", "a:STRING_ASCII"]
                add("filter_%s_%s" % (short, kind[2:]), kind, *SMALL, "--filters", f, *extra, ops=True)
            add("filter_%s_default" % short, *SMALL, "--filters", f) if "scale" not in f else add("filter_scale_default", *SMALL, "--filters", f)
        else:
            for picture in ("RGB", "BGR", "RGBA", "BGRA"):
                wide = 12 if "A" in picture else 9
                add("filter_webp_" + picture, "--dense", "--dim", "y:UINT16:1..10:5", "--dim", "x:UINT16:1..%d:%d" % (2 * wide, wide), "--attr", "p:UINT8", "--filters", f + ":format=" + picture)
    for i, p in enumerate(PIPELINES):
        for kind in ("--sparse", "--dense"):
            add("pipeline_%d_%s" % (i, kind[2:]), kind, "--cells", 400, "--filters", p, ops=i == 3)
        add("pipeline_%d_key" % i, *SMALL, "--filters", p, key=KEY)
        add("pipeline_%d_chunks" % i, *SMALL, "--filters", p, "--max-chunk-size", (64, 200, 1000)[i % 3], "--attr", "id:INT64", "--attr", "v:INT32:var", "--attr", "s:STRING_UTF8")
    for i, p in enumerate(["scale-float:scale=0.5:offset=10:byte_width=2,delta,zstd", "scale-float:scale=0.125:byte_width=4,bit-width-reduction", "xor,delta,gzip", "xor,bit-width-reduction", "byteshuffle,bzip2"]):
        add("float_pipeline_%d" % i, *SMALL, "--attr", "f:FLOAT64", "--attr", "g:FLOAT32", "--filters", p)
    for f in ("gzip", "zstd:level=9", "rle", "double-delta", "positive-delta", "bit-width-reduction", "positive-delta,bit-width-reduction", "delta", "bitshuffle,lz4", "md5", "xor"):
        short = f.replace(",", "_").split(":")[0]
        add("offsets_" + short, *SMALL, "--offsets-filters", f, "--attr", "s:STRING_UTF8", "--attr", "n:INT32:var", "--attr", "b:BLOB")
        add("coords_" + short, *SMALL, "--coords-filters", f.replace("positive-delta", "double-delta"))
        if "positive" not in f:
            add("validity_" + short, *SMALL, "--validity-filters", f)
    for f in ("zstd", "rle", "dictionary", "rle,zstd", "dictionary,lz4,sha256"):
        add("string_dim_" + f.replace(",", "_"), *SMALL, "--dim", "s:STRING_ASCII", "--field-filters", "s=" + f)
    for t in TYPES:
        for count in ("1", "3", "var"):
            add("type_%s_%s" % (t, count), *SMALL, "--attr", "a:%s:%s" % (t, count), "--attr", "n:%s:%s:nullable" % (t, count), "--filters", "zstd")
        add("type_%s_dense" % t, "--dense", *SMALL, "--attr", "a:" + t, "--attr", "v:%s:var:nullable" % t)
    for t in INTS + DATES + TIMES:
        add("dim_%s_sparse" % t, *SMALL, "--dim", "d:" + t, "--cells", 60)
        add("dim_%s_dense" % t, "--dense", "--cells", 60, "--dim", "d:" + t)
    for t in ("FLOAT32", "FLOAT64"):
        add("dim_%s" % t, *SMALL, "--dim", "d:" + t)
        add("dims_%s" % t, *SMALL, "--dim", "d:%s:-1.5..1.5:0.25" % t, "--dim", "e:%s:0..1000000:3000" % t, ops=True)
    for dims in (["a:INT64:-9223372036854775808..9223372036854775000:1000"], ["a:UINT64:0..18446744073709550000:1000"], ["a:UINT64:18446744073709540000..18446744073709551000:500"],
                 ["a:INT8:-128..126:5", "b:INT8:0..100:7", "c:INT8:0..9:3"], ["a:STRING_ASCII", "b:STRING_ASCII"], ["a:DATETIME_DAY:2020-01-01..2020-12-31:7", "b:TIME_SEC:0..86399:3600"]):
        add("dims_" + "_".join(d.split(":")[1] + d.split(":")[2][:6].replace("-", "m") if ":" in d[2:] and d.count(":") > 1 else d.split(":")[1] for d in dims), *SMALL, *[x for d in dims for x in ("--dim", d)])
        if "STRING" not in dims[0]:
            add("hilbert_" + "_".join(d.split(":")[1] for d in dims) + str(len(out)), *SMALL, "--cell-order", "hilbert", *[x for d in dims for x in ("--dim", d)])
    add("hilbert_strings", *SMALL, "--cell-order", "hilbert", "--dim", "a:STRING_ASCII", "--dim", "b:INT32:1..100:10")
    add("hilbert_floats", *SMALL, "--cell-order", "hilbert", "--dim", "a:FLOAT64:-10..10", "--dim", "b:FLOAT64:0..1")
    add("dense_3d", "--dense", "--dim", "a:INT16:0..5:4", "--dim", "b:INT16:-3..3:2", "--dim", "c:INT16:1..6:5", "--attr", "a1:INT32", "--filters", "zstd", ops=True)
    for n in (1, 3, 7):
        for kind in ("--sparse", "--dense"):
            add("fragments_%d_%s" % (n, kind[2:]), kind, "--fragments", n, "--cells", 420, ops=True)
    for c in (1, 3, 1000):
        add("capacity_%d" % c, "--capacity", c, "--cells", 120, ops=True)
    add("many_tiles", "--capacity", 3, "--cells", 1500, "--fragments", 1, "--attr", "id:INT64")
    add("one_cell", "--cells", 1, "--fragments", 1)
    add("no_cells", "--cells", 0)
    add("no_filters", *SMALL, "--filters", "", "--coords-filters", "", "--offsets-filters", "", "--validity-filters", "")
    add("enumerations", *SMALL, "--enum", "color:STRING_UTF8=red,green,blue", "--enum", "size:INT32:ordered=1,2,30", "--attr", "c:UINT8:enum=color", "--attr", "s:INT16:enum=size:nullable")
    add("metadata", *SMALL, "--metadata", 'text="hällo"', "--metadata", "int=-5", "--metadata", "big=18446744073709551615", "--metadata", "list=[1,2.5]", "--metadata", "empty=\"\"",
        "--metadata", 'typed={"type":"INT16","value":[1,2,3]}', "--metadata", 'blob={"base64":"AAEC"}')
    add("metadata_key", *SMALL, "--metadata", "k=1", key=KEY)
    add("names", *SMALL, "--attr", ":INT32", "--attr", "a b:INT32", "--attr", "ü/<>:INT32", "--dim", "d.1:INT32")
    add("names_v8", *SMALL, "--format-version", 8, "--attr", "x<>\\|\"?:INT32", "--attr", "a b:INT64")
    add("names_v5", *SMALL, "--format-version", 5, "--attr", "x<>|:INT32")
    add("fill_values", "--dense", "--dim", "x:INT32:1..10:10", "--cells", 5, "--fragments", 1, "--attr", "a:INT32:fill=-7", "--attr", "b:STRING_ASCII:fill=none", "--attr", "c:FLOAT64:2:fill=[1.5,2]")
    return out
