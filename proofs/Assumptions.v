(** The assumptions of each theorem. "Closed under the global context" means: no axioms. *)

From Parikh Require Import Net Linear Evaluation Refutation Invariant Sequence Pump Listing Checker.

Print Assumptions sequence_sound.
Print Assumptions refutes_sound.
Print Assumptions weights_sound.
Print Assumptions inductive_sound.
Print Assumptions follows_sound.
Print Assumptions unreachable_sound.
Print Assumptions pump_sound.
Print Assumptions closed_sound.
Print Assumptions listing_sound.
Print Assumptions check_sound.
