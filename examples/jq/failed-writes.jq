# Which folders are left from failed writes?
#   tiledb-inspect ls --json TARGET | jq -r -f failed-writes.jq
.fragments[]
| select(.state == "uncommitted" or .state == "no-metadata")
| [.name, .size]
| @tsv
