#!/bin/sh
# Checks TileDB arrays, groups or fragments and fails on damage: check-arrays.sh ARRAY...
#
# Exit code: 0 all is right; 1 damage; 2 wrong usage; 3 nothing wrong found, but something could not be examined (a missing path or key).
# Where there are 1 and 3, it is 1.
#
# LEVEL=cells       structure (reads no tiles), chunks (every filter and checksum) or cells (every cell too)
# FAIL_ON=warning   error, warning or note
# REPORT=FILE       findings also as lines of JSON
# TILEDB_INSPECT    the program
# TILEDB_INSPECT_KEY  encryption key of the arrays
set -u
if [ $# -eq 0 ]; then
  echo "usage: check-arrays.sh ARRAY..." >&2
  exit 2
fi
inspect=${TILEDB_INSPECT:-tiledb-inspect}
level=${LEVEL:-cells}
fail_on=${FAIL_ON:-warning}

"$inspect" check --level "$level" --fail-on "$fail_on" --all "$@"
code=$?
if [ -n "${REPORT:-}" ] && [ "$code" -ne 2 ]; then
  "$inspect" check --level "$level" --all --quiet --format ndjson "$@" >"$REPORT" 2>/dev/null
fi
exit "$code"
