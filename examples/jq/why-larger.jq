# Why is this fragment larger than that one?
#   tiledb-inspect stats --json TARGET TARGET | jq -rs -f why-larger.jq
def sizes: [.fields[] | {key: .name, value: .size}] + [{key: "fragment metadata", value: .fragment_metadata.size}] | from_entries;
(.[0] | sizes) as $a
| (.[1] | sizes) as $b
| [($a + $b) | keys[] | [., ($b[.] // 0) - ($a[.] // 0)]]
| sort_by(-.[1])[]
| @tsv
