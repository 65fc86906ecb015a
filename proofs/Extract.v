(** The checker as an OCaml program, with integers of zarith. *)

From Parikh Require Import Net Refutation Evaluation Invariant Sequence Listing Checker.
Require Import ZArith FMapPositive Extraction ExtrOcamlBasic ExtrOcamlZBigInt.

(** The library leaves these two comparisons to a recursion over the digits. *)
Extract Constant Pos.eqb => "Big_int_Z.eq_big_int".
Extract Constant N.eqb => "Big_int_Z.eq_big_int".

Extraction "checker.ml" check PositiveMap.empty PositiveMap.add set.
