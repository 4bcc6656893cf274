# Does a read open no more fragments than a limit?
#   tiledb-inspect ls --json TARGET | jq -e -f too-many-fragments.jq
# Exit code 1 if it opens more than MOST, a variable of the environment, or else 10.
([.fragments[] | select(.visible)] | length) <= ($ENV.MOST // "10" | tonumber)
