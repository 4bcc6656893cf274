#!/bin/sh
# Checks all arrays and groups below a folder or prefix in several processes: sweep.sh [--jobs N] FOLDER RESULTS [OPTION…]
#
# GNU parallel starts N parts (8), each with every N-th member; with -S host1,host2 in PARALLEL, on other machines. What is done is noted in
# RESULTS: called again, the script goes on, and reads only what changed. `tiledb-inspect diff` of two results shows what grew.
#
# Exit code: 0 all is right; 1 damage; 2 wrong usage; 3 nothing wrong found, but something could not be examined. Where there are 1 and 3, it is 1.
#
# TILEDB_INSPECT  the program
set -u
parts=8
if [ "${1:-}" = --jobs ]; then
  parts=$2
  shift 2
fi
if [ $# -lt 2 ]; then
  echo "usage: sweep.sh [--jobs N] FOLDER RESULTS [OPTION...]" >&2
  exit 2
fi
folder=$1
results=$2
shift 2
mkdir -p "$results"
seq "$parts" | parallel --will-cite --jobs "$parts" --joblog "$results/jobs.tsv" \
  "${TILEDB_INSPECT:-tiledb-inspect}" check --recursive --quiet --format ndjson --shard "{}/$parts" \
  --resume "$results/part-{}.ndjson" "$@" "$folder" '>' "$results/lines-{}.ndjson"
cat "$results"/lines-*.ndjson >"$results/all.ndjson"
# The exit codes of the parts, each once.
codes=$(awk 'NR > 1 { print $7 }' "$results/jobs.tsv" | sort -u)
for code in 2 1 3; do
  case " $(echo $codes) " in *" $code "*) exit "$code" ;; esac
done
[ "$(echo $codes)" = 0 ] || exit 3
