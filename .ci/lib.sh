# Shared by the scripts of this folder; sourced, not run.
# Each script stands alone: it finds the root itself and needs nothing but Go and git.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
module=$(go list -m)

# Packages that an embedder links. CI holds their dependencies to the rules of CONTRIBUTING.md.
library_packages() {
	local p
	for p in chunked status watchdecoder rest rest/execplugin listwatch fifo store informer; do
		[ -d "$p" ] && printf '%s/%s\n' "$module" "$p"
	done
	return 0
}

fail() {
	printf 'FAIL: %s\n' "$*" >&2
	exit 1
}
