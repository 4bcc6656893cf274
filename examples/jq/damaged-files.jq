# Which files are damaged, and how?
#   tiledb-inspect check --json TARGET | jq -r -f damaged-files.jq
.findings
| map(select(.severity == "error"))
| group_by(.file)[]
| [(.[0].file | split("/")[-1]), length, (map(.code) | unique | join(", "))]
| @tsv
