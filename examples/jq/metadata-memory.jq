# How much memory does the metadata need, and what for?
#   tiledb-inspect stats --json TARGET | jq -r -f metadata-memory.jq
(.fragment_metadata | ["all", .memory_size]),
(.sections
  | group_by(.name)
  | map({name: .[0].name, memory_size: (map(.memory_size) | add)})
  | sort_by(-.memory_size)[:4][]
  | [.name, .memory_size])
| @tsv
