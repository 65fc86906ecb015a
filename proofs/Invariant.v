(** Inductive invariants: predicates that hold initially, and that every firing preserves.

    Place invariants, traps and bounds are invariants of one comparison, whose preservation shows at
    once. Other clauses come with a refutation for each transition that may violate them. *)

Require Import ZArith List Lia Bool FMapPositive.
From Parikh Require Import Net Linear Refutation Evaluation.
Import ListNotations.
Open Scope Z_scope.

(** A predicate that holds in every reachable marking. *)
Definition invariant (n : net) (f : predicate) : Prop := forall m, reachable n m -> holds n m f.

(** Facts that hold in every reachable marking. *)
Definition invariants (n : net) (s : store) : Prop := forall m, reachable n m -> valid n m s.

(** ** The transitions of each place *)

Definition numbered := (positive * transition)%type.

Definition around (a : PositiveMap.t (list numbered)) (p : place) : list numbered :=
  match PositiveMap.find p a with Some l => l | None => [] end.

Definition places (t : transition) : list place := map fst (pre t) ++ map fst (post t).

Definition attach (x : numbered) (a : PositiveMap.t (list numbered)) (p : place) :=
  PositiveMap.add p (x :: around a p) a.

Fixpoint adjacency (ts : list transition) (j : positive) (a : PositiveMap.t (list numbered)) :=
  match ts with
  | [] => a
  | t :: r => adjacency r (Pos.succ j) (fold_left (attach (j, t)) (places t) a)
  end.

Lemma attach_keeps : forall x a p y q, In y (around a q) -> In y (around (attach x a p) q).
Proof.
  intros x a p y q H; unfold attach; unfold around at 1; destruct (Pos.eq_dec q p) as [->|E].
  - rewrite PositiveMap.gss; right; exact H.
  - rewrite PositiveMap.gso by exact E; exact H.
Qed.

Lemma fold_attach_keeps : forall x l a y q,
  In y (around a q) -> In y (around (fold_left (attach x) l a) q).
Proof.
  intros x l; induction l as [|p r IH]; intros a y q H; cbn; [exact H|].
  apply IH, attach_keeps, H.
Qed.

Lemma fold_attach : forall x l a q, In q l -> In x (around (fold_left (attach x) l a) q).
Proof.
  intros x l; induction l as [|p r IH]; intros a q H; [destruct H|].
  destruct H as [<-|H]; cbn.
  - apply fold_attach_keeps; unfold attach, around at 1; rewrite PositiveMap.gss; left; reflexivity.
  - apply IH, H.
Qed.

Lemma adjacency_keeps : forall ts j a y q, In y (around a q) -> In y (around (adjacency ts j a) q).
Proof.
  induction ts as [|t r IH]; intros j a y q H; cbn; [exact H|].
  apply IH, fold_attach_keeps, H.
Qed.

Lemma adjacency_spec : forall ts t q j a, In t ts -> In q (places t) ->
  exists i, In (i, t) (around (adjacency ts j a) q).
Proof.
  induction ts as [|u r IH]; intros t q j a T Q; [destruct T|].
  destruct T as [->|T]; cbn.
  - exists j; apply adjacency_keeps, fold_attach, Q.
  - apply IH; assumption.
Qed.

(** ** What holds before a firing, for a predicate to hold after it *)

Definition effect (e : expression) (t : transition) : Z :=
  let d := table e in product (entry d) (change t).

Fixpoint before (t : transition) (f : predicate) : predicate :=
  match f with
  | AtMost e k => AtMost e (k - effect e t)
  | All l => All (map (before t) l)
  | Any l => Any (map (before t) l)
  | _ => All []
  end.

Lemma before_spec : forall n m t m' f, fires n m t m' -> holds n m' f -> holds n m (before t f).
Proof.
  intros n m t m' f F; induction f as [e k|l IH|l IH|u|u| |] using predicate_induction;
    cbn [before]; intro H; try exact I.
  - cbn in *; rewrite (effect_spec _ _ _ _ _ F) in H; unfold effect; lia.
  - apply holds_all in H; apply holds_all; induction IH; inversion H; subst; constructor; auto.
  - apply holds_any in H; apply holds_any; induction IH; inversion H; subst; cbn; auto.
Qed.

(** ** Preservation of a clause *)

(** The reason why a transition preserves a clause: known invariants that are used in the marking
    after the firing, and a refutation. *)
Record reason := { after : list positive; why : derivation }.

Record comparison := { left : expression; coefficients : PositiveMap.t Z; right : Z }.

Definition compared (e : expression) (k : Z) : comparison :=
  {| left := e; coefficients := table e; right := k |}.

(** The comparisons of a clause; [None] if it has other parts. *)
Fixpoint comparisons (l : list predicate) : option (list comparison) :=
  match l with
  | [] => Some []
  | AtMost e k :: r =>
      match comparisons r with Some cs => Some (compared e k :: cs) | None => None end
  | _ :: _ => None
  end.

Definition parts_of (f : predicate) : list predicate :=
  match f with Any l => l | _ => [f] end.

(** No comparison of the clause becomes false. *)
Definition no_loss (t : transition) (cs : list comparison) : bool :=
  forallb (fun c => product (entry (coefficients c)) (change t) <=? 0) cs.

(** The tokens that the transition produces make a comparison true. *)
Definition restored (t : transition) (cs : list comparison) : bool :=
  existsb (fun c => no_negative (scale (-1) (left c)) &&
    (product (entry (coefficients c)) (to_expression (post t)) <=? right c)) cs.

Fixpoint known_after (t : transition) (base : store) (l : list positive) : list predicate :=
  match l with
  | [] => []
  | i :: r =>
      match PositiveMap.find i (facts base) with
      | Some f => before t f :: known_after t base r
      | None => known_after t base r
      end
  end.

Definition preserved (base extended : store) (f : predicate) (cs : list comparison)
    (reasons : PositiveMap.t reason) (x : numbered) : bool :=
  let '(j, t) := x in
  no_loss t cs || restored t cs ||
  match PositiveMap.find j reasons with
  | Some r =>
      refutes (push_all (known_after t base (after r))
        (push (before t (negation f)) (push (All (all_present t)) extended))) (why r)
  | None => false
  end.

Definition clause_with_reasons := (predicate * list (positive * reason))%type.

Definition clause_is_preserved (a : PositiveMap.t (list numbered)) (base extended : store)
    (c : clause_with_reasons) : bool :=
  let '(f, listed) := c in
  match comparisons (parts_of f) with
  | Some cs =>
      let reasons := fold_left (fun m '(j, r) => PositiveMap.add j r m) listed
        (PositiveMap.empty reason) in
      forallb (fun c => forallb (fun '(p, _) =>
        forallb (preserved base extended f cs reasons) (around a p)) (left c)) cs
  | None => false
  end.

(** Checks that clauses hold initially and are preserved together, given known invariants and
    consequences of both. Returns the store with the clauses and their consequences. [a] and [first]
    are tables of the net. *)
Definition check_inductive (n : net) (a : PositiveMap.t (list numbered)) (first : PositiveMap.t N)
    (base : store) (clauses : list clause_with_reasons) (consequences : list (predicate * derivation))
    : option store :=
  match conclude (push_all (map fst clauses) base) consequences with
  | Some extended =>
      if forallb (fun '(f, _) => evaluate n (tokens first) f) clauses &&
         forallb (clause_is_preserved a base extended) clauses
      then Some extended else None
  | None => None
  end.

Lemma comparisons_spec : forall l cs, comparisons l = Some cs ->
  l = map (fun c => AtMost (left c) (right c)) cs /\
  Forall (fun c => coefficients c = table (left c)) cs.
Proof.
  induction l as [|f r IH]; cbn; intros cs; [intros [= <-]; auto|].
  destruct f as [e k| | | | | |]; try discriminate.
  destruct (comparisons r) as [ds|]; [|discriminate]; intros [= <-].
  destruct (IH ds eq_refl) as [-> H]; cbn; auto.
Qed.

Lemma clause_parts : forall n m f, holds n m f <-> Exists (holds n m) (parts_of f).
Proof.
  intros n m f; destruct f; try apply holds_any; cbn [parts_of]; split; intro H; auto;
    inversion H as [? ? K|? ? K]; subst; [exact K | inversion K | exact K | inversion K
    | exact K | inversion K | exact K | inversion K | exact K | inversion K | exact K | inversion K].
Qed.

Lemma product_none : forall e d, (forall p, In p (map fst d) -> coefficient e p = 0) ->
  product (coefficient e) d = 0.
Proof.
  intros e d; induction d as [|[p b] d IH]; cbn; intro H; [reflexivity|].
  rewrite IH, (H p) by auto; ring.
Qed.

Lemma coefficient_0 : forall e p, ~ In p (map fst e) -> coefficient e p = 0.
Proof.
  induction e as [|[q a] e IH]; cbn; intros p H; [reflexivity|].
  destruct (Pos.eqb_spec q p); [exfalso; auto|]; rewrite IH; auto.
Qed.

Lemma change_places : forall t p, In p (map fst (change t)) -> In p (places t).
Proof.
  intros t p; unfold change, places, to_expression, scale; rewrite map_app, !map_map, in_app_iff.
  intros [H|H]; apply in_or_app; [right|left]; apply in_map_iff in H; apply in_map_iff;
    destruct H as [[q w] [E H]]; exists (q, w); auto.
Qed.

(** A transition either changes no comparison, or the checks have visited it. *)
Lemma visited : forall ts cs t (P : numbered -> Prop),
  Forall (fun c => coefficients c = table (left c)) cs ->
  (forall c, In c cs -> forall p a, In (p, a) (left c) ->
    Forall P (around (adjacency ts 1 (PositiveMap.empty _)) p)) ->
  In t ts -> no_loss t cs = true \/ exists j, P (j, t).
Proof.
  intros ts cs t P T V I; unfold no_loss.
  induction cs as [|c r IH]; [left; reflexivity|].
  inversion T as [|? ? Tc Tr]; subst.
  destruct (Exists_dec (fun p => In p (places t)) (map fst (left c))
    (fun p => in_dec Pos.eq_dec p (places t))) as [Y|N].
  - right; apply Exists_exists in Y; destruct Y as [p [Hp Q]].
    apply in_map_iff in Hp; destruct Hp as [[q a] [E Hp]]; cbn in E; subst q.
    destruct (adjacency_spec ts t p 1 (PositiveMap.empty _) I Q) as [j J]; exists j.
    specialize (V c (or_introl eq_refl) p a Hp); rewrite Forall_forall in V; apply V, J.
  - destruct (IH Tr) as [L|R]; [intros; eapply V; [right|]; eassumption| |right; exact R].
    left; cbn [forallb]; rewrite L, andb_true_r; apply Z.leb_le.
    rewrite Tc, (product_extensional _ _ _ (entry_table (left c))), product_none; [lia|].
    intros p Hp; apply coefficient_0; intro K; apply N, Exists_exists; exists p.
    split; [exact K | apply change_places, Hp].
Qed.

Lemma no_loss_spec : forall n m t m' cs, fires n m t m' -> no_loss t cs = true ->
  Forall (fun c => coefficients c = table (left c)) cs ->
  Exists (holds n m) (map (fun c => AtMost (left c) (right c)) cs) ->
  Exists (holds n m') (map (fun c => AtMost (left c) (right c)) cs).
Proof.
  intros n m t m' cs F; unfold no_loss; induction cs as [|c r IH]; intros L T E; [inversion E|].
  cbn [forallb map] in L, E |- *.
  apply andb_prop in L; destruct L as [Lc Lr]; inversion T as [|? ? Tc Tr]; subst.
  inversion E as [? ? H|? ? H]; subst; [|right; apply IH; assumption].
  left; cbn in *; rewrite (effect_spec _ _ _ _ _ F), <- Tc; apply Z.leb_le in Lc; lia.
Qed.

Lemma restored_spec : forall n m t m' cs, fires n m t m' -> restored t cs = true ->
  Forall (fun c => coefficients c = table (left c)) cs ->
  Exists (holds n m') (map (fun c => AtMost (left c) (right c)) cs).
Proof.
  intros n m t m' cs F R T; unfold restored in R; apply existsb_exists in R.
  destruct R as [c [Hc R]]; apply andb_prop in R; destruct R as [P K]; apply Z.leb_le in K.
  apply Exists_exists; exists (AtMost (left c) (right c)); split.
  - apply in_map_iff; exists c; auto.
  - rewrite Forall_forall in T; specialize (T c Hc); cbn.
    pose proof (value_after _ _ _ _ _ F P) as V; rewrite value_scale in V.
    rewrite T, (product_extensional _ _ _ (entry_table (left c))), <- product_swap in K.
    assert (S : forall e, product (fun p => Z.of_N (weight (post t) p)) (scale (-1) e) =
      - product (coefficient (to_expression (post t))) e).
    { induction e as [|[p b] e IH]; [reflexivity|].
      cbn [scale map product] in *; unfold scale in IH; rewrite IH, coefficient_arcs; ring. }
    rewrite S in V; lia.
Qed.

Lemma known_after_spec : forall n m t m' base l, fires n m t m' -> valid n m' base ->
  Forall (holds n m) (known_after t base l).
Proof.
  intros n m t m' base l F V; induction l as [|i r IH]; cbn; [constructor|].
  destruct (PositiveMap.find i (facts base)) as [f|] eqn:E; [|exact IH].
  constructor; [|exact IH]; exact (before_spec _ _ _ _ _ F (V _ _ E)).
Qed.

(** Clauses that pass the check are invariants. *)
Theorem inductive_sound : forall n base clauses consequences extended,
  invariants n base ->
  check_inductive n (adjacency (transitions n) 1 (PositiveMap.empty _)) (initial_table n) base
    clauses consequences = Some extended ->
  invariants n extended.
Proof.
  intros n base clauses consequences extended B; unfold check_inductive.
  destruct (conclude (push_all (map fst clauses) base) consequences) as [ext|] eqn:K;
    [|discriminate].
  match goal with |- (if ?b then _ else _) = _ -> _ => destruct b eqn:C end; [|discriminate].
  intros [= <-]; apply andb_prop in C; destruct C as [C0 C1].
  rewrite forallb_forall in C0, C1.
  assert (Main : forall m, reachable n m -> Forall (holds n m) (map fst clauses)).
  { intros m R; induction R as [m I|m t m' R IH F].
    - apply Forall_forall; intros f Hf; apply in_map_iff in Hf.
      destruct Hf as [[g rs] [E Hf]]; cbn in E; subst g.
      specialize (C0 _ Hf); cbn in C0; apply evaluate_spec in C0.
      apply (holds_same n (tokens (initial_table n)) m f); [|exact C0].
      intro p; rewrite I, initial_table_spec; reflexivity.
    - assert (V : valid n m ext).
      { apply (conclude_sound n m consequences (push_all (map fst clauses) base)); [|exact K].
        apply valid_push_all; [apply B, R | exact IH]. }
      assert (V' : valid n m' base) by (apply B; exact (reachable_step _ _ _ _ R F)).
      apply Forall_forall; intros f Hf.
      assert (Hm : holds n m f) by (rewrite Forall_forall in IH; exact (IH f Hf)).
      apply in_map_iff in Hf; destruct Hf as [[g rs] [E Hf]]; cbn in E; subst g.
      specialize (C1 _ Hf); unfold clause_is_preserved in C1.
      destruct (comparisons (parts_of f)) as [cs|] eqn:P; [|discriminate].
      destruct (comparisons_spec _ _ P) as [Q T].
      set (reasons := fold_left (fun m '(j, r) => PositiveMap.add j r m) rs
        (PositiveMap.empty reason)) in C1.
      rewrite forallb_forall in C1.
      assert (V1 : no_loss t cs = true \/
          exists j, preserved base ext f cs reasons (j, t) = true).
      { apply (visited (transitions n) cs t
          (fun x => preserved base ext f cs reasons x = true) T).
        - intros c Hc p a Hp; specialize (C1 c Hc); rewrite forallb_forall in C1.
          specialize (C1 (p, a) Hp); cbn in C1; rewrite forallb_forall in C1.
          apply Forall_forall; exact C1.
        - apply F. }
      apply clause_parts; rewrite Q.
      apply clause_parts in Hm; rewrite Q in Hm.
      destruct V1 as [L|[j J]]; [exact (no_loss_spec _ _ _ _ _ F L T Hm)|].
      unfold preserved in J; apply orb_prop in J; destruct J as [J|J].
      + apply orb_prop in J; destruct J as [L|S].
        * exact (no_loss_spec _ _ _ _ _ F L T Hm).
        * exact (restored_spec _ _ _ _ _ F S T).
      + destruct (PositiveMap.find j reasons) as [r|]; [|discriminate].
        destruct (negation_spec n m' f) as [Y|N].
        * apply clause_parts in Y; rewrite Q in Y; exact Y.
        * exfalso; apply (refutes_sound n m _ _ J).
          apply valid_push_all; [|exact (known_after_spec _ _ _ _ _ _ F V')].
          apply valid_push; [|exact (before_spec _ _ _ _ _ F N)].
          apply valid_push; [exact V|]; apply enabled_expands; apply F. }
  intros m R; apply (conclude_sound n m consequences (push_all (map fst clauses) base)); [|exact K].
  apply valid_push_all; [apply B, R | exact (Main m R)].
Qed.

(** ** Place invariants and traps, as in a textbook

    The checks above include these two classical rules. *)

(** If no firing increases a weighted sum of tokens, it never exceeds its initial value. *)
Theorem weights_sound : forall n e k,
  (forall t, In t (transitions n) -> effect e t <= 0) ->
  value e (fun p => weight (initial n) p) <= k ->
  invariant n (AtMost e k).
Proof.
  intros n e k D I m R; induction R as [m E|m t m' R IH F].
  - cbn; rewrite (value_same (fun p => weight (initial n) p) m e E); exact I.
  - cbn in *; rewrite (effect_spec _ _ _ _ _ F); specialize (D t (proj1 F)); unfold effect in D; lia.
Qed.
