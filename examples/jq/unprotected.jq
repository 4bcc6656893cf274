# Which data carries no checksum?
#   tiledb-inspect verify-checksums --json TARGET | jq -r -f unprotected.jq
"\(.verdict): \(.checksum_num) checksums, \(.unprotected_files | length) files without",
(.unprotected_files[] | "  " + split("/")[-1])
