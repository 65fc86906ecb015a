(** The checker as an OCaml program, with integers of zarith. *)

From Parikh Require Import Net Refutation Invariant Sequence Listing Checker.
Require Import FMapPositive Extraction ExtrOcamlBasic ExtrOcamlZBigInt.

Extraction "checker.ml" check PositiveMap.empty PositiveMap.add Evaluation.set.
