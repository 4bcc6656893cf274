"""The types of the documents: what the keys of the dicts are, and what they mean.

    from tiledb_inspect.types import CheckDocument, CheckFinding

Dicts with these keys are what the functions of the module return. A key that is NotRequired is left out where it says nothing.
"""

# Made by `npm run docs:schemas`. Changes belong into src/documents, or into tools/python-types.mjs.

import sys
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired
elif sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    # Older Pythons do not tell such keys from others while they run. Type checkers do.
    NotRequired = Optional


Int64 = int

TimestampRange = List["Int64"]
"""First and last timestamp, milliseconds since 1970."""


ArrayType = Literal["dense", "sparse"]
"""Array type."""


FormatVersion = int
"""Format version, starting at 1."""


EncryptionType = Literal["NO_ENCRYPTION", "AES_256_GCM"]
"""Encryption as the C API names it."""


Time = Union[str, "Int64"]
"""A time in UTC to the millisecond, such as `2024-05-01T10:00:00.000Z`; with `--raw`, milliseconds since 1970."""



class Binary(TypedDict):
    """Bytes that are not valid text, in base64."""

    base64: str
    """The bytes in base64."""


Path = Union[str, "Binary"]
"""Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""


ErrorCode = Literal["TRUNCATED", "BAD_ENUM", "BAD_VALUE", "INCONSISTENT", "TRAILING_BYTES", "CHECKSUM", "BAD_FILTERED_DATA", "MISSING_FILE", "TILEDB_REFUSES", "USAGE", "WRONG_TARGET", "EXISTS", "NOT_FOUND", "CHANGED_WHILE_READ", "NOT_TILEDB", "NO_PERMISSION", "NO_LISTING", "IO", "TOO_MANY_FILES", "KEY_NEEDED", "WRONG_KEY", "UNSUPPORTED_VERSION", "UNSUPPORTED_FILTER", "NO_SCHEMA", "TOO_LARGE", "NOT_RECOVERED", "INTERNAL"]
"""The kind of an error. Codes are never renamed."""


Offset = int
"""Byte offset from the start of the file."""



class ErrorInfo(TypedDict):
    """An error, and where it is."""

    code: "ErrorCode"
    """The kind of an error. Codes are never renamed."""
    message: str
    """What was expected, and what was found."""
    file: NotRequired["Path"]
    """The file."""
    offset: NotRequired["Offset"]
    """Byte offset from the start of the file."""
    field: NotRequired[str]
    """Dotted name of the field that was read."""


Bytes = int
"""Bytes."""


Ratio = float
"""Unfiltered bytes divided by stored bytes; above 1 if the filters save space."""


CellValue = Union[Optional[Union[bool, float, str]], "Binary", List[Union[bool, float, str]]]
"""A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several values;
`{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits than 0x7fc00000
and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits."""


ValueRange = List["CellValue"]
"""`[lo, hi]`, both inclusive."""


FragmentState = Literal["live", "unlisted", "uncommitted", "to-vacuum", "hidden", "ignored", "future", "past", "no-metadata"]
"""State of a fragment folder between given times. `live`: TileDB lists it. `unlisted`: only a part of a sparse
fragment is between these times. TileDB does not list it, but reads it. `uncommitted`: no commit names it, after a
failed or unfinished write. `to-vacuum`: a `.vac` file hides it, and the fragment that replaced it is there.
`hidden`: a `.vac` file hides it, but no other fragment that TileDB reads can have its cells. `ignored`: an `.ign`
file cancels its commit. `future`: its timestamps end after these times. `past`: they begin before these times.
`no-metadata`: a folder of an old version without a metadata file."""



class DamagedFile(TypedDict):
    """A data file that is missing, or shorter than the metadata says."""

    name: str
    """Name of the file."""
    listed_size: "Bytes"
    """Bytes of the file, according to the metadata."""
    size: Optional[int]
    """Bytes on disk; null if the file is missing."""



class ArrayFragment(TypedDict):
    """A fragment of the listing."""

    name: str
    """Name of the fragment's folder."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    format_version: Optional["FormatVersion"]
    dense: Optional[bool]
    """Whether the fragment is dense; null if its metadata cannot be read."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the name, milliseconds since 1970; null if the name has none. Formats 1 and 2: the
    last timestamp twice."""
    cell_num: Optional["Int64"]
    """Number of cells as TileDB counts them: in dense fragments, those of whole tiles."""
    cells_in_domain: Optional["Int64"]
    """Number of cells inside the non-empty domain; in sparse fragments, of all cells."""
    tile_num: Optional[int]
    """Number of tiles; null if the metadata cannot be read."""
    size: "Bytes"
    """Bytes of all files in the folder."""
    data_size: Optional["Bytes"]
    """Bytes of the data files on disk."""
    unfiltered_size: Optional["Bytes"]
    """Bytes of the data before filtering; null for var-sized cells, as the footer does not have this number then."""
    ratio: Optional["Ratio"]
    nonempty_domain: Optional[List["ValueRange"]]
    """Non-empty domain: `[lo, hi]` of each dimension, both inclusive; null if there is none."""
    array_schema_name: Optional[str]
    """File name of the schema that the fragment was written with."""
    committed: NotRequired[bool]
    """Whether a commit names the fragment."""
    visible: NotRequired[bool]
    """Whether TileDB lists it now: it is committed, no vacuum or ignore file hides it, and its timestamps are not in
    the future."""
    to_vacuum: NotRequired[bool]
    """Whether a vacuum file that is in effect now lists it."""
    has_consolidated_metadata: NotRequired[bool]
    """Whether a consolidated fragment metadata file contains its footer."""
    state: NotRequired["FragmentState"]
    """State of the fragment in one word."""
    consolidated: bool
    """Whether it contains the cells of older fragments, judging by its name."""
    hidden_by: NotRequired[Optional[str]]
    """Path in the array of the `.vac` or `.ign` file that makes TileDB leave out this fragment."""
    damaged_files: NotRequired[List["DamagedFile"]]
    """Data files that are missing, or shorter than the metadata says; left out if there are none."""
    error: NotRequired["ErrorInfo"]
    """Why the metadata could not be read."""
    overlap_num: NotRequired[Optional[int]]
    """Number of other visible fragments with an overlapping non-empty domain; null if this fragment is not visible."""
    overwritten: NotRequired[Optional[bool]]
    """Whether newer visible fragments overwrite all cells of this one, so that it is read only as of earlier times.
    Null if that is not known: for sparse fragments only their cells tell, which `stats --read` reads. Without this
    key with `--range`."""


StoredName = Union[str, "Binary"]
"""A name as it is stored: text, or bytes where it is not UTF-8."""



class ArraySchema(TypedDict):
    name: "StoredName"
    """File name in `__schema/`."""
    timestamp_range: Optional["TimestampRange"]
    fragment_num: int
    """Number of fragments that were written with this schema."""



class ArraySums(TypedDict):
    """Sums over fragments. A fragment that cannot be read counts as 0."""

    fragment_num: int
    """Number of fragments."""
    cell_num: "Int64"
    """Number of cells as TileDB counts them: in dense fragments, those of whole tiles."""
    cells_in_domain: "Int64"
    """Number of cells inside the non-empty domains."""
    tile_num: int
    """Number of tiles."""
    size: "Bytes"
    """Bytes of the fragment folders."""



class ArrayListing(TypedDict):
    """The contents of an array."""

    written_by: Optional[str]
    """TileDB releases that write this format version; null if there are none."""
    read_by: Optional[str]
    """TileDB releases that read this format version."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    array_type: Optional["ArrayType"]
    """Array type; null if the newest schema cannot be read."""
    format_version: Optional["FormatVersion"]
    """Format version of the newest schema; null if it cannot be read."""
    encryption: Optional["EncryptionType"]
    """Encryption, by its name in the C API; null if it is unknown."""
    fragment_num: int
    """Number of fragment folders on disk."""
    delete_condition_num: int
    """Number of delete conditions that TileDB applies when it reads; `commits` shows them."""
    later_deletes: List["Time"]
    """Times of the delete conditions that TileDB does not apply yet: they are later than the read."""
    kind: Literal["array"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    error: NotRequired["ErrorInfo"]
    """Why the newest schema could not be read."""
    fragments: List["ArrayFragment"]
    """Every fragment folder, in the order of the timestamps. With `--range`, only those that the range touches."""
    schemas: List["ArraySchema"]
    """Every schema, oldest first."""
    total_size: "Bytes"
    """Bytes of all fragment folders."""
    read: "ArraySums"
    """Sums over the fragments that TileDB reads now, including those outside of a `--range`."""
    unread: "ArraySums"
    """Sums over the other fragments on disk."""
    missing_fragments: List["StoredName"]
    """Names of missing fragments: a commit names them and no `.vac` file hides them, but their folder does not
    exist."""
    foreign_entries: NotRequired[List["StoredName"]]
    """Names in `__fragments` of what is no fragment; left out if there are none."""
    overlap_pair_num: Optional[int]
    """Number of pairs of fragments with overlapping non-empty domains, among the listed ones that TileDB reads; null
    above 20,000 fragments."""
    overlap_pairs: Optional[List[List[str]]]
    """The names in the first 1,000 of these pairs."""



class ArrayName(TypedDict):
    """With `--names`."""

    name: "StoredName"
    """Name of the fragment's folder."""



class ArrayNames(TypedDict):
    """With `--names`."""

    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["array"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    fragments: List["ArrayName"]
    """Names of the fragment folders, in the order of their timestamps. With `--range`, only those that the range
    touches. With `--as-of`, only those that TileDB reads at that time."""


ArrayDocument = Union["ArrayListing", "ArrayNames"]
"""`tiledb-inspect ls <array> --json`. With `--names`, only the names of the fragments. NDJSON: one fragment a line
(`$defs/line`)."""


ArrayLine = Union["ArrayFragment", "ArrayName"]
"""A fragment."""



class DumpField(TypedDict):
    """A named run of bytes, and its value."""

    name: str
    """Name of the field; of an element, its index in the list."""
    type: str
    """Type: `uint32`, `text`, `struct`, `list`, `INT32`, `gap`…"""
    offset: int
    """Byte offset in the file, or in the content that `space` names."""
    length: "Bytes"
    """Bytes."""
    label: NotRequired[str]
    """Readable name of an element whose `name` is an index."""
    value: NotRequired[Union["CellValue", List["CellValue"]]]
    """Value, in `unit`; of a run of values, the list of them."""
    stored_value: NotRequired[int]
    """The stored number, if `value` is a name for it."""
    unit: NotRequired[str]
    """Unit of the value."""
    meaning: NotRequired[str]
    """Meaning of a constant, or what was expected."""
    verdict: NotRequired[Literal["valid", "invalid"]]
    """Whether a checksum, count or size agrees with what it describes."""


CellCoordinates = Dict[str, "CellValue"]
"""Coordinates of the cell, by dimension."""


AtCells = TypedDict(
    "AtCells",
    {
        "tile": int,
        "from": int,
        "to": int,
        "field": NotRequired[str],
        "coordinates": NotRequired["CellCoordinates"],
        "value": NotRequired["CellValue"],
        "padding": NotRequired[Literal[True]],
    },
)
"""Cells whose values depend on the byte."""


FindingCode = Literal["ARRAY_NO_SCHEMA", "ARRAY_UNKNOWN_ENTRY", "LOCK_NOT_EMPTY", "FRAGMENT_NAME_INVALID", "FRAGMENT_WRONG_FOLDER", "FRAGMENT_TIMESTAMPS", "FRAGMENT_UNCOMMITTED", "ARRAY_READS_EMPTY", "FRAGMENT_FUTURE", "FRAGMENT_NO_METADATA", "COMMIT_UNREADABLE", "COMMIT_DANGLING", "COMMIT_NOT_EMPTY", "COMMIT_NAME_INVALID", "COMMIT_WRONG_FOLDER", "VACUUM_DANGLING", "VACUUM_MISSING", "VACUUM_UNCOMMITTED", "VACUUM_HIDES_CELLS", "IGNORE_DANGLING", "DELETE_CONDITION_UNREADABLE", "DELETE_CONDITION_FIELD", "DELETE_CONDITION_VALUE", "DELETE_CONDITION_OPERANDS", "COMMIT_DUPLICATE", "DELETE_FUTURE", "DELETE_CONDITION_DIFFERS", "DELETE_CONDITION_FILE", "CONSOLIDATED_METADATA_UNREADABLE", "CONSOLIDATED_METADATA_OFFSET", "CONSOLIDATED_METADATA_DIFFERS", "CONSOLIDATED_METADATA_DANGLING", "SCHEMA_NAME_INVALID", "SCHEMA_UNREADABLE", "SCHEMA_MISSING", "SCHEMA_FOREIGN", "SCHEMA_NO_DIMENSION", "SCHEMA_DUPLICATE_FIELD", "SCHEMA_LAYOUT", "SCHEMA_CAPACITY", "SCHEMA_DOMAIN", "SCHEMA_TILE_EXTENT", "SCHEMA_CURRENT_DOMAIN", "SCHEMA_FILL_VALUE", "SCHEMA_FILTER_UNKNOWN", "SCHEMA_FILTER_COMPRESSOR", "SCHEMA_FILTER_OPTIONS", "ENUMERATION_UNLISTED", "ENUMERATION_MISSING", "ENUMERATION_UNREADABLE", "ENUMERATION_NAME", "ENUMERATION_VALUES", "LABEL_DIMENSION", "LABEL_MISSING", "FILE_MISSING", "FILE_SHORT", "FILE_LONG", "FILE_UNLISTED", "FOOTER_UNREADABLE", "FOOTER_VERSION", "FOOTER_DENSE", "FIELD_CHANGED", "FOOTER_NULL_DOMAIN", "FOOTER_SLACK", "FOOTER_LAST_TILE", "FOOTER_IGNORED_FIELD", "FOOTER_FILE_SIZE", "NONEMPTY_DOMAIN", "SECTION_OFFSET", "SECTION_UNREADABLE", "SECTION_OVERLAP", "SECTION_GAP", "FLAG_VALUE", "GENERIC_TILE_HEADER", "RTREE_LEVELS", "RTREE_FANOUT", "RTREE_CONTAINMENT", "MBR_INVALID", "MBR_NONEMPTY_DOMAIN", "RTREE_DENSE", "TILE_OFFSETS_COUNT", "TILE_OFFSETS_ORDER", "TILE_OFFSETS_OUTSIDE", "STATISTICS_COUNT", "PROCESSED_CONDITION_NAME", "TILE_UNREADABLE", "TILE_SIZE", "TILE_TRAILING_BYTES", "CHUNK_UNREADABLE", "CHUNK_SPLITS_CELL", "CHECKSUM_MISMATCH", "CELL_OFFSETS", "CELL_VAR_SIZE", "CELL_VALIDITY", "CELL_BOOL", "CELL_LOST", "COORDINATE_DOMAIN", "COORDINATE_MBR", "MBR_LOOSE", "COORDINATE_ORDER", "COORDINATE_DUPLICATE", "TILE_MIN_MAX", "TILE_SUM", "TILE_NULL_COUNT", "FRAGMENT_MIN_MAX", "FRAGMENT_SUM", "FRAGMENT_NULL_COUNT", "CELL_TIMESTAMP", "DELETE_TIMESTAMP", "DELETE_CONDITION_INDEX", "ENUMERATION_INDEX", "METADATA_NAME_INVALID", "METADATA_UNREADABLE", "METADATA_FUTURE", "GROUP_DETAILS_UNREADABLE", "GROUP_DETAILS_FUTURE", "GROUP_MEMBER_MISSING", "GROUP_MEMBER_ELSEWHERE", "GROUP_MEMBER_TYPE", "GROUP_MEMBER_TWICE", "GROUP_OBJECT_UNLISTED", "GROUP_CYCLE", "LAYER_VERSION", "LAYER_METADATA", "LAYER_INCOMPLETE", "LAYER_TEXT", "LAYER_MEMBER", "LAYER_SCHEMA", "LAYER_SHAPE", "LAYER_SHAPES_DIFFER", "LAYER_ID_UNKNOWN", "LAYER_ID_INVALID", "LAYER_ID_UNUSED", "LAYER_CELLS_AGAIN", "LAYER_COUNT", "LAYER_STALE", "GENOMICSDB_FILE_MISSING", "GENOMICSDB_MAP", "GENOMICSDB_IMPORT", "GENOMICSDB_SCHEMA", "GENOMICSDB_FRAGMENT_MARK", "GENOMICSDB_BOOK_KEEPING", "GENOMICSDB_DATA_FILE", "GENOMICSDB_TILE", "GENOMICSDB_CELL_ORDER", "GENOMICSDB_VALUE", "GENOMICSDB_SAMPLE", "GENOMICSDB_ROWS", "GENOMICSDB_INTERVAL"]
"""The code of a finding. Codes are never renamed. docs/check.md lists the meanings."""


AtTriedOn = Literal["array", "array --all", "tile", "file"]
"""`array`: `check` of a copy of the array. `array --all`: the same with `--all`, as nothing uses the file. `tile`,
`file`: only the tile or the file."""



class AtDocument(TypedDict):
    """`tiledb-inspect at <file> <offset> --json`."""

    kind: Literal["at"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    offset: "Offset"
    """Offset of the byte in the file."""
    byte: int
    """Value of the byte, 0 to 255."""
    file_kind: str
    """Kind of the file, in words."""
    size: "Bytes"
    """Bytes of the file."""
    chain: List["DumpField"]
    """Fields that contain the byte, from the whole file down to the smallest field. Offsets count from the start of
    the file."""
    field_path: str
    """Dotted path of the smallest field, in the form that `dump --path` takes."""
    cells: NotRequired["AtCells"]
    """Cells whose values depend on the byte."""
    detected_by: NotRequired[Optional[List[str]]]
    """Everything that would detect a flip of one of its bits; null if this is unknown. Not with `--no-flips`."""
    detected_by_bit: NotRequired[Optional[List[List[str]]]]
    """The same for each bit, lowest bit first."""
    cell_findings: NotRequired[Optional[List["FindingCode"]]]
    """Finding codes in `detected_by` that need `check --level cells`; null if no flip was tried."""
    findings_by_bit: NotRequired[Optional[List[List[Union["FindingCode", "ErrorCode"]]]]]
    """For each bit, the codes of the findings or errors of `check --level cells` after its flip; null if no flip was
    tried."""
    not_tried: NotRequired[str]
    """Why no flip was tried: the tile takes too long to read once a bit, or is damaged already."""
    detected_in: NotRequired[Optional["AtTriedOn"]]
    """What the flips were tried on."""


FileRole = Literal["data", "offsets", "var", "validity", "coords", "timestamps", "delete_timestamps", "delete_condition_index", "metadata", "unknown"]
"""Content of a file in a fragment folder."""



class CellLinePlace(TypedDict):
    tile: int
    """Index of the tile."""
    position: int
    """Index of the cell in the tile."""
    file: str
    """Name of the file."""
    field: str
    """Name of the field."""
    role: "FileRole"
    """What the file holds of the field."""
    offset: "Offset"
    """Byte offset in the file: of the cell, or of the chunk that contains it."""
    length: "Bytes"
    """Number of bytes at that offset."""
    cell_only: bool
    """Whether these are the bytes of the cell alone; if false, they are those of the whole chunk."""
    space: NotRequired[str]
    """Name of the unfiltered content that contains the cell."""
    content_offset: NotRequired[int]
    """Byte offset of the cell in that content."""
    content_length: NotRequired["Bytes"]
    """Bytes of the cell in that content."""
    value: "CellValue"
    """Value of the cell."""



class CellLine(TypedDict):
    """A cell."""

    tile: int
    """Index of the tile."""
    position: int
    """Index of the cell in the tile."""
    coordinates: "CellCoordinates"
    """Coordinates of the cell, by dimension."""
    places: List["CellLinePlace"]
    """Where its bytes are, one entry for each file."""


VersionState = Literal["current", "overwritten", "deleted", "later", "earlier", "hidden", "uncommitted"]
"""What a read of the opened array does with a version of a cell. `current`: the read returns it. `overwritten`: a
newer version replaces it. `deleted`: a delete condition applies to it. `later`, `earlier`: its time, or the time of
its fragment, is not between the times of the opening. `hidden`: a `.vac` or `.ign` file hides its fragment.
`uncommitted`: no commit names its fragment."""



class CellDocument(TypedDict):
    """`tiledb-inspect at <fragment or array> --cell NAME=V,… --json`. NDJSON: one cell a line (`$defs/line`)."""

    kind: Literal["cell"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    cells: List["CellLine"]
    """Cells with these coordinates; there may be several if the schema allows duplicates."""
    state: NotRequired["VersionState"]
    """What a read does with the version that is shown; left out if the target is a fragment."""
    other_fragments: NotRequired[List[str]]
    """Names of other fragments that hold versions of the cell, which `history` shows; left out with `state`."""



class CellsUnknownNulls(TypedDict):
    field: str
    """Name of the field."""
    cell_num: int
    """Number of cells in the tiles whose validity cannot be read."""
    null_count: Optional[int]
    """How many of these are null, by the statistics of the tiles; null if these do not tell."""



class CellsMissingLabel(TypedDict):
    field: str
    """Name of the attribute."""
    enumeration: str
    """Name of its enumeration."""
    value_num: int
    """Number of values in the enumeration."""
    cell_num: int
    """Number of shown cells without a label."""
    first: "CellValue"
    """Stored index of the first of these cells."""
    looks_like_label: NotRequired[Literal[True]]
    """True if the labels are numbers, so that a shown index looks like a label."""


CellsLine = Dict[str, "CellValue"]


class CellsDocument(TypedDict):
    """`tiledb-inspect decode <fragment> --json`. NDJSON: one cell a line (`$defs/line`)."""

    unknown_nulls: NotRequired[List["CellsUnknownNulls"]]
    """Fields with cells whose values can be read, but not their validity: see `errors`. These cells show the stored
    value, even if they are null. If the statistics tell that all or none of the cells of a tile are null, they are
    shown so, and not counted."""
    missing_labels: NotRequired[List["CellsMissingLabel"]]
    """With `--labels`: attributes that have cells whose index has no value in the enumeration. Such a cell shows its
    index; in Arrow and Parquet it is null."""
    errors: NotRequired[List["ErrorInfo"]]
    """The first 1,000 errors about what could not be read. The cells concerned lack these fields."""
    kind: Literal["cells"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    format_version: NotRequired["FormatVersion"]
    """Format version of the fragment; not with `--all-fragments`."""
    cells: List["CellsLine"]
    """Cells in stored order."""
    error: NotRequired["ErrorInfo"]
    """The error that ended the cells early."""


Level = Literal["structure", "chunks", "cells"]


class CheckFindingNum(TypedDict):
    """Number of findings by severity."""

    error: int
    """Number of findings of this severity."""
    warning: int
    """Number of findings of this severity."""
    note: int
    """Number of findings of this severity."""


IgnoredNum = Dict[str, int]
"""Number of findings that `--ignore` leaves out of all else, by the code or `CODE.variant` that it names: 0 if there
are none, so that the name is no longer needed. Left out without the option."""



class CheckCounts(TypedDict):
    """Number of examined parts."""

    fragment_num: int
    """Number of fragments."""
    file_num: int
    """Number of files."""
    tile_num: int
    """Number of tiles."""
    chunk_num: int
    """Number of chunks."""
    cell_num: int
    """Number of cells."""



class NotExamined(TypedDict):
    """What could not be examined, and why."""

    code: "ErrorCode"
    """The kind of an error. Codes are never renamed."""
    message: str
    """What was expected, and what was found."""
    file: NotRequired["Path"]
    """The file."""


Severity = Literal["error", "warning", "note"]
"""`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""



class CheckFinding(TypedDict):
    """A finding."""

    severity: "Severity"
    """`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""
    code: "FindingCode"
    """The code of a finding. Codes are never renamed. docs/check.md lists the meanings."""
    variant: NotRequired[str]
    """The variant of the code, where its usual meaning would be wrong (docs/check.md), or the known fault of TileDB
    that explains it."""
    file: "Path"
    """The file, or the array or fragment."""
    offset: Optional[int]
    """Byte offset in the file, or in the content that `space` names; null if the finding has no single place."""
    space: NotRequired[str]
    """Name of the unfiltered content in which `offset` counts; left out for bytes of the file."""
    field: Optional[str]
    """Dotted name of the field; null if the finding is about no field."""
    tile: NotRequired[int]
    """Index of the tile."""
    chunk: NotRequired[int]
    """Index of the chunk in the tile."""
    position: NotRequired[int]
    """Index of the cell in the tile."""
    expected: str
    """What the metadata says, or what the format requires."""
    found: str
    """What was found instead."""
    message: str
    """Both in one sentence."""
    meaning: str
    """What the finding means for a reader."""



class CheckDocument(TypedDict):
    """`tiledb-inspect check <target> --json`. NDJSON: one finding a line, then a line with the rest of the document
    (`$defs/line`)."""

    ok: bool
    """Whether there is no finding of the severity of `--fail-on` or above."""
    kind: Literal["check"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    level: "Level"
    """What was checked: `--level`."""
    shard: NotRequired[str]
    """`i/n` of `--shard`: only the i-th of n parts was examined."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity."""
    ignored: NotRequired["IgnoredNum"]
    """Number of findings that `--ignore` leaves out of all else, by the code or `CODE.variant` that it names: 0 if
    there are none, so that the name is no longer needed. Left out without the option."""
    counts: "CheckCounts"
    """Number of examined parts."""
    not_examined: List["NotExamined"]
    """What could not be examined."""
    not_checked: List[str]
    """What this level does not check, in words."""
    findings: List["CheckFinding"]
    """Everything that is not as it should be."""



class CheckSummary(TypedDict):
    """The summary of a check."""

    ok: bool
    """Whether there is no finding of the severity of `--fail-on` or above."""
    kind: Literal["check"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    level: "Level"
    """What was checked: `--level`."""
    shard: NotRequired[str]
    """`i/n` of `--shard`: only the i-th of n parts was examined."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity."""
    ignored: NotRequired["IgnoredNum"]
    """Number of findings that `--ignore` leaves out of all else, by the code or `CODE.variant` that it names: 0 if
    there are none, so that the name is no longer needed. Left out without the option."""
    counts: "CheckCounts"
    """Number of examined parts."""
    not_examined: List["NotExamined"]
    """What could not be examined."""
    not_checked: List[str]
    """What this level does not check, in words."""


CheckLine = Union["CheckFinding", "CheckSummary"]

CommitKind = Literal["write", "delete", "update", "vacuum", "consolidated-commits", "ignore", "fragment-metadata"]
"""Kind of a commit file or entry, by its suffix."""



class CommitsLine(TypedDict):
    """A commit file or entry."""

    path: NotRequired[str]
    """The target; left out if there is only one."""
    file: "StoredName"
    """Path of the file in the array."""
    entry: Optional["StoredName"]
    """The entry as it is written; null for the file itself."""
    kind: Union["CommitKind", Literal["footer"]]
    """Kind of the file or entry, from its suffix; `footer` for an entry of a `.meta` file."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the name, milliseconds since 1970; null if the name has none."""
    refers_to: Optional["StoredName"]
    """Name of the fragment that the file or entry names; null if it names none."""
    exists: Optional[bool]
    """Whether that fragment exists; null if it names none."""
    effect: Literal["visible", "hidden", "to-vacuum", "ignored", "future", "unlisted", "orphan", "dangling", "deletes", "updates", "lists"]
    """Effect of the file or entry (docs/commands.md, "commits")."""
    offset: NotRequired["Offset"]
    """Byte offset of the entry in the file."""
    entry_num: NotRequired[int]
    """Number of entries in the file."""
    condition: NotRequired[str]
    """Delete condition as the user wrote it: the cells that meet it are deleted."""
    processed_by: NotRequired[List[str]]
    """Names of the fragments to which a consolidation has applied the condition."""
    purged_by: NotRequired[List[str]]
    """Names of those fragments in `processed_by` that no longer contain the deleted cells. The others contain them,
    marked as deleted."""
    not_processed_by: NotRequired[List[str]]
    """Names of older fragments to which each read applies the condition."""
    footer_offset: NotRequired["Offset"]
    """Byte offset of the fragment's footer in the content of a `.meta` file."""
    error: NotRequired["ErrorInfo"]
    """Why the file or the condition cannot be read."""



class CommitsDocument(TypedDict):
    """`tiledb-inspect commits <array> --json`. NDJSON: one file or entry a line (`$defs/line`)."""

    kind: Literal["commits"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    commits: List["CommitsLine"]
    """Every commit file, each followed by its entries."""



class CompletionDocument(TypedDict):
    """`tiledb-inspect completion <shell> --json`. `path` is the name of the shell."""

    kind: Literal["completion"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    script: str
    """The script that completes commands, options and fields in the shell."""



class DamageKindsLine(TypedDict):
    """A kind of damage."""

    damage: "FindingCode"
    """Code of the finding that `check` gives."""
    severity: "Severity"
    """`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""
    what: str
    """What is changed in an undamaged sample."""
    meaning: str
    """What the damage means for a reader."""



class DamageKindsDocument(TypedDict):
    """`tiledb-inspect write-sample --damage list --json`. NDJSON: one kind a line (`$defs/line`)."""

    kind: Literal["damage-kinds"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    kinds: List["DamageKindsLine"]
    """Every kind of damage that can be written."""



class SampleFile(TypedDict):
    path: str
    """Path of the file in the folder that was written."""
    size: "Bytes"
    """Bytes."""



class DamagedSampleDocument(TypedDict):
    """`tiledb-inspect write-sample <dir> --damage CODE --json`."""

    damage: "FindingCode"
    """Code of the finding that `check` gives."""
    severity: "Severity"
    """`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""
    what: str
    """What is changed in an undamaged sample."""
    meaning: str
    """What the damage means for a reader."""
    kind: Literal["damaged-sample"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    files: List["SampleFile"]
    """Files that were written."""
    next: str
    """Command that shows the damage."""


Exactness = Literal["exact", "at most", "at least", "estimated"]
"""How exact a number is."""


ObjectType = Literal["invalid", "group", "array"]
"""Type of a group member; `invalid` if it did not exist when it was added (TileDB does not check)."""


MemberState = Literal["present", "missing", "outside", "cycle", "other-type", "unreadable"]
"""What is at the path of a member. `missing`: nothing that TileDB takes for an object. `outside`: the path is not
followed, because it leads out of the group by `..` or to another kind of storage. `cycle`: a group that contains
this one. `other-type`: an object of another type than the group says. `unreadable`: an object that cannot be opened."""


MemberPlace = Literal["inside", "elsewhere", "linked", "nowhere"]
"""Where TileDB reads a member from. `inside`: from below the dataset. `elsewhere`: from another place, which a copy
of the dataset does not have. `linked`: by its path from below the dataset, but a link leads elsewhere. `nowhere`:
nothing is read."""


FactValue = Optional[Union[str, float, int, bool, List[Union[str, float, int]]]]
"""A value of a fact: shown as it is. A list is shown with commas. Null is shown as none."""



class LayerFact(TypedDict):
    """Something that a layer tells about a dataset or a member."""

    name: str
    """Name, in the words of the layer."""
    value: "FactValue"
    """The value."""


AdviceCode = Literal["FRAGMENTS_MANY", "FRAGMENTS_OVERLAP", "FRAGMENTS_REPEATED", "METADATA_NOT_CONSOLIDATED", "COMMITS_NOT_CONSOLIDATED", "VACUUM_PENDING", "TILES_SMALL", "TILES_LARGE", "TILES_PADDED", "TILE_SHAPE", "BOXES_NOT_PRUNING", "STORED_LARGER", "FILTERS_SAVE_LITTLE", "FILTER_ORDER", "NOTHING_COMPRESSED", "VALUES_CONSTANT", "STATISTICS_MISSING", "DELETES_UNPURGED"]
"""The code of a finding about slow reads, or reads that need much memory."""



class GroupLine(TypedDict):
    """A member."""

    array_type: NotRequired[Optional[Literal["dense", "sparse"]]]
    """`dense` or `sparse`; null if the schema cannot be read."""
    format_version: NotRequired[Optional["FormatVersion"]]
    shape: NotRequired[Optional[List[Optional["Int64"]]]]
    """Number of values of each dimension, by the current domain, or else by the domain; null for floats and text."""
    cell_num: NotRequired[Optional["Int64"]]
    """Number of cells that a reader sees; null if it is not known."""
    certainty: NotRequired["Exactness"]
    """How exact `cell_num` is."""
    timestamp_range: NotRequired[Optional["TimestampRange"]]
    """First and last timestamp of the fragments that TileDB reads; null if there are none."""
    path: NotRequired[str]
    """The target; left out if there is only one."""
    name: Optional[str]
    """Name; null if it has none."""
    type: "ObjectType"
    """Type, according to the group."""
    uri: str
    """URI, as stored."""
    relative: bool
    """Whether the URI is relative to the group."""
    implicit: bool
    """Whether the member is in no list of members. Groups of releases before TileDB 2.8 have no list: the arrays and
    groups in the folder are their members."""
    state: "MemberState"
    """What was found at the URI."""
    resolved: Optional["Path"]
    """Where TileDB reads the member from; null if it reads nothing."""
    place: "MemberPlace"
    """Whether that place is in the dataset: a member elsewhere is not in a copy of it."""
    again: NotRequired[str]
    """The path of names of the same object where it was listed first."""
    found: NotRequired[Literal["array", "fragment", "group", "file"]]
    """The type that was found, if it is not the type that the group says."""
    layer_type: NotRequired[str]
    """What the layer of the dataset calls the member, such as `SOMADataFrame`."""
    layer_facts: NotRequired[List["LayerFact"]]
    """What the layer says of the member."""
    error: NotRequired["ErrorInfo"]
    """Why the member, or its own members, cannot be read."""
    array_num: NotRequired[int]
    """Number of arrays."""
    fragment_num: NotRequired[int]
    """Number of fragments that TileDB reads; of a group, those of its arrays."""
    file_num: NotRequired[int]
    """Number of files of the object, with those of its members."""
    size: NotRequired["Bytes"]
    """Bytes of these files."""
    finding_num: NotRequired["CheckFindingNum"]
    """Number of findings of its overview by severity."""
    codes: NotRequired[List[Union["FindingCode", "AdviceCode"]]]
    """The worst of them, one of each code, worst first."""
    unlisted: NotRequired[List[str]]
    """Arrays and groups in the folder of a group that are no members of it. By name."""
    members: NotRequired[List["GroupLine"]]
    """Members of a group. Only with `--depth`."""



class GroupTotals(TypedDict):
    """Sums over a dataset: a group and its members at any depth. An object that several members name counts once."""

    group_num: int
    """Number of groups, without the target."""
    array_num: int
    """Number of arrays."""
    unread_num: int
    """Number of members that could not be read."""
    elsewhere_num: int
    """Number of members that are read from outside of the dataset."""
    fragment_num: int
    """Number of fragments that TileDB reads."""
    cell_num: "Int64"
    """Number of cells that readers see in all arrays."""
    certainty: "Exactness"
    """How exact `cell_num` is: as the least exact of its members; `estimated` if some are `at most` and others `at
    least`."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the fragments that TileDB reads; null if there are none."""
    format_versions: List["FormatVersion"]
    """Format versions of the newest schemas of the arrays, in ascending order."""
    file_num: int
    """Number of files."""
    size: "Bytes"
    """Bytes of all files, those of groups included."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity: what an overview of each array finds."""


LayerName = Literal["soma", "bioimg", "gdal", "gdalMultidim", "pdal", "silvimetric", "cellarr", "cf", "filestore", "pandas", "vectorSearch", "vcf"]
"""The layers that are known: the key of each in {@link import ('./layers.ts').LAYERS } ."""



class LayerTable(TypedDict):
    """Facts of several things of one kind."""

    title: str
    """What the rows are about."""
    columns: List[str]
    """Headings of the columns."""
    rows: List[List["FactValue"]]
    """The values of each thing, one a column."""


AxisRole = Literal["row", "column", "y", "x", "latitude", "longitude", "time"]
"""What the coordinates of a dimension stand for. `row` and `column` count from the upper left corner of an image;
the others are places or times, which rise to the top and to the right."""



class CoordinateValues(TypedDict):
    """An array with the place of each coordinate of a dimension."""

    array: str
    """The path of its names in the dataset."""
    attribute: str
    """The attribute with the places."""



class PictureAxis(TypedDict):
    """A dimension of a picture."""

    dimension: str
    """Its name."""
    role: "AxisRole"
    """What the coordinates of a dimension stand for. `row` and `column` count from the upper left corner of an
    image; the others are places or times, which rise to the top and to the right."""
    falls: NotRequired[bool]
    """Whether the places fall while the coordinates rise, as in rasters whose first row is in the north. Left out if
    they rise, or if `values` tell."""
    values: NotRequired["CoordinateValues"]
    """The array with the place of each coordinate; it rises or falls."""
    length: NotRequired[float]
    """Number of coordinates of the picture, from the first. Left out if all belong to it."""



class ImageChannels(TypedDict):
    """A dimension whose cells are channels of an image."""

    dimension: str
    """Its name."""
    at: List[float]
    """The coordinates to show: one, or three for red, green and blue."""



class LayerImage(TypedDict):
    """Cells on a grid."""

    kind: Literal["image"]
    """Cells on a grid."""
    title: str
    """What it shows."""
    array: str
    """The array: the path of its names in the dataset; empty if it is the target."""
    axes: List["PictureAxis"]
    """The two dimensions."""
    attributes: List[str]
    """The attribute to show; three for red, green and blue."""
    channels: NotRequired["ImageChannels"]
    """The dimension whose cells are channels, and which to show: one, or three for red, green and blue. Left out if
    there is none."""



class RowNames(TypedDict):
    """Names for the rows of a matrix."""

    array: str
    """The array: the path of its names in the dataset."""
    dimension: str
    """Its only dimension, whose coordinates are rows of the matrix."""
    attributes: List[str]
    """Attributes that may name the rows: the first with several different names does."""



class LayerPoints(TypedDict):
    """Points with two numbers each, which are cells of one row of a matrix."""

    kind: Literal["points"]
    """Points with two numbers each."""
    title: str
    """What it shows."""
    array: str
    """The array: the path of its names in the dataset; empty if it is the target."""
    row_dimension: str
    """Name of the dimension with a row for each point."""
    number_dimension: str
    """Name of the dimension with the numbers of each row: the first two are shown, across and up."""
    attribute: str
    """The attribute with the numbers."""
    colours: NotRequired["RowNames"]
    """Names for the rows, which colours tell apart. Left out if there are none."""


LayerPicture = Union["LayerImage", "LayerPoints"]
"""A picture of a dataset."""



class LayerPart(TypedDict):
    """What the layer above TileDB that wrote a dataset says of it."""

    name: "LayerName"
    """The layer."""
    title: str
    """The name of the layer, as its authors write it."""
    type: str
    """What the layer calls the target, such as `SOMAExperiment`."""
    version: Optional[str]
    """Version of the layer's format; null if the dataset has none."""
    version_known: bool
    """Whether the version is one that is known here."""
    facts: List["LayerFact"]
    """Facts in the words of the layer."""
    tables: List["LayerTable"]
    """Facts of several things of one kind, such as the measurements of an experiment."""
    pictures: NotRequired[List["LayerPicture"]]
    """Pictures that can be drawn of it: which arrays, and which way is up. Left out if there are none."""


Datatype = Literal["INT32", "INT64", "FLOAT32", "FLOAT64", "CHAR", "INT8", "UINT8", "INT16", "UINT16", "UINT32", "UINT64", "STRING_ASCII", "STRING_UTF8", "STRING_UTF16", "STRING_UTF32", "STRING_UCS2", "STRING_UCS4", "ANY", "DATETIME_YEAR", "DATETIME_MONTH", "DATETIME_WEEK", "DATETIME_DAY", "DATETIME_HR", "DATETIME_MIN", "DATETIME_SEC", "DATETIME_MS", "DATETIME_US", "DATETIME_NS", "DATETIME_PS", "DATETIME_FS", "DATETIME_AS", "TIME_HR", "TIME_MIN", "TIME_SEC", "TIME_MS", "TIME_US", "TIME_NS", "TIME_PS", "TIME_FS", "TIME_AS", "BLOB", "BOOL", "GEOM_WKB", "GEOM_WKT"]
"""Datatype as the C API names it."""



class KeyValue(TypedDict):
    """One value of key-value metadata."""

    type: "Datatype"
    """Datatype as the C API names it."""
    value_num: int
    """Number of values, as TileDB gives it to readers; of text, number of bytes; 1 for an empty value, which is
    stored with 0."""
    value: "CellValue"
    """A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several
    values; `{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits
    than 0x7fc00000 and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits."""
    timestamp_range: NotRequired["TimestampRange"]
    """First and last timestamp of the file that contains the value, milliseconds since 1970. In a consolidated file
    they differ, and the value was written between them."""


KeyValues = Dict[str, "KeyValue"]
"""Key-value metadata by key: the newest values, without deleted keys."""



class ListedDataset(TypedDict):
    """`tiledb-inspect ls <folder> --json`, for a plain folder with arrays and groups in it, which are its members.
    NDJSON: one member a line, as of a group (`group.json#/$defs/line`)."""

    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    members: List["GroupLine"]
    """Members in the order that was asked for; by default as stored."""
    member_num: int
    """Number of members of the group itself: with `--limit`, fewer are listed."""
    totals: NotRequired["GroupTotals"]
    """Sums over all members at any depth, whatever is listed; left out if no member was looked into."""
    layer: NotRequired["LayerPart"]
    """What the layer above TileDB says of it; left out if none is known."""
    metadata: "KeyValues"
    """Key-value metadata by key: the newest values, without deleted keys."""
    kind: Literal["dataset"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""



class SweepNotEntered(TypedDict):
    """What a sweep did not enter."""

    excluded_num: int
    """Number of members and folders that `--exclude` left out."""
    again_num: int
    """Number of folders that had been entered by another path: links lead to them."""
    deep_num: int
    """Number of folders and groups whose insides lie deeper than `--depth`."""
    too_deep: NotRequired[str]
    """One of those that are too deep."""


Measure = Literal["damage", "fragments", "small-tiles", "padding", "uncommitted", "vacuum"]


class SweepWorst(TypedDict):
    """An array that is hurt."""

    measure: "Measure"
    """What hurts. `damage`: errors; the others cost reads time, or space."""
    value: int
    """Number of errors or fragments, or bytes."""
    unit: Literal["errors", "fragments", "bytes"]
    """What `value` counts."""
    times: float
    """The value as a multiple of the limit from which `explain` reports it: 1 or more."""
    name: str
    """Names from the folder down to the array."""



class GroupStatsArray(TypedDict):
    """The data files of an array."""

    cells_in_domain: "Int64"
    """Number of cells inside the non-empty domains."""
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before filtering."""
    ratio: Optional["Ratio"]
    share: Optional[float]
    """Share of the bytes of all data files, from 0 to 1."""
    member: str
    """Names from the group down to the array."""
    fragment_num: int
    """Number of fragments."""



class GroupStatsField(TypedDict):
    """The data files of a field."""

    name: str
    """Name of the attribute, dimension or internal field."""
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before filtering."""
    ratio: Optional["Ratio"]
    share: Optional[float]
    """Share of the bytes of all data files, from 0 to 1."""
    member: str
    """Names from the group down to the array."""



class GroupStatsFragment(TypedDict):
    """A fragment."""

    member: str
    """Names from the group down to the array."""
    name: str
    """Name of the fragment."""
    size: "Bytes"
    """Bytes of its files."""



class GroupStatsFinding(TypedDict):
    code: Union["FindingCode", "AdviceCode"]
    """Code of the findings."""
    severity: "Severity"
    """`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""
    finding_num: int
    """Number of findings."""
    members: List[str]
    """The arrays, at most 10."""
    bytes: "Bytes"
    """Bytes that they are about."""


FilterType = Literal["NONE", "GZIP", "ZSTD", "LZ4", "RLE", "BZIP2", "DOUBLE_DELTA", "BIT_WIDTH_REDUCTION", "BITSHUFFLE", "BYTESHUFFLE", "POSITIVE_DELTA", "AES_256_GCM", "CHECKSUM_MD5", "CHECKSUM_SHA256", "DICTIONARY_ENCODING", "SCALE_FLOAT", "XOR", "WEBP", "DELTA"]

Float = Union[float, Literal["NaN", "Infinity", "-Infinity"]]
"""A floating-point number."""



class FilterDescription(TypedDict):
    """A filter with its options."""

    name: Union["FilterType", str]
    """C API name, or `UNKNOWN_<number>`."""
    level: NotRequired[int]
    """Compressors: level as stored, -1 for the default."""
    reinterpret_datatype: NotRequired["Datatype"]
    """DELTA, DOUBLE_DELTA: element type used; ANY for that of the field."""
    max_window_size: NotRequired["Bytes"]
    """BIT_WIDTH_REDUCTION, POSITIVE_DELTA: largest window, bytes."""
    scale: NotRequired["Float"]
    """SCALE_FLOAT: factor, a ratio."""
    offset: NotRequired["Float"]
    """SCALE_FLOAT: what is subtracted, in the field's unit."""
    byte_width: NotRequired["Bytes"]
    """SCALE_FLOAT: bytes of the stored integers."""
    quality: NotRequired[float]
    """WEBP: quality, 0 to 100."""
    format: NotRequired[Literal["NONE", "RGB", "BGR", "RGBA", "BGRA"]]
    """WEBP: order of the colours."""
    lossless: NotRequired[bool]
    """WEBP: whether nothing is lost."""
    y_extent: NotRequired[int]
    """WEBP: rows of a tile, pixels."""
    x_extent: NotRequired[int]
    """WEBP: values of one row of a tile."""
    compressor: NotRequired[int]
    """The compressor number of the options, where it contradicts the filter type."""
    options_length: NotRequired["Bytes"]
    """The stored length of the options, bytes, where it is not that of the filter's options. Readers since TileDB
    2.7 do not use it."""
    extra: NotRequired["Binary"]
    """Option bytes that no release defines: those of an unknown filter, and the padding of WEBP."""



class StatsFilter(TypedDict):
    """The files with one filter pipeline."""

    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before filtering."""
    ratio: Optional["Ratio"]
    filters: List["FilterDescription"]
    """Filters of the pipeline, in writing order."""
    file_num: int
    """Number of files."""



class SweepStats(TypedDict):
    """The sums of `stats` over many arrays."""

    array_num: int
    """Number of arrays."""
    fragment_num: int
    """Number of fragments in these sums."""
    size: "Bytes"
    """Bytes of all files: those of fragments that TileDB reads and does not read, and those beside."""
    other_size: "Bytes"
    """Bytes outside of fragments, those of the groups included."""
    memory_size: "Bytes"
    """Bytes of the fragment metadata in TileDB's memory, once all is loaded."""
    arrays: List["GroupStatsArray"]
    """The largest arrays, at most 10."""
    fields: List["GroupStatsField"]
    """The largest fields of all arrays, at most 10."""
    fragments: List["GroupStatsFragment"]
    """The largest fragments of all arrays, at most 10."""
    findings: List["GroupStatsFinding"]
    """Number of findings of all arrays, by their codes."""
    cells_in_domain: "Int64"
    """Number of cells inside the non-empty domains."""
    tile_num: int
    """Number of tiles."""
    data_size: "Bytes"
    """Bytes of data files."""
    unfiltered_size: "Bytes"
    """Bytes of the data before filtering."""
    ratio: Optional["Ratio"]
    filters: List["StatsFilter"]
    """Sizes by filter pipeline, largest first."""
    unread_size: "Bytes"
    """Bytes of fragments that TileDB does not read."""
    unread_kept_size: "Bytes"
    """Bytes of those of them that a vacuum keeps. Some, such as those without a commit, may be the only copy of
    their cells."""
    vacuum_size: "Bytes"
    """Bytes that a vacuum frees: the other ones, and the `.vac` files. 0 if `vacuum_loses_cells`."""


SweepCommand = Literal["ls", "check", "stats"]
"""The command that went through the members."""



class SweepHurt(TypedDict):
    """What hurts an array."""

    measure: "Measure"
    """What hurts. `damage`: errors; the others cost reads time, or space."""
    value: int
    """Number of errors or fragments, or bytes."""
    unit: Literal["errors", "fragments", "bytes"]
    """What `value` counts."""
    times: float
    """The value as a multiple of the limit from which `explain` reports it: 1 or more."""



class MemberCheck(TypedDict):
    """The check of one member."""

    ok: bool
    """Whether there is no finding of the severity of `--fail-on` or above."""
    findings: List["CheckFinding"]
    """The first findings, at most 10."""
    more_num: int
    """Number of findings that are not listed."""
    not_examined: List["NotExamined"]
    """What could not be examined, at most 10."""
    more_not_examined_num: int
    """Number of further parts that could not be examined."""
    counts: "CheckCounts"
    """Number of examined parts."""
    ignored: NotRequired["IgnoredNum"]
    """Number of findings that `--ignore` leaves out of all else, by the code or `CODE.variant` that it names: 0 if
    there are none, so that the name is no longer needed. Left out without the option."""



class MemberStatsField(TypedDict):
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before filtering."""
    ratio: Optional["Ratio"]
    name: str
    """Name of the attribute, dimension or internal field."""



class MemberStatsFragment(TypedDict):
    name: str
    """Name of the fragment."""
    size: "Bytes"
    """Bytes of its files."""



class MemberStatsFinding(TypedDict):
    """A finding of `stats`."""

    code: Union["FindingCode", "AdviceCode"]
    """Code of the findings."""
    severity: "Severity"
    """`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""
    bytes: "Bytes"
    """Bytes that they are about."""



class MemberStats(TypedDict):
    """The sums of one array."""

    fragment_num: int
    """Number of fragments in these sums."""
    cells_in_domain: "Int64"
    """Number of cells inside the non-empty domains."""
    tile_num: int
    """A number of things, or the index of one."""
    size: "Bytes"
    """Bytes of the fragments in these sums."""
    unread_size: "Bytes"
    """Bytes of fragments that TileDB does not read."""
    unread_kept_size: "Bytes"
    """Bytes of those of them that a vacuum keeps. Some, such as those without a commit, may be the only copy of
    their cells."""
    vacuum_size: "Bytes"
    """Bytes that a vacuum frees: the other ones, and the `.vac` files. 0 for arrays of which a vacuum would lose
    cells."""
    unread_counted: bool
    """Whether the sums include these fragments, as with `--all`."""
    other_size: "Bytes"
    """Bytes outside of fragments."""
    data_size: "Bytes"
    """Bytes of data files."""
    unfiltered_size: "Bytes"
    """Bytes of the data before filtering."""
    ratio: Optional["Ratio"]
    memory_size: "Bytes"
    """Bytes of the fragment metadata in TileDB's memory, once all is loaded."""
    fields: List["MemberStatsField"]
    """Sizes by field, largest first, at most 10."""
    fragments: List["MemberStatsFragment"]
    """The largest fragments, at most 10."""
    filters: List["StatsFilter"]
    """Sizes by filter pipeline, largest first."""
    findings: List["MemberStatsFinding"]
    """Files that the sums lack, and causes of reads that are slow or need much memory."""



class SweepMember(TypedDict):
    """An array or group."""

    type: "ObjectType"
    """Type, according to the group."""
    uri: str
    """URI, as stored."""
    relative: bool
    """Whether the URI is relative to the group."""
    implicit: bool
    """Whether the member is in no list of members. Groups of releases before TileDB 2.8 have no list: the arrays and
    groups in the folder are their members."""
    state: "MemberState"
    """What was found at the URI."""
    resolved: Optional["Path"]
    """Where TileDB reads the member from; null if it reads nothing."""
    place: "MemberPlace"
    """Whether that place is in the dataset: a member elsewhere is not in a copy of it."""
    again: NotRequired[str]
    """The path of names of the same object where it was listed first."""
    found: NotRequired[Literal["array", "fragment", "group", "file"]]
    """The type that was found, if it is not the type that the group says."""
    error: NotRequired["ErrorInfo"]
    """Why the member, or its own members, cannot be read."""
    fragment_num: NotRequired[int]
    """Number of fragments that TileDB reads; of a group, those of its arrays."""
    file_num: NotRequired[int]
    """Number of files of the object, with those of its members."""
    size: NotRequired["Bytes"]
    """Bytes of these files."""
    finding_num: NotRequired["CheckFindingNum"]
    """Number of findings of its overview by severity."""
    codes: NotRequired[List[Union["FindingCode", "AdviceCode"]]]
    """The worst of them, one of each code, worst first."""
    unlisted: NotRequired[List[str]]
    """Arrays and groups in the folder of a group that are no members of it. By name."""
    array_type: NotRequired[Optional[Literal["dense", "sparse"]]]
    """`dense` or `sparse`; null if the schema cannot be read."""
    format_version: NotRequired[Optional["FormatVersion"]]
    shape: NotRequired[Optional[List[Optional["Int64"]]]]
    """Number of values of each dimension, by the current domain, or else by the domain; null for floats and text."""
    cell_num: NotRequired[Optional["Int64"]]
    """Number of cells that a reader sees; null if it is not known."""
    certainty: NotRequired["Exactness"]
    """How exact `cell_num` is."""
    timestamp_range: NotRequired[Optional["TimestampRange"]]
    """First and last timestamp of the fragments that TileDB reads; null if there are none."""
    kind: Literal["member"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    name: str
    """Names from the folder down to the member."""
    not_listed: NotRequired[Literal[True]]
    """Whether it lies in the folder of a group whose list does not name it. Only in a plain folder that is entered
    at any depth."""
    hurts: NotRequired[List["SweepHurt"]]
    """What hurts the array, the worst first; left out if nothing does."""
    check: NotRequired["MemberCheck"]
    """Only of `check`."""
    stats: NotRequired["MemberStats"]
    """Only of `stats`."""
    state_id: NotRequired[str]
    """A text that changes when files of the array come, go or get another size. Only with `--resume`."""



class SweptDataset(TypedDict):
    """`tiledb-inspect ls|check|stats <folder> --recursive --json`: all arrays and groups below a folder. NDJSON: one
    document a member, as it is done (`$defs/line`), then a line with the rest of this document. The file of
    `--resume` has the first keys, then the members."""

    level: NotRequired["Level"]
    """What was checked: `--level`."""
    counts: NotRequired["CheckCounts"]
    """Number of examined parts."""
    ignored: NotRequired["IgnoredNum"]
    """Number of findings that `--ignore` leaves out of all else, by the code or `CODE.variant` that it names: 0 if
    there are none, so that the name is no longer needed. Left out without the option."""
    not_checked: NotRequired[List[str]]
    """What this level does not check, in words."""
    ok: NotRequired[bool]
    """Whether there is no finding of the severity of `--fail-on` or above."""
    member_num: int
    """Number of members."""
    totals: "GroupTotals"
    """Sums over a dataset: a group and its members at any depth. An object that several members name counts once."""
    not_entered: "SweepNotEntered"
    """What a sweep did not enter."""
    resumed_num: NotRequired[int]
    """Number of members whose lines come from the file of `--resume`."""
    worst: List["SweepWorst"]
    """The ten arrays that are hurt most: damage first, then by how many times a measure exceeds its limit."""
    worst_num: int
    """Number of all arrays in which a measure reaches its limit."""
    stats: NotRequired["SweepStats"]
    """Only of `stats`."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["dataset"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    sweep: "SweepCommand"
    """The command that went through the members."""
    shard: NotRequired[str]
    """`i/n` of `--shard`: only every n-th member from the i-th on was examined."""
    members: List["SweepMember"]
    """All arrays and groups at any depth."""


DatasetDocument = Union["ListedDataset", "SweptDataset"]
"""What `ls` shows of a plain folder; with `--recursive`, what `ls`, `check` and `stats` do."""



class SweepSummary(TypedDict):
    """The last line of a sweep in NDJSON."""

    level: NotRequired["Level"]
    """What was checked: `--level`."""
    counts: NotRequired["CheckCounts"]
    """Number of examined parts."""
    ignored: NotRequired["IgnoredNum"]
    """Number of findings that `--ignore` leaves out of all else, by the code or `CODE.variant` that it names: 0 if
    there are none, so that the name is no longer needed. Left out without the option."""
    not_checked: NotRequired[List[str]]
    """What this level does not check, in words."""
    ok: NotRequired[bool]
    """Whether there is no finding of the severity of `--fail-on` or above."""
    member_num: int
    """Number of members."""
    totals: "GroupTotals"
    """Sums over a dataset: a group and its members at any depth. An object that several members name counts once."""
    not_entered: "SweepNotEntered"
    """What a sweep did not enter."""
    resumed_num: NotRequired[int]
    """Number of members whose lines come from the file of `--resume`."""
    worst: List["SweepWorst"]
    """The ten arrays that are hurt most: damage first, then by how many times a measure exceeds its limit."""
    worst_num: int
    """Number of all arrays in which a measure reaches its limit."""
    stats: NotRequired["SweepStats"]
    """Only of `stats`."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["dataset"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    sweep: "SweepCommand"
    """The command that went through the members."""
    shard: NotRequired[str]
    """`i/n` of `--shard`: only every n-th member from the i-th on was examined."""


SweepLine = Union["SweepMember", "SweepSummary"]

DiffVerdict = Literal["equal", "same-cells", "not-compared", "different"]
"""`same-cells`: the cells are equal, as far as a reader sees; the files, fragments, tiles or filters that hold them
differ. Only if cells were compared. `not-compared`: no difference was found, but not everything could be read."""



class NotUniqueInfo(TypedDict):
    """Why TileDB's answer is not unique: it depends on the order in which a reader reads."""

    kind: Literal["equal-times", "out-of-order"]
    """`equal-times`: fragments of one time have the same cell, and duplicates are not allowed. `out-of-order`: the
    cells of a fragment are not in global order in its files."""
    fragments: List["StoredName"]
    """Names of the fragments."""
    message: str
    """What that means for the answer."""



class DiffRead(TypedDict):
    """The cells that readers of the two arrays see, matched by their coordinates. If the dimensions differ, the
    numbers are left out."""

    as_of: NotRequired["TimestampRange"]
    """First and last time of the read of the first array, both included. Only with `--as-of`."""
    other_as_of: NotRequired["TimestampRange"]
    """First and last time of the read of the second array, both included. Only with `--as-of`."""
    cells_same: NotRequired[int]
    """Number of cells that are equal."""
    cells_changed: NotRequired[int]
    """Number of cells in both arrays whose values differ."""
    cells_only_a: NotRequired[int]
    """Number of cells that only the first array has."""
    cells_only_b: NotRequired[int]
    """Number of cells that only the second array has."""
    not_unique: NotRequired[List["NotUniqueInfo"]]
    """Why the answers of reads of the first target are not unique: TileDB's reads in another order may give other
    cells."""
    other_not_unique: NotRequired[List["NotUniqueInfo"]]
    """The same of the second target."""


DiffPart = Literal["listing", "schema", "metadata", "storage", "cells"]
"""What differs. `listing`: the type or state of a member, or how the group lists it. `schema`. `metadata`: key-value
metadata. `storage`: fragments, their files and sizes. `cells`."""



class DiffMember(TypedDict):
    """A member of two datasets."""

    name: str
    """Path of names in the dataset."""
    type: "ObjectType"
    """Type, according to the group."""
    state: Union["DiffVerdict", Literal["only-a"], Literal["only-b"]]
    """`only-a`, `only-b`: only one of the datasets has the member."""
    differs: List["DiffPart"]
    """What differs."""
    difference_num: int
    """Number of differences."""



class DiffLine(TypedDict):
    """A difference."""

    path: str
    """Dotted path of what differs, such as `schema.attributes.a.type`."""
    a: Any
    """The value in the first target, in the unit of its key; null if only the second target has it."""
    b: Any
    """The value in the second target, in the unit of its key; null if only the first target has it."""
    more: NotRequired[int]
    """Number of further values of the list that differ."""
    shifted_by: NotRequired[List[float]]
    """Only of offsets: by how many bytes they are shifted, at least and at most. They differ because something
    before them is longer or shorter."""



class DiffDocument(TypedDict):
    """`tiledb-inspect diff <a> <b> --json`. NDJSON: one difference a line (`$defs/line`)."""

    kind: Literal["diff"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    other: "Path"
    """The second target."""
    equal: bool
    """Whether everything could be compared and there is no difference."""
    verdict: "DiffVerdict"
    """The result in a word; of a dataset, the worst of its members."""
    cells_compared: bool
    """Whether cells were compared as well."""
    cell_num: NotRequired[int]
    """Number of cells that were compared."""
    reader_cells: NotRequired["DiffRead"]
    """Comparison of the cells that readers see, over all arrays. With `--read`; with `--cells` only if the cells of
    an array lie in another order or in other fragments, so that they cannot be compared as they are stored."""
    not_compared: NotRequired[List[str]]
    """Members of groups, fragments and cells that could not be read in one target or in both."""
    unlisted_cell_num: NotRequired[int]
    """Number of differing cells that `differences` leaves out, as it lists at most 100,000 differences."""
    unlisted_num: NotRequired[int]
    """Number of other differences that it leaves out."""
    members: NotRequired[List["DiffMember"]]
    """Members of a dataset in the order of the first target, then those that only the second has."""
    differences: List["DiffLine"]
    """The differences, in order."""



class ErrorBrief(TypedDict):
    """An error. Its position in the document says what it is about."""

    code: "ErrorCode"
    """The kind of an error. Codes are never renamed."""
    message: str
    """What was expected, and what was found."""


DumpCells = TypedDict(
    "DumpCells",
    {
        "tile": int,
        "from": int,
        "to": int,
    },
)
"""Cells whose values are in these bytes."""



class DumpNode(TypedDict):
    """A run of bytes, and the fields inside it."""

    name: str
    """Name of the field; of an element, its index in the list."""
    type: str
    """Type: `uint32`, `text`, `struct`, `list`, `INT32`, `gap`…"""
    offset: int
    """Byte offset in the file, or in the content that `space` names."""
    length: "Bytes"
    """Bytes."""
    label: NotRequired[str]
    """Readable name of an element whose `name` is an index."""
    value: NotRequired[Union["CellValue", List["CellValue"]]]
    """Value, in `unit`; of a run of values, the list of them."""
    stored_value: NotRequired[int]
    """The stored number, if `value` is a name for it."""
    unit: NotRequired[str]
    """Unit of the value."""
    meaning: NotRequired[str]
    """Meaning of a constant, or what was expected."""
    verdict: NotRequired[Literal["valid", "invalid"]]
    """Whether a checksum, count or size agrees with what it describes."""
    space: NotRequired[str]
    """Name of the unfiltered content in which `offset` counts; left out for bytes of the file."""
    error: NotRequired["ErrorBrief"]
    """Why the rest of the bytes could not be read."""
    cells: NotRequired["DumpCells"]
    """Cells whose values are in these bytes."""
    children: NotRequired[List["DumpNode"]]
    """Fields inside this one. Those with the same `space` follow one another without gaps and cover all of its
    bytes."""



class DumpedPart(TypedDict):
    """A file, or one part of it."""

    name: str
    """Name of the field; of an element, its index in the list."""
    type: str
    """Type: `uint32`, `text`, `struct`, `list`, `INT32`, `gap`…"""
    offset: int
    """Byte offset in the file, or in the content that `space` names."""
    length: "Bytes"
    """Bytes."""
    label: NotRequired[str]
    """Readable name of an element whose `name` is an index."""
    value: NotRequired[Union["CellValue", List["CellValue"]]]
    """Value, in `unit`; of a run of values, the list of them."""
    stored_value: NotRequired[int]
    """The stored number, if `value` is a name for it."""
    unit: NotRequired[str]
    """Unit of the value."""
    meaning: NotRequired[str]
    """Meaning of a constant, or what was expected."""
    verdict: NotRequired[Literal["valid", "invalid"]]
    """Whether a checksum, count or size agrees with what it describes."""
    space: NotRequired[str]
    """Name of the unfiltered content in which `offset` counts; left out for bytes of the file."""
    error: NotRequired["ErrorBrief"]
    """Why the rest of the bytes could not be read."""
    cells: NotRequired["DumpCells"]
    """Cells whose values are in these bytes."""
    children: NotRequired[List["DumpNode"]]
    """Fields inside this one. Those with the same `space` follow one another without gaps and cover all of its
    bytes."""
    kind: Literal["dump"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    file_kind: str
    """Kind of the file, in words."""



class DumpedParts(TypedDict):
    """Several parts of a file."""

    kind: Literal["dump"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    file_kind: str
    """Kind of the file, in words."""
    children: List["DumpNode"]
    """The parts."""


DumpDocument = Union["DumpedPart", "DumpedParts"]
"""`tiledb-inspect dump <file> --json`, and `footer`, `schema`, `rtree`, `metadata`, `tile` with `--hex --json`: the
tree of fields. If there are several parts of a file, they are in `children`."""



class EmptyDocument(TypedDict):
    """Printed with `--json` if there is nothing to show, as for a group without members or an array without
    fragments."""

    kind: Literal["empty"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    message: Optional[str]
    """What is missing, in words."""



class ErrorDocument(TypedDict):
    """Printed on stdout in place of a document if a command with `--json` or NDJSON fails."""

    error: "ErrorInfo"
    """An error, and where it is."""


LayerField = TypedDict(
    "LayerField",
    {
        "name": "StoredName",
        "is": str,
    },
)
"""What a field is in the words of a layer."""



class LayerPlace(TypedDict):
    """What an array is in the words of a layer above TileDB: the place in its dataset, and what its cells and fields
    are."""

    name: "LayerName"
    """The layer."""
    dataset: Optional["Path"]
    """The dataset that has the array; null if the array stands alone."""
    dataset_type: str
    """What the layer calls the dataset, such as `SOMAExperiment`."""
    member: "StoredName"
    """Names of the array from the dataset down, with `/` between them; empty if it stands alone."""
    layer_type: str
    """What the layer calls the array, such as `SOMADataFrame`."""
    cell_is: Optional[str]
    """What a cell is, such as `an observation`; null if the layer has no word for it."""
    fields: List["LayerField"]
    """What fields are whose names do not tell it."""


ReadOrder = Literal["row-major", "col-major", "global", "unordered"]

ReaderName = Literal["DenseReader", "SparseGlobalOrderReader", "SparseUnorderedWithDupsReader", "legacy Reader"]
"""TileDB's readers, by the names of their classes."""



class ExplainField(TypedDict):
    """Data that is read of a field."""

    stored_bytes: "Bytes"
    """Bytes on disk of the tiles that are read."""
    unfiltered_bytes: "Bytes"
    """Bytes of the tiles that are read, after the filters are undone."""
    unfilter_seconds: float
    """Estimated seconds to undo the filters on one core."""
    name: str
    """Name of the dimension, attribute, or internal field such as `__timestamps`."""
    tiles_read: int
    """Number of tiles that are read."""


Certainty = Literal["measured", "exact", "at most", "estimated"]
"""How a number was obtained."""



class ExplainResultField(TypedDict):
    """Buffers that a field of the result needs if the query is submitted once."""

    name: str
    """Name of the dimension or attribute."""
    data_bytes: "Bytes"
    """Bytes of its values."""
    offsets_bytes: Optional["Bytes"]
    """Bytes of its offsets, 8 a cell; null if the field is not var-sized."""
    validity_bytes: Optional["Bytes"]
    """Bytes of its validity, 1 a cell; null if the field is not nullable."""
    certainty: "Certainty"
    """How a number was obtained."""



class ExplainResultSize(TypedDict):
    """Size of the result in all its buffers if the query is submitted once."""

    cell_num: int
    """Number of cells of the result. For a dense array without ranges, those of the non-empty domain, as in
    `A.df[:]` of TileDB-Py."""
    bytes: "Bytes"
    """Bytes of these cells in all fields."""
    coordinate_bytes: "Bytes"
    """Bytes of the coordinates among `bytes`. `A[:]` of a dense array in TileDB-Py returns no coordinates."""
    certainty: "Certainty"
    """How `bytes` was obtained."""
    whole_cell_num: Optional[int]
    """Number of cells of `A[:]` of a dense array: those of the current domain, or else of the domain; null for
    sparse arrays and with ranges."""
    whole_bytes: Optional["Bytes"]
    """Bytes of these cells, without coordinates; null if `whole_cell_num` is null."""



class ExplainFunnel(TypedDict):
    """A step of the selection."""

    name: Literal["fragments", "tiles", "cells"]
    """What is counted."""
    of: int
    """Number of fragments, tiles or cells before this step."""
    left: int
    """Number of fragments, tiles or cells after this step."""
    certainty: "Certainty"
    """How a number was obtained."""
    dropped: Dict[str, int]
    """Number that this step dropped, by reason."""


StepName = Literal["listings", "commit files", "schemas", "vacuum files", "consolidated fragment metadata", "footers", "enumerations", "delete conditions", "fragment metadata", "tiles"]
"""The steps of a read by TileDB, each of which needs the one before."""



class ExplainStep(TypedDict):
    """A step of the read. Steps run one after another."""

    reads: int
    """Number of read operations on files, as TileDB counts them."""
    requests: int
    """Number of requests to an object store, including listings and sizes, but not those for data that was read
    ahead."""
    list_requests: int
    """Number of LIST requests: they list names."""
    head_requests: int
    """Number of HEAD requests: they ask for the size of a file, or whether it exists."""
    get_requests: int
    """Number of GET requests: they read."""
    seconds: float
    """Estimated seconds with the object store of `storage`."""
    local_seconds: float
    """Estimated seconds with a local disk."""
    listings: int
    """Number of folders that are listed."""
    bytes: "Bytes"
    """Bytes from storage."""
    name: Union["StepName", Literal["undoing filters"]]
    """What the step does. Undoing filters reads nothing."""



class ExplainOpening(TypedDict):
    """The steps that open the array, before the query loads anything."""

    reads: int
    """Number of read operations on files, as TileDB counts them."""
    requests: int
    """Number of requests to an object store, including listings and sizes, but not those for data that was read
    ahead."""
    list_requests: int
    """Number of LIST requests: they list names."""
    head_requests: int
    """Number of HEAD requests: they ask for the size of a file, or whether it exists."""
    get_requests: int
    """Number of GET requests: they read."""
    seconds: float
    """Estimated seconds with the object store of `storage`."""
    local_seconds: float
    """Estimated seconds with a local disk."""
    listings: int
    """Number of folders that are listed."""
    bytes: "Bytes"
    """Bytes from storage."""
    step_num: int
    """Number of these steps; they come first in `steps`."""


PassedOverBy = Optional[Literal["domain", "rtree", "covered", "no tiles"]]
"""Why a reader reads nothing of a fragment; `null` if it reads some of it."""



class ExplainLine(TypedDict):
    """Data that is read of a fragment."""

    stored_bytes: "Bytes"
    """Bytes on disk of the tiles that are read."""
    unfiltered_bytes: "Bytes"
    """Bytes of the tiles that are read, after the filters are undone."""
    name: str
    """Name of the fragment."""
    passed_over_by: Union["PassedOverBy", Literal["time"]]
    """Why nothing is read of it; null if something is read."""
    tile_num: Optional[int]
    """Number of tiles; null if the fragment was not opened."""
    tiles_touched: int
    """Number of tiles whose boxes the ranges touch."""
    tiles_inside: int
    """Number of tiles whose boxes are entirely inside the ranges."""
    cells_read: int
    """Number of cells in the tiles that are read."""



class ExplainTotal(TypedDict):
    """Sums over the whole read. The seconds include those of undoing the filters."""

    stored_bytes: "Bytes"
    """Bytes on disk of the tiles that are read."""
    unfiltered_bytes: "Bytes"
    """Bytes of the tiles that are read, after the filters are undone."""
    unfilter_seconds: float
    """Estimated seconds to undo the filters on one core."""
    reads: int
    """Number of read operations on files, as TileDB counts them."""
    requests: int
    """Number of requests to an object store, including listings and sizes, but not those for data that was read
    ahead."""
    list_requests: int
    """Number of LIST requests: they list names."""
    head_requests: int
    """Number of HEAD requests: they ask for the size of a file, or whether it exists."""
    get_requests: int
    """Number of GET requests: they read."""
    seconds: float
    """Estimated seconds with the object store of `storage`."""
    local_seconds: float
    """Estimated seconds with a local disk."""
    tiles_read: int
    """Number of tiles that are read. A tile counts once for each field, as in TileDB."""
    cells_read: int
    """Number of cells in the tiles that are read: TileDB's counter `cell_num` with one thread."""
    cells_found: Optional[int]
    """Number of cells of the result, as TileDB's reader counts them; null unless `exact`."""
    cells_in_tiles: Optional[int]
    """Dense arrays: number of cells in the tiles that are read, counted once for each fragment; null for sparse
    arrays and without ranges."""
    cells_asked: Optional[int]
    """Number of cells of a dense array that are in the ranges and in the box around its fragments; null if
    `cells_in_tiles` is null."""
    result_cell_num: Optional[int]
    """Number of cells that the read returns; null for dense arrays, above 2 million stored cells, and if `exact` is
    false."""
    deleted_cell_num: Optional[int]
    """Number of stored cells that the read leaves out because they were deleted, before a consolidation or after;
    null if `result_cell_num` is null."""
    metadata_bytes: "Bytes"
    """Bytes of schemas, commits and fragment metadata."""
    vfs_bytes: "Bytes"
    """All bytes from storage."""
    memory_bytes: Optional["Bytes"]
    """Smallest `sm.mem.total_budget`, in bytes, with which the read makes progress; null if TileDB crashes with any
    budget."""
    makes_progress: bool
    """Whether the read makes progress with the budget of `--budget`, by default that of TileDB."""



class ExplainStorage(TypedDict):
    """The object store for which `seconds` are estimated."""

    latency_ms: float
    """Milliseconds from a request to its first byte."""
    megabytes_per_second: float
    """Throughput of all requests together, in units of 1,000,000 bytes a second."""
    at_once: int
    """Number of requests that run at the same time."""



class ExplainConsolidation(TypedDict):
    """The fragments that `tiledb.consolidate` would merge."""

    config: Dict[str, str]
    """Settings of `--config`. Other settings have TileDB's defaults."""
    fragment_num: int
    """Number of fragments that it chooses from: those that a read opens, and that are within the times of the
    settings."""
    merged_num: int
    """Number of fragments that the first step merges; with default settings, all or none."""
    merged: Optional[List[str]]
    """Names of the merged fragments, oldest first; null without `--config`."""
    least_amplification: "Float"
    """Smallest `sm.consolidation.amplification`, a ratio of cells, that merges all fragments into one; 0 for sparse
    arrays."""
    merged_by_two: Optional[List[str]]
    """Names of the fragments that are merged with `sm.consolidation.step_min_frags` 2; null if there are too many to
    compute this."""
    breaks_tiles: bool
    """Whether TileDB 2.30 breaks the array if it merges them, or crashes: a dense array with a current domain, in
    which the box around the fragments is no whole number of tiles. Where the defaults merge none, whether that holds
    for all of them, or for `merged_by_two`."""
    lacks_conditions: bool
    """Whether TileDB 2.30 crashes if it merges them without `sm.consolidation.purge_deleted_cells`: one has marks of
    deleted cells, and the array has no delete condition left."""
    takes_later: int
    """Number of fragments dated ahead that it merges, too. In a dense array the merged fragment has their time, and
    readers of today miss all cells."""



class ReadCounts(TypedDict):
    """What a read costs, as TileDB counts it."""

    tiles_read: int
    """Number of tiles that are read. A tile counts once for each field."""
    cells_read: int
    """Number of cells in the tiles that are read."""
    unfiltered_bytes: "Bytes"
    """Unfiltered bytes of the tiles."""
    stored_bytes: "Bytes"
    """Stored bytes of the tiles."""
    reads: int
    """Number of read operations."""



class Remedy(TypedDict):
    """A change of the array, with the cost of the read before and after it."""

    change: str
    """A description of the change."""
    basis: Literal["computed", "estimated"]
    """`computed`: the changed array was made in memory, and the read was planned on it. `estimated`: from metadata,
    as if values were compressed as well as now."""
    before: "ReadCounts"
    """What a read costs, as TileDB counts it."""
    after: "ReadCounts"
    """What a read costs, as TileDB counts it."""



class ExplainFinding(TypedDict):
    """A reason why reads of an array are slow or need much memory: what it costs, and what to do."""

    severity: "Severity"
    """`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""
    code: Union["AdviceCode", "FindingCode"]
    field: NotRequired[str]
    """The field with the problem; left out if it concerns the whole array."""
    message: str
    """What was found, with numbers."""
    meaning: str
    """What it means for a reader, and the threshold of the finding."""
    effect: Dict[str, float]
    """What it costs, by name. `seconds` is always set: an estimate of what a read from S3 would save. The others are
    `requests` (to an object store), `bytes` (stored), `unfiltered_bytes`, `fragments`, `tiles`, `cells`, and `share`
    of the whole, 0 to 1."""
    advice: List[str]
    """What to do: calls of TileDB-Py, or commands of `tiledb-inspect`."""
    remedies: NotRequired[List["Remedy"]]
    """What the read would cost afterwards; left out if that was not computed."""



class ExplainDocument(TypedDict):
    """`tiledb-inspect explain <array> --json`: the steps of a read by TileDB 2.30, and their cost. NDJSON: one
    fragment a line."""

    kind: Literal["explain"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    as_of: "TimestampRange"
    """First and last time of the read, milliseconds since 1970, both included."""
    layer_place: NotRequired["LayerPlace"]
    """What the array is in the words of the layer that it belongs to; left out if no layer is known."""
    ranges: Dict[str, List["ValueRange"]]
    """Ranges of each dimension that is limited; null for an open end."""
    order: "ReadOrder"
    """Order of the cells."""
    exact: bool
    """Whether coordinates were read to find the tiles and cells of the result. If false, numbers that depend on them
    are upper bounds."""
    reader: "ReaderName"
    """Name of TileDB's reader class."""
    fields: List["ExplainField"]
    """Data that is read of each field, most bytes first."""
    result: List["ExplainResultField"]
    """Buffer sizes that the result needs, by field, dimensions first."""
    result_size: "ExplainResultSize"
    """Size of the result in all buffers together."""
    funnel: List["ExplainFunnel"]
    """Fragments, tiles and cells that are left after each step of the selection, in order."""
    steps: List["ExplainStep"]
    """Cost of each step, in order."""
    opening: "ExplainOpening"
    """Sums over the first steps: those that open the array, before the query."""
    fragments: List["ExplainLine"]
    """Every fragment that a commit names, oldest first."""
    total: "ExplainTotal"
    """Sums over the whole read."""
    storage: "ExplainStorage"
    """The object store for which `seconds` are estimated."""
    consolidation: Optional["ExplainConsolidation"]
    """What `tiledb.consolidate` would do; null for a read at another time than now, or if a non-empty domain or
    other metadata cannot be read."""
    findings: List["ExplainFinding"]
    """Causes that make this read slow, worst first."""



class FileDiffByte(TypedDict):
    """A byte that differs, and what `at` says of it: only of the first 100 files, and as far as they can be read."""

    offset: "Offset"
    """Byte offset from the start of the file."""
    byte: int
    """Its value in the first target, 0 to 255."""
    other_byte: int
    """Its value in the second target, 0 to 255."""
    file_kind: NotRequired[str]
    """Kind of the file, in words."""
    field_path: NotRequired[str]
    """Dotted path of the smallest field that has the byte, as of `at`."""
    tile: NotRequired[int]
    """Index of the tile."""
    chunk: NotRequired[int]
    """Index of the chunk in the tile."""
    cells: NotRequired["AtCells"]
    """Cells whose values depend on the byte."""



class FileDiffLine(TypedDict):
    """A file that is not the same in both."""

    name: str
    """Its path below the targets; of two files, the name of the first."""
    state: Literal["only-a", "only-b", "size", "bytes", "not-compared"]
    """`only-a`, `only-b`: one of the targets lacks it. `size`: the sizes differ. `bytes`: some bytes do.
    `not-compared`: it cannot be read."""
    size: Optional["Bytes"]
    """Bytes of the file in the first target; null if it has none."""
    other_size: Optional["Bytes"]
    """Bytes of the file in the second target; null if it has none."""
    differing_num: Optional[int]
    """Number of bytes that differ. Only of `bytes`."""
    first: Optional["FileDiffByte"]
    """The first byte that differs. Only of `bytes`."""
    last: Optional["Offset"]
    """Offset of the last byte that differs. Only of `bytes`."""



class FileDiffDocument(TypedDict):
    """`tiledb-inspect diff <a> <b> --files --json`, and `diff` of two data files. NDJSON: one file a line
    (`$defs/line`)."""

    kind: Literal["file-diff"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    other: "Path"
    """The second target."""
    equal: bool
    """Whether both have the same files, with the same bytes."""
    same_num: int
    """Number of files that are the same in both."""
    same_size: "Bytes"
    """Bytes of these files."""
    files: List["FileDiffLine"]
    """The files that are not the same, by name."""



class FooterFieldOffsets(TypedDict):
    """Byte offset in the metadata file of each section of the field that the format version has."""

    tile_offsets: NotRequired["Offset"]
    """Byte offset from the start of the file."""
    tile_var_offsets: NotRequired["Offset"]
    """Byte offset from the start of the file."""
    tile_var_sizes: NotRequired["Offset"]
    """Byte offset from the start of the file."""
    tile_validity_offsets: NotRequired["Offset"]
    """Byte offset from the start of the file."""
    tile_mins: NotRequired["Offset"]
    """Byte offset from the start of the file."""
    tile_maxs: NotRequired["Offset"]
    """Byte offset from the start of the file."""
    tile_sums: NotRequired["Offset"]
    """Byte offset from the start of the file."""
    tile_null_counts: NotRequired["Offset"]
    """Byte offset from the start of the file."""



class FooterField(TypedDict):
    """A slot."""

    name: str
    """Name of the attribute, dimension or internal field, or `__coords`."""
    phantom: NotRequired[Literal[True]]
    """True for the unused slot `__coords`, if each dimension has a slot of its own."""
    file_size: "Bytes"
    """Bytes of the data file; for var-sized fields, of the offsets file."""
    file_var_size: NotRequired["Bytes"]
    """Bytes of the file of var-sized values."""
    file_validity_size: NotRequired["Bytes"]
    """Bytes of the validity file. Since format 7."""
    offsets: NotRequired["FooterFieldOffsets"]
    """Offsets of the sections of the field. Since format 3."""



class FooterOptionalSection(TypedDict):
    identifier: int
    """Identifier of the section; 0: offsets of the first and last cells of the tiles in global order."""
    size: "Bytes"
    """Bytes."""
    payload: "Binary"
    """Bytes of the section."""



class WholeFooter(TypedDict):
    """A footer that was read to its end. Its fields have the names of the format."""

    array_schema_name: NotRequired[str]
    """File of the schema that the fragment was written with; before version 10 `__array_schema.tdb`. Since format
    10."""
    dense: bool
    """Whether the fragment is dense."""
    null_nonempty_domain: bool
    """Whether the non-empty domain is unset; 0 in every file."""
    sparse_tile_num: int
    """Tiles of a sparse fragment; 0 in dense ones."""
    last_tile_cell_num: int
    """Cells in the last tile; in dense fragments the cells of a tile."""
    includes_timestamps: NotRequired[bool]
    """Whether cells have timestamps of their own; then there is one more slot. Since format 14."""
    includes_delete_metadata: NotRequired[bool]
    """Whether cells have times of deletion; then there are two more slots. Since format 15."""
    rtree_offset: int
    """Bytes: offset of the generic tile with the R-tree."""
    fragment_min_max_sum_null_count_offset: NotRequired[int]
    """Bytes: offset of the generic tile with the fragment statistics. Since format 12."""
    processed_conditions_offset: NotRequired[int]
    """Bytes: offset of the generic tile with the processed conditions. Since format 16."""
    kind: Literal["footer"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    footer_offset: "Offset"
    """Byte offset of the footer in the file; for a `.meta` file, in its content."""
    footer_size: "Bytes"
    """Bytes of the footer."""
    fragment_name: NotRequired[str]
    """Name of the fragment. Only for entries of a consolidated fragment metadata file."""
    format_version: "FormatVersion"
    """Format version, starting at 1."""
    nonempty_domain: List["ValueRange"]
    """Non-empty domain: `[lo, hi]` of each dimension, both inclusive."""
    fields: List["FooterField"]
    """Every slot in stored order."""
    optional_sections: NotRequired[List["FooterOptionalSection"]]
    """Sections that readers may skip. Since format 23."""
    slack_size: NotRequired["Bytes"]
    """Bytes after the last known field."""



class OldFooter(TypedDict):
    """The facts of a footer in formats 1 and 2, which have none."""

    kind: Literal["footer"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    format_version: "FormatVersion"
    """Format version, starting at 1."""
    array_schema_name: str
    """File of the schema that the fragment was written with; before version 10 `__array_schema.tdb`. Since format
    10."""
    dense: bool
    """Whether the fragment is dense."""
    null_nonempty_domain: bool
    """Whether the non-empty domain is unset; 0 in every file."""
    nonempty_domain: Optional[List["ValueRange"]]
    """Non-empty domain: `[lo, hi]` of each dimension, both inclusive; null if there is none."""
    sparse_tile_num: int
    """Tiles of a sparse fragment; 0 in dense ones."""
    last_tile_cell_num: "Int64"
    """Cells in the last tile; in dense fragments the cells of a tile."""
    fields: List["FooterField"]
    """Every slot in stored order."""
    metadata_file: str
    """Name of the file that contains these facts."""



class FooterWithoutSchema(TypedDict):
    """The part of a footer that can be read without its schema."""

    array_schema_name: NotRequired[str]
    """File of the schema that the fragment was written with; before version 10 `__array_schema.tdb`. Since format
    10."""
    dense: bool
    """Whether the fragment is dense."""
    null_nonempty_domain: bool
    """Whether the non-empty domain is unset; 0 in every file."""
    kind: Literal["footer"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    footer_offset: "Offset"
    """Byte offset of the footer in the file; for a `.meta` file, in its content."""
    footer_size: "Bytes"
    """Bytes of the footer."""
    format_version: "FormatVersion"
    """Format version, starting at 1."""
    not_examined: List["NotExamined"]
    """What could not be read, and why."""


FooterDocument = Union["WholeFooter", "OldFooter", "FooterWithoutSchema"]
"""`tiledb-inspect footer <target> --json`, one document for each fragment, or for each entry of a `.meta` file. Keys
that the format version does not have are left out. If the schema is not found, the keys that depend on it are left
out, too."""


Sum = Union["Int64", "Float"]
"""Sum of the values: an integer, or a floating-point number for floating-point types; 0 if there are no values."""



class FragmentMetadataField(TypedDict):
    """A slot."""

    name: str
    """Name of the attribute, dimension or internal field, or `__coords`."""
    phantom: NotRequired[Literal[True]]
    """True for the unused slot `__coords`, if each dimension has a slot of its own."""
    tile_offsets: List[int]
    """Byte offset of each tile in the data file; for var-sized fields, in the offsets file."""
    tile_var_offsets: NotRequired[List[int]]
    """Byte offset of each tile in the file of var-sized values."""
    tile_var_sizes: NotRequired[List[int]]
    """Bytes of each tile of var-sized values before filtering."""
    tile_validity_offsets: NotRequired[List[int]]
    """Byte offset of each tile in the validity file. Since format 7."""
    tile_mins: NotRequired[Union[List["CellValue"], "Binary"]]
    """Minimum of each tile, in the unit of the field; null for a tile without one. Since format 11. For a phantom
    slot, these are bytes."""
    tile_maxs: NotRequired[Union[List["CellValue"], "Binary"]]
    """Maximum of each tile, in the form of `tile_mins`. Since format 11."""
    tile_sums: NotRequired[List["Sum"]]
    """Sum of each tile, in the unit of the field. Since format 11."""
    tile_null_counts: NotRequired[List[int]]
    """Number of null cells of each tile; left out if TileDB does not count those of the field. Since format 11."""
    min: NotRequired["CellValue"]
    """Minimum over the fragment; null if there is none. Since format 12."""
    max: NotRequired["CellValue"]
    """Maximum over the fragment; null if there is none. Since format 12."""
    sum: NotRequired["Sum"]
    """Sum of the values: an integer, or a floating-point number for floating-point types; 0 if there are no values."""
    null_count: NotRequired[Optional[int]]
    """Number of null cells of the fragment; null if TileDB does not count those of the field. Since format 12."""



class FragmentMetadataDocument(TypedDict):
    """`tiledb-inspect metadata <fragment> --json`: for each field, lists with one value a tile. `tiles` shows the
    same by tile."""

    kind: Literal["fragment-metadata"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    format_version: "FormatVersion"
    """Format version, starting at 1."""
    tile_num: int
    """Number of tiles."""
    fields: List["FragmentMetadataField"]
    """Every slot in stored order."""
    processed_conditions: NotRequired[List[str]]
    """Names of the delete commits whose conditions were applied to the cells. Since format 16."""



class FragmentLine(TypedDict):
    """A file of the fragment."""

    path: NotRequired[str]
    """The target; left out if there is only one."""
    name: "StoredName"
    """Name of the file."""
    field: Optional[str]
    """Name of the attribute, dimension or internal field that it belongs to; null if there is none."""
    role: "FileRole"
    """What the file holds of the field."""
    tile_num: NotRequired[int]
    """Number of tiles."""
    unfiltered_size: NotRequired["Bytes"]
    """Bytes before filtering."""
    filters: NotRequired[List["FilterDescription"]]
    """Filters in writing order."""
    size: Optional["Bytes"]
    """Bytes on disk; null if the file is missing."""
    listed_size: NotRequired["Bytes"]
    """Bytes of the file, according to the metadata."""
    state: Literal["present", "short", "missing", "not-listed"]
    """`short`: shorter than the metadata says; `not-listed`: on disk, but not listed in the metadata."""



class FragmentDocument(TypedDict):
    """`tiledb-inspect ls <fragment> --json`. NDJSON: one file a line (`$defs/line`)."""

    written_by: NotRequired[Optional[str]]
    """TileDB releases that write this format version; null if there are none."""
    read_by: NotRequired[Optional[str]]
    """TileDB releases that read this format version."""
    name: str
    """Name of the fragment's folder."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    format_version: Optional["FormatVersion"]
    dense: Optional[bool]
    """Whether the fragment is dense; null if its metadata cannot be read."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the name, milliseconds since 1970; null if the name has none. Formats 1 and 2: the
    last timestamp twice."""
    cell_num: Optional["Int64"]
    """Number of cells as TileDB counts them: in dense fragments, those of whole tiles."""
    cells_in_domain: Optional["Int64"]
    """Number of cells inside the non-empty domain; in sparse fragments, of all cells."""
    tile_num: Optional[int]
    """Number of tiles; null if the metadata cannot be read."""
    size: "Bytes"
    """Bytes of all files in the folder."""
    data_size: Optional["Bytes"]
    """Bytes of the data files on disk."""
    unfiltered_size: Optional["Bytes"]
    """Bytes of the data before filtering; null for var-sized cells, as the footer does not have this number then."""
    ratio: Optional["Ratio"]
    nonempty_domain: Optional[List["ValueRange"]]
    """Non-empty domain: `[lo, hi]` of each dimension, both inclusive; null if there is none."""
    array_schema_name: Optional[str]
    """File name of the schema that the fragment was written with."""
    committed: NotRequired[bool]
    """Whether a commit names the fragment."""
    visible: NotRequired[bool]
    """Whether TileDB lists it now: it is committed, no vacuum or ignore file hides it, and its timestamps are not in
    the future."""
    to_vacuum: NotRequired[bool]
    """Whether a vacuum file that is in effect now lists it."""
    has_consolidated_metadata: NotRequired[bool]
    """Whether a consolidated fragment metadata file contains its footer."""
    state: NotRequired["FragmentState"]
    """State of the fragment in one word."""
    consolidated: bool
    """Whether it contains the cells of older fragments, judging by its name."""
    hidden_by: NotRequired[Optional[str]]
    """Path in the array of the `.vac` or `.ign` file that makes TileDB leave out this fragment."""
    damaged_files: NotRequired[List["DamagedFile"]]
    """Data files that are missing, or shorter than the metadata says; left out if there are none."""
    error: NotRequired["ErrorInfo"]
    """Why the metadata could not be read."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["fragment"]
    """What the document is about."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    files: List["FragmentLine"]
    """Files that the metadata lists, then the other files in the folder."""



class GenomicsdbArrayLine(TypedDict):
    """A folder of a fragment."""

    path: NotRequired[str]
    """The target; left out if there is only one."""
    name: "StoredName"
    """Name of the folder."""
    state: Literal["read", "unmarked", "unfinished"]
    """`read`: readers read it. `unmarked`: it has no mark, and readers pass over it. `unfinished`: it has the name
    that a fragment has while it is written."""
    timestamp: Optional["Int64"]
    """Milliseconds since 1970, by the name; null if the name has no time."""
    cell_num: Optional[int]
    """Number of cells; null if the book-keeping cannot be read."""
    tile_num: Optional[int]
    """Number of tiles."""
    row_range: Optional[List[int]]
    """First and last row with cells, by the boxes of its tiles."""
    column_range: Optional[List[int]]
    """First and last column with cells, by the boxes of its tiles."""
    size: "Bytes"
    """Bytes of its files."""
    error: NotRequired["ErrorInfo"]
    """Why its book-keeping cannot be read."""



class GenomicsdbArrayDocument(TypedDict):
    """`tiledb-inspect ls <array> --json` of an array of GenomicsDB: its fragments, oldest first. NDJSON: one
    fragment a line (`$defs/line`)."""

    kind: Literal["genomicsdb-array"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    fragments: List["GenomicsdbArrayLine"]
    """Folders of fragments, in the order that was asked for; by default the oldest first."""
    fragment_num: int
    """Number of folders of fragments; with `--limit`, fewer are listed."""


GenomicsdbNumber = Optional[Union[float, str]]
"""A number or text; null if it is missing."""


GenomicsdbElement = Union["GenomicsdbNumber", List["GenomicsdbNumber"]]
"""An element of a list: null if it is missing; of an allele-specific field, the list of an allele."""


GenomicsdbCallValue = Union["CellValue", List["GenomicsdbElement"]]
"""A value: of a list, its elements."""


GenomicsdbCallsLine = Dict[str, "GenomicsdbCallValue"]
"""A call: `sample`, `contig`, `pos` and `end`, then the fields by their names in the schema. A field that is absent
is null. Lists have null for elements that are missing; allele-specific fields are lists of lists."""



class GenomicsdbCallsDocument(TypedDict):
    """`tiledb-inspect read <target> --json` of a workspace or array of GenomicsDB. NDJSON: one call a line
    (`$defs/line`)."""

    kind: Literal["genomicsdb-calls"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    calls: List["GenomicsdbCallsLine"]
    """Calls by interval, then by position and row."""
    call_num: NotRequired[int]
    """Number of calls."""
    errors: NotRequired[List["ErrorInfo"]]
    """The first 1,000 errors about what could not be read. The calls concerned are left out."""
    error: NotRequired["ErrorInfo"]
    """The error that ended the calls early."""



class GenomicsdbFooterField(TypedDict):
    """A field, its files, and the lengths of its lists. A field without compression has empty lists."""

    name: "StoredName"
    """A name as it is stored: text, or bytes where it is not UTF-8."""
    file_size: Optional[int]
    """Bytes of the data file; for var-sized fields, of the offsets file; null if there is no such file."""
    file_var_size: NotRequired[Optional[int]]
    """Bytes of the file of var-sized values; null if there is no such file."""
    tile_offset_num: int
    """Number of tile offsets."""
    tile_var_offset_num: NotRequired[int]
    """Number of tile offsets in the file of var-sized values."""
    tile_var_size_num: NotRequired[int]
    """Number of sizes of tiles in the file of var-sized values."""



class GenomicsdbFooterDocument(TypedDict):
    """`tiledb-inspect footer <target> --json` of fragments of GenomicsDB: what their book-keeping says. One document
    a fragment."""

    kind: Literal["genomicsdb-footer"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    marked: bool
    """Whether the fragment has its mark. GenomicsDB passes over fragments without it."""
    timestamp: NotRequired["Int64"]
    """Milliseconds since 1970, by the name of the fragment; left out if the name has no time."""
    size: "Bytes"
    """Bytes of the file with the book-keeping, which is a gzip stream."""
    content_size: "Bytes"
    """Bytes of its content."""
    extra_size: NotRequired["Bytes"]
    """Bytes in the file after the gzip stream; left out if there are none."""
    domain: List["ValueRange"]
    """`[lo, hi]` of each dimension, both inclusive. In sparse fragments it is the domain of the array."""
    tile_num: int
    """A number of things, or the index of one."""
    cell_num: int
    """A number of things, or the index of one."""
    last_tile_cell_num: int
    """Number of cells of the last tile."""
    fields: List["GenomicsdbFooterField"]
    """Attributes in order, then the coordinates (`__coords`)."""



class OverviewFinding(TypedDict):
    """Findings of one code and variant."""

    severity: "Severity"
    """`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""
    code: Union["FindingCode", "AdviceCode"]
    variant: NotRequired[str]
    """What makes it another finding than the code usually is, as in `check`."""
    finding_num: int
    """Number of findings of this code and variant."""
    file: "Path"
    """The file of the first of these findings, or the array."""
    message: str
    """What was expected there, and what was found; or the cause of slow reads."""
    meaning: str
    """What the finding means for a reader."""
    advice: List[str]
    """What to do: lines of TileDB-Py, or commands of `tiledb-inspect`."""



class NextCommand(TypedDict):
    shows: str
    """What the command shows, in words."""
    command: str
    """The command line."""



class GenomicsdbFragmentLine(TypedDict):
    """A file of a fragment."""

    path: NotRequired[str]
    """The target; left out if there is only one."""
    name: "StoredName"
    """Name of the file."""
    field: Optional["StoredName"]
    """The field whose cells it has; null for other files."""
    holds: Literal["mark", "book-keeping", "data", "offsets", "var", "other"]
    """`mark`: it makes the folder a fragment. `book-keeping`: it says where the tiles are. `data`: fixed-sized
    cells. `offsets`: where var-sized cells begin. `var`: the values of these. `other`: nothing that GenomicsDB
    writes."""
    size: Optional["Bytes"]
    """Bytes of the file; null for a file that is missing."""



class GenomicsdbFragmentDocument(TypedDict):
    """`tiledb-inspect <fragment> --json` and `tiledb-inspect ls <fragment> --json` of GenomicsDB: what the fragment
    is, and its files. NDJSON of `ls`: one file a line (`$defs/line`)."""

    name: "StoredName"
    """Name of the folder."""
    state: Literal["read", "unmarked", "unfinished"]
    """`read`: readers read it. `unmarked`: it has no mark, and readers pass over it. `unfinished`: it has the name
    that a fragment has while it is written."""
    timestamp: Optional["Int64"]
    """Milliseconds since 1970, by the name; null if the name has no time."""
    cell_num: Optional[int]
    """Number of cells; null if the book-keeping cannot be read."""
    tile_num: Optional[int]
    """Number of tiles."""
    row_range: Optional[List[int]]
    """First and last row with cells, by the boxes of its tiles."""
    column_range: Optional[List[int]]
    """First and last column with cells, by the boxes of its tiles."""
    size: "Bytes"
    """Bytes of its files."""
    error: NotRequired["ErrorInfo"]
    """Why its book-keeping cannot be read."""
    ok: bool
    """Whether everything that was examined is right: there is no error."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity: damage, and causes of slow reads."""
    findings: List["OverviewFinding"]
    """The worst findings, at most 3, one of each code: first damage, then causes of slow reads. Only what names and
    footers show."""
    not_examined: List["NotExamined"]
    """What could not be examined."""
    not_checked: List[str]
    """What an overview does not examine, in words."""
    next: List["NextCommand"]
    """Commands to continue with, as they can be typed in a shell."""
    kind: Literal["genomicsdb-fragment"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    array: "Path"
    """The array of the fragment."""
    files: List["GenomicsdbFragmentLine"]
    """Its files, in the order that was asked for; then those that are missing."""



class GenomicsdbImport(TypedDict):
    """What is known of the last import."""

    state: Literal["complete", "running", "died"]
    """`complete`: nothing shows an import that did not end. `running`: one did not end, and files were changed in
    the last hour. `died`: one did not end, and nothing was changed for an hour."""
    signs: List[Literal["list", "callset", "folder"]]
    """What shows it: `list` is `callset.json.fragmentlist`, `callset` is a workspace without `callset.json`,
    `folder` a fragment that is not finished."""
    new_fragments: List["StoredName"]
    """Names of fragments that the import wrote, and that readers see; at most 10."""
    new_fragment_num: int
    """Number of fragments that the import wrote, and that readers see."""


GenomicsdbOverviewDocument = TypedDict(
    "GenomicsdbOverviewDocument",
    {
        "fragment_num": int,
        "unread_num": int,
        "tile_num": Optional[int],
        "cell_num": Optional[int],
        "call_num": Optional[int],
        "size": "Bytes",
        "ok": bool,
        "finding_num": "CheckFindingNum",
        "findings": List["OverviewFinding"],
        "not_examined": List["NotExamined"],
        "not_checked": List[str],
        "next": List["NextCommand"],
        "kind": Literal["genomicsdb-overview"],
        "path": "Path",
        "schema_version": Literal[1],
        "target": Literal["workspace", "array"],
        "workspace": Optional["Path"],
        "import": "GenomicsdbImport",
        "sample_num": Optional[int],
        "samples": List["StoredName"],
        "contig_num": Optional[int],
        "interval_num": int,
        "intervals": List["StoredName"],
        "field_num": Optional[int],
        "schema_versions": List[int],
        "written_by": Optional[str],
        "timestamp_range": Optional["TimestampRange"],
        "most_fragments": int,
    },
)
"""`tiledb-inspect <target> --json` of a workspace of GenomicsDB, or of one of its arrays, each of which holds an
interval."""



class GenomicsdbBox(TypedDict):
    tile: int
    """Index of the tile."""
    cell_num: int
    """Number of cells in the tile."""
    mbr: List["ValueRange"]
    """MBR of the tile: a range for each dimension."""
    first_cell: "CellCoordinates"
    """Coordinates of the first cell."""
    last_cell: "CellCoordinates"
    """Coordinates of the last cell."""



class GenomicsdbRtreeDocument(TypedDict):
    """`tiledb-inspect rtree <target> --json` of fragments of GenomicsDB, which have a list of boxes and no tree. One
    document a fragment."""

    kind: Literal["genomicsdb-rtree"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    mbr_num: int
    """Number of MBRs, one a tile."""
    tiles: List["GenomicsdbBox"]
    """Tiles in order; with `--range`, those that the range touches."""


OldLayout = Literal["row-major", "col-major", "hilbert"]


class GenomicsdbDimensionDescription(TypedDict):
    name: "StoredName"
    """A name as it is stored: text, or bytes where it is not UTF-8."""
    type: "Datatype"
    """Datatype as the C API names it."""
    domain: "ValueRange"
    """Lower and upper bound, both inclusive."""
    tile_extent: "CellValue"
    """Extent of a tile; null if there is none."""


CellValNum = Union[float, Literal["var"]]
"""Values in a cell; `"var"` if cells are var-sized."""



class GenomicsdbFieldDescription(TypedDict):
    name: "StoredName"
    """A name as it is stored: text, or bytes where it is not UTF-8."""
    type: "Datatype"
    """Datatype as the C API names it."""
    cell_val_num: "CellValNum"
    """Values in a cell; `"var"` if cells are var-sized."""
    compression: str
    """How tiles are compressed: the compressor, and what is done before it, as in `GZIP+DELTA`."""
    level: NotRequired[int]
    """Level of the compressor; negative for its default. Since version 1."""
    offsets_compression: NotRequired[str]
    """Compression of the offsets; left out for cells of a fixed size."""
    offsets_level: NotRequired[int]
    """Level of the compressor of the offsets."""



class GenomicsdbSchemaDocument(TypedDict):
    """`tiledb-inspect schema <target> --json` of an array of GenomicsDB."""

    kind: Literal["genomicsdb-schema"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    format_version: int
    """Version of the schema, 0 to 2."""
    workspace: NotRequired["StoredName"]
    """Path of the workspace, mostly empty; left out before version 1."""
    name: "StoredName"
    """Path of the array when it was made. A move does not change it."""
    array_type: "ArrayType"
    """Array type."""
    tile_order: "OldLayout"
    """Order of the tiles in dense arrays."""
    cell_order: "OldLayout"
    """Order of the cells in a fragment."""
    capacity: int
    """Number of cells of a tile, except the last."""
    dimensions: List["GenomicsdbDimensionDescription"]
    """Dimensions in order."""
    fields: List["GenomicsdbFieldDescription"]
    """Attributes in order, then the coordinates (`__coords`)."""



class GenomicsdbStatsField(TypedDict):
    """The files of a field."""

    name: "StoredName"
    """A name as it is stored: text, or bytes where it is not UTF-8."""
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before compression."""
    ratio: Optional["Ratio"]
    share: float
    """Share of the bytes of all fields, from 0 to 1."""
    compression: str
    """How the values are compressed, as in `GZIP+DELTA`."""



class GenomicsdbStatsInterval(TypedDict):
    name: "StoredName"
    """A name as it is stored: text, or bytes where it is not UTF-8."""
    fragment_num: int
    """Number of fragments that readers read."""
    cell_num: Optional[int]
    """Number of cells; null if a fragment cannot be read."""
    size: "Bytes"
    """Bytes of its files."""



class GenomicsdbStatsDocument(TypedDict):
    """`tiledb-inspect stats <target> --json` of a workspace or array of GenomicsDB: what fills its disk."""

    fragment_num: int
    """Number of fragments that readers read."""
    unread_num: int
    """Number of folders that readers pass over: without a mark, or not finished."""
    tile_num: Optional[int]
    """Number of tiles; null if a fragment cannot be read."""
    cell_num: Optional[int]
    """Number of cells; null if a fragment cannot be read. A call of more than one position has two."""
    call_num: Optional[int]
    """Number of calls; null if the cells are too many to be counted here: `stats` counts them."""
    size: "Bytes"
    """Bytes of all files."""
    kind: Literal["genomicsdb-stats"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    interval_num: int
    """Number of intervals."""
    data_size: "Bytes"
    """Bytes of the files of fragments that readers read."""
    unfiltered_size: "Bytes"
    """Bytes of these before compression."""
    ratio: Optional["Ratio"]
    unread_size: "Bytes"
    """Bytes of folders that readers pass over."""
    other_size: "Bytes"
    """Bytes outside of fragments."""
    most_fragments: int
    """The largest number of fragments in an interval: a read of it merges so many."""
    fields: List["GenomicsdbStatsField"]
    """Fields by their bytes, largest first."""
    intervals: List["GenomicsdbStatsInterval"]
    """The largest intervals, at most 10."""
    not_examined: List["NotExamined"]
    """Fragments that could not be read."""


ColumnRole = Literal["data", "offsets", "var"]
"""What a file of a fragment holds: fixed-sized cells, offsets of var-sized cells, or the values of those."""



class GenomicsdbTileDocument(TypedDict):
    """`tiledb-inspect tile <fragment> <field> [index] --json` of a fragment of GenomicsDB."""

    kind: Literal["genomicsdb-tile"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    field: "StoredName"
    """Name of the attribute; `__coords` for the coordinates."""
    file: "StoredName"
    """Name of the file."""
    role: "ColumnRole"
    """What the file holds of the field."""
    tile: int
    """Index of the tile."""
    tile_num: int
    """Number of tiles in the file."""
    cell_num: int
    """Number of cells in the tile."""
    compression: str
    """How the tile is compressed: the compressor, and what is done before it."""
    offset: "Offset"
    """Byte offset of the tile in the file."""
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes of the tile when it is undone, by the book-keeping."""
    extra_size: NotRequired["Bytes"]
    """Bytes after the zlib stream of the tile, which readers skip; left out if there are none."""
    error: NotRequired["ErrorBrief"]
    """Why the tile could not be undone."""



class TilesLineField(TypedDict):
    """What a tile has of a field. The data file of a var-sized field is its offsets file."""

    name: str
    """Name of the attribute, dimension or internal field."""
    offset: "Offset"
    """Byte offset of the tile in the data file."""
    size: "Bytes"
    """Stored bytes of the tile in the data file."""
    unfiltered_size: "Bytes"
    """Unfiltered bytes of the tile in the data file."""
    var_offset: NotRequired["Offset"]
    """Byte offset of the tile in the file of var-sized values."""
    var_size: NotRequired["Bytes"]
    """Stored bytes of the tile in the file of var-sized values."""
    var_unfiltered_size: NotRequired["Bytes"]
    """Unfiltered bytes of the tile in the file of var-sized values."""
    validity_offset: NotRequired["Offset"]
    """Byte offset of the tile in the validity file."""
    validity_size: NotRequired["Bytes"]
    """Stored bytes of the tile in the validity file."""
    validity_unfiltered_size: NotRequired["Bytes"]
    """Unfiltered bytes of the tile in the validity file."""
    min: NotRequired["CellValue"]
    """Minimum of the tile; null if there is none. Since format 11."""
    max: NotRequired["CellValue"]
    """Maximum of the tile; null if there is none. Since format 11."""
    sum: NotRequired[Optional["Sum"]]
    null_count: NotRequired[Optional[int]]
    """Number of null cells in the tile. Since format 11."""



class TilesLine(TypedDict):
    """A tile."""

    fragment: NotRequired[str]
    """Name of the fragment; left out if there is only one."""
    tile: int
    """Index of the tile."""
    cell_num: int
    """Number of cells in the tile."""
    mbr: NotRequired[Optional[List["ValueRange"]]]
    """MBR of the tile: a range for each dimension. Sparse fragments only."""
    tile_domain: NotRequired[Optional[List["ValueRange"]]]
    """The part of the non-empty domain that is in the tile: a range for each dimension. Dense fragments only."""
    fields: List["TilesLineField"]
    """Fields in order."""



class GenomicsdbTilesDocument(TypedDict):
    """`tiledb-inspect tiles <target> --json` of fragments of GenomicsDB. NDJSON: one tile a line, as of other
    fragments."""

    kind: Literal["genomicsdb-tiles"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    tile_num: int
    """Number of all tiles of the fragment, including those that are not shown."""
    tiles: List["TilesLine"]
    """Tiles in order."""



class GenomicsdbInterval(TypedDict):
    """An interval."""

    fragment_num: int
    """Number of fragments that readers read."""
    unread_num: int
    """Number of folders that readers pass over: without a mark, or not finished."""
    tile_num: Optional[int]
    """Number of tiles; null if a fragment cannot be read."""
    cell_num: Optional[int]
    """Number of cells; null if a fragment cannot be read. A call of more than one position has two."""
    size: "Bytes"
    """Bytes of all files."""
    path: NotRequired[str]
    """The target; left out if there is only one."""
    name: "StoredName"
    """Name of its folder."""
    contig: Optional["StoredName"]
    """Contig, by the name; null for a partition that holds several contigs."""
    contigs: List["StoredName"]
    """The contigs with positions in it, by its name, or else by its bounds."""
    start: Optional["Int64"]
    """Index of its first position in the contig, from 1 on; null for a partition."""
    end: Optional["Int64"]
    """Index of its last position; null for a partition."""
    batch_num: Optional[int]
    """Number of batches of samples that reached the interval, by the files in its `genomicsdb_meta_dir`; null if it
    cannot be listed."""
    error: NotRequired["ErrorInfo"]
    """Why its schema, or the first of its fragments, cannot be read."""



class GenomicsdbIntervals(TypedDict):
    """The intervals of a workspace."""

    kind: Literal["genomicsdb-workspace"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    intervals: List["GenomicsdbInterval"]
    """The intervals, in the order that was asked for; by default as contigs and positions rise."""
    interval_num: int
    """Number of intervals of the workspace; with `--limit`, fewer are listed."""
    sample_num: Optional[int]
    """Number of samples, by `callset.json`; null if it cannot be read."""



class GenomicsdbSample(TypedDict):
    """A sample."""

    path: NotRequired[str]
    """The target; left out if there is only one."""
    name: Optional["StoredName"]
    """Name; null for a row that has cells, but no sample."""
    row: int
    """Index of its row in every array."""
    interval_num: int
    """Number of intervals with calls of it."""
    call_num: int
    """Number of its calls."""



class GenomicsdbSamples(TypedDict):
    """With `--samples`."""

    kind: Literal["genomicsdb-workspace"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    samples: List["GenomicsdbSample"]
    """The samples, by their rows; then rows with cells that no sample has."""
    interval_num: int
    """Number of intervals of the workspace."""


GenomicsdbWorkspaceDocument = Union["GenomicsdbIntervals", "GenomicsdbSamples"]
"""`tiledb-inspect ls <workspace> --json` of GenomicsDB: its intervals; with `--samples` its samples. NDJSON: one
interval or sample a line (`$defs/line`)."""


GenomicsdbWorkspaceLine = Union["GenomicsdbInterval", "GenomicsdbSample"]


class GroupDocument(TypedDict):
    """`tiledb-inspect ls <group> --json`. NDJSON: one member a line (`$defs/line`)."""

    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    members: List["GroupLine"]
    """Members in the order that was asked for; by default as stored."""
    member_num: int
    """Number of members of the group itself: with `--limit`, fewer are listed."""
    totals: NotRequired["GroupTotals"]
    """Sums over all members at any depth, whatever is listed; left out if no member was looked into."""
    layer: NotRequired["LayerPart"]
    """What the layer above TileDB says of it; left out if none is known."""
    metadata: "KeyValues"
    """Key-value metadata by key: the newest values, without deleted keys."""
    kind: Literal["group"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""



class HistoryHiddenBy(TypedDict):
    """The cause that hides a version of a cell."""

    kind: Literal["fragment", "delete", "vacuum", "ignore"]
    """`fragment`: a newer version. `delete`: a delete condition. `vacuum`, `ignore`: a file that names the fragment."""
    name: NotRequired["StoredName"]
    """Name of the fragment with the newer version, of the delete commit, or of the fragment into which the hidden
    fragment was consolidated."""
    file: NotRequired["StoredName"]
    """Path of the commit file in the array."""
    time: NotRequired["Time"]
    """Time of the newer version, if it is known, or of the delete commit."""
    condition: NotRequired[str]
    """Delete condition as the user wrote it: the cells that meet it are deleted."""
    nulls: NotRequired[List[str]]
    """Names of the condition's fields that are null in this version. TileDB stores the condition of the cells that
    stay, which no null meets. So a delete takes nulls as if they met each of its comparisons."""



class HistoryVersion(TypedDict):
    """The version of a cell in one fragment."""

    fragment: "StoredName"
    """Name of the fragment."""
    written: Optional["Time"]
    """Time of writing: the timestamp of the cell itself, or else of its fragment. For a consolidated dense fragment,
    this is the timestamp of the newest replaced fragment that has the cell. If the replaced fragments are gone, it
    is null, and the cell was written within `timestamp_range`. For a cell that was never written, it is null as
    well."""
    never_written: NotRequired[Literal["yes", "maybe"]]
    """Whether consolidation of a dense array stored fill values for a cell that was never written. `yes`: none of
    the replaced fragments has the cell. `maybe`: these fragments are gone, and the cell has the fill value in every
    attribute that is shown."""
    values: Dict[str, "CellValue"]
    """Values of the attributes, as a read of this version returns them."""
    state: Literal["current", "overwritten", "deleted", "later", "earlier", "hidden", "uncommitted"]
    """What a read does with the version. `current`: the read returns it. `overwritten`: a newer version replaces it.
    `deleted`: it meets a delete condition. `later`, `earlier`: it is not between the times of the read. `hidden`: a
    vacuum or ignore file hides its fragment. `uncommitted`: no commit names its fragment."""
    by: Optional["HistoryHiddenBy"]
    """What hid the version first; null if nothing hides it, or only the times of the read."""
    filled: NotRequired[List[str]]
    """Names of attributes that the fragment lacks. Their values are fill values."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the fragment; null if its name has none."""
    tile: int
    """Index of the tile."""
    position: int
    """Index of the cell in the tile."""



class HistoryDocument(TypedDict):
    """`tiledb-inspect history <array> --json`: one document a cell. NDJSON: one version a line (`$defs/line`)."""

    kind: Literal["history"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    as_of: "TimestampRange"
    """First and last time of the read, milliseconds since 1970, both included."""
    cell: "CellCoordinates"
    """Coordinates of the cell, by dimension."""
    layer_place: NotRequired["LayerPlace"]
    """What the array is in the words of the layer that it belongs to; left out if no layer is known."""
    fill_values: NotRequired[Dict[str, "CellValue"]]
    """Fill values that a read of a dense array returns; left out if it returns one of the versions."""
    versions: List["HistoryVersion"]
    """Versions of the cell in all fragments on disk, oldest first."""
    perhaps_purged: NotRequired[List["StoredName"]]
    """Consolidated fragments of a sparse array, if there are no versions of the cell: it may have been written,
    deleted, and then left out of them. Left out if there are none."""
    not_unique: NotRequired[List["NotUniqueInfo"]]
    """Why readers of TileDB may return other cells than these; left out if all return the same."""
    not_examined: NotRequired[List["NotExamined"]]
    """Fragments that cannot be read, and that reads do not need. Their versions of the cell are unknown."""



class HistoryLine(TypedDict):
    """A version of a cell, with the coordinates of the cell."""

    fragment: "StoredName"
    """Name of the fragment."""
    written: Optional["Time"]
    """Time of writing: the timestamp of the cell itself, or else of its fragment. For a consolidated dense fragment,
    this is the timestamp of the newest replaced fragment that has the cell. If the replaced fragments are gone, it
    is null, and the cell was written within `timestamp_range`. For a cell that was never written, it is null as
    well."""
    never_written: NotRequired[Literal["yes", "maybe"]]
    """Whether consolidation of a dense array stored fill values for a cell that was never written. `yes`: none of
    the replaced fragments has the cell. `maybe`: these fragments are gone, and the cell has the fill value in every
    attribute that is shown."""
    values: Dict[str, "CellValue"]
    """Values of the attributes, as a read of this version returns them."""
    state: Literal["current", "overwritten", "deleted", "later", "earlier", "hidden", "uncommitted"]
    """What a read does with the version. `current`: the read returns it. `overwritten`: a newer version replaces it.
    `deleted`: it meets a delete condition. `later`, `earlier`: it is not between the times of the read. `hidden`: a
    vacuum or ignore file hides its fragment. `uncommitted`: no commit names its fragment."""
    by: Optional["HistoryHiddenBy"]
    """What hid the version first; null if nothing hides it, or only the times of the read."""
    filled: NotRequired[List[str]]
    """Names of attributes that the fragment lacks. Their values are fill values."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the fragment; null if its name has none."""
    tile: int
    """Index of the tile."""
    position: int
    """Index of the cell in the tile."""
    cell: "CellCoordinates"
    """Coordinates of the cell, by dimension."""



class McpTool(TypedDict):
    """A tool of the server."""

    name: str
    """The name by which it is called."""
    description: str
    """What it does."""



class McpDocument(TypedDict):
    """`tiledb-inspect mcp --tools --json`. `path` has the folders of `--root`."""

    kind: Literal["mcp"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    tools: List["McpTool"]
    """The tools that clients may call."""
    commands: List[str]
    """The commands that the tool `run` takes."""



class MetadataVersionDescription(TypedDict):
    """The version of a key in one file. Versions are sorted by key, and then from oldest to newest."""

    key: str
    """Name of the key."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the file, milliseconds since 1970; null if its name has none."""
    deleted: bool
    """Whether this version deletes the key."""
    type: Optional["Datatype"]
    """Type of the value; null if the key is deleted."""
    value_num: int
    """Number of values, as TileDB gives it to readers; of text, number of bytes; 1 for an empty value; 0 if the key
    is deleted."""
    value: "CellValue"
    """Value of the key; null if it is deleted or has no value."""
    current: bool
    """Whether a reader gets this value now, or at the end of the given times."""
    consolidated: bool
    """Whether the file is a consolidated one: it contains copies of values that were written between its timestamps."""
    file: "Path"
    """Path of the file, relative to the array or group."""



class MetadataMember(TypedDict):
    metadata: "KeyValues"
    """Key-value metadata by key: the newest values, without deleted keys."""
    versions: NotRequired[List["MetadataVersionDescription"]]
    """Every version of each key on disk. Only with `--all`."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""



class MetadataDocument(TypedDict):
    """`tiledb-inspect metadata <array|group> --json`."""

    metadata: "KeyValues"
    """Key-value metadata by key: the newest values, without deleted keys."""
    versions: NotRequired[List["MetadataVersionDescription"]]
    """Every version of each key on disk. Only with `--all`."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["metadata"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    members: NotRequired[List["MetadataMember"]]
    """Metadata of every group and array below a group."""



class OverviewField(TypedDict):
    """A field as a reader sees it."""

    name: str
    """Name; empty for an anonymous attribute."""
    type: "Datatype"
    """Datatype as the C API names it."""
    cell_val_num: "CellValNum"
    """Values in a cell; `"var"` if cells are var-sized."""


Layout = Literal["row-major", "col-major", "global-order", "unordered", "hilbert"]
"""Layout as the C API names it; valid schemas have row-major and col-major, for cells also hilbert."""



class ArrayOverviewDimensionLabelsItem(TypedDict):
    name: str
    """Name of the label."""
    dimension_index: int
    """Index of the dimension, starting at 0."""



class StateCount(TypedDict):
    """Number of fragments in one state."""

    state: "FragmentState"
    """State of the fragments."""
    fragment_num: int
    """Number of fragments in this state."""


Extent = Literal["exact", "at least"]
"""Whether a number or box is that of all fragments, or only of some, so that the whole is this or more."""



class ArrayOverview(TypedDict):
    """The overview of an array."""

    layer: NotRequired["LayerPart"]
    """What the layer above TileDB says of it; left out if none is known."""
    written_by: Optional[str]
    """TileDB releases that write this format version; null if there are none."""
    read_by: Optional[str]
    """TileDB releases that read this format version."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    array_type: Optional["ArrayType"]
    """Array type; null if the newest schema cannot be read."""
    format_version: Optional["FormatVersion"]
    """Format version of the newest schema; null if it cannot be read."""
    encryption: Optional["EncryptionType"]
    """Encryption, by its name in the C API; null if it is unknown."""
    fragment_num: int
    """Number of fragment folders on disk."""
    delete_condition_num: int
    """Number of delete conditions that TileDB applies when it reads; `commits` shows them."""
    later_deletes: List["Time"]
    """Times of the delete conditions that TileDB does not apply yet: they are later than the read."""
    kind: Literal["overview"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    ok: bool
    """Whether everything that was examined is right: there is no error."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity: damage, and causes of slow reads."""
    findings: List["OverviewFinding"]
    """The worst findings, at most 3, one of each code: first damage, then causes of slow reads. Only what names and
    footers show."""
    not_examined: List["NotExamined"]
    """What could not be examined."""
    not_checked: List[str]
    """What an overview does not examine, in words."""
    next: List["NextCommand"]
    """Commands to continue with, as they can be typed in a shell."""
    target: Literal["array"]
    """Type of the target."""
    dimensions: List["OverviewField"]
    """Dimensions in order; empty if the schema cannot be read."""
    cell_order: Optional["Layout"]
    """Order of the cells in a tile; null if the schema cannot be read."""
    dimension_labels: List["ArrayOverviewDimensionLabelsItem"]
    """Dimension labels."""
    attributes: List["OverviewField"]
    """Attributes in order; empty if the schema cannot be read."""
    schema_num: int
    """Number of schemas."""
    states: List["StateCount"]
    """Number of fragments in each state."""
    examined_num: int
    """Number of fragments that were examined: the newest ones. Of the others, only the names are known."""
    fragment_format_versions: List["FormatVersion"]
    """Format versions of the examined fragments, in ascending order."""
    opens: bool
    """Whether TileDB opens the array at that time. If not, a finding says why, and readers see no cell of any
    fragment."""
    cell_num: Optional["Int64"]
    """Number of cells that a reader sees, or would see if the array opens not; in dense arrays, of those that were
    written; null if no fragment could be read, or if nobody can say how many cells of the others are older versions
    of a cell."""
    whole_cell_num: NotRequired["Int64"]
    """Number of cells of a dense array: of the current domain, or else of the domain. A reader gets all of them;
    those that were never written have fill values."""
    certainty: "Exactness"
    """How exact `cell_num` is. `at most`: later writes or deletes may hide earlier cells, or consolidation of dense
    fragments may have stored fill values as cells. `at least`: some fragments could not be read. `estimated`: some
    were not examined."""
    nonempty_domain: Optional[List["ValueRange"]]
    """Box around the cells that `cell_num` counts: `[lo, hi]` of each dimension; null if there are none, or if they
    are unknown."""
    nonempty_domain_certainty: "Extent"
    """`at least`: some fragments were not examined, or could not be read; their cells may lie outside of
    `nonempty_domain`."""
    tile_num: int
    """Number of tiles in the examined fragments that TileDB reads."""
    tile_num_certainty: "Extent"
    """`at least`: fragments that were not examined, or could not be read, have more tiles."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the fragments that TileDB reads; null if there are none."""
    size: "Bytes"
    """Bytes of the examined fragments."""
    size_certainty: "Extent"
    """`at least`: not all fragments were examined; the others add to `size` and to `unread_size`."""
    unread_size: "Bytes"
    """Bytes of those examined fragments that TileDB does not read."""



class FieldSize(TypedDict):
    name: str
    """Name of the field."""
    size: "Bytes"
    """Bytes of its files."""



class FragmentOverview(TypedDict):
    """The overview of a fragment."""

    format_version: Optional["FormatVersion"]
    dense: Optional[bool]
    """Whether the fragment is dense; null if its metadata cannot be read."""
    state: NotRequired["FragmentState"]
    """State of the fragment in one word."""
    hidden_by: NotRequired[Optional[str]]
    """Path in the array of the `.vac` or `.ign` file that makes TileDB leave out this fragment."""
    consolidated: bool
    """Whether it contains the cells of older fragments, judging by its name."""
    timestamp_range: Optional["TimestampRange"]
    """First and last timestamp of the name, milliseconds since 1970; null if the name has none. Formats 1 and 2: the
    last timestamp twice."""
    cells_in_domain: Optional["Int64"]
    """Number of cells inside the non-empty domain; in sparse fragments, of all cells."""
    tile_num: Optional[int]
    """Number of tiles; null if the metadata cannot be read."""
    nonempty_domain: Optional[List["ValueRange"]]
    """Non-empty domain: `[lo, hi]` of each dimension, both inclusive; null if there is none."""
    size: "Bytes"
    """Bytes of all files in the folder."""
    written_by: NotRequired[Optional[str]]
    """TileDB releases that write this format version; null if there are none."""
    read_by: NotRequired[Optional[str]]
    """TileDB releases that read this format version."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["overview"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    ok: bool
    """Whether everything that was examined is right: there is no error."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity: damage, and causes of slow reads."""
    findings: List["OverviewFinding"]
    """The worst findings, at most 3, one of each code: first damage, then causes of slow reads. Only what names and
    footers show."""
    not_examined: List["NotExamined"]
    """What could not be examined."""
    not_checked: List[str]
    """What an overview does not examine, in words."""
    next: List["NextCommand"]
    """Commands to continue with, as they can be typed in a shell."""
    target: Literal["fragment"]
    """Type of the target."""
    array: Optional["Path"]
    """The array that contains the fragment; null if there is none."""
    dimensions: List[str]
    """Names of the dimensions; empty if the schema cannot be read."""
    fields: List["FieldSize"]
    """Fields by their bytes on disk, largest first."""



class GroupOverview(TypedDict):
    """The overview of a group with all its members: a dataset."""

    layer: NotRequired["LayerPart"]
    """What the layer above TileDB says of it; left out if none is known."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["overview"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    ok: bool
    """Whether everything that was examined is right: there is no error."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity: damage, and causes of slow reads."""
    findings: List["OverviewFinding"]
    """The worst findings, at most 3, one of each code: first damage, then causes of slow reads. Only what names and
    footers show."""
    not_examined: List["NotExamined"]
    """What could not be examined."""
    not_checked: List[str]
    """What an overview does not examine, in words."""
    next: List["NextCommand"]
    """Commands to continue with, as they can be typed in a shell."""
    target: Literal["group", "dataset"]
    """Type of the target; `dataset` for a plain folder, whose members are the arrays and groups in it."""
    members: List["GroupLine"]
    """Members in stored order, each with its own members."""
    totals: NotRequired["GroupTotals"]
    """Sums over all members at any depth, whatever is listed; left out if no member was looked into."""
    unlisted: List["Path"]
    """Arrays and groups in the folder of a group that are no members of it. Of all groups; with `--names` only of
    the group itself."""
    metadata_keys: List[str]
    """Keys of its metadata."""



class FileOverview(TypedDict):
    """The overview of a file."""

    kind: Literal["overview"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    ok: bool
    """Whether everything that was examined is right: there is no error."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity: damage, and causes of slow reads."""
    findings: List["OverviewFinding"]
    """The worst findings, at most 3, one of each code: first damage, then causes of slow reads. Only what names and
    footers show."""
    not_examined: List["NotExamined"]
    """What could not be examined."""
    not_checked: List[str]
    """What an overview does not examine, in words."""
    next: List["NextCommand"]
    """Commands to continue with, as they can be typed in a shell."""
    target: Literal["file"]
    """Type of the target."""
    file_kind: str
    """Kind of the file, in words."""
    size: "Bytes"
    """Bytes of the file."""
    field: Optional[str]
    """Name of the field whose cells it contains; null if it is not a data file."""
    fragment: Optional["StoredName"]
    """Name of the fragment that contains the file; null if there is none."""
    array: Optional["Path"]
    """The array that contains the file; null if there is none."""


OverviewDocument = Union["ArrayOverview", "FragmentOverview", "GroupOverview", "FileOverview"]
"""`tiledb-inspect <target> --json`: what the target is, what a reader sees, and whether file names and sizes show
damage."""



class PageServed(TypedDict):
    """A page that is served, printed when it can be opened."""

    kind: Literal["page"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    url: str
    """URL of the page. It works on this machine only, and while the program runs."""



class PageSite(TypedDict):
    """The files of a page for a web server (`--static`)."""

    kind: Literal["page"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    files: List[str]
    """Names of the files in the new folder."""


PageDocument = Union["PageServed", "PageSite"]
"""`tiledb-inspect page --json`: where the page is."""



class PlanStep(TypedDict):
    """A step of a plan: a command to run, something to do by hand, or both."""

    command: NotRequired[str]
    """A command line for sh, to be run in the folder of the call."""
    text: NotRequired[str]
    """What to do, or what to watch out for."""



class PlanLine(TypedDict):
    """Steps that mend some of the findings."""

    outcome: Literal["mends", "loses", "copy", "leave"]
    """`mends`: after the steps nothing is lost. `loses`: something is or may be lost, by the damage (`lost`) or by
    the steps (`loses`). `copy`: only a copy of the array helps. `leave`: there is nothing to do."""
    loses: List[str]
    """What the steps remove in addition to what is lost already."""
    keep: List["PlanStep"]
    """Steps that save in a file what the other steps remove. They come first."""
    steps: List["PlanStep"]
    """The steps, in order."""
    instead: List["PlanStep"]
    """Steps to take instead by somebody who knows more than the files show."""
    back: List["PlanStep"]
    """Steps that undo `steps`, byte for byte."""
    never: List[str]
    """What must not be done."""
    severity: "Severity"
    """The worst severity among the findings."""
    findings: List["CheckFinding"]
    """The first 20 findings that these steps mend."""
    finding_num: int
    """Number of findings that these steps mend."""
    lost: List[str]
    """What the damage has destroyed. A text that begins with `nothing` says why nothing is lost."""
    not_lost: List[str]
    """What the damage has not destroyed."""
    brings_back: List[str]
    """Values of older fragments that readers see in place of lost cells after the steps."""



class PlanFinding(TypedDict):
    severity: "Severity"
    """`error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing."""
    code: Union["FindingCode", "AdviceCode"]
    """Code of the finding."""
    field: NotRequired[str]
    """Name of the field; left out if the finding is about the whole array."""
    message: str
    """What was found, with its number."""
    meaning: str
    """What the finding means for a reader, and the limit above which it is reported."""



class PlanAdvice(TypedDict):
    """Causes of reads that are slow or need much memory."""

    outcome: Literal["mends", "loses", "copy", "leave"]
    """`mends`: after the steps nothing is lost. `loses`: something is or may be lost, by the damage (`lost`) or by
    the steps (`loses`). `copy`: only a copy of the array helps. `leave`: there is nothing to do."""
    loses: List[str]
    """What the steps remove in addition to what is lost already."""
    keep: List["PlanStep"]
    """Steps that save in a file what the other steps remove. They come first."""
    steps: List["PlanStep"]
    """The steps, in order."""
    instead: List["PlanStep"]
    """Steps to take instead by somebody who knows more than the files show."""
    back: List["PlanStep"]
    """Steps that undo `steps`, byte for byte."""
    never: List[str]
    """What must not be done."""
    findings: List["PlanFinding"]
    """Findings with the same advice, worst first."""



class PlanDocument(TypedDict):
    """`tiledb-inspect check <target> --plan --json`. The program runs none of the steps."""

    ok: bool
    """Whether there is no finding of the severity of `--fail-on` or above."""
    kind: Literal["plan"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    level: "Level"
    """What was checked: `--level`."""
    shard: NotRequired[str]
    """`i/n` of `--shard`: only the i-th of n parts was examined."""
    finding_num: "CheckFindingNum"
    """Number of findings by severity."""
    ignored: NotRequired["IgnoredNum"]
    """Number of findings that `--ignore` leaves out of all else, by the code or `CODE.variant` that it names: 0 if
    there are none, so that the name is no longer needed. Left out without the option."""
    plans: List["PlanLine"]
    """Plans that mend the findings, in the order in which their steps should be run."""
    advice: List["PlanAdvice"]
    """Causes of reads that are slow or need much memory, and steps against them. Each entry is independent of the
    others: after the steps of one, the others may no longer apply. Empty if there are errors, or if the target is
    not an array."""
    not_examined: List["NotExamined"]
    """What could not be examined."""
    not_checked: List[str]
    """What this level does not check, in words."""



class ReadStatsBox(TypedDict):
    """A box of cells that were never written."""

    ranges: Dict[str, "ValueRange"]
    """Range of each dimension."""
    cell_num: "Int64"
    """Number of cells in the box."""



class ReadStatsDense(TypedDict):
    """Cells of a dense array. After a consolidation, gaps count as written, as the new fragment stores fill values
    there."""

    consolidated: bool
    """Whether a fragment is consolidated: it may store fill values for cells that were never written."""
    fill_cell_num: Optional[int]
    """Number of cells that have the fill value in every attribute. Consolidation stores such cells in gaps, but
    users may have written some of them. Null if no fragment is consolidated, and with `--field` or `--fragments`."""
    domain_cell_num: "Int64"
    """Number of cells in the domain."""
    wanted_cell_num: "Int64"
    """Number of examined cells: those in the ranges, or else in the current domain if there is one, or else in the
    domain."""
    unwritten_cell_num: Optional["Int64"]
    """Number of examined cells that were never written: a read returns fill values. Null with `--where`, which
    leaves them out."""
    unwritten_boxes: Optional[List["ReadStatsBox"]]
    """The first 5 boxes of unwritten cells, in row-major order. All boxes together contain each unwritten cell once.
    Null with `--where`, and if a fragment has single cells."""



class OverwrittenFragment(TypedDict):
    """A fragment that newer ones overwrite."""

    name: str
    """Name of the fragment."""
    size: "Bytes"
    """Stored bytes of all its files."""



class ReadStatsDelete(TypedDict):
    """A delete condition, and the cells that it removes from the read."""

    condition: Optional[str]
    """The condition in the syntax of TileDB-Py; null if it is no longer stored."""
    file: Optional["Path"]
    """The file that contains the condition; null if there is none."""
    time: "Time"
    """Time of the delete."""
    cell_num: int
    """Number of cells that the read would return without this condition, and that no older condition deletes."""
    removed_cell_num: Optional[int]
    """Number of cells that the condition removed at its time and that files still contain: those of `cell_num`, and
    those that were written again later. Null if this is unknown: if `purged` is true, if the array cannot be read at
    that time, and for the oldest conditions if there are more than 50 times."""
    purged: bool
    """Whether a consolidation dropped cells that the condition deletes. Their number is unknown."""


PurgeWay = Literal["consolidation", "copy"]
"""How deleted cells are removed from the files for good: by a consolidation, or in a copy of the array."""



class ReadStatsRepeated(TypedDict):
    coordinates: "CellCoordinates"
    """Coordinates of the cell, by dimension."""
    cell_num: int
    """Number of cells with these coordinates."""



class ReadStatsDuplicates(TypedDict):
    coordinate_num: int
    """Number of coordinates that more than one cell has."""
    cell_num: int
    """Number of cells with such coordinates."""
    most: List["ReadStatsRepeated"]
    """The ten coordinates with the most cells."""


ReadStatsBucket = TypedDict(
    "ReadStatsBucket",
    {
        "from": int,
        "to": int,
        "cell_num": int,
    },
)


class ReadStatsLengths(TypedDict):
    min: int
    """Length of the shortest value, in values of the type."""
    max: int
    """Length of the longest value, in values of the type."""
    mean: float
    """Mean length, in values of the type."""
    histogram: NotRequired[List["ReadStatsBucket"]]
    """Buckets of powers of two, in ascending order. Only with `--values`."""



class ReadStatsFrequent(TypedDict):
    """A value, or the label of an enumeration."""

    value: "CellValue"
    """The value; null if the enumeration has none of this index."""
    cell_num: int
    """Number of cells with this value."""



class ReadStatsPercentiles(TypedDict):
    p1: "CellValue"
    """A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several
    values; `{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits
    than 0x7fc00000 and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits."""
    p5: "CellValue"
    """A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several
    values; `{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits
    than 0x7fc00000 and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits."""
    p25: "CellValue"
    """A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several
    values; `{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits
    than 0x7fc00000 and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits."""
    median: "CellValue"
    """The 50th percentile."""
    p75: "CellValue"
    """A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several
    values; `{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits
    than 0x7fc00000 and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits."""
    p95: "CellValue"
    """A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several
    values; `{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits
    than 0x7fc00000 and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits."""
    p99: "CellValue"
    """A value in the unit of its field: number, text, ISO date, boolean or null; a list where a cell has several
    values; `{"base64"}` for bytes. "NaN", "Infinity" and "-Infinity" are strings; with --raw a NaN of other bits
    than 0x7fc00000 and 0x7ff8000000000000 is "NaN:0x" and its 8 or 16 hexadecimal digits."""



class ReadStatsValues(TypedDict):
    """The values of a field, without null, NaN and NaT."""

    distinct_num: Optional[int]
    """Number of distinct values; null if memory does not hold them: `more_than` says how many it held."""
    more_than: NotRequired[int]
    """Set if there are more distinct values than this. `--memory` raises the bound."""
    frequent: List["ReadStatsFrequent"]
    """The ten values that most cells have; empty if `distinct_num` is null."""
    percentiles: Optional["ReadStatsPercentiles"]
    """Percentiles of numbers, dates and times, by nearest rank: the smallest value that at least so many percent of
    the values are not larger than. Null for other fields, if there are no values, and if memory does not hold them."""



class ReadStatsLabel(TypedDict):
    value: "CellValue"
    """The value."""
    index: int
    """Index of the value."""
    cell_num: int
    """Number of cells with this value."""



class ReadStatsEnumeration(TypedDict):
    name: str
    """Name of the enumeration."""
    used: List["ReadStatsLabel"]
    """Values that cells have, most used first."""
    unused: List["CellValue"]
    """Values that no cell has, in the order of the enumeration."""
    missing_cell_num: int
    """Number of cells whose index has no value in the enumeration."""



class ReadStatsField(TypedDict):
    """Statistics of a field over the cells that a reader sees. Null, NaN and NaT count only in `null_count` and
    `nan_cell_num`, and fill values of cells that lack the field only in `filled_cell_num`."""

    name: str
    """Name of the field."""
    type: "Datatype"
    """Datatype as the C API names it."""
    cell_val_num: "CellValNum"
    """Values in a cell; `"var"` if cells are var-sized."""
    min: "CellValue"
    """Smallest value; null if there are no values, or if the type has no order."""
    max: "CellValue"
    """Largest value; null if there are no values, or if the type has no order."""
    sum: Optional["Sum"]
    """Sum, exact for integers; null for dimensions, dates, text, enumerations, and fields with several values a
    cell."""
    mean: Optional["Sum"]
    """Sum divided by the number of values; null if there is no sum or no value."""
    lengths: NotRequired["ReadStatsLengths"]
    """Lengths of the values of a var-sized field, in elements of its type: bytes of text. Left out if there are no
    values."""
    sum_overflows: NotRequired[bool]
    """Whether the sum exceeds 64 bits, above which TileDB stops adding."""
    null_count: int
    """Number of null cells."""
    nan_cell_num: NotRequired[int]
    """Number of cells that are NaN, or NaT in dates; left out for fields that have neither."""
    filled_cell_num: int
    """Number of cells that were written before the array had the field in its current form. A read returns the fill
    value for them."""
    values: NotRequired["ReadStatsValues"]
    """Its values. Only with `--values`."""
    enumeration_use: NotRequired["ReadStatsEnumeration"]
    """Use of the values of the enumeration, if the field has one."""



class ReadStatsFragment(TypedDict):
    """Cells of a fragment in the ranges: `written_cell_num` is the sum of the other numbers."""

    name: str
    """Name of the fragment."""
    written_cell_num: Optional["Int64"]
    """Number of cells that it holds. Null if it is unknown, as `overwritten_cell_num` of the document."""
    cell_num: int
    """Number of cells of it that a reader sees."""
    overwritten_cell_num: Optional["Int64"]
    """Number of cells that newer ones overwrite; null if `written_cell_num` is null."""
    deleted_cell_num: int
    """Number of cells that only delete conditions hide."""
    size: "Bytes"
    """Stored bytes of all its files."""


GroupUnit = Literal["year", "month", "day", "hour", "minute", "second"]
"""The units to which `--by` truncates dates."""



class ReadStatsGap(TypedDict):
    """Units in a row without a cell."""

    first: "CellValue"
    """The first unit of the run."""
    last: "CellValue"
    """The last unit of the run."""
    unit_num: "Int64"
    """Number of units in the run."""



class ReadStatsBy(TypedDict):
    name: str
    """Name of the field."""
    unit: Optional["GroupUnit"]
    """Unit to which dates are truncated; null if they are not."""
    empty_unit_num: Optional["Int64"]
    """Number of units without a cell between the first group and the last. Null if dates are not truncated."""
    gaps: List["ReadStatsGap"]
    """The longest runs of such units, at most 10, by rising value."""



class ReadStatsGroup(TypedDict):
    """The cells of one value of a field."""

    value: "CellValue"
    """The value, or the label of an enumeration; a date ends with the unit. Null for cells without a value."""
    cell_num: int
    """Number of cells with this value."""
    fields: List["ReadStatsField"]
    """Statistics of these cells, for each field of `--field`."""



class ReadStatsDocument(TypedDict):
    """`tiledb-inspect stats <array> --read --json`: statistics of the cells that a reader sees."""

    kind: Literal["read-stats"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    as_of: "TimestampRange"
    """First and last time of the read, milliseconds since 1970, both included."""
    array_type: "ArrayType"
    """Array type."""
    allows_duplicates: bool
    """Whether the schema allows several cells with the same coordinates."""
    fragment_num: int
    """Number of fragments that a read opens."""
    to_vacuum_num: int
    """Number of fragments that wait for vacuum. Their files still contain older cells, even those that a purge left
    out."""
    limited: bool
    """Whether only the cells of `--range` and `--where` were counted."""
    cell_num: int
    """Number of cells that a reader sees; in dense arrays, of those that were written."""
    dense_cells: NotRequired["ReadStatsDense"]
    """Written and unwritten cells. Dense arrays only."""
    overwritten_cell_num: Optional["Int64"]
    """Number of overwritten cells: fragments contain them, but newer cells replace them. Cells that an older delete
    removes count as well. Null if the number is unknown: with `--where`, or if a range cuts a fragment of single
    cells in a dense array. 0 in sparse arrays that allow duplicates."""
    overwritten_fragments: NotRequired[List["OverwrittenFragment"]]
    """Fragments of a sparse array of whose cells newer ones overwrite each: a reader sees none of them. Left out
    with `--range` and `--where`. `ls` says it of fragments of dense arrays."""
    deletes: List["ReadStatsDelete"]
    """Delete conditions, oldest first. A cell counts for the first condition that deletes it. Overwritten cells do
    not count."""
    later_deletes: List["Time"]
    """Times of the delete conditions that TileDB does not apply yet: they are later than the read."""
    purge_way: Optional["PurgeWay"]
    """How the deleted cells that the files of a read still contain are permanently removed. `consolidation`: of
    several fragments; `copy`: to a new array, as TileDB does not consolidate a single fragment. Null if there are
    none, or if TileDB cannot read the array."""
    advice: List[str]
    """Lines of TileDB-Py that remove these cells; empty if `purge_way` is null."""
    duplicates: NotRequired["ReadStatsDuplicates"]
    """Coordinates that several cells have. Only if the schema allows duplicates."""
    fields: List["ReadStatsField"]
    """Statistics of each field: dimensions of sparse arrays, then attributes."""
    fragments: NotRequired[List["ReadStatsFragment"]]
    """Cells by fragment, oldest first. Only with `--fragments`."""
    by: NotRequired["ReadStatsBy"]
    """The field by which `--by` groups cells."""
    groups: NotRequired[List["ReadStatsGroup"]]
    """The groups, by rising value. Cells that are null, NaN or NaT are the last one. Only with `--by`."""
    not_unique: NotRequired[List["NotUniqueInfo"]]
    """Why readers of TileDB may return other cells than those that were counted; left out if all return the same."""



class SortInfo(TypedDict):
    """The field of `--sort-by`."""

    field: str
    """Its name."""
    descending: bool
    """Whether the largest value comes first."""



class ReadDocument(TypedDict):
    """`tiledb-inspect read <array> --json`. NDJSON: one cell a line, as for `decode` (`$defs/line` of `cells.json`)."""

    missing_labels: NotRequired[List["CellsMissingLabel"]]
    """With `--labels`: attributes that have cells whose index has no value in the enumeration. Such a cell shows its
    index; in Arrow and Parquet it is null."""
    errors: NotRequired[List["ErrorInfo"]]
    """The first 1,000 errors about what could not be read. The cells concerned lack these fields."""
    kind: Literal["read"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    as_of: "TimestampRange"
    """First and last time of the read, milliseconds since 1970, both included."""
    order: "ReadOrder"
    """Order of the cells. With `sort_by`: of those with equal values."""
    sort_by: NotRequired["SortInfo"]
    """The field by whose values the cells are sorted, with `--sort-by`."""
    cells: List["CellsLine"]
    """Cells of all fragments, merged as TileDB's reader does."""
    cell_num: NotRequired[int]
    """Number of cells."""
    not_unique: NotRequired[List["NotUniqueInfo"]]
    """Why readers of TileDB may return other cells than these; left out if all return the same."""
    error: NotRequired["ErrorInfo"]
    """The error that ended the cells early."""



class RecoverContradiction(TypedDict):
    """A tile of a fragment of the source, and the field whose cells contradict its metadata."""

    tile: int
    """Index of the tile in the fragment of the source."""
    field: "StoredName"
    """Name of the field."""
    codes: List[str]
    """Codes of the findings."""
    cells: int
    """Number of cells of the tile. Some of them are wrong, if the metadata is right."""



class RecoverFragment(TypedDict):
    """A fragment of the source."""

    name: "StoredName"
    """Name of the fragment."""
    outcome: Literal["kept", "rebuilt", "partly", "lost"]
    """`kept`: the same bytes. `rebuilt`: the same cells with new metadata. `partly`: without the tiles that cannot
    be read. `lost`: nothing."""
    cell_num: int
    """Number of cells that were kept."""
    cells_lost: Optional[int]
    """Number of lost cells; null if it is unknown."""
    reason: Optional[str]
    """The first reason why cells are lost, in words; null if none are lost."""
    codes: List[str]
    """Codes of the errors that check finds in the fragment."""
    assumed: List[str]
    """Facts that nothing in the files shows, and that were assumed, in words."""
    contradictions: List["RecoverContradiction"]
    """Tiles whose cells contradict what the metadata says about them, and still do: nothing shows that the metadata
    is wrong."""
    written_as: List["StoredName"]
    """Names of the new fragments with its cells: the fragment itself; several, if unreadable tiles split a dense
    one; or those that it replaced, if they still existed."""



class RecoverLeftOut(TypedDict):
    """A file or folder that was not written again."""

    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    reason: str
    """Why it was left out, in words."""
    is_loss: bool
    """Whether readers miss it. If TileDB reads no fragment: whether it has cells that nothing else has."""



class RecoverDocument(TypedDict):
    """`tiledb-inspect recover <target> --to DIR --json`."""

    kind: Literal["recover"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    written_to: "Path"
    """The folder that was written."""
    fragments: List["RecoverFragment"]
    """Outcome for every fragment that a commit names."""
    left_out: List["RecoverLeftOut"]
    """Files and folders that were not written again."""
    cell_num: int
    """Number of cells that were written; in dense fragments, of those inside their boxes."""
    cells_lost: Optional[int]
    """Number of lost cells; null if it is unknown how many cells a lost fragment had."""
    lost_file: Optional["Path"]
    """The file with a line for each lost cell; null if there is none."""
    remaining: List[str]
    """Codes of the errors that check still finds. They were there before, and recover does not mend them: cells, or
    files outside of the fragments."""
    place: Optional["Path"]
    """Where the recovered fragment belongs in its array; null if the target is an array."""
    is_loss: bool
    """Whether cells are lost, or anything that was left out is a loss."""



class RelocatedMember(TypedDict):
    """A member of the new group."""

    member: str
    """Names from the group down."""
    type: "ObjectType"
    """Type of a group member; `invalid` if it did not exist when it was added (TileDB does not check)."""
    to: str
    """The path of the member in the new folder."""
    uri: str
    """The URI that the source has, as stored."""
    source: Optional["Path"]
    """Where its files are taken from; null if nothing is there."""
    state: Literal["written", "copied", "to copy", "gone"]
    """`written`: a group, whose own files were written. `copied`: an array with all its files. `to copy`: an array
    that is not in the new folder yet. `gone`: nothing is there to copy."""



class RelocateDocument(TypedDict):
    """`tiledb-inspect recover --relocate <group> --to DIR --json`."""

    kind: Literal["relocate"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    written_to: "Path"
    """The folder that was written."""
    members: List["RelocatedMember"]
    """Every member at any depth."""
    group_num: int
    """Number of groups whose lists were written anew, the target included."""
    array_num: int
    """Number of arrays."""
    size: "Bytes"
    """Bytes of the arrays that were copied."""



class RtreeSvgFragment(TypedDict):
    name: str
    """Name of the fragment."""
    level: Optional[int]
    """Level of the R-tree whose boxes were drawn, starting at 0; null if the boxes of the tiles were drawn."""
    box_num: int
    """Number of boxes that were drawn."""



class RtreeSvgDocument(TypedDict):
    """`tiledb-inspect rtree <target> --svg FILE --json`."""

    kind: Literal["rtree-svg"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    svg: str
    """The file that was written."""
    dimensions: List[str]
    """Names of the horizontal and the vertical dimension."""
    fragments: List["RtreeSvgFragment"]
    """Fragments that were drawn."""
    box_num: int
    """Number of all boxes that were drawn."""
    undrawn_box_num: int
    """Number of boxes that were left out, as they begin or end at NaN or infinity."""



class RtreeLevels(TypedDict):
    """The whole R-tree."""

    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["rtree"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    fanout: int
    """Maximum number of MBRs below one MBR."""
    level_num: int
    """Number of levels; 0 in dense fragments."""
    mbr_num: int
    """Number of MBRs in the leaf level, one a tile."""
    levels: List[List[List["ValueRange"]]]
    """Levels, root first; the last has one MBR a tile."""



class RtreeTile(TypedDict):
    tile: int
    """Index of the tile."""
    mbr: List["ValueRange"]
    """MBR of the tile: a range for each dimension."""



class RtreeTouched(TypedDict):
    """With `--range`."""

    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["rtree"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    fanout: int
    """Maximum number of MBRs below one MBR."""
    level_num: int
    """Number of levels; 0 in dense fragments."""
    mbr_num: int
    """Number of MBRs in the leaf level, one a tile."""
    tiles: List["RtreeTile"]
    """Tiles that the range touches."""


RtreeDocument = Union["RtreeLevels", "RtreeTouched"]
"""`tiledb-inspect rtree <target> --json`, one document for each fragment. With `--range`, it lists the tiles that
the range touches instead of the levels."""



class PipelineDescription(TypedDict):
    """A filter pipeline as stored; filters in writing order."""

    max_chunk_size: int
    """Upper limit on the bytes of a chunk before filtering; 0 if tiles are not divided into chunks."""
    filters: List["FilterDescription"]
    """Filters in writing order."""



class DimensionDescription(TypedDict):
    """A dimension."""

    name: str
    """Name; `__dim_<n>` if the user gave none."""
    type: "Datatype"
    """Datatype as the C API names it."""
    cell_val_num: "CellValNum"
    """Values in a cell; `"var"` if cells are var-sized."""
    domain: Optional["ValueRange"]
    """Lower and upper bound, both inclusive; null if the dimension has none (strings)."""
    tile_extent: Optional["CellValue"]
    """Extent of a tile, in the unit of the dimension; null if there is none."""
    filters: "PipelineDescription"
    """A filter pipeline as stored; filters in writing order."""


DataOrder = Literal["unordered", "increasing", "decreasing"]
"""Order of values; `unordered` except in arrays of dimension labels."""



class AttributeDescription(TypedDict):
    """An attribute."""

    name: str
    """Name; empty for an anonymous attribute."""
    type: "Datatype"
    """Datatype as the C API names it."""
    cell_val_num: "CellValNum"
    """Values in a cell; `"var"` if cells are var-sized."""
    nullable: bool
    """Whether cells may be null."""
    fill_value: "CellValue"
    """Value of cells that were never written; null before format 6, as these formats store none."""
    fill_value_validity: NotRequired[bool]
    """Whether cells that were never written have the fill value; if false, they are null. Nullable attributes only."""
    order: "DataOrder"
    """Order of the cells; `unordered` except in arrays of dimension labels."""
    enumeration: Optional[str]
    """Name of the enumeration, if the cells are indexes of its values; null otherwise."""
    filters: "PipelineDescription"
    """A filter pipeline as stored; filters in writing order."""



class SampleFragment(TypedDict):
    name: str
    """Name of the fragment."""
    cell_num: int
    """Number of cells, as TileDB counts them."""



class SampleDocument(TypedDict):
    """`tiledb-inspect write-sample <dir> --json`."""

    format_version: "FormatVersion"
    """Format version, starting at 1."""
    array_type: "ArrayType"
    """Array type."""
    encryption: "EncryptionType"
    """Encryption as the C API names it."""
    cell_order: "Layout"
    """Order of the cells in a tile."""
    tile_order: "Layout"
    """Order of the tiles."""
    capacity: "Int64"
    """Number of cells of a tile in sparse fragments."""
    coords_filters: "PipelineDescription"
    """Filters of the dimensions that have no filters of their own."""
    dimensions: List["DimensionDescription"]
    """Dimensions in order."""
    attributes: List["AttributeDescription"]
    """Attributes in order."""
    kind: Literal["sample"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    seed: str
    """Seed of the cells."""
    cell_num: int
    """Number of cells in all fragments."""
    total_size: "Bytes"
    """Bytes of all files."""
    enumerations: List[str]
    """Names of the enumerations."""
    metadata_keys: List[str]
    """Keys of the array metadata."""
    fragments: List["SampleFragment"]
    """Fragments that were written."""
    files: List["SampleFile"]
    """Files that were written."""
    notes: List[str]
    """What was chosen or left out, in words."""
    next: List[str]
    """Commands to try on the sample."""



class SchemaPythonDocument(TypedDict):
    """`tiledb-inspect whatif <target> --emit python --json`."""

    kind: Literal["schema-python"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    python: str
    """TileDB-Py code that creates an empty array with this schema. Comments name the parts that TileDB-Py cannot
    create."""



class SchemaEnumeration(TypedDict):
    name: str
    """Name of the enumeration."""
    type: "Datatype"
    """Datatype as the C API names it."""
    cell_val_num: "CellValNum"
    """Values in a cell; `"var"` if cells are var-sized."""
    ordered: bool
    """Whether the order of the values has a meaning."""
    values: List["CellValue"]
    """Values in the order of their indexes."""



class SchemaDimensionLabel(TypedDict):
    name: str
    """Name of the label."""
    dimension_index: int
    """Index of the dimension, starting at 0."""
    order: "DataOrder"
    """Order of the labels."""
    type: "Datatype"
    """Datatype as the C API names it."""
    cell_val_num: "CellValNum"
    """Values in a cell; `"var"` if cells are var-sized."""
    attribute: str
    """Name of the attribute that contains the labels, in the array at `uri`."""
    uri: str
    """URI of the array of the labels, as stored."""
    relative: bool
    """Whether the URI is relative to this array."""
    external: bool
    """Whether the array of the labels is an array of its own."""


SchemaChange = TypedDict(
    "SchemaChange",
    {
        "change": Literal["added", "dropped", "extended", "changed"],
        "what": Literal["attribute", "enumeration", "current_domain", "other"],
        "name": Optional[str],
        "from": NotRequired[Any],
        "to": NotRequired[Any],
    },
)
"""A change of schema evolution."""



class SchemaDocument(TypedDict):
    """`tiledb-inspect schema <target> --json`; with `--all`, one document a schema. `write-sample --schema` reads
    it."""

    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["schema"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    name: str
    """File name of the schema."""
    encryption: "EncryptionType"
    """Encryption as the C API names it."""
    format_version: "FormatVersion"
    """Format version, starting at 1."""
    array_type: "ArrayType"
    """Array type."""
    tile_order: "Layout"
    """Order of the tiles."""
    cell_order: "Layout"
    """Order of the cells in a tile."""
    capacity: "Int64"
    """Number of cells of a tile in sparse fragments."""
    allows_duplicates: bool
    """Whether several cells may have the same coordinates."""
    coords_filters: "PipelineDescription"
    """Filters of the dimensions that have no filters of their own."""
    offsets_filters: "PipelineDescription"
    """Filters of the offsets of var-sized cells."""
    validity_filters: NotRequired["PipelineDescription"]
    """Filters of the validity of nullable attributes. Since format 7."""
    dimensions: List["DimensionDescription"]
    """Dimensions in order."""
    attributes: List["AttributeDescription"]
    """Attributes in order."""
    enumerations: List["SchemaEnumeration"]
    """Enumerations with their values."""
    missing_enumerations: NotRequired[List[str]]
    """Names of the enumerations whose files are missing, if there are any."""
    dimension_labels: List["SchemaDimensionLabel"]
    """Dimension labels."""
    current_domain: Optional[Dict[str, "ValueRange"]]
    """Current domain: `[lo, hi]` of each dimension; null if there is none. It can grow up to the domain, but never
    shrinks."""
    changes: NotRequired[List["SchemaChange"]]
    """Changes since the previous schema that can be read; the first one has none. Only with `--all`."""


Bucket = TypedDict(
    "Bucket",
    {
        "from": float,
        "to": float,
        "tile_num": int,
    },
)


class Distribution(TypedDict):
    """Distribution of a number over tiles; null if there are no tiles."""

    tile_num: int
    """Number of tiles that were counted."""
    min: float
    """Smallest value, bytes or cells a tile."""
    max: float
    """Largest value, bytes or cells a tile."""
    mean: float
    """Mean value, bytes or cells a tile."""
    histogram: List["Bucket"]
    """Buckets of powers of two, in ascending order."""



class StatsFieldFile(TypedDict):
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before filtering."""
    ratio: Optional["Ratio"]
    share: Optional[float]
    """Share of the bytes of all data files, from 0 to 1."""
    role: "FileRole"
    """What the files hold of the field."""
    tile_size: Optional["Distribution"]
    """Distribution of the stored bytes of a tile."""
    filters: List[List["FilterDescription"]]
    """Filter pipelines of the files; several if the schema evolved."""



class StatsField(TypedDict):
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before filtering."""
    ratio: Optional["Ratio"]
    share: Optional[float]
    """Share of the bytes of all data files, from 0 to 1."""
    name: str
    """Name of the attribute, dimension or internal field."""
    not_in_schema: NotRequired[bool]
    """Whether the schema of the time has no such attribute, so that readers do not see these bytes."""
    files: List["StatsFieldFile"]
    """Files of the field, one entry for each role."""



class StatsRole(TypedDict):
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before filtering."""
    ratio: Optional["Ratio"]
    role: "FileRole"
    """What the files hold of the field."""
    tile_size: Optional["Distribution"]
    """Distribution of the stored bytes of a tile."""



class StatsMetadata(TypedDict):
    """Sizes of the fragment metadata."""

    size: "Bytes"
    """Bytes of the fragment metadata files."""
    footer_size: "Bytes"
    """Bytes of the footers."""
    sections_size: "Bytes"
    """Stored bytes of the sections."""
    unfiltered_size: "Bytes"
    """Bytes of the sections before filtering."""
    memory_size: "Bytes"
    """Bytes of TileDB's memory once everything is loaded."""



class StatsSection(TypedDict):
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes before filtering."""
    name: Literal["rtree", "tile_offsets", "tile_var_offsets", "tile_var_sizes", "tile_validity_offsets", "tile_mins", "tile_maxs", "tile_sums", "tile_null_counts", "fragment_min_max_sum_null_count", "processed_conditions", "global_order_mins", "global_order_maxs", "fragment_metadata"]
    """Name of the section."""
    field: Optional[str]
    """Name of the field; null if the section is about the whole fragment."""
    offset: NotRequired["Offset"]
    """Byte offset in the metadata file; left out in sums over fragments."""
    memory_size: "Bytes"
    """Bytes in TileDB's memory."""



class StatsFinding(TypedDict):
    code: Union["FindingCode", "AdviceCode"]
    """Code of the finding."""
    severity: "Severity"
    """`error`: the sums lack something. Otherwise it is advice, and `explain` shows what to do."""
    message: str
    """What was found, in words."""
    file: NotRequired[str]
    """Path of the missing or short file."""
    bytes: "Bytes"
    """Missing bytes of the file; for advice, stored bytes that it is about, or 0."""



class StatsNotExamined(TypedDict):
    code: "ErrorCode"
    """The kind of an error. Codes are never renamed."""
    message: str
    """What was expected, and what was found."""
    file: NotRequired["Path"]
    """The file."""
    name: str
    """Name of the fragment."""



class ArrayStats(TypedDict):
    unread_size: "Bytes"
    """Bytes of fragments that TileDB does not read."""
    unread_kept_size: "Bytes"
    """Bytes of those of them that a vacuum keeps. Some, such as those without a commit, may be the only copy of
    their cells."""
    vacuum_size: "Bytes"
    """Bytes that a vacuum frees: the other ones, and the `.vac` files. 0 if `vacuum_loses_cells`."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    cells_in_domain: "Int64"
    """Number of cells inside the non-empty domains."""
    tile_num: int
    """Number of tiles."""
    data_size: "Bytes"
    """Bytes of data files."""
    unfiltered_size: "Bytes"
    """Bytes of the data before filtering."""
    ratio: Optional["Ratio"]
    filters: List["StatsFilter"]
    """Sizes by filter pipeline, largest first."""
    kind: Literal["stats"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    format_versions: List["FormatVersion"]
    """Format versions of the fragments, in ascending order."""
    fragment_num: int
    """Number of fragments in these sums: those that could be read."""
    cell_num: int
    """Number of cells as TileDB counts them: in dense fragments, those of whole tiles."""
    size: "Bytes"
    """Bytes of all files of the fragments in these sums, and of those that could not be read."""
    fields: List["StatsField"]
    """Sizes by field, largest first."""
    roles: List["StatsRole"]
    """Sizes by role, largest first."""
    fragment_metadata: "StatsMetadata"
    """Sizes of the fragment metadata."""
    sections: List["StatsSection"]
    """Sections of the fragment metadata, largest first."""
    tile_size: Optional["Distribution"]
    """Distribution of the stored bytes of a tile."""
    cells_per_tile: Optional["Distribution"]
    """Distribution of the number of cells of a tile."""
    findings: List["StatsFinding"]
    """Files that the sums lack, and causes of reads that are slow or need much memory (docs/check.md, "Advice")."""
    vacuum_loses_cells: NotRequired[Literal[True]]
    """Set if a vacuum would delete fragments whose cells no other fragment has. `check` says why."""
    target: Literal["array"]
    """What was counted: an array."""
    array_type: "ArrayType"
    """Array type."""
    capacity: NotRequired["Int64"]
    """Number of cells of a tile. Sparse arrays only."""
    unread_fragment_num: int
    """Number of fragments on disk that TileDB does not read."""
    unread_counted: bool
    """Whether the other sums include fragments that TileDB does not read, as with `--all`."""
    other_size: "Bytes"
    """Bytes outside of fragments: schemas, commits, key-value metadata. Over plain HTTP, without folders deeper than
    4 levels."""
    not_examined: List["StatsNotExamined"]
    """Fragments that could not be read. Only `size` includes them."""



class FragmentStats(TypedDict):
    cells_in_domain: "Int64"
    """Number of cells inside the non-empty domains."""
    tile_num: int
    """Number of tiles."""
    data_size: "Bytes"
    """Bytes of data files."""
    unfiltered_size: "Bytes"
    """Bytes of the data before filtering."""
    ratio: Optional["Ratio"]
    filters: List["StatsFilter"]
    """Sizes by filter pipeline, largest first."""
    kind: Literal["stats"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    format_versions: List["FormatVersion"]
    """Format versions of the fragments, in ascending order."""
    fragment_num: int
    """Number of fragments in these sums: those that could be read."""
    cell_num: int
    """Number of cells as TileDB counts them: in dense fragments, those of whole tiles."""
    size: "Bytes"
    """Bytes of all files of the fragments in these sums, and of those that could not be read."""
    fields: List["StatsField"]
    """Sizes by field, largest first."""
    roles: List["StatsRole"]
    """Sizes by role, largest first."""
    fragment_metadata: "StatsMetadata"
    """Sizes of the fragment metadata."""
    sections: List["StatsSection"]
    """Sections of the fragment metadata, largest first."""
    tile_size: Optional["Distribution"]
    """Distribution of the stored bytes of a tile."""
    cells_per_tile: Optional["Distribution"]
    """Distribution of the number of cells of a tile."""
    findings: List["StatsFinding"]
    """Files that the sums lack, and causes of reads that are slow or need much memory (docs/check.md, "Advice")."""
    target: Literal["fragment"]
    """What was counted: one fragment."""


OneStats = Union["ArrayStats", "FragmentStats"]
"""What uses the disk in one array or fragment."""



class GroupStats(TypedDict):
    """What fills a dataset: sums over all arrays in a group, and the largest parts first."""

    unread_size: "Bytes"
    """Bytes of fragments that TileDB does not read."""
    unread_kept_size: "Bytes"
    """Bytes of those of them that a vacuum keeps. Some, such as those without a commit, may be the only copy of
    their cells."""
    vacuum_size: "Bytes"
    """Bytes that a vacuum frees: the other ones, and the `.vac` files. 0 if `vacuum_loses_cells`."""
    cells_in_domain: "Int64"
    """Number of cells inside the non-empty domains."""
    tile_num: int
    """Number of tiles."""
    data_size: "Bytes"
    """Bytes of data files."""
    unfiltered_size: "Bytes"
    """Bytes of the data before filtering."""
    ratio: Optional["Ratio"]
    filters: List["StatsFilter"]
    """Sizes by filter pipeline, largest first."""
    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["stats"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    target: Literal["group"]
    """What was counted: a group and its members."""
    array_num: int
    """Number of arrays."""
    fragment_num: int
    """Number of fragments in these sums."""
    size: "Bytes"
    """Bytes of all files: those of fragments that TileDB reads and does not read, and those beside."""
    other_size: "Bytes"
    """Bytes outside of fragments, those of the groups included."""
    memory_size: "Bytes"
    """Bytes of the fragment metadata in TileDB's memory, once all is loaded."""
    arrays: List["GroupStatsArray"]
    """The largest arrays, at most 10."""
    fields: List["GroupStatsField"]
    """The largest fields of all arrays, at most 10."""
    fragments: List["GroupStatsFragment"]
    """The largest fragments of all arrays, at most 10."""
    findings: List["GroupStatsFinding"]
    """Number of findings of all arrays, by their codes."""


StatsDocument = Union["OneStats", "GroupStats"]
"""`tiledb-inspect stats <target> --json`, one document for each target. With `--full`, the document of a group is
followed by one of each array in it."""



class StepLine(TypedDict):
    step: str
    """Kind of the step: `create`, `write`, `delete`, `consolidate`, `vacuum`, `evolve`, `metadata` or `group`."""
    path: str
    """Path in the folder of the array or group that the step changed; empty for the folder itself."""
    made: List[str]
    """Paths, in the array or group, of the fragments, schemas and other files that the step created."""
    removed: List[str]
    """Paths, in the array or group, of the files and folders that the step removed."""
    cell_num: int
    """Number of cells that the step wrote."""



class StepsDocument(TypedDict):
    """`tiledb-inspect write-sample <dir> --json` with `--steps FILE`, `--append`, or another option that is a step."""

    kind: Literal["steps"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    seed: str
    """Seed of the random part of names."""
    steps: List["StepLine"]
    """What each step did, in order."""
    cell_num: int
    """Number of cells that were written, before the steps and by all of them."""
    total_size: "Bytes"
    """Bytes of all files that were written and still exist."""
    files: List["SampleFile"]
    """Files that were written and still exist."""
    notes: List[str]
    """What was left out or not needed, in words."""



class SweepDiffLine(TypedDict):
    """A member that is not the same in both files."""

    name: str
    """Names from the folder down to the member."""
    change: Literal["new", "gone", "grown", "shrunk", "changed"]
    """`new`: only the second file has it; `gone`: only the first. `grown`, `shrunk`: in bytes. `changed`: in
    anything else."""
    grown_size: int
    """Bytes by which it grew."""
    grown_fragment_num: int
    """Number of fragments by which it grew."""
    grown_cell_num: "Int64"
    """Number of cells by which it grew."""
    codes_new: List[Union["FindingCode", "AdviceCode"]]
    """Codes of findings that only the second file has."""
    codes_gone: List[Union["FindingCode", "AdviceCode"]]
    """Codes of findings that only the first file has."""



class SweepDiffDocument(TypedDict):
    """`tiledb-inspect diff <a> <b> --json` of two saved sweeps. NDJSON: one member a line (`$defs/line`)."""

    kind: Literal["sweep-diff"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    other: "Path"
    """The second file."""
    equal: bool
    """Whether the members are the same in both, with the same numbers and findings."""
    member_num: int
    """Number of members in the first file."""
    other_member_num: int
    """Number of members in the second file."""
    total_size: "Bytes"
    """Bytes of all members in the first file."""
    other_total_size: "Bytes"
    """Bytes of all members in the second file."""
    new_num: int
    """Number of new members."""
    gone_num: int
    """Number of members that are gone."""
    changes: List["SweepDiffLine"]
    """The members that are not the same: what grew most first."""



class TilePart(TypedDict):
    """Lengths of a part before and after a filter."""

    original_length: NotRequired["Bytes"]
    """Bytes before compression."""
    compressed_length: NotRequired["Bytes"]
    """Bytes after compression."""
    plain_length: NotRequired["Bytes"]
    """Bytes before encryption."""
    encrypted_length: NotRequired["Bytes"]
    """Bytes after encryption."""
    iv: NotRequired[str]
    """AES_256_GCM: initialisation vector in hex."""
    tag: NotRequired[str]
    """AES_256_GCM: tag in hex."""



class TileDigest(TypedDict):
    """A digest of a part."""

    length: "Bytes"
    """Bytes of the part."""
    digest: str
    """The digest in hex."""



class TileFilterMetadataWindow(TypedDict):
    value_offset: NotRequired[str]
    """Value that was subtracted from all values, in hex."""
    bits: NotRequired[int]
    """Bits of a stored value."""
    window_bytes: "Bytes"
    """Bytes of the window before the filter is applied."""
    first_value: NotRequired[str]
    """First value in hex."""



class TileFilterMetadataPart(TypedDict):
    """RLE and DICTIONARY_ENCODING of strings: lengths of the strings."""

    original_length: "Bytes"
    """Bytes of all strings."""
    compressed_length: "Bytes"
    """Bytes of the strings after the filter is applied."""
    offsets_length: "Bytes"
    """Bytes of the offsets, which are rebuilt when the filter is undone."""



class TileFilterMetadata(TypedDict):
    """Metadata of a filter for a chunk. The keys depend on the filter."""

    metadata_parts: NotRequired[List["TilePart"]]
    """Compressors, AES_256_GCM: parts of the metadata of earlier filters."""
    data_parts: NotRequired[List["TilePart"]]
    """Compressors, AES_256_GCM: parts of the data."""
    metadata_checksums: NotRequired[List["TileDigest"]]
    """Checksums: digests of the metadata of earlier filters."""
    data_checksums: NotRequired[List["TileDigest"]]
    """Checksums: digests of the data."""
    original_bytes: NotRequired["Bytes"]
    """BIT_WIDTH_REDUCTION: bytes before the filter is applied."""
    windows: NotRequired[List["TileFilterMetadataWindow"]]
    """BIT_WIDTH_REDUCTION, POSITIVE_DELTA: windows in order."""
    part_lengths: NotRequired[List[int]]
    """Other filters: bytes of each part."""
    part: NotRequired["TileFilterMetadataPart"]
    """RLE and DICTIONARY_ENCODING of strings: lengths of the strings."""
    run_length_size: NotRequired["Bytes"]
    """RLE of strings: bytes of a run length."""
    string_length_size: NotRequired["Bytes"]
    """RLE and DICTIONARY_ENCODING of strings: bytes of a string length."""
    id_size: NotRequired["Bytes"]
    """DICTIONARY_ENCODING: bytes of an id."""
    dictionary: NotRequired[str]
    """DICTIONARY_ENCODING: the dictionary in hex."""



class TileChunkStage(TypedDict):
    filter: str
    """Name of the filter in the C API."""
    metadata: "TileFilterMetadata"
    """Metadata of a filter for a chunk. The keys depend on the filter."""
    input_length: "Bytes"
    """Bytes of metadata and data before the filter is undone."""
    output_length: "Bytes"
    """Bytes of metadata and data after the filter is undone."""



class TileChunk(TypedDict):
    offset: "Offset"
    """Byte offset of the chunk in the file."""
    original_length: "Bytes"
    """Bytes before filtering."""
    filtered_length: "Bytes"
    """Bytes of filtered data."""
    metadata_length: "Bytes"
    """Bytes of filter metadata."""
    stages: List["TileChunkStage"]
    """Filters in reading order: the last filter of the pipeline comes first."""
    error: NotRequired["ErrorBrief"]
    """Why the filters could not be undone."""


TileRole = Literal["data", "offsets", "var", "validity"]
"""The kind of a slot's file: fixed-sized data (also coordinates and timestamps), offsets, var-sized values or
validity."""



class ListedTile(TypedDict):
    """A tile that the metadata lists."""

    kind: Literal["tile"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    field: str
    """Name of the attribute, dimension or internal field; name of the file if the field is unknown."""
    file: str
    """Name of the file."""
    offset: "Offset"
    """Byte offset of the tile in the file."""
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes of the tile after its filters were undone."""
    chunks: List["TileChunk"]
    """Chunks in order."""
    role: "TileRole"
    """What the file holds of the field."""
    tile: int
    """Index of the tile."""
    tile_num: int
    """Number of tiles in the file."""
    cell_num: int
    """Number of cells in the tile."""
    expected_size: NotRequired["Bytes"]
    """Unfiltered bytes of the tile, according to the metadata; left out if the metadata does not have this number."""
    string_offsets: NotRequired[Literal[True]]
    """True if the tile itself contains the offsets of its strings."""
    extra_size: NotRequired["Bytes"]
    """Bytes of the tile after its last chunk."""



class TileAtOffset(TypedDict):
    """A tile that was found without the metadata, with `--offset`."""

    kind: Literal["tile"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    field: str
    """Name of the attribute, dimension or internal field; name of the file if the field is unknown."""
    file: str
    """Name of the file."""
    offset: "Offset"
    """Byte offset of the tile in the file."""
    size: "Bytes"
    """Stored bytes."""
    unfiltered_size: "Bytes"
    """Bytes of the tile after its filters were undone."""
    chunks: List["TileChunk"]
    """Chunks in order."""
    role: NotRequired["TileRole"]
    """What the file holds of the field; left out if its name does not show this."""
    next_offset: Optional["Offset"]
    """Byte offset of the next tile in the file; null for the last tile."""


TileDocument = Union["ListedTile", "TileAtOffset"]
"""`tiledb-inspect tile <fragment> <field> [index] --json`. `--offset` uses no metadata: the document then has
`next_offset` in place of the keys that come from the metadata."""



class TilesDocument(TypedDict):
    """`tiledb-inspect tiles <target> --json`, one document for each fragment. NDJSON: one tile a line
    (`$defs/line`)."""

    as_of: NotRequired["TimestampRange"]
    """First and last time at which the target was opened, both included. Only with `--as-of` or `--between`."""
    kind: Literal["tiles"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    format_version: "FormatVersion"
    """Format version, starting at 1."""
    dense: bool
    """Whether the fragment is dense."""
    tile_num: int
    """Number of all tiles of the fragment, including those that are not shown."""
    tiles: List["TilesLine"]
    """Tiles in order."""



class VerifyChecksumsLine(TypedDict):
    """A failure."""

    path: NotRequired[str]
    """The target; left out if there is only one."""
    fragment: Optional[str]
    """Name of the fragment; null for files of the array."""
    file: "Path"
    """The file."""
    tile: Optional[int]
    """Index of the tile."""
    chunk: Optional[int]
    """Index of the chunk in the tile."""
    filter: Optional[str]
    """Name of the filter in the C API; null if no filter failed."""
    offset: Optional[int]
    """Byte offset in the file."""
    expected: Optional[str]
    """Stored digest in hex."""
    actual: Optional[str]
    """Digest of the bytes in hex."""
    message: str
    """What is wrong, in words."""



class VerifyChecksumsDocument(TypedDict):
    """`tiledb-inspect verify-checksums <target> --json`. NDJSON: one failure a line (`$defs/line`)."""

    fragment_num: int
    """Number of fragments."""
    file_num: int
    """Number of files."""
    tile_num: int
    """Number of tiles."""
    chunk_num: int
    """Number of chunks."""
    kind: Literal["verify-checksums"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    deep: bool
    """Whether every filter was undone."""
    shard: NotRequired[str]
    """`i/n` of `--shard`: only the i-th of n parts was examined."""
    failures: List["VerifyChecksumsLine"]
    """Checksums that do not match, and filters that cannot be undone."""
    verdict: Literal["verified", "partly", "nothing-to-verify", "not-examined", "damaged"]
    """The result in one word. `not-examined`: no checksum could be compared; `not_examined` says why.
    `nothing-to-verify`: everything was examined, and there are no checksums."""
    ok: bool
    """Whether there are no failures. With `--require-checksums`, it is also false if a data file has no checksum, or
    if all fragments of an array were skipped."""
    skipped_fragment_num: int
    """Number of fragments that were skipped, as no commit names them and TileDB does not read them. `--all` verifies
    them, too."""
    checksum_num: int
    """Number of digests and tags that were compared; 0 with a wrong key."""
    unprotected_files: List["Path"]
    """Data files without a checksum."""
    unprotected_metadata_file_num: int
    """Number of metadata files without a checksum."""
    not_examined: List["NotExamined"]
    """What could not be examined."""



class WhatifSample(TypedDict):
    """The sample on which the pipelines were tried."""

    tiles: int
    """Number of tiles that the sample has parts of."""
    tile_num: int
    """Number of all tiles."""
    bytes: "Bytes"
    """Unfiltered bytes of the sample, in all fields."""
    seed: str
    """Seed of the choice of the tiles."""
    whole: bool
    """Whether the sample contains all tiles. Sizes are then exact, not estimated."""



class WhatifTrial(TypedDict):
    """Result of a filter pipeline."""

    filters: List["FilterDescription"]
    """Filters in writing order."""
    bytes: "Bytes"
    """Bytes of the files of the whole array."""
    offsets_bytes: NotRequired["Bytes"]
    """For text, bytes of the offsets of its cells. DICTIONARY_ENCODING and RLE store them with the values."""
    ratio: Optional["Ratio"]
    """Unfiltered bytes divided by stored bytes; for text, both include the offsets of its cells."""
    undo_mb_s: float
    """Speed of undoing the filters, in units of 1,000,000 bytes of values a second. Measured on this machine with
    this program."""
    do_mb_s: float
    """Speed of applying the filters, in units of 1,000,000 bytes of values a second. Measured in the same way."""
    read_mb_s: float
    """Estimated speed of a read by TileDB 2.30 on one core of this machine, with the files in the system's cache, in
    units of 1,000,000 bytes of values a second."""
    checksummed: bool
    """Whether the filters detect damage, by checksums or tags of encryption."""
    lossless: bool
    """Whether every value is read back with the same bits."""
    changed_share: float
    """Share of the values that are read back with other bits, 0 to 1."""
    deviation: float
    """Largest difference of a value that is read back."""



class WhatifRefusal(TypedDict):
    """A pipeline that cannot be used."""

    filters: List["FilterDescription"]
    """Filters in writing order."""
    reason: str
    """Why TileDB does not accept the pipeline."""



class WhatifField(TypedDict):
    """The values of a field, or the offsets or validity of all fields."""

    name: Optional["StoredName"]
    """Name of the field; null for offsets and validity, whose filters are those of the array."""
    role: "TileRole"
    """`data`: fixed-sized values. `var`: var-sized values. `offsets`: offsets of var-sized cells. `validity`:
    validity of nullable cells."""
    type: "Datatype"
    """Datatype as the C API names it."""
    cell_val_num: "CellValNum"
    """Values in a cell; `"var"` if cells are var-sized."""
    whole: bool
    """Whether all tiles were tried."""
    stored: "WhatifTrial"
    """The current filters."""
    candidates: List["WhatifTrial"]
    """Other filters, smallest first."""
    refused: List["WhatifRefusal"]
    """Pipelines that TileDB does not accept."""
    smallest: Optional[int]
    """Index of the smallest candidate that preserves every bit and every checksum; null if the current filters are
    the smallest."""
    fastest: Optional[int]
    """Index of the candidate with the highest `read_mb_s`, under the same conditions. From slow storage the smallest
    may be faster."""
    balanced: Optional[int]
    """Index of the smallest candidate that saves at least 5 % and hardly slows reading and writing; null if there is
    none."""



class StorageReadCounts(TypedDict):
    """{@link ReadCounts } of tiles whose places are known."""

    tiles_read: int
    """Number of tiles that are read. A tile counts once for each field."""
    cells_read: int
    """Number of cells in the tiles that are read."""
    unfiltered_bytes: "Bytes"
    """Unfiltered bytes of the tiles."""
    stored_bytes: "Bytes"
    """Stored bytes of the tiles."""
    reads: int
    """Number of read operations."""
    vfs_bytes: "Bytes"
    """All bytes from storage. Tiles near each other are read together, with what lies between them."""



class WhatifLayout(TypedDict):
    """Sizes of an array with other tiles, or with its cells in another order."""

    change: str
    """What is changed, in words; empty for the current layout."""
    fragment_num: int
    """Number of fragments."""
    tile_num: int
    """Number of tiles in all fragments."""
    data_size: "Bytes"
    """Bytes of the data files."""
    fragment_metadata_size: "Bytes"
    """Bytes of the fragment metadata."""
    rtree_size: "Bytes"
    """Bytes of the R-trees among `fragment_metadata_size`."""
    statistics_size: "Bytes"
    """Bytes of minima, maxima, sums and null counts among `fragment_metadata_size`."""
    sample_cell_num: Optional[int]
    """Number of cells in the boxes from which the sizes were estimated; the seed spreads the boxes over a large
    array. Null if all cells were written again, and for the current layout."""
    read_cost: Optional["StorageReadCounts"]
    """Cost of a read of `--range`, as `explain --exact` counts it; null without `--range`, and if the sizes were
    estimated from boxes."""



class WhatifTotal(TypedDict):
    """Bytes of all data files of the array or fragment."""

    bytes: "Bytes"
    """Bytes with the current filters."""
    smallest_bytes: "Bytes"
    """Bytes with the smallest candidate for each field that was tried."""
    fastest_bytes: "Bytes"
    """Bytes with the fastest candidate for each field that was tried."""
    balanced_bytes: "Bytes"
    """Bytes with the balanced candidate for each field that was tried."""



class WhatifDocument(TypedDict):
    """`tiledb-inspect whatif <target> --json`: sizes and speeds with other filters, tiles or orders."""

    kind: Literal["whatif"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    sample: "WhatifSample"
    """The sample on which the pipelines were tried."""
    fields: List["WhatifField"]
    """Filters that were tried, by field, most bytes first."""
    layouts: List["WhatifLayout"]
    """Other tiles and orders; the current layout comes first. They are computed by writing all cells, or those of
    some boxes, again in memory. Empty if no options ask for them."""
    total: "WhatifTotal"
    """Bytes of all data files of the array or fragment."""



class Need(TypedDict):
    """What needs a file or folder."""

    path: "StoredName"
    """Path in the array or group. For arrays and groups further up, the path as a user would write it. Empty for the
    array or group itself."""
    what: str
    """What it is."""
    needed_by: List["Need"]
    """What needs that in turn."""



class Effect(TypedDict):
    """A difference that a reader sees."""

    outcome: Literal["fails", "opens", "fields", "cells", "schema", "metadata", "enumerations", "labels", "members"]
    """fails: TileDB does not open the array; opens: TileDB opens it only without the path; fields: reads of these
    fields fail; cells: other cells; schema: another schema; metadata: other key-value metadata; enumerations: these
    cannot be read; labels: reads by these fail; members: other members of a group."""
    as_of: List[Union["Int64", Optional["Int64"]]]
    """First and last time as of which it shows. The last is null if it shows now and later."""
    between: NotRequired[Literal[True]]
    """Set if it shows only in openings between two times. `as_of` is then an example."""
    names: NotRequired[List["StoredName"]]
    """Names of the fields, keys, enumerations or members."""
    cells_lost: NotRequired[int]
    """Number of cells that a read returns now, but not without the path."""
    cells_added: NotRequired[int]
    """Number of cells that a read returns only without the path."""
    cells_changed: NotRequired[int]
    """Number of cells that have other values without the path."""
    certainty: NotRequired[Literal["exact", "at most"]]
    """Whether the numbers of cells were counted or are upper bounds. For fields, `at most`: reads may avoid tiles
    that newer cells or deletes hide as a whole."""
    message: NotRequired[str]
    """What TileDB cannot find."""



class OpeningRequests(TypedDict):
    """Requests to an object store that opening an array takes TileDB, as `explain` counts them."""

    with_it: int
    """Number of requests with the path."""
    without_it: int
    """Number of requests without the path."""



class WhyDocument(TypedDict):
    """`tiledb-inspect why <path> --json`."""

    kind: Literal["why"]
    """What the document is about."""
    path: "Path"
    """Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8."""
    schema_version: Literal[1]
    """Version of the documents. Within a version keys may be added, but none is removed."""
    what: str
    """What the file or folder is, in words."""
    root: "Path"
    """The array or group that contains it, or the path itself if it is an array or group."""
    layer_place: NotRequired["LayerPlace"]
    """What the array is in the words of the layer that it belongs to; left out if no layer is known."""
    needed_by: List["Need"]
    """Everything that needs it, each with what needs that in turn, up to the array or group. Empty if nothing needs
    it."""
    without: List["Effect"]
    """Differences that readers see without it. Empty if there are none."""
    opening_requests: NotRequired["OpeningRequests"]
    """Requests that opening the array takes TileDB. Left out unless saving requests is all that the path is for."""
    noticed_by: List[Literal["open", "read", "silent", "other", "nobody"]]
    """Who notices that it is missing. `open`: TileDB does not open the array. `read`: reads fail. `silent`: reads
    return something else, without an error. `other`: not readers, but consolidation, vacuum, writers or other
    releases. `nobody`: nobody."""
    delete: Literal["yes", "tiledb", "no"]
    """Whether it may be deleted. `yes`: no reader and no writer sees a difference. `tiledb`: only by the call of
    TileDB in `how`, after which a read as of now is the same. `no`: something would be lost."""
    reason: str
    """Reason for the answer, in words."""
    how: Optional[str]
    """Command or call that deletes it; if the answer is `no`, the one that deletes it together with everything that
    it contains."""
    empties: Optional["TimestampRange"]
    """First and last time of reads that are empty after the vacuum in `how`; null if there are none."""
    changes_metadata: Optional["TimestampRange"]
    """First and last time of reads whose key-value metadata differs after the vacuum in `how`; null if there are
    none."""
