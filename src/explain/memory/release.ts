/** What `explain` assumes of one release of TileDB, beyond what all releases do. */
interface Release {
  /** Defaults of its settings, by their names; sizes in bytes. */
  settings: Readonly<{
    'sm.mem.total_budget': number
    /** Upper limit on the bytes of all tiles held in memory together. */
    'sm.mem.tile_upper_memory_limit': number
    /** Share of the budget for metadata. The setting stands for each of the readers `sparse_global_order` and `sparse_unordered_with_dups`. */
    'sm.mem.reader.*.ratio_array_data': number
    /** Share of the budget for coordinates and what is loaded with them. The returned fields have all that is left. */
    'sm.mem.reader.*.ratio_coords': number
    /** The legacy reader's: for the fixed-sized cells or offsets of a field, and the same again for its validity. */
    'sm.memory_budget': number
    /** The legacy reader's: for the var-sized values of a field. */
    'sm.memory_budget_var': number
    /** Tiles of a file that lie within this number of bytes are read together, whatever lies between them. */
    'vfs.min_batch_size': number
    /** Upper limit on the bytes of a read, unless a single tile is larger. */
    'vfs.max_batch_size': number
    /** Above the minimum batch size, upper limit on the bytes between two tiles that are read together. */
    'vfs.min_batch_gap': number
    /** Lower limit on the bytes of each request if a batch is fetched from an object store in several. */
    'vfs.min_parallel_size': number
    /** Bytes that are fetched from an object store for every smaller read, and kept. */
    'vfs.read_ahead_size': number
  }>
  /** Bytes of its objects on 64-bit systems, as its readers count them. */
  bytes: Readonly<{
    /** A tile of SparseUnorderedWithDupsReader, without its cells. */
    unordered_tile: number
    /** A tile of SparseGlobalOrderReader, without its cells. */
    global_tile: number
    /** The identity of a tile in the lists of SparseGlobalOrderReader. */
    tile_id: number
    /** A tile that DenseReader visits, without its vectors. */
    visited_tile: number
    /** An empty vector. */
    vector: number
    /** An entry in a list of tile offsets or sizes, and the offset of a var-sized cell. */
    offset: number
    /** For each cell of a var-sized field: where its value is. */
    pointer: number
    /** For each cell: its time, or the time when it was deleted. */
    time: number
    /** For each cell in Hilbert order: its place on the curve. */
    hilbert_value: number
  }>
  /** Vectors that are made for each slot when an array is opened: of offsets, var offsets, var sizes and validity offsets. */
  slot_vectors: number
  /** How the legacy reader divides ranges whose cells do not fit. */
  splitting: Readonly<{
    /** Of several ranges, the share that is left out next. @see constants::multi_range_reduction_in_split */
    multi_range_reduction: number
    /** Upper limit on the times that a range of texts is halved. */
    max_text_depth: number
  }>
}

/**
 * The numbers of MEASURED_RELEASE (format/releases.ts), which `explain` computes. They stand here and nowhere else. The other files of
 * this folder say how its readers use them. To explain another release, change the numbers, and measure test/fixtures/explain-release.json and explain-splitting.json anew:
 * test/explain/release.test.ts and legacy.test.ts fail for each number that they contradict.
 *
 * @see tiledb/sm/query/readers/sparse_index_reader_base.h, MemoryBudget; tiledb/sm/config/config.cc. The sizes of objects were measured.
 */
export const RELEASE: Readonly<Release> = {
  settings: {
    'sm.mem.total_budget': 10 * 2 ** 30,
    'sm.mem.tile_upper_memory_limit': 2 ** 30,
    'sm.mem.reader.*.ratio_array_data': 0.1,
    'sm.mem.reader.*.ratio_coords': 0.5,
    'sm.memory_budget': 5 * 2 ** 30,
    'sm.memory_budget_var': 10 * 2 ** 30,
    'vfs.min_batch_size': 20_971_520,
    'vfs.max_batch_size': 104_857_600,
    'vfs.min_batch_gap': 512_000,
    'vfs.min_parallel_size': 10_485_760,
    'vfs.read_ahead_size': 102_400,
  },
  bytes: {
    unordered_tile: 1464,
    global_tile: 1576,
    tile_id: 16,
    visited_tile: 120,
    vector: 32,
    offset: 8,
    pointer: 8,
    time: 8,
    hilbert_value: 8,
  },
  slot_vectors: 4,
  splitting: { multi_range_reduction: 0.3, max_text_depth: 7 },
}
