# Which filters make data larger?
#   tiledb-inspect stats --json TARGET | jq -r -f filters-that-cost.jq
.fields[]
| .name as $field
| .files[]
| select(.ratio != null and .ratio < 1)
| [$field, .role, (.filters[0] | map(.name) | join(", ")), "\(.unfiltered_size) to \(.size) bytes"]
| @tsv
