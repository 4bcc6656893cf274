# Are tiles too small?
#   tiledb-inspect stats --json TARGET | jq -r -f small-tiles.jq
# A tile is one request to a server and a chunk header at least: below 64 KiB the overhead shows.
.tile_size
| select(. != null)
| "\(.tile_num) tiles, \(.mean | round) bytes each on average, \([.histogram[] | select(.to < 65536) | .tile_num] | add // 0) below 64 KiB"
