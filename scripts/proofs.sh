#!/usr/bin/env bash
# Builds the checker that is proved in Coq, and tests it: scripts/proofs.sh [MUTATIONS] [NETS] [TRIPLES]
#
# Installs Coq 8.16 or later where it is missing (Debian or Ubuntu, as root); says "skipped" where it
# cannot. The checker is put into target/proofs/parikh-proved. The programs parikh and parikh-certify are
# those in PARIKH_BIN or in target/debug; if target/debug has none, they are built. The checker must accept
# the claims about the nets in examples/, and those about random nets (NETS, 20), and refuse changed files
# whose claim is false (MUTATIONS, 500). It must agree with parikh-certify on random claims and
# certificates (TRIPLES, 1000). Nothing else in this project needs Coq. docs/proved-checker.md explains the
# proofs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mutations=${1:-500}
nets=${2:-20}
triples=${3:-1000}
target=${CARGO_TARGET_DIR:-target}
build=$target/proofs

has_coq() {
    local program
    for program in coqc coqchk ocamlopt ocamlfind; do
        command -v "$program" >/dev/null || return 1
    done
    ocamlfind query zarith >/dev/null 2>&1
}

if ! has_coq && command -v apt-get >/dev/null && [[ $(id -u) -eq 0 ]]; then
    echo "proofs: installing Coq" >&2
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        coq ocaml-nox ocaml-findlib libzarith-ocaml-dev; } >/dev/null 2>&1 || true
fi
if ! has_coq; then
    echo "proofs: skipped: Coq, findlib and zarith are missing, and cannot be installed here" >&2
    exit 0
fi
version=$(coqc --print-version | cut -d' ' -f1)
if [[ $(printf '%s\n' 8.16 "$version" | sort -V | head -1) != 8.16 ]]; then
    echo "proofs: skipped: Coq $version is older than 8.16" >&2
    exit 0
fi

# The programs that write claims. If they are missing, they are built while Coq works.
programs=${PARIKH_BIN:-$target/debug}
builder=
if [[ ! -x $programs/parikh || ! -x $programs/parikh-certify ]]; then
    if [[ -n ${PARIKH_BIN:-} ]]; then
        echo "proofs: PARIKH_BIN=$PARIKH_BIN has no parikh and parikh-certify" >&2
        exit 1
    fi
    echo "proofs: building parikh and parikh-certify" >&2
    scripts/setup.sh
    cargo build --quiet --profile quick --package parikh-cli --package parikh-evidence &
    builder=$!
    programs=$target/quick
fi

# The proofs. No axiom, nothing admitted: each theorem is "closed under the global context".
mkdir -p "$build"
cp proofs/*.v proofs/main.ml "$build"
cd "$build"
build=$PWD
if grep -nE '\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort)\b' ./*.v; then
    echo "proofs: a proof is missing" >&2
    exit 1
fi
modules=(Net Linear Refutation Evaluation Invariant Sequence Pump Listing Checker)
for module in "${modules[@]}" Extract; do
    coqc -q -Q . Parikh "$module.v"
done
coqc -q -Q . Parikh Assumptions.v | tee assumptions.txt
theorems=$(grep -c '^Print Assumptions' Assumptions.v)
if [[ $(grep -c '^Closed under the global context$' assumptions.txt) -ne $theorems ]] \
    || [[ $(wc -l <assumptions.txt) -ne $theorems ]]; then
    echo "proofs: a theorem rests on an axiom" >&2
    exit 1
fi
coqchk -silent -Q . Parikh "${modules[@]/#/Parikh.}"
echo "proofs: $theorems theorems are closed under the global context; coqchk accepts all files"
ocamlfind ocamlopt -O3 -package zarith -linkpkg -w -a checker.mli checker.ml main.ml -o parikh-proved 2>/dev/null
cd - >/dev/null

# The claims about the sample nets.
if [[ -n $builder ]]; then
    wait "$builder"
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for model in examples/*.pnml; do
    name=$(basename "$model" .pnml)
    "$programs/parikh" check "$model" -e ReachabilityDeadlock -e OneSafe -e QuasiLiveness -e StableMarking \
        --timeout 10 --evidence "$out/$name.evidence" >/dev/null 2>&1 || true
    "$programs/parikh-certify" "$model" "$out/$name.evidence" --quiet --export "$out/$name" 2>&1 \
        | sed -n "s/^note: .*: \([0-9]* of [0-9]* confirmed\)/proofs: $name: \1/p"
done
"$build/parikh-proved" "$out"/*/*.claim >"$out/verdicts" || {
    grep -v ': accepted' "$out/verdicts" >&2
    exit 1
}
echo "proofs: $(grep -c ': accepted' "$out/verdicts") claims about the sample nets are accepted"

command -v python3 >/dev/null || exit 0
python3 scripts/claims.py agree --checker "$build/parikh-proved" --bin "$programs" --nets "$nets"
python3 scripts/claim-triples.py --checker "$build/parikh-proved" --bin "$programs" --count "$triples"
python3 scripts/claims.py mutate --checker "$build/parikh-proved" --count "$mutations" "$out"/*/*.claim
