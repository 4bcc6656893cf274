# What fills the disk, by field?
#   tiledb-inspect stats --json TARGET | jq -r -f largest-fields.jq
.fields[]
| [.name, .size, "\(.share * 1000 | round / 10) %"]
| @tsv
