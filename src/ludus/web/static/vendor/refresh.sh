#!/bin/sh
# Fetches the third-party files of the page again, in the version named here: sh refresh.sh (needs npm)
set -eu
cd "$(dirname "$0")"
version=4.8.4
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
npm pack --silent --pack-destination "$folder" "socket.io-client@$version"
tar -xzf "$folder/socket.io-client-$version.tgz" -C "$folder"
# the map of the source is not shipped
grep -v '^//# sourceMappingURL' "$folder/package/dist/socket.io.esm.min.js" > socket.io.esm.min.js
cp "$folder/package/LICENSE" socket.io.LICENSE.txt
