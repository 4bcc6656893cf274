# Which fragments overlap?
#   tiledb-inspect ls --json TARGET | jq -r -f overlaps.jq
.overlap_pairs[] | @tsv
