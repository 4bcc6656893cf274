# Which values were ever written to one cell, and when?
#   tiledb-inspect decode --all-fragments TARGET --range y=3 --range x=3 --format ndjson | jq -c -f values-of-a-cell.jq
(.__fragment | split("_") | map(select(. != "")) | .[0] | tonumber) as $at
| {$at} + del(.__fragment)
