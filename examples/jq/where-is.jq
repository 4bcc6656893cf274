# Which bytes hold a field of the metadata? (here the name of the schema)
#   tiledb-inspect dump --json --depth 2 TARGET | jq -r -f where-is.jq
# Any other name of the tree serves, too: --arg name rtree_offset
($ARGS.named.name // "array_schema_name") as $name
| .. | objects
| select(.name? == $name and .offset? != null)
| [.offset, .length, (.value | tojson)]
| @tsv
