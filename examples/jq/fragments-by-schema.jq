# Which fragments were written with which schema?
#   tiledb-inspect ls --json TARGET | jq -r -f fragments-by-schema.jq
.fragments
| group_by(.array_schema_name)[]
| .[0].array_schema_name, "  " + .[].name
