# What did each schema add or drop?
#   tiledb-inspect schema --all --json TARGET | jq -rs -f schema-changes.jq
. as $schemas
| range(1; length)
| ($schemas[. - 1].attributes | map(.name)) as $before
| $schemas[.]
| (.attributes | map(.name)) as $after
| [.name, "added \($after - $before | tojson)", "dropped \($before - $after | tojson)"]
| @tsv
