"""The options of the commands, as keywords; and document and documents, which give the documents of any command."""

# Made by `npm run docs:schemas`. Changes belong into src/documents, or into tools/python-types.mjs.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Optional, TypedDict, Union, overload

from ._values import Cells, Path, Ranges, Time, Times, Uri, Values

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types as of


class CommonOptions(TypedDict, total=False):
    key: Union[str, bytes]
    """AES-256-GCM key: 32 bytes, 64 hex digits or base64 (also TILEDB_INSPECT_KEY)"""
    key_file: Path
    """File that holds the key"""
    raw: bool
    """Show values as stored: dates as integers, text and bytes as base64, NaN with its bits"""
    no_sign_request: bool
    """Send requests to clouds without credentials"""
    memory: Union[int, str]
    """Memory that the run may take for data and metadata; K, M and G are powers of 1024, MB of 1000 (default: 1G)"""


class OverviewOptions(CommonOptions, total=False):
    names: bool
    """Of a group or folder: its members by name, without a look into them"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class LsOptions(CommonOptions, total=False):
    names: bool
    """Show only the names of fragments, which are opened only for --range; or the members of a group, without a look
    into them"""
    range: Ranges
    """Only fragments whose non-empty domain touches the range, ends included: x=3, x=3..5, x=..5, name="a".."b"; one
    for each dimension"""
    depth: Union[int, Literal["all"]]
    """Levels of the members of a group, shown as a tree: a number (1), or all; with --recursive, levels of folders
    that are entered (32)"""
    samples: bool
    """Of a dataset of a layer, also what only its cells tell: the samples of a VCF dataset, its contigs and records"""
    recursive: bool
    """Go through all arrays and groups below a plain folder or prefix, and show a line for each as soon as it is
    done (--format ndjson: a document a line; csv: a table). At the end are the totals, and the ten arrays that hurt
    most: first those with damage, by the number of errors; then by the measure that exceeds its limit most often.
    The measures, and the limits from which explain reports them: fragments (10, of less than 16 MiB each), small
    tiles (32 KiB that describe tiles, a fifth of the array), padding of dense tiles (1 MiB unfiltered, half of the
    cells), fragments without a commit (1), fragments that wait for vacuum (8, or 1 MiB). diff of two saved sweeps
    (ndjson) shows what grew."""
    exclude: Union[str, Sequence[str]]
    """With --recursive: leave out members and folders of this name, or of this path from the folder on, as in tmp,
    "run-*" or "old/**"; may be repeated"""
    resume: Path
    """With --recursive: note each member in this file once it is done. If the file is there, go on after it: what
    did not change since then is not read again. It is known by the names, and if listings have them the sizes, of
    its files"""
    jobs: int
    """With --recursive: number of members at a time (1, over a network 24); all share --memory. On one disk, more
    are hardly faster"""
    shard: str
    """With --recursive: only every n-th member, from the i-th on"""
    sort: Literal["name", "size", "cells", "fragments", "written"]
    """Sort by name, size, cells, fragments, written: names from a to z, all else from the largest down"""
    reverse: bool
    """The other way round"""
    limit: int
    """Show only the first n"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class SchemaOptions(CommonOptions, total=False):
    all: bool
    """Show every schema of an evolved array, oldest first"""
    hex: bool
    """Show every byte, annotated: offset, hex and text, and what each field is"""
    depth: Union[int, Literal["all"]]
    """With --hex: levels of fields (default: all)"""
    at: Union[int, str]
    """With --hex: only bytes A to B of the file, both included; 0x… is hexadecimal"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class CommitsOptions(CommonOptions, total=False):
    pass


class MetadataOptions(CommonOptions, total=False):
    all: bool
    """Show every version of each key of an array or group, oldest first, also overwritten and deleted ones"""
    hex: bool
    """Show every byte, annotated: offset, hex and text, and what each field is"""
    depth: Union[int, Literal["all"]]
    """With --hex: levels of fields (default: all)"""
    at: Union[int, str]
    """With --hex: only bytes A to B of the file, both included; 0x… is hexadecimal"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class ReadOptions(CommonOptions, total=False):
    field: Union[str, Sequence[str]]
    """Only this attribute, besides the dimensions (repeatable)"""
    range: Ranges
    """Only cells inside, ends included: x=3, x=3..5, x=..5, name="a".."b", or a range of a dimension label; several
    ranges of a dimension: the cells in any of them"""
    where: Union[str, Sequence[str]]
    """Only cells that meet it: a > 5 and (s == "x" or b in [1, 2]), 1 < a <= 5, not a == None, attr("a b") != 3;
    other cells of dense arrays have fill values"""
    order: Literal["row-major", "col-major", "global", "unordered"]
    """Row-major, col-major, global, unordered; by default the one that costs least"""
    limit: int
    """At most n cells"""
    sort_by: str
    """The first cells by the values of this field, with --limit; field:desc begins with the largest. Null and NaN
    come last. Of dense arrays only cells that were written, and that meet --where"""
    layer: str
    """An array of an experiment, by the names of its measurement, collection and array: RNA/X/data"""
    where_obs: str
    """With --layer: only cells whose observations meet it"""
    where_var: str
    """With --layer: only cells whose variables meet it"""
    labels: bool
    """Show values of enumerations instead of their indexes"""
    provenance: bool
    """Add columns __fragment, __tile, __cell and __written: where each cell is stored, and its time"""
    keep_going: bool
    """Leave out fragments and tiles that cannot be read, and say which"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class HistoryOptions(CommonOptions, total=False):
    cell: Cells
    """The cell: a value for each dimension"""
    range: Ranges
    """Up to 1000 cells: x=3, x=3..5, x=..5, name="a".."b" (repeatable)"""
    field: Union[str, Sequence[str]]
    """Only this attribute, besides the dimensions (repeatable)"""
    labels: bool
    """Show values of enumerations instead of their indexes"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class DecodeOptions(CommonOptions, total=False):
    field: Union[str, Sequence[str]]
    """Only this attribute, besides the dimensions (repeatable)"""
    range: Ranges
    """Only cells inside, ends included: x=3, x=3..5, x=..5, name="a".."b"; one for each dimension"""
    tiles: Union[int, str]
    """Only these tiles"""
    limit: int
    """At most n cells"""
    fill: bool
    """Show padding cells of dense fragments, too"""
    labels: bool
    """Show values of enumerations instead of their indexes"""
    keep_going: bool
    """Leave out tiles that cannot be read, and say which"""
    jobs: int
    """Number of threads that undo filters; the order of the cells stays the same"""
    all_fragments: bool
    """Show the cells of each visible fragment of an array, with a column __fragment"""


class ExplainOptions(CommonOptions, total=False):
    field: Union[str, Sequence[str]]
    """Only this attribute, besides the dimensions (repeatable)"""
    range: Ranges
    """Only cells inside, ends included: x=3, x=3..5, x=..5, name="a".."b", or a range of a dimension label; several
    ranges of a dimension: the cells in any of them"""
    where: Union[str, Sequence[str]]
    """Only cells that meet it: a > 5 and (s == "x" or b in [1, 2]), 1 < a <= 5, not a == None, attr("a b") != 3"""
    order: Literal["row-major", "col-major", "global", "unordered"]
    """Row-major, col-major, global, unordered; by default the one that costs least"""
    exact: bool
    """Read coordinates, to know which tiles and cells count, and var-sized values, to know the size of the result"""
    remedies: bool
    """Also compute what the read costs after each remedy, on the changed array in memory; includes --exact; up to 2
    million cells and 64 MiB"""
    latency: float
    """Milliseconds from a request to its first byte (30)"""
    throughput: float
    """Megabytes per second of all requests together (100, usual for S3 in the same region)"""
    budget: Union[int, str]
    """Sm.mem.total_budget of the reader, such as 500M or 1.5GiB (10.0 GiB)"""
    config: Values
    """A setting of TileDB (repeatable): sm.consolidation.step_min_frags and others of consolidation, for what
    tiledb.consolidate would do; sm.mem.total_budget is the same as --budget"""
    fail_on: Literal["note", "warning", "error"]
    """Exit with 1 if a finding has this severity or a worse one: note, warning, error"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class StatsOptions(CommonOptions, total=False):
    all: bool
    """Count every fragment folder of an array, not only those that TileDB lists"""
    read: bool
    """Show instead what a reader sees of an array: how many cells there are, and how many are unwritten,
    overwritten, deleted or have equal coordinates; of each field minimum, maximum, sum, mean, lengths, nulls, and
    which values of its enumeration are used. It reads all these fields once, so use --field and --range if the array
    is large"""
    fragments: bool
    """With --read: of each fragment the cells that a reader sees of it, that newer ones overwrite, and that delete
    conditions hide"""
    by: str
    """With --read: the cells of each value of a field, and nulls, minimum, maximum, sum and mean of each --field for
    these; of dates also by year, month, day, hour, minute or second, as in t:hour"""
    values: bool
    """With --read: of each field (--field) the number of distinct values, the ten that most cells have, and of
    numbers and dates the median and percentiles; of var-sized values how many have which length"""
    recursive: bool
    """Go through all arrays and groups below a plain folder or prefix, and show a line for each as soon as it is
    done (--format ndjson: a document a line; csv: a table). At the end are the totals, and the ten arrays that hurt
    most: first those with damage, by the number of errors; then by the measure that exceeds its limit most often.
    The measures, and the limits from which explain reports them: fragments (10, of less than 16 MiB each), small
    tiles (32 KiB that describe tiles, a fifth of the array), padding of dense tiles (1 MiB unfiltered, half of the
    cells), fragments without a commit (1), fragments that wait for vacuum (8, or 1 MiB). diff of two saved sweeps
    (ndjson) shows what grew."""
    exclude: Union[str, Sequence[str]]
    """With --recursive: leave out members and folders of this name, or of this path from the folder on, as in tmp,
    "run-*" or "old/**"; may be repeated"""
    resume: Path
    """With --recursive: note each member in this file once it is done. If the file is there, go on after it: what
    did not change since then is not read again. It is known by the names, and if listings have them the sizes, of
    its files"""
    jobs: int
    """With --recursive: number of members at a time (1, over a network 24); all share --memory. On one disk, more
    are hardly faster"""
    shard: str
    """With --recursive: only every n-th member, from the i-th on"""
    field: Union[str, Sequence[str]]
    """Only this attribute, besides the dimensions (repeatable)"""
    range: Ranges
    """Only cells inside, ends included: x=3, x=3..5, x=..5, name="a".."b", or a range of a dimension label; several
    ranges of a dimension: the cells in any of them"""
    where: Union[str, Sequence[str]]
    """Only cells that meet it: a > 5 and (s == "x" or b in [1, 2]), 1 < a <= 5, not a == None, attr("a b") != 3;
    with --read"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class WhatifOptions(CommonOptions, total=False):
    field: Union[str, Sequence[str]]
    """Only this field (repeatable)"""
    filters: Union[str, Sequence[str]]
    """Try these filters, such as zstd:level=9 or byteshuffle,lz4 (repeatable); an empty text means no filters"""
    sample: Union[int, str]
    """Unfiltered bytes of each field to try (1048576); all: every tile"""
    seed: str
    """Another text takes other tiles (1)"""
    capacity: int
    """Try another capacity: cells of a sparse tile"""
    tile_extent: Values
    """Try another tile extent of a dimension (repeatable)"""
    cell_order: Literal["row-major", "col-major", "hilbert"]
    """Try another cell order: row-major, col-major, hilbert"""
    range: Ranges
    """Show what a read of this box costs with other tiles and orders: x=3, x=3..5, x=..5, name="a".."b" (repeatable)"""
    emit: Literal["schema", "python"]
    """Print only the schema with these changes: schema (for write-sample --schema) or python"""
    best: Literal["smallest", "fastest", "balanced"]
    """With --emit: use the filters that are smallest, fastest to read, or balanced"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class CheckOptions(CommonOptions, total=False):
    level: Literal["structure", "chunks", "cells"]
    """Structure (reads no tiles), chunks (undoes every filter) or cells (looks at every cell)"""
    fail_on: Literal["note", "warning", "error"]
    """Exit with 1 if a finding has this severity or a worse one: error, warning or note"""
    ignore: Union[str, Sequence[str]]
    """Leave out findings with this code, or CODE.variant, and do not let them fail: known findings, which the last
    line counts; CODE,CODE; may be repeated"""
    all: bool
    """Check everything in the folder, also uncommitted fragments and unused enumerations"""
    plan: bool
    """Show what is lost, and the steps that mend it, in order; nothing is run"""
    jobs: int
    """Number of threads; with --recursive, threads for each large array"""
    shard: str
    """Only part i of the fragments, cut into n parts of about the same bytes; with --recursive, every n-th member"""
    recursive: bool
    """Go through all arrays and groups below a plain folder or prefix, and show a line for each as soon as it is
    done (--format ndjson: a document a line; csv: a table). At the end are the totals, and the ten arrays that hurt
    most: first those with damage, by the number of errors; then by the measure that exceeds its limit most often.
    The measures, and the limits from which explain reports them: fragments (10, of less than 16 MiB each), small
    tiles (32 KiB that describe tiles, a fifth of the array), padding of dense tiles (1 MiB unfiltered, half of the
    cells), fragments without a commit (1), fragments that wait for vacuum (8, or 1 MiB). diff of two saved sweeps
    (ndjson) shows what grew."""
    exclude: Union[str, Sequence[str]]
    """With --recursive: leave out members and folders of this name, or of this path from the folder on, as in tmp,
    "run-*" or "old/**"; may be repeated"""
    resume: Path
    """With --recursive: note each member in this file once it is done. If the file is there, go on after it: what
    did not change since then is not read again. It is known by the names, and if listings have them the sizes, of
    its files"""


class WhyOptions(CommonOptions, total=False):
    quick: bool
    """Do not read what holds the same in place of the path; nothing is then called safe to delete because of it"""


class RecoverOptions(CommonOptions, total=False):
    to: Path
    """Folder to make; never overwritten"""
    drop_damaged: bool
    """Leave out tiles that cannot be read, or that the metadata contradicts; DIR.lost.ndjson lists their cells"""
    domain: Ranges
    """Box of the dense fragment whose metadata is lost: one range for each dimension (repeatable)"""
    array: Path
    """Array of the fragment, if the fragment does not lie in it"""
    timestamp: Union[Time, Literal[True]]
    """When the fragment was written, if its folder has lost its name: milliseconds or dates"""
    format_version: int
    """Format version of that fragment, if nothing else tells it"""
    relocate: bool
    """Write a group anew with relative members inside, wherever its members point now"""
    with_members: bool
    """Copy its arrays, too"""


class VerifyChecksumsOptions(CommonOptions, total=False):
    all: bool
    """Verify every fragment folder, not only committed ones"""
    deep: bool
    """Undo every filter of every tile, and compare sizes with the metadata"""
    require_checksums: bool
    """Fail for a data file without a checksum, and for an array whose fragments are all skipped"""
    jobs: int
    """Number of threads"""
    shard: str
    """Only part i of the fragments, cut into n parts of about the same bytes"""
    recursive: bool
    """Of a plain folder, also the arrays and groups in folders below it, at any depth"""


class DiffOptions(CommonOptions, total=False):
    schema_only: bool
    """Compare nothing but schemas"""
    cells: bool
    """Compare the cells, too: in stored order, or as readers see them if they are stored otherwise"""
    names: bool
    """Compare names and timestamps, too"""
    read: bool
    """Compare what readers see, all fragments merged, instead of what is stored"""
    as_of: Union[Time, Sequence[Time]]
    """With --read of two arrays: compare them at that time; given twice: the time of a, then the time of b"""
    files: bool
    """Compare files byte by byte: which are only in one, and where and in how many bytes the others differ"""
    recursive: bool
    """Of a plain folder, also the arrays and groups in folders below it, at any depth"""


class FooterOptions(CommonOptions, total=False):
    hex: bool
    """Show every byte, annotated: offset, hex and text, and what each field is"""
    depth: Union[int, Literal["all"]]
    """With --hex: levels of fields (default: all)"""
    at: Union[int, str]
    """With --hex: only bytes A to B of the file, both included; 0x… is hexadecimal"""


class RtreeOptions(CommonOptions, total=False):
    range: Ranges
    """Only the tiles that the range touches, ends included: x=3, x=3..5, x=..5, name="a".."b"; one for each
    dimension"""
    dimension: Union[str, Sequence[str]]
    """With --svg, given twice: the dimension across, then the dimension up"""
    hex: bool
    """Show every byte, annotated: offset, hex and text, and what each field is"""
    depth: Union[int, Literal["all"]]
    """With --hex: levels of fields (default: all)"""
    at: Union[int, str]
    """With --hex: only bytes A to B of the file, both included; 0x… is hexadecimal"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class TilesOptions(CommonOptions, total=False):
    field: Union[str, Sequence[str]]
    """Only this field (repeatable)"""
    range: Ranges
    """Only the tiles that the range touches, ends included: x=3, x=3..5, x=..5, name="a".."b"; one for each
    dimension"""
    tiles: Union[int, str]
    """Only these tiles"""
    where: str
    """Only tiles that may have a cell that meets it, by their minima and maxima: a > 5 and (s == "x" or b in [1,
    2]), 1 < a <= 5, not a == None, attr("a b") != 3. Tables then show only its fields without --field"""
    as_of: Time
    """What TileDB reads when it opens the array at that time: milliseconds since 1970 or a date in UTC, as in
    2024-05-01T10:00:00Z"""
    between: Times
    """The same for a span of time, both ends included; T1.. and ..T2 are open at one end"""


class TileOptions(CommonOptions, total=False):
    role: Literal["data", "offsets", "var", "validity"]
    """Which file of the field: data, offsets, var or validity (of a var-sized field by default its values)"""
    offset: int
    """Show the tile at this byte of a data file, without the metadata: for fragments that lost it"""
    bytes: bool
    """Write the unfiltered bytes"""
    stages: Path
    """Write the bytes after each filter into this folder, a file each"""
    hex: bool
    """Show every byte, annotated: offset, hex and text, and what each field is"""
    depth: Union[int, Literal["all"]]
    """With --hex: levels of fields (default: all)"""
    at: Union[int, str]
    """With --hex: only bytes A to B of the file, both included; 0x… is hexadecimal"""


class DumpOptions(CommonOptions, total=False):
    hex: bool
    """Show every byte, annotated: offset, hex and text, and what each field is"""
    depth: Union[int, Literal["all"]]
    """Levels of fields (default: all)"""
    at: Union[int, str]
    """Only bytes A to B of the file, both included; 0x… is hexadecimal"""
    path: str
    """Only this field: footer.fields[2].file_size, schema.attributes[a].type"""
    tree: bool
    """Show the fields without their bytes"""


class AtOptions(CommonOptions, total=False):
    cell: Cells
    """Show where this cell is: a value for each dimension"""
    field: Union[str, Sequence[str]]
    """With --cell: only this attribute or dimension (repeatable)"""
    no_flips: bool
    """Do not try what would notice a flip, which takes most of the time"""


class PageOptions(CommonOptions, total=False):
    stdio: bool
    """Give the page and its bytes to the program that began this one, by stdin and stdout"""
    max_size: Union[int, str]
    """Largest number of bytes of files in a report; metadata goes first"""


class WriteSampleOptions(CommonOptions, total=False):
    dense: bool
    """A dense array"""
    sparse: bool
    """A sparse array (the default)"""
    dim: Union[str, Sequence[str]]
    """A dimension (repeatable; see below)"""
    attr: Union[str, Sequence[str]]
    """An attribute (repeatable; see below)"""
    enum: Union[str, Sequence[str]]
    """An enumeration (repeatable; see below)"""
    cells: int
    """Cells in all fragments together (1000); dense arrays may have fewer"""
    fragments: int
    """Number of fragments (2)"""
    capacity: int
    """Cells of a sparse tile (100)"""
    tile_extent: int
    """Tile extent of dimensions that give none"""
    cell_order: Literal["row-major", "col-major", "hilbert"]
    """Row-major, col-major or hilbert"""
    tile_order: str
    """Row-major or col-major"""
    duplicates: bool
    """Allow several cells at the same coordinates, and write some"""
    filters: str
    """Filters of every attribute that accepts them (see below)"""
    field_filters: Values
    """Filters of one attribute or dimension (repeatable)"""
    coords_filters: str
    """Filters of dimensions"""
    offsets_filters: str
    """Filters of the offsets of var-sized cells"""
    validity_filters: str
    """Filters of the validity of nullable attributes"""
    max_chunk_size: Union[int, str]
    """Unfiltered bytes of a chunk (65536); 0: tiles are not cut into chunks"""
    format_version: int
    """Format version, 3 to 22 (22)"""
    experimental: bool
    """Allow format version 23, which no TileDB release opens"""
    schema: Path
    """The schema, as schema --json prints it; - for standard input"""
    metadata: Values
    """Array metadata (repeatable)"""
    data: Union[Path, Sequence[Path]]
    """The cells: NDJSON as decode prints it, .csv, .tsv or Arrow IPC (repeatable); - for standard input"""
    labels: bool
    """The cells of --data hold values of enumerations, as decode --labels prints them"""
    timestamp: Union[Time, Sequence[Time]]
    """Time of the first fragment, then of the next (repeatable): milliseconds or a date"""
    append: bool
    """Write into an array that exists; its files are not changed"""
    steps: Path
    """Then do the steps in this file: JSON (see below)"""
    delete: Union[str, Sequence[str]]
    """Then delete these cells (repeatable)"""
    consolidate: Union[str, Sequence[str]]
    """Then consolidate: fragments, fragment_meta, commits or array_meta (repeatable)"""
    vacuum: Union[str, Sequence[str]]
    """Then remove what consolidation has replaced (repeatable)"""
    seed: str
    """The same options and the same seed give the same bytes (1)"""
    damage: str
    """Instead, write a small array or group in which check finds this code; list: show all codes"""


@overload
def document(name: Literal["overview"], target: Uri, **options: Unpack[OverviewOptions]) -> of.OverviewDocument | of.GenomicsdbOverviewDocument | of.GenomicsdbFragmentDocument: ...

@overload
def document(name: Literal["ls"], target: Uri, **options: Unpack[LsOptions]) -> of.ArrayDocument | of.FragmentDocument | of.GroupDocument | of.DatasetDocument | of.GenomicsdbWorkspaceDocument | of.GenomicsdbArrayDocument | of.GenomicsdbFragmentDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["schema"], target: Uri, **options: Unpack[SchemaOptions]) -> of.SchemaDocument | of.DumpDocument | of.GenomicsdbSchemaDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["commits"], target: Uri, **options: Unpack[CommitsOptions]) -> of.CommitsDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["metadata"], target: Uri, **options: Unpack[MetadataOptions]) -> of.MetadataDocument | of.FragmentMetadataDocument | of.DumpDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["read"], target: Uri, **options: Unpack[ReadOptions]) -> of.ReadDocument | of.GenomicsdbCallsDocument: ...

@overload
def document(name: Literal["history"], target: Uri, **options: Unpack[HistoryOptions]) -> of.HistoryDocument: ...

@overload
def document(name: Literal["decode"], target: Uri, **options: Unpack[DecodeOptions]) -> of.CellsDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["explain"], target: Uri, **options: Unpack[ExplainOptions]) -> of.ExplainDocument: ...

@overload
def document(name: Literal["stats"], target: Uri, **options: Unpack[StatsOptions]) -> of.StatsDocument | of.ReadStatsDocument | of.DatasetDocument | of.GenomicsdbStatsDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["whatif"], target: Uri, **options: Unpack[WhatifOptions]) -> of.WhatifDocument | of.SchemaDocument | of.SchemaPythonDocument: ...

@overload
def document(name: Literal["check"], target: Uri, **options: Unpack[CheckOptions]) -> of.CheckDocument | of.PlanDocument | of.DatasetDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["why"], target: Uri, **options: Unpack[WhyOptions]) -> of.WhyDocument: ...

@overload
def document(name: Literal["recover"], target: Uri, **options: Unpack[RecoverOptions]) -> of.RecoverDocument | of.RelocateDocument: ...

@overload
def document(name: Literal["verify-checksums"], target: Uri, **options: Unpack[VerifyChecksumsOptions]) -> of.VerifyChecksumsDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["diff"], target: Uri, *arguments: Uri | int, **options: Unpack[DiffOptions]) -> of.DiffDocument | of.SweepDiffDocument | of.FileDiffDocument: ...

@overload
def document(name: Literal["footer"], target: Uri, **options: Unpack[FooterOptions]) -> of.FooterDocument | of.DumpDocument | of.GenomicsdbFooterDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["rtree"], target: Uri, **options: Unpack[RtreeOptions]) -> of.RtreeDocument | of.RtreeSvgDocument | of.DumpDocument | of.GenomicsdbRtreeDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["tiles"], target: Uri, **options: Unpack[TilesOptions]) -> of.TilesDocument | of.GenomicsdbTilesDocument | of.EmptyDocument: ...

@overload
def document(name: Literal["tile"], target: Uri, *arguments: Uri | int, **options: Unpack[TileOptions]) -> of.TileDocument | of.DumpDocument | of.GenomicsdbTileDocument: ...

@overload
def document(name: Literal["dump"], target: Uri, **options: Unpack[DumpOptions]) -> of.DumpDocument: ...

@overload
def document(name: Literal["at"], target: Uri, *arguments: Uri | int, **options: Unpack[AtOptions]) -> of.AtDocument | of.CellDocument: ...

@overload
def document(name: Literal["write-sample"], target: Uri, **options: Unpack[WriteSampleOptions]) -> of.SampleDocument | of.DamagedSampleDocument | of.DamageKindsDocument | of.StepsDocument: ...

def document(name: str, target: Uri, *arguments: Uri | int, **options: Any) -> Any:
    """The document that a command prints with `--json`: `document("footer", "places/__fragments/__17…")`. `tiledb_inspect.types` says
    what its keys mean; `kind` tells which of several documents it is. Commands that need more than a target get it as further arguments:
    `document("tile", fragment, "lat", 0)`.

    Raises:
        InspectError: there is no document, or only the beginning of one.
        ValueError: there are several, such as the footers of all fragments of an array.
    """
    from . import _documents

    return _documents.one_document(name, (target, *arguments), options)


@overload
def documents(name: Literal["overview"], *targets: Uri, **options: Unpack[OverviewOptions]) -> list[of.OverviewDocument | of.GenomicsdbOverviewDocument | of.GenomicsdbFragmentDocument]: ...

@overload
def documents(name: Literal["ls"], *targets: Uri, **options: Unpack[LsOptions]) -> list[of.ArrayDocument | of.FragmentDocument | of.GroupDocument | of.DatasetDocument | of.GenomicsdbWorkspaceDocument | of.GenomicsdbArrayDocument | of.GenomicsdbFragmentDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["schema"], *targets: Uri, **options: Unpack[SchemaOptions]) -> list[of.SchemaDocument | of.DumpDocument | of.GenomicsdbSchemaDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["commits"], *targets: Uri, **options: Unpack[CommitsOptions]) -> list[of.CommitsDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["metadata"], *targets: Uri, **options: Unpack[MetadataOptions]) -> list[of.MetadataDocument | of.FragmentMetadataDocument | of.DumpDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["read"], *targets: Uri, **options: Unpack[ReadOptions]) -> list[of.ReadDocument | of.GenomicsdbCallsDocument]: ...

@overload
def documents(name: Literal["history"], target: Uri, **options: Unpack[HistoryOptions]) -> list[of.HistoryDocument]: ...

@overload
def documents(name: Literal["decode"], *targets: Uri, **options: Unpack[DecodeOptions]) -> list[of.CellsDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["explain"], target: Uri, **options: Unpack[ExplainOptions]) -> list[of.ExplainDocument]: ...

@overload
def documents(name: Literal["stats"], *targets: Uri, **options: Unpack[StatsOptions]) -> list[of.StatsDocument | of.ReadStatsDocument | of.DatasetDocument | of.GenomicsdbStatsDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["whatif"], target: Uri, **options: Unpack[WhatifOptions]) -> list[of.WhatifDocument | of.SchemaDocument | of.SchemaPythonDocument]: ...

@overload
def documents(name: Literal["check"], *targets: Uri, **options: Unpack[CheckOptions]) -> list[of.CheckDocument | of.PlanDocument | of.DatasetDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["why"], *targets: Uri, **options: Unpack[WhyOptions]) -> list[of.WhyDocument]: ...

@overload
def documents(name: Literal["recover"], target: Uri, **options: Unpack[RecoverOptions]) -> list[of.RecoverDocument | of.RelocateDocument]: ...

@overload
def documents(name: Literal["verify-checksums"], *targets: Uri, **options: Unpack[VerifyChecksumsOptions]) -> list[of.VerifyChecksumsDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["diff"], target: Uri, *arguments: Uri | int, **options: Unpack[DiffOptions]) -> list[of.DiffDocument | of.SweepDiffDocument | of.FileDiffDocument]: ...

@overload
def documents(name: Literal["footer"], *targets: Uri, **options: Unpack[FooterOptions]) -> list[of.FooterDocument | of.DumpDocument | of.GenomicsdbFooterDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["rtree"], *targets: Uri, **options: Unpack[RtreeOptions]) -> list[of.RtreeDocument | of.RtreeSvgDocument | of.DumpDocument | of.GenomicsdbRtreeDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["tiles"], *targets: Uri, **options: Unpack[TilesOptions]) -> list[of.TilesDocument | of.GenomicsdbTilesDocument | of.EmptyDocument]: ...

@overload
def documents(name: Literal["tile"], target: Uri, *arguments: Uri | int, **options: Unpack[TileOptions]) -> list[of.TileDocument | of.DumpDocument | of.GenomicsdbTileDocument]: ...

@overload
def documents(name: Literal["dump"], *targets: Uri, **options: Unpack[DumpOptions]) -> list[of.DumpDocument]: ...

@overload
def documents(name: Literal["at"], target: Uri, *arguments: Uri | int, **options: Unpack[AtOptions]) -> list[of.AtDocument | of.CellDocument]: ...

@overload
def documents(name: Literal["write-sample"], target: Uri, **options: Unpack[WriteSampleOptions]) -> list[of.SampleDocument | of.DamagedSampleDocument | of.DamageKindsDocument | of.StepsDocument]: ...

def documents(name: str, *targets: Uri | int, **options: Any) -> Any:
    """The documents that a command prints with `--json`, one a target or fragment. `document` is for one.

    A document may say that something is damaged (`errors`, `findings`, `not_examined`): that raises nothing.

    Raises:
        InspectError: one of them is missing, or lacks its end. Its `partial` has what there is.
    """
    from . import _documents

    return _documents.all_documents(name, targets, options)
