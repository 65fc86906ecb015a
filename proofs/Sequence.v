(** Firing sequences, and markings listed with their successors. *)

Require Import ZArith List Lia Bool FMapPositive.
From Parikh Require Import Net Linear Evaluation Refutation Invariant.
Import ListNotations.

(** ** Transitions by number *)

Fixpoint number (ts : list transition) (j : positive) (a : PositiveMap.t transition) :=
  match ts with
  | [] => a
  | t :: r => number r (Pos.succ j) (PositiveMap.add j t a)
  end.

Definition by_number (n : net) : PositiveMap.t transition :=
  number (transitions n) 1 (PositiveMap.empty transition).

Lemma by_number_spec : forall n j t, PositiveMap.find j (by_number n) = Some t ->
  In t (transitions n).
Proof.
  intros n j t; unfold by_number.
  assert (H : forall ts i a, PositiveMap.find j (number ts i a) = Some t ->
    In t ts \/ PositiveMap.find j a = Some t).
  { induction ts as [|u r IH]; intros i a H; cbn in H; [auto|].
    destruct (IH _ _ H) as [I|F]; [left; right; exact I|].
    destruct (Pos.eq_dec j i) as [->|E].
    - rewrite PositiveMap.gss in F; injection F as ->; left; left; reflexivity.
    - rewrite PositiveMap.gso in F by exact E; auto. }
  intro F; destruct (H _ _ _ F) as [I|E]; [exact I|].
  rewrite PositiveMap.gempty in E; discriminate.
Qed.

(** ** Repeated firing of one transition *)

Open Scope Z_scope.

(** The tokens after [c] firings of [t]. *)
Definition moved (t : transition) (c : Z) (m : marking) (p : place) : N :=
  Z.to_N (Z.of_N (m p) + c * (Z.of_N (weight (post t) p) - Z.of_N (weight (pre t) p))).

(** The transition is enabled for each of [c] firings: the last one needs the most tokens of a place
    that loses tokens. *)
Definition is_repeatable (t : transition) (c : Z) (m : marking) : bool :=
  forallb (fun '(p, _) =>
    let w := Z.of_N (weight (pre t) p) in
    w <=? Z.of_N (m p) + (c - 1) * Z.min 0 (Z.of_N (weight (post t) p) - w)) (pre t).

Definition fire (t : transition) (c : Z) (m : PositiveMap.t N) : PositiveMap.t N :=
  fold_left (fun a p => set p (moved t c (tokens m) p) a) (places t) m.

Lemma fire_spec : forall t c m p, tokens (fire t c m) p = moved t c (tokens m) p.
Proof.
  intros t c m p; unfold fire.
  assert (H : forall l a, (In p l \/ tokens a p = moved t c (tokens m) p) ->
    tokens (fold_left (fun a p => set p (moved t c (tokens m) p) a) l a) p =
    moved t c (tokens m) p).
  { induction l as [|q r IH]; intros a H; cbn [fold_left In] in *; [tauto|].
    apply IH; rewrite tokens_set; destruct (Pos.eqb_spec q p) as [->|E]; [right; reflexivity|].
    destruct H as [[H|H]|H]; [contradiction | left; exact H | right; exact H]. }
  apply H; destruct (in_dec Pos.eq_dec p (places t)) as [I|I]; [left; exact I|].
  right; unfold moved; unfold places in I; rewrite in_app_iff in I.
  rewrite !weight_0 by tauto; lia.
Qed.

Lemma repeatable_enabled : forall t c m i, is_repeatable t c m = true -> 0 <= i < c ->
  enabled (moved t i m) t.
Proof.
  intros t c m i R I p; unfold is_repeatable in R; rewrite forallb_forall in R.
  destruct (in_dec Pos.eq_dec p (map fst (pre t))) as [P|P].
  - apply in_map_iff in P; destruct P as [[q w] [E P]]; cbn in E; subst q.
    specialize (R _ P); cbn beta iota zeta in R; apply Z.leb_le in R; unfold moved.
    set (d := Z.of_N (weight (post t) p) - Z.of_N (weight (pre t) p)) in *; nia.
  - rewrite weight_0 by exact P; lia.
Qed.

Lemma repeated_reachable : forall n t c m, In t (transitions n) ->
  is_repeatable t c m = true -> 0 <= c -> reachable n m -> reachable n (moved t c m).
Proof.
  intros n t c m T R C Rm.
  assert (H : forall i, 0 <= i -> i <= c -> reachable n (moved t i m)).
  { intros i I; pattern i; apply natlike_ind; [| |exact I].
    - intros _; apply (reachable_same n m); [|exact Rm]; intro p; unfold moved; lia.
    - intros j J IH K; assert (Rj : reachable n (moved t j m)) by (apply IH; lia).
      assert (E : enabled (moved t j m) t) by (apply (repeatable_enabled t c m j R); lia).
      apply (reachable_step n (moved t j m) t _ Rj); split; [exact T | split; [exact E|]].
      intro p; specialize (E p); unfold moved in *; nia. }
  apply H; lia.
Qed.

(** ** Firing sequences *)

Inductive action :=
| Fire (t : positive) (count : Z)
| Goal (statement : positive).

(** Fires a sequence. Returns the numbers of the statements whose predicates hold at the goals. *)
Fixpoint run (n : net) (numbers : PositiveMap.t transition) (statements : PositiveMap.t statement)
    (m : PositiveMap.t N) (l : list action) : option (list positive) :=
  match l with
  | [] => Some []
  | Fire j c :: r =>
      match PositiveMap.find j numbers with
      | Some t =>
          if (0 <=? c) && ((c =? 0) || is_repeatable t c (tokens m))
          then run n numbers statements (fire t c m) r else None
      | None => None
      end
  | Goal i :: r =>
      match PositiveMap.find i statements with
      | Some (Reachable f) =>
          if evaluate n (tokens m) f then
            match run n numbers statements m r with Some l => Some (i :: l) | None => None end
          else None
      | _ => None
      end
  end.


Definition proved (n : net) (statements : PositiveMap.t statement) (l : list positive) : Prop :=
  Forall (fun i => exists s, PositiveMap.find i statements = Some s /\ is_true n s) l.

(** The statements that a firing sequence shows are true. *)
Theorem sequence_sound : forall n statements l shown,
  run n (by_number n) statements (initial_table n) l = Some shown -> proved n statements shown.
Proof.
  intros n statements l.
  assert (H : forall m shown, reachable n (tokens m) ->
    run n (by_number n) statements m l = Some shown -> proved n statements shown).
  { induction l as [|a r IH]; intros m shown R; cbn [run].
    - intros [= <-]; constructor.
    - destruct a as [j c|i].
      + destruct (PositiveMap.find j (by_number n)) as [t|] eqn:F; [|discriminate].
        destruct ((0 <=? c) && _) eqn:C; [|discriminate].
        apply andb_prop in C; destruct C as [C P]; apply Z.leb_le in C.
        apply IH; apply (reachable_same n (moved t c (tokens m))); [apply fire_spec|].
        apply orb_prop in P; destruct P as [P|P].
        * apply Z.eqb_eq in P; subst; apply (reachable_same n (tokens m)); [|exact R].
          intro p; unfold moved; lia.
        * apply repeated_reachable; auto; exact (by_number_spec _ _ _ F).
      + destruct (PositiveMap.find i statements) as [[f|f|e]|] eqn:F; try discriminate.
        destruct (evaluate n (tokens m) f) eqn:E; [|discriminate].
        destruct (run n (by_number n) statements m r) as [rest|] eqn:K; [|discriminate].
        intros [= <-]; constructor; [|exact (IH m rest R K)].
        exists (Reachable f); split; [exact F|]; exists (tokens m); split; [exact R|].
        apply evaluate_spec, E. }
  intros shown; apply H, reachable_initial, initial_table_spec.
Qed.
