# Which delete conditions are still applied at every read, and to how many fragments?
#   tiledb-inspect commits --json TARGET | jq -r -f delete-conditions.jq
.commits[]
| select(.condition != null and (.not_processed_by | length) > 0)
| [.condition, (.not_processed_by | length)]
| @tsv
