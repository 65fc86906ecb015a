(** Self-covering sequences (R. M. Karp, R. E. Miller, "Parallel program schemata", 1969): a firing
    sequence that can be repeated, because it removes no tokens in total. *)

Require Import ZArith List Lia Bool FMapPositive.
From Parikh Require Import Net Linear Evaluation Sequence.
Import ListNotations.
Open Scope Z_scope.

(** A firing sequence leads from the first marking to the second. *)
Inductive leads (n : net) : marking -> marking -> Prop :=
| leads_nowhere : forall m m', (forall p, m' p = m p) -> leads n m m'
| leads_on : forall m m1 t m2, leads n m m1 -> fires n m1 t m2 -> leads n m m2.

Lemma leads_reachable : forall n m m', leads n m m' -> reachable n m -> reachable n m'.
Proof.
  intros n m m' L; induction L as [m m' E|m m1 t m2 L IH F]; intro R.
  - exact (reachable_same n m m' E R).
  - exact (reachable_step n m1 t m2 (IH R) F).
Qed.

Lemma leads_same : forall n m m1 m2, (forall p, m2 p = m1 p) -> leads n m m1 -> leads n m m2.
Proof.
  intros n m m1 m2 E L; destruct L as [m m1 E1|m m0 t m1 L F].
  - apply leads_nowhere; intro p; rewrite E; apply E1.
  - apply (leads_on n m m0 t m2 L); destruct F as (T & En & F).
    split; [exact T | split; [exact En|]]; intro p; rewrite E; apply F.
Qed.

(** More tokens disable nothing. *)
Definition plus (m : marking) (d : marking) : marking := fun p => (m p + d p)%N.

Lemma leads_more : forall n d m m', leads n m m' -> leads n (plus m d) (plus m' d).
Proof.
  intros n d m m' L; induction L as [m m' E|m m1 t m2 L IH F].
  - apply leads_nowhere; intro p; unfold plus; rewrite E; reflexivity.
  - apply (leads_on n _ (plus m1 d) t _ IH); destruct F as (T & E & F).
    split; [exact T | split]; intro p; unfold plus; specialize (E p).
    + lia.
    + rewrite F; lia.
Qed.

Lemma leads_repeated : forall n t c m, In t (transitions n) ->
  is_repeatable t c m = true -> 0 <= c -> leads n m (moved t c m).
Proof.
  intros n t c m T R C.
  assert (H : forall i, 0 <= i -> i <= c -> leads n m (moved t i m)).
  { intros i I; pattern i; apply natlike_ind; [| |exact I].
    - intros _; apply leads_nowhere; intro p; unfold moved; lia.
    - intros j J IH K; assert (Lj : leads n m (moved t j m)) by (apply IH; lia).
      assert (E : enabled (moved t j m) t) by (apply (repeatable_enabled t c m j R); lia).
      apply (leads_on n m (moved t j m) t _ Lj); split; [exact T | split; [exact E|]].
      intro p; specialize (E p); unfold moved in *; nia. }
  apply H; lia.
Qed.

Lemma leads_trans : forall n m m1 m2, leads n m m1 -> leads n m1 m2 -> leads n m m2.
Proof.
  intros n m m1 m2 L K; induction K as [m1 m2 E|m1 m3 t m2 K IH F].
  - exact (leads_same n m m1 m2 E L).
  - exact (leads_on n m m3 t m2 (IH L) F).
Qed.

(** Fires a sequence of transitions with counts. *)
Fixpoint fire_all (numbers : PositiveMap.t transition) (m : PositiveMap.t N)
    (l : list (positive * Z)) : option (PositiveMap.t N) :=
  match l with
  | [] => Some m
  | (j, c) :: r =>
      match PositiveMap.find j numbers with
      | Some t =>
          if (0 <=? c) && ((c =? 0) || is_repeatable t c (tokens m))
          then fire_all numbers (fire t c m) r else None
      | None => None
      end
  end.

Lemma fire_all_spec : forall n l m m',
  fire_all (by_number n) m l = Some m' -> leads n (tokens m) (tokens m').
Proof.
  intros n l; induction l as [|[j c] r IH]; intros m m'; cbn [fire_all].
  - intros [= <-]; apply leads_nowhere; reflexivity.
  - destruct (PositiveMap.find j (by_number n)) as [t|] eqn:F; [|discriminate].
    destruct ((0 <=? c) && _) eqn:C; [|discriminate].
    apply andb_prop in C; destruct C as [C P]; apply Z.leb_le in C; intro H.
    apply (leads_trans n _ (tokens (fire t c m))); [|exact (IH _ _ H)].
    apply (leads_same n _ (moved t c (tokens m))); [apply fire_spec|].
    apply orb_prop in P; destruct P as [P|P].
    + apply Z.eqb_eq in P; subst; apply leads_nowhere; intro p; unfold moved; lia.
    + apply leads_repeated; auto; exact (by_number_spec _ _ _ F).
Qed.

(** No place holds fewer tokens in the second marking. *)
Definition covers (m m' : PositiveMap.t N) : bool :=
  forallb (fun '(p, k) => N.leb k (tokens m' p)) (PositiveMap.elements m).

Lemma covers_spec : forall m m', covers m m' = true -> forall p, (tokens m p <= tokens m' p)%N.
Proof.
  intros m m' C p; unfold covers in C; rewrite forallb_forall in C.
  unfold tokens at 1; destruct (PositiveMap.find p m) as [k|] eqn:F; [|apply N.le_0_l].
  apply PositiveMap.elements_correct in F; apply N.leb_le; exact (C (p, k) F).
Qed.

Definition check_pump (numbers : PositiveMap.t transition) (first : PositiveMap.t N)
    (prefix pump : list (positive * Z)) (e : expression) : bool :=
  match fire_all numbers first prefix with
  | Some m =>
      match fire_all numbers m pump with
      | Some m' => covers m m' && (value e (tokens m) <? value e (tokens m'))
      | None => false
      end
  | None => false
  end.

(** A sum that a self-covering sequence increases is unbounded. *)
Theorem pump_sound : forall n prefix pump e,
  check_pump (by_number n) (initial_table n) prefix pump e = true -> is_true n (Unbounded e).
Proof.
  intros n prefix pump e; unfold check_pump.
  destruct (fire_all (by_number n) (initial_table n) prefix) as [m|] eqn:P; [|discriminate].
  destruct (fire_all (by_number n) m pump) as [m'|] eqn:Q; [|discriminate].
  intro H; apply andb_prop in H; destruct H as [C G]; apply Z.ltb_lt in G.
  apply fire_all_spec in P; apply fire_all_spec in Q; pose proof (covers_spec _ _ C) as D.
  assert (R : reachable n (tokens m)).
  { apply (leads_reachable n _ _ P), reachable_initial, initial_table_spec. }
  set (d := fun p => (tokens m' p - tokens m p)%N).
  set (round := fun (i : N) (p : place) => (tokens m p + i * d p)%N).
  assert (Rounds : forall i, reachable n (round i)).
  { intro i; induction i as [|i IH] using N.peano_ind.
    - apply (reachable_same n (tokens m)); [|exact R]; intro p; unfold round; lia.
    - apply (leads_reachable n (round i)); [|exact IH].
      pose proof (leads_more n (fun p => (i * d p)%N) _ _ Q) as L.
      apply (leads_trans n _ (plus (tokens m) (fun p => (i * d p)%N)));
        [apply leads_nowhere; reflexivity|].
      eapply leads_same; [|exact L]; intro p; unfold round, plus, d; specialize (D p); nia. }
  assert (V : forall i, value e (round i) =
    value e (tokens m) + Z.of_N i * (value e (tokens m') - value e (tokens m))).
  { intro i; clear -D; induction e as [|[p a] e IH]; cbn [value]; [lia|].
    assert (K : Z.of_N (round i p) =
      Z.of_N (tokens m p) + Z.of_N i * (Z.of_N (tokens m' p) - Z.of_N (tokens m p))).
    { unfold round, d; rewrite N2Z.inj_add, N2Z.inj_mul, N2Z.inj_sub by apply D; reflexivity. }
    rewrite IH, K; ring. }
  intro k; exists (round (Z.to_N (k - value e (tokens m) + 1))); split; [apply Rounds|].
  rewrite V; destruct (Z.leb_spec 0 (k - value e (tokens m) + 1)).
  - rewrite Z2N.id by assumption; nia.
  - replace (Z.to_N (k - value e (tokens m) + 1)) with 0%N by lia; lia.
Qed.
