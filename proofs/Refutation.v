(** Refutations: derivations that some facts contradict each other in every marking.

    Facts are comparisons, and disjunctions of predicates. A derivation adds up comparisons with
    multipliers (Farkas), divides by an integer and rounds (Gomory), distinguishes the cases of a
    disjunction, and may insert an auxiliary predicate. *)

Require Import ZArith List Lia Bool FMapPositive.
From Parikh Require Import Net Linear.
Import ListNotations.
Open Scope Z_scope.

(** Numbered facts, and the next number. *)
Record store := { facts : PositiveMap.t predicate; next : positive }.

Definition empty_store : store := {| facts := PositiveMap.empty predicate; next := 1%positive |}.

Definition insert (f : predicate) (s : store) : store :=
  {| facts := PositiveMap.add (next s) f (facts s); next := Pos.succ (next s) |}.

(** Adds a predicate as facts. A conjunction becomes one fact for each part. *)
Fixpoint push (f : predicate) (s : store) : store :=
  match f with
  | All l => (fix each l s := match l with [] => s | g :: r => each r (push g s) end) l s
  | _ => insert f s
  end.

Definition push_all (l : list predicate) (s : store) : store :=
  fold_left (fun s f => push f s) l s.

Definition valid (n : net) (m : marking) (s : store) : Prop :=
  forall i f, PositiveMap.find i (facts s) = Some f -> holds n m f.

Lemma valid_empty : forall n m, valid n m empty_store.
Proof. intros n m i f; cbn; rewrite PositiveMap.gempty; discriminate. Qed.

Lemma valid_insert : forall n m f s, valid n m s -> holds n m f -> valid n m (insert f s).
Proof.
  intros n m f s V H i g; cbn; destruct (Pos.eq_dec i (next s)) as [->|E].
  - rewrite PositiveMap.gss; intros [= <-]; exact H.
  - rewrite PositiveMap.gso by exact E; apply V.
Qed.

Lemma valid_push : forall n m f s, valid n m s -> holds n m f -> valid n m (push f s).
Proof.
  intros n m f; induction f as [e k|l IH|l IH|t|t| |] using predicate_induction; intros s V H;
    try (apply valid_insert; assumption).
  cbn [push]; apply holds_all in H; revert s V; induction IH as [|g r Hg _ IHr]; intros s V.
  - exact V.
  - inversion H; subst; apply IHr; [assumption|]; apply Hg; assumption.
Qed.

Lemma valid_push_all : forall n m l s,
  valid n m s -> Forall (holds n m) l -> valid n m (push_all l s).
Proof.
  intros n m l; unfold push_all; induction l as [|f r IH]; intros s V H; [exact V|].
  inversion H; subst; cbn; apply IH; [apply valid_push|]; assumption.
Qed.

Inductive derivation :=
| Contradiction (terms : list (positive * Z))
| Bound (e : expression) (k : Z) (divisor : Z) (terms : list (positive * Z)) (rest : derivation)
| Cases (fact : positive) (parts : list derivation)
| Cut (f : predicate) (refuted : derivation) (rest : derivation).

(** The comparisons with multipliers that are not negative: the left sides before [sums], and the
    sum of the right sides and [bound]. *)
Fixpoint multiples (s : store) (terms : list (positive * Z)) (sums : list expression) (bound : Z)
    : option (list expression * Z) :=
  match terms with
  | [] => Some (sums, bound)
  | (i, a) :: rest =>
      match PositiveMap.find i (facts s) with
      | Some (AtMost e k) =>
          if 0 <=? a then multiples s rest (scale a e :: sums) (a * k + bound) else None
      | _ => None
      end
  end.

(** Enough rounds for 2^64 expressions. *)
Definition rounds : nat := 64.

(** Adds up comparisons with multipliers. *)
Definition combine (s : store) (terms : list (positive * Z)) : option (expression * Z) :=
  match multiples s terms [] 0 with
  | Some (sums, bound) => Some (add_all rounds sums, bound)
  | None => None
  end.

Fixpoint refutes (s : store) (d : derivation) : bool :=
  match d with
  | Contradiction terms =>
      match combine s terms with
      | Some (e, k) => no_negative e && (k <? 0)
      | None => false
      end
  | Bound e k divisor terms rest =>
      match combine s terms with
      | Some (f, l) =>
          (0 <? divisor) && no_negative (add f (scale (- divisor) e)) && (l / divisor <=? k) &&
          refutes (insert (AtMost e k) s) rest
      | None => false
      end
  | Cases i parts =>
      match PositiveMap.find i (facts s) with
      | Some (Any l) =>
          (fix each parts l := match parts, l with
             | [], [] => true
             | d :: parts, f :: l => refutes (push f s) d && each parts l
             | _, _ => false
             end) parts l
      | _ => false
      end
  | Cut f refuted rest => refutes (push (negation f) s) refuted && refutes (push f s) rest
  end.

Section DerivationInduction.
  Variable P : derivation -> Prop.
  Hypothesis contradiction_case : forall terms, P (Contradiction terms).
  Hypothesis bound_case : forall e k q terms d, P d -> P (Bound e k q terms d).
  Hypothesis cases_case : forall i l, Forall P l -> P (Cases i l).
  Hypothesis cut_case : forall f d1 d2, P d1 -> P d2 -> P (Cut f d1 d2).
  Fixpoint derivation_induction (d : derivation) : P d :=
    match d with
    | Contradiction terms => contradiction_case terms
    | Bound e k q terms d => bound_case e k q terms d (derivation_induction d)
    | Cases i l => cases_case i l
        ((fix parts l : Forall P l := match l with
          | [] => Forall_nil P
          | d :: r => Forall_cons d (derivation_induction d) (parts r)
          end) l)
    | Cut f d1 d2 => cut_case f d1 d2 (derivation_induction d1) (derivation_induction d2)
    end.
End DerivationInduction.

Lemma combine_spec : forall n m s terms e k,
  valid n m s -> combine s terms = Some (e, k) -> value e m <= k.
Proof.
  intros n m s terms e k V; unfold combine.
  assert (H : forall sums bound sums' bound', multiples s terms sums bound = Some (sums', bound') ->
    total sums m <= bound -> total sums' m <= bound').
  { induction terms as [|[i a] r IH]; intros sums bound sums' bound'; cbn [multiples].
    - intros [= <- <-]; auto.
    - destruct (PositiveMap.find i (facts s)) as [f|] eqn:F; [|discriminate].
      destruct f as [e1 k1| | | | | |]; try discriminate.
      destruct (Z.leb_spec 0 a); [|discriminate].
      intros M B; apply (IH _ _ _ _ M); specialize (V _ _ F); cbn in V.
      change (value (scale a e1) m + total sums m <= a * k1 + bound); rewrite value_scale.
      pose proof (Z.mul_le_mono_nonneg_l _ _ a H V); lia. }
  destruct (multiples s terms [] 0) as [[sums bound]|] eqn:M; [|discriminate].
  pose proof (value_add_all m rounds sums) as A; revert A; generalize (add_all rounds sums).
  intros f A [= <- <-]; rewrite A; apply (H _ _ _ _ M); cbn; lia.
Qed.

(** A checked derivation: no marking satisfies all facts. *)
Theorem refutes_sound : forall n m d s, refutes s d = true -> valid n m s -> False.
Proof.
  intros n m d; induction d as [terms|e k q terms d IH|i l IH|f d1 d2 IH1 IH2]
    using derivation_induction; intros s; cbn [refutes].
  - destruct (combine s terms) as [[e k]|] eqn:C; [|discriminate].
    intros H V; apply andb_prop in H; destruct H as [P K]; apply Z.ltb_lt in K.
    pose proof (combine_spec _ _ _ _ _ _ V C); pose proof (no_negative_value _ m P); lia.
  - destruct (combine s terms) as [[f l]|] eqn:C; [|discriminate].
    intros H V; apply andb_prop in H; destruct H as [H R]; apply andb_prop in H;
      destruct H as [H K]; apply andb_prop in H; destruct H as [Q P].
    apply Z.ltb_lt in Q; apply Z.leb_le in K.
    apply (IH _ R), valid_insert; [exact V|]; cbn.
    pose proof (combine_spec _ _ _ _ _ _ V C) as B; pose proof (no_negative_value _ m P) as W.
    rewrite value_add, value_scale in W.
    assert (value e m <= l / q) by (apply Z.div_le_lower_bound; lia); lia.
  - destruct (PositiveMap.find i (facts s)) as [f|] eqn:F; [|discriminate].
    destruct f as [| |cases| | | |]; try discriminate.
    intros H V; pose proof (V _ _ F) as S; rewrite holds_any in S; clear F.
    revert cases H S; induction IH as [|d r Hd _ IHr]; intros [|g cases] H S;
      try discriminate; [inversion S|].
    apply andb_prop in H; destruct H as [H1 H2]; inversion S; subst.
    + apply (Hd _ H1), valid_push; assumption.
    + exact (IHr _ H2 H0).
  - intros H V; apply andb_prop in H; destruct H as [H1 H2].
    destruct (negation_spec n m f) as [Y|N].
    + exact (IH2 _ H2 (valid_push _ _ _ _ V Y)).
    + exact (IH1 _ H1 (valid_push _ _ _ _ V N)).
Qed.

(** ** Consequences *)

(** Adds predicates whose negations contradict the facts before them. *)
Fixpoint conclude (s : store) (l : list (predicate * derivation)) : option store :=
  match l with
  | [] => Some s
  | (f, d) :: r => if refutes (push (negation f) s) d then conclude (push f s) r else None
  end.

(** Consequences hold in every marking in which the facts hold. *)
Theorem conclude_sound : forall n m l s s',
  valid n m s -> conclude s l = Some s' -> valid n m s'.
Proof.
  intros n m l; induction l as [|[f d] r IH]; intros s s' V; cbn [conclude].
  - intros [= <-]; exact V.
  - destruct (refutes (push (negation f) s) d) eqn:R; [|discriminate].
    apply IH, valid_push; [exact V|].
    destruct (negation_spec n m f) as [Y|N]; [exact Y|]; exfalso.
    apply (refutes_sound n m _ _ R), valid_push; assumption.
Qed.
