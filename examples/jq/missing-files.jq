# Are files missing or short?
#   tiledb-inspect ls --json TARGET | jq -r -f missing-files.jq
# Of a fragment each such file with its field, of an array those of every fragment.
((.files[]? | select(.listed_size != null and .size != .listed_size)),
 (.fragments[]? | .name as $fragment | .damaged_files[]? | .field = $fragment))
| [.name, .field, "\(.size // 0) of \(.listed_size) bytes"]
| @tsv
