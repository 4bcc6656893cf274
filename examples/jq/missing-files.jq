# Are files missing or short?
#   tiledb-inspect ls --json TARGET | jq -r -f missing-files.jq
.files[]
| select(.listed_size != null and .size != .listed_size)
| [.name, .field, "\(.size // 0) of \(.listed_size) bytes"]
| @tsv
