# What waits for vacuum, and which file lists it?
#   tiledb-inspect ls --json TARGET | jq -r -f waits-for-vacuum.jq
.fragments[]
| select(.to_vacuum)
| [.name, .size, .hidden_by]
| @tsv
