# Which tiles does a box touch, and how many bytes are that?
#   tiledb-inspect tiles --json TARGET --range lat=0..10 --range lon=0..90 | jq -r -f touched-tiles.jq
[.tiles[] | {tile, bytes: (.fields | map(.size + (.var_size // 0) + (.validity_size // 0)) | add)}]
| (map("tile \(.tile): \(.bytes) bytes")[]), "in all \(map(.bytes) | add // 0) bytes"
