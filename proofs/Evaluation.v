(** Markings as tables of numbers, and the value of a predicate in one marking. *)

Require Import ZArith List Lia Bool FMapPositive.
From Parikh Require Import Net Linear.
Import ListNotations.

(** The marking of a table. A place without an entry is empty. *)
Definition tokens (m : PositiveMap.t N) : marking :=
  fun p => match PositiveMap.find p m with Some k => k | None => 0%N end.

(** Sets the number of tokens. Empty places have no entry, so that equal markings are equal tables. *)
Definition set (p : place) (k : N) (m : PositiveMap.t N) : PositiveMap.t N :=
  if N.eqb k 0 then PositiveMap.remove p m else PositiveMap.add p k m.

Lemma tokens_set : forall p k m q, tokens (set p k m) q = if Pos.eqb p q then k else tokens m q.
Proof.
  intros p k m q; unfold tokens, set; destruct (Pos.eqb_spec p q) as [->|E];
    destruct (N.eqb_spec k 0) as [->|K].
  - rewrite PositiveMap.grs; reflexivity.
  - rewrite PositiveMap.gss; reflexivity.
  - rewrite PositiveMap.gro by auto; reflexivity.
  - rewrite PositiveMap.gso by auto; reflexivity.
Qed.

Definition initial_table (n : net) : PositiveMap.t N :=
  fold_left (fun m '(p, w) => set p (tokens m p + w) m)%N (initial n) (PositiveMap.empty N).

Lemma initial_table_spec : forall n p, tokens (initial_table n) p = weight (initial n) p.
Proof.
  intros n p; unfold initial_table.
  assert (H : forall (l : list (place * N)) m,
    tokens (fold_left (fun m '(p, w) => set p (tokens m p + w) m)%N l m) p =
    (tokens m p + weight l p)%N).
  { induction l as [|[q w] r IH]; intro m; cbn [fold_left weight]; [lia|].
    rewrite IH, tokens_set; destruct (Pos.eqb_spec q p) as [->|E]; lia. }
  rewrite H; unfold tokens; rewrite PositiveMap.gempty; reflexivity.
Qed.

(** Markings with the same tokens are not distinguished. *)
Lemma reachable_same : forall n m m',
  (forall p, m' p = m p) -> reachable n m -> reachable n m'.
Proof.
  intros n m m' E R; inversion R as [m0 I|m0 t m1 R0 F]; subst.
  - apply reachable_initial; intro p; rewrite E; apply I.
  - destruct F as (T & En & F); apply (reachable_step n m0 t m' R0).
    split; [exact T | split; [exact En|]]; intro p; rewrite E; apply F.
Qed.

Lemma value_same : forall m m' e, (forall p, m' p = m p) -> value e m' = value e m.
Proof.
  intros m m' e E; induction e as [|[p a] e IH]; cbn; [reflexivity | rewrite E, IH; reflexivity].
Qed.

Lemma enabled_same : forall m m' t, (forall p, m' p = m p) -> (enabled m' t <-> enabled m t).
Proof. intros m m' t E; unfold enabled; split; intros H p; specialize (H p); rewrite E in *; auto. Qed.

Lemma dead_same : forall n m m', (forall p, m' p = m p) -> (dead n m' <-> dead n m).
Proof.
  intros n m m' E; unfold dead; split; intros H t T D; apply (H t T);
    [apply (enabled_same m m' t E) | apply (enabled_same m m' t E)]; exact D.
Qed.

Lemma holds_same : forall n m m' f, (forall p, m' p = m p) -> (holds n m' f <-> holds n m f).
Proof.
  intros n m m' f E; induction f as [e k|l IH|l IH|t|t| |] using predicate_induction.
  - cbn; rewrite (value_same m m' e E); reflexivity.
  - rewrite !holds_all; induction IH as [|g r Hg _ IHr]; split; intro H; auto;
      inversion H; subst; constructor; try (apply Hg; assumption); apply IHr; assumption.
  - rewrite !holds_any; induction IH as [|g r Hg _ IHr]; split; intro H; auto;
      inversion H; subst;
      solve [left; apply Hg; assumption | right; apply IHr; assumption].
  - apply enabled_same; exact E.
  - cbn; rewrite (enabled_same m m' t E); reflexivity.
  - apply dead_same; exact E.
  - cbn; rewrite (dead_same n m m' E); reflexivity.
Qed.

(** ** Evaluation *)

Definition is_enabled (m : marking) (t : transition) : bool :=
  forallb (fun '(p, _) => N.leb (weight (pre t) p) (m p)) (pre t).

Definition is_dead (n : net) (m : marking) : bool :=
  forallb (fun t => negb (is_enabled m t)) (transitions n).

Fixpoint evaluate (n : net) (m : marking) (f : predicate) : bool :=
  match f with
  | AtMost e k => Z.leb (value e m) k
  | All l => forallb (evaluate n m) l
  | Any l => existsb (evaluate n m) l
  | Enabled t => is_enabled m t
  | Disabled t => negb (is_enabled m t)
  | Dead => is_dead n m
  | NotDead => negb (is_dead n m)
  end.

Lemma is_enabled_spec : forall m t, is_enabled m t = true <-> enabled m t.
Proof.
  intros m t; unfold is_enabled; rewrite forallb_forall; split; intro H.
  - intro p; destruct (in_dec Pos.eq_dec p (map fst (pre t))) as [I|I].
    + apply in_map_iff in I; destruct I as [[q w] [E I]]; cbn in E; subst.
      apply N.leb_le; exact (H _ I).
    + rewrite weight_0 by exact I; apply N.le_0_l.
  - intros [p w] _; apply N.leb_le, H.
Qed.

Lemma is_dead_spec : forall n m, is_dead n m = true <-> dead n m.
Proof.
  intros n m; unfold is_dead, dead; rewrite forallb_forall; split; intros H t T.
  - specialize (H t T); rewrite <- is_enabled_spec; destruct (is_enabled m t); easy.
  - specialize (H t T); rewrite <- is_enabled_spec in H; destruct (is_enabled m t); auto.
Qed.

Lemma negb_spec : forall (b : bool) (P : Prop), (b = true <-> P) -> (negb b = true <-> ~ P).
Proof. intros [|] P H; cbn; split; intro K; try tauto; try discriminate.
  intro; apply H in H0; discriminate. Qed.

Lemma evaluate_spec : forall n m f, evaluate n m f = true <-> holds n m f.
Proof.
  intros n m f; induction f as [e k|l IH|l IH|t|t| |] using predicate_induction.
  - cbn; apply Z.leb_le.
  - rewrite holds_all; cbn; induction IH as [|g r Hg _ IHr]; cbn.
    + split; auto.
    + rewrite andb_true_iff, Hg, IHr; split; [intros []; constructor; auto|].
      intro H; inversion H; auto.
  - rewrite holds_any; cbn; induction IH as [|g r Hg _ IHr]; cbn.
    + split; [discriminate | intro H; inversion H].
    + rewrite orb_true_iff, Hg, IHr; split; [intros []; auto|].
      intro H; inversion H; auto.
  - apply is_enabled_spec.
  - apply negb_spec, is_enabled_spec.
  - apply is_dead_spec.
  - apply negb_spec, is_dead_spec.
Qed.
