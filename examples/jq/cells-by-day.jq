# How many cells and bytes came in, day by day?
#   tiledb-inspect ls --json TARGET TARGET | jq -r -f cells-by-day.jq
.path as $array
| .fragments
| map(select(.visible))
| group_by(.timestamp_range[1] / 1000 | floor | todate[:10])[]
| [$array, (.[0].timestamp_range[1] / 1000 | floor | todate[:10]), (map(.cell_num) | add), (map(.size) | add)]
| @tsv
