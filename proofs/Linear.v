(** Expressions, predicates without transitions, and their facts. *)

Require Import ZArith List Lia Bool FMapPositive.
From Parikh Require Import Net.
Import ListNotations.
Open Scope Z_scope.

Lemma Forall_all : forall {A} (P : A -> Prop) (l : list A),
  (fix all l := match l with [] => True | a :: r => P a /\ all r end) l <-> Forall P l.
Proof.
  intros A P l; induction l as [|a r IH]; split; intro H; auto.
  - destruct H as [Ha Hr]; constructor; [exact Ha | apply IH, Hr].
  - inversion H; subst; split; [assumption | apply IH; assumption].
Qed.

Lemma Exists_any : forall {A} (P : A -> Prop) (l : list A),
  (fix any l := match l with [] => False | a :: r => P a \/ any r end) l <-> Exists P l.
Proof.
  intros A P l; induction l as [|a r IH]; split; intro H; auto.
  - contradiction.
  - inversion H.
  - destruct H as [Ha|Hr]; [left; exact Ha | right; apply IH, Hr].
  - inversion H; subst; [left; assumption | right; apply IH; assumption].
Qed.

Lemma holds_all : forall n m l, holds n m (All l) <-> Forall (holds n m) l.
Proof. intros; apply Forall_all. Qed.

Lemma holds_any : forall n m l, holds n m (Any l) <-> Exists (holds n m) l.
Proof. intros; apply Exists_any. Qed.

(** Induction over predicates, with the parts of conjunctions and disjunctions. *)
Section PredicateInduction.
  Variable P : predicate -> Prop.
  Hypothesis at_most : forall e k, P (AtMost e k).
  Hypothesis all : forall l, Forall P l -> P (All l).
  Hypothesis any : forall l, Forall P l -> P (Any l).
  Hypothesis on : forall t, P (Enabled t).
  Hypothesis off : forall t, P (Disabled t).
  Hypothesis dead_case : P Dead.
  Hypothesis not_dead_case : P NotDead.
  Fixpoint predicate_induction (f : predicate) : P f :=
    let parts := fix parts l : Forall P l :=
      match l with
      | [] => Forall_nil P
      | g :: r => Forall_cons g (predicate_induction g) (parts r)
      end in
    match f with
    | AtMost e k => at_most e k
    | All l => all l (parts l)
    | Any l => any l (parts l)
    | Enabled t => on t
    | Disabled t => off t
    | Dead => dead_case
    | NotDead => not_dead_case
    end.
End PredicateInduction.

(** ** Arithmetic of expressions *)

Definition scale (a : Z) (e : expression) : expression := map (fun '(p, b) => (p, a * b)) e.

(** Adds two expressions. The result is sorted if both are, so that equal places meet. *)
Fixpoint add (e : expression) : expression -> expression :=
  match e with
  | [] => fun f => f
  | (p, a) :: e' =>
      fix inner (f : expression) : expression :=
        match f with
        | [] => (p, a) :: e'
        | (q, b) :: f' =>
            match Pos.compare p q with
            | Lt => (p, a) :: add e' f
            | Gt => (q, b) :: inner f'
            | Eq => (p, a + b) :: add e' f'
            end
        end
  end.

Lemma value_scale : forall a e m, value (scale a e) m = a * value e m.
Proof.
  intros a e m; induction e as [|[p b] e IH]; cbn [scale map value] in *; [lia|].
  unfold scale in IH; rewrite IH; ring.
Qed.

Lemma value_add : forall e f m, value (add e f) m = value e m + value f m.
Proof.
  induction e as [|[p a] e IH]; intros f m; [reflexivity|].
  induction f as [|[q b] f IHf]; [cbn; lia|].
  cbn [add]; destruct (Pos.compare_spec p q) as [E|L|G].
  - subst; cbn [value]; rewrite IH; ring.
  - cbn [value]; rewrite IH; cbn [value]; ring.
  - change ((fix inner (f0 : expression) : expression := match f0 with
        | [] => (p, a) :: e
        | (q0, b0) :: f' => match Pos.compare p q0 with
            | Lt => (p, a) :: add e f0 | Gt => (q0, b0) :: inner f'
            | Eq => (p, a + b0) :: add e f' end end) f) with (add ((p, a) :: e) f).
    cbn [value] in *; rewrite IHf; ring.
Qed.

(** Adds many expressions, in pairs: fewer steps than one by one. [rounds] bounds the depth. *)
Fixpoint add_pairs (l : list expression) : list expression :=
  match l with
  | e :: f :: r => add e f :: add_pairs r
  | _ => l
  end.

Fixpoint add_all (rounds : nat) (l : list expression) : expression :=
  match l, rounds with
  | [], _ => []
  | [e], _ => e
  | _, O => fold_right add [] l
  | _, S rounds => add_all rounds (add_pairs l)
  end.

Definition total (l : list expression) (m : marking) : Z :=
  fold_right (fun e v => value e m + v) 0 l.

Lemma total_pairs : forall m l, total (add_pairs l) m = total l m.
Proof.
  intro m; fix IH 1; intros [|e [|f r]]; cbn [add_pairs]; [reflexivity..|].
  unfold total in *; cbn [fold_right]; rewrite value_add, IH; lia.
Qed.

Lemma value_add_all : forall m rounds l, value (add_all rounds l) m = total l m.
Proof.
  intro m; induction rounds as [|rounds IH]; intros [|e [|f r]]; cbn [add_all];
    try reflexivity; try (unfold total; cbn; lia).
  - unfold total; cbn [fold_right]; rewrite !value_add; do 2 f_equal.
    induction r as [|g r IHr]; cbn [fold_right]; [reflexivity | rewrite value_add, IHr; lia].
  - rewrite IH; apply total_pairs.
Qed.

Definition no_negative (e : expression) : bool := forallb (fun '(_, a) => 0 <=? a) e.

Lemma no_negative_value : forall e m, no_negative e = true -> 0 <= value e m.
Proof.
  intros e m; induction e as [|[p a] e IH]; cbn; [lia|]; intro H.
  apply andb_prop in H; destruct H as [Ha He]; apply Z.leb_le in Ha.
  specialize (IH He); nia.
Qed.

(** ** Negation *)

Fixpoint negation (f : predicate) : predicate :=
  match f with
  | AtMost e k => AtMost (scale (-1) e) (- k - 1)
  | All l => Any (map negation l)
  | Any l => All (map negation l)
  | Enabled t => Disabled t
  | Disabled t => Enabled t
  | Dead => NotDead
  | NotDead => Dead
  end.

Lemma weight_0 : forall (arcs : list (place * N)) p, ~ In p (map fst arcs) -> weight arcs p = 0%N.
Proof.
  induction arcs as [|[q w] r IH]; cbn; intros p Hn; [reflexivity|].
  destruct (Pos.eqb_spec q p) as [E|E]; [exfalso; apply Hn; left; exact E|].
  apply IH; intro; apply Hn; right; assumption.
Qed.

Lemma enabled_decidable : forall m t, enabled m t \/ ~ enabled m t.
Proof.
  intros m t; unfold enabled.
  assert (H : forall arcs : list (place * N),
    (forall p, In p (map fst arcs) -> (weight (pre t) p <= m p)%N) \/
    ~ (forall p, In p (map fst arcs) -> (weight (pre t) p <= m p)%N)).
  { induction arcs as [|[q w] r [Yes|No]]; cbn.
    - left; intros p [].
    - destruct (N.leb_spec (weight (pre t) q) (m q)).
      + left; intros p [<-|Hin]; auto.
      + right; intro Every; specialize (Every q (or_introl eq_refl)); lia.
    - right; intro Every; apply No; auto. }
  destruct (H (pre t)) as [Yes|No].
  - left; intro p; destruct (in_dec Pos.eq_dec p (map fst (pre t))) as [I|I]; [auto|].
    rewrite weight_0 by exact I; lia.
  - right; intro Every; apply No; auto.
Qed.

Lemma dead_decidable : forall n m, dead n m \/ ~ dead n m.
Proof.
  intros n m; unfold dead; induction (transitions n) as [|t r [Yes|No]].
  - left; intros t [].
  - destruct (enabled_decidable m t) as [E|E].
    + right; intro H; exact (H t (or_introl eq_refl) E).
    + left; intros u [<-|Hin]; auto.
  - right; intro H; apply No; intros u Hin; apply H; right; exact Hin.
Qed.

Lemma negation_spec : forall n m f, holds n m f \/ holds n m (negation f).
Proof.
  intros n m f; induction f as [e k|l IH|l IH|t|t| |] using predicate_induction; cbn [negation].
  - cbn; rewrite value_scale; lia.
  - rewrite holds_all, holds_any; induction IH as [|g r Hg _ [Every|Some]].
    + left; constructor.
    + destruct Hg; [left; constructor; assumption | right; left; assumption].
    + right; right; assumption.
  - rewrite holds_any, holds_all; induction IH as [|g r Hg _ [Some|Every]].
    + right; constructor.
    + left; right; assumption.
    + destruct Hg; [left; left; assumption | right; constructor; assumption].
  - cbn; apply enabled_decidable.
  - cbn; destruct (enabled_decidable m t); auto.
  - cbn; apply dead_decidable.
  - cbn; destruct (dead_decidable n m); auto.
Qed.

(** ** Predicates whose only leaves are comparisons *)

Definition some_missing (t : transition) : list predicate :=
  map (fun '(p, _) => AtMost [(p, 1)] (Z.of_N (weight (pre t) p) - 1)) (pre t).

Definition all_present (t : transition) : list predicate :=
  map (fun '(p, _) => AtMost [(p, -1)] (- Z.of_N (weight (pre t) p))) (pre t).

(** Conjunctions and disjunctions without constants, and without parts of their own kind. *)
Definition conjuncts (f : predicate) : list predicate := match f with All l => l | _ => [f] end.
Definition disjuncts (f : predicate) : list predicate := match f with Any l => l | _ => [f] end.

Definition is_false (f : predicate) : bool := match f with Any [] => true | _ => false end.
Definition is_trivial (f : predicate) : bool := match f with All [] => true | _ => false end.

Definition conjunction (l : list predicate) : predicate :=
  match flat_map conjuncts l with
  | [f] => f
  | l => if existsb is_false l then Any [] else All l
  end.

Definition disjunction (l : list predicate) : predicate :=
  match flat_map disjuncts l with
  | [f] => f
  | l => if existsb is_trivial l then All [] else Any l
  end.

Fixpoint expand (n : net) (f : predicate) : predicate :=
  match f with
  | AtMost e k => f
  | All l => conjunction (map (expand n) l)
  | Any l => disjunction (map (expand n) l)
  | Enabled t => conjunction (all_present t)
  | Disabled t => disjunction (some_missing t)
  | Dead => conjunction (map (fun t => disjunction (some_missing t)) (transitions n))
  | NotDead => disjunction (map (fun t => conjunction (all_present t)) (transitions n))
  end.

Lemma conjuncts_spec : forall n m f, holds n m f -> Forall (holds n m) (conjuncts f).
Proof.
  intros n m f H; destruct f; try (constructor; [exact H | constructor]).
  apply holds_all, H.
Qed.

Lemma disjuncts_spec : forall n m f, holds n m f -> Exists (holds n m) (disjuncts f).
Proof.
  intros n m f H; destruct f; try (left; exact H).
  apply holds_any, H.
Qed.

Lemma conjunction_spec : forall n m l, Forall (holds n m) l -> holds n m (conjunction l).
Proof.
  intros n m l H; unfold conjunction.
  assert (F : Forall (holds n m) (flat_map conjuncts l)).
  { induction H as [|f r Hf _ IH]; cbn; [constructor|].
    apply Forall_app; split; [apply conjuncts_spec, Hf | exact IH]. }
  assert (K : existsb is_false (flat_map conjuncts l) = false).
  { destruct (existsb is_false (flat_map conjuncts l)) eqn:E; [|reflexivity].
    apply existsb_exists in E; destruct E as [f [I E]]; rewrite Forall_forall in F.
    specialize (F f I); destruct f as [| |[|]| | | |]; try discriminate; destruct F. }
  destruct (flat_map conjuncts l) as [|f [|g r]].
  - exact I.
  - inversion F; assumption.
  - rewrite K; apply holds_all, F.
Qed.

Lemma disjunction_spec : forall n m l, Exists (holds n m) l -> holds n m (disjunction l).
Proof.
  intros n m l H; unfold disjunction.
  assert (F : Exists (holds n m) (flat_map disjuncts l)).
  { apply Exists_exists in H; destruct H as [f [I H]]; apply disjuncts_spec in H.
    apply Exists_exists in H; destruct H as [g [J H]]; apply Exists_exists; exists g.
    split; [apply in_flat_map; exists f; auto | exact H]. }
  destruct (flat_map disjuncts l) as [|f [|g r]].
  - inversion F.
  - inversion F as [? ? Hf|? ? Hr]; subst; [exact Hf | inversion Hr].
  - destruct (existsb is_trivial (f :: g :: r)); [exact I | apply holds_any, F].
Qed.

Lemma enabled_expands : forall n m t, enabled m t -> holds n m (All (all_present t)).
Proof.
  intros n m t E; apply holds_all; unfold all_present; apply Forall_forall; intros f Hin.
  apply in_map_iff in Hin; destruct Hin as [[p w] [<- _]]; cbn [holds value].
  specialize (E p); lia.
Qed.

Lemma disabled_expands : forall n m t, ~ enabled m t -> holds n m (Any (some_missing t)).
Proof.
  intros n m t D; apply holds_any; unfold some_missing.
  assert (H : forall arcs : list (place * N), Exists (holds n m) (map (fun '(p, _) =>
      AtMost [(p, 1)] (Z.of_N (weight (pre t) p) - 1)) arcs) \/
    forall p, In p (map fst arcs) -> (weight (pre t) p <= m p)%N).
  { induction arcs as [|[q w] r [Yes|No]]; cbn [map].
    - right; intros p [].
    - left; right; exact Yes.
    - destruct (N.leb_spec (weight (pre t) q) (m q)).
      + right; intros p [<-|Hin]; auto.
      + left; left; cbn [holds value]; lia. }
  destruct (H (pre t)) as [Yes|No]; [exact Yes|].
  exfalso; apply D; intro p.
  destruct (in_dec Pos.eq_dec p (map fst (pre t))) as [I|I]; [auto|].
  rewrite weight_0 by exact I; lia.
Qed.

Lemma expand_spec : forall n m f, holds n m f -> holds n m (expand n f).
Proof.
  intros n m f; induction f as [e k|l IH|l IH|t|t| |] using predicate_induction; cbn [expand].
  - auto.
  - rewrite holds_all; intro H; apply conjunction_spec; induction IH; inversion H; subst; cbn; auto.
  - rewrite holds_any; intro H; apply disjunction_spec; induction IH; inversion H; subst; cbn; auto.
  - intro H; apply conjunction_spec, (proj1 (holds_all n m _)), enabled_expands, H.
  - intro H; apply disjunction_spec, (proj1 (holds_any n m _)), disabled_expands, H.
  - intro H; apply conjunction_spec, Forall_forall; intros f Hin.
    apply in_map_iff in Hin; destruct Hin as [t [<- Ht]].
    apply disjunction_spec, (proj1 (holds_any n m _)), disabled_expands; exact (H t Ht).
  - intro H; apply disjunction_spec; cbn in H; unfold dead in H.
    assert (K : forall ts, (forall t, In t ts -> ~ enabled m t) \/
      Exists (holds n m) (map (fun t => conjunction (all_present t)) ts)).
    { induction ts as [|t r [None|Some]]; cbn [map].
      - left; intros t [].
      - destruct (enabled_decidable m t) as [E|E].
        + right; left; apply conjunction_spec, (proj1 (holds_all n m _)), enabled_expands; exact E.
        + left; intros u [<-|Hin]; auto.
      - right; right; exact Some. }
    destruct (K (transitions n)) as [None|Some]; [contradiction | exact Some].
Qed.

(** ** The effect of firing *)

Fixpoint coefficient (e : expression) (p : place) : Z :=
  match e with
  | [] => 0
  | (q, a) :: rest => (if Pos.eqb q p then a else 0) + coefficient rest p
  end.

Definition to_expression (arcs : list (place * N)) : expression :=
  map (fun '(p, w) => (p, Z.of_N w)) arcs.

(** The change of each place when [t] fires. *)
Definition change (t : transition) : expression :=
  to_expression (post t) ++ scale (-1) (to_expression (pre t)).

Lemma coefficient_app : forall e f p, coefficient (e ++ f) p = coefficient e p + coefficient f p.
Proof. induction e as [|[q a] e IH]; intros; cbn; [reflexivity | rewrite IH; ring]. Qed.

Lemma coefficient_scale : forall a e p, coefficient (scale a e) p = a * coefficient e p.
Proof.
  intros a e p; unfold scale; induction e as [|[q b] e IH]; cbn [map coefficient]; [lia|].
  rewrite IH; destruct (Pos.eqb q p); ring.
Qed.

Lemma coefficient_arcs : forall arcs p, coefficient (to_expression arcs) p = Z.of_N (weight arcs p).
Proof.
  induction arcs as [|[q w] r IH]; intro p; cbn; [reflexivity|].
  unfold to_expression in IH; rewrite IH; destruct (Pos.eqb q p); lia.
Qed.

Lemma coefficient_change : forall t p,
  coefficient (change t) p = Z.of_N (weight (post t) p) - Z.of_N (weight (pre t) p).
Proof.
  intros; unfold change; rewrite coefficient_app, coefficient_scale, !coefficient_arcs; lia.
Qed.

Lemma fires_change : forall n m t m' p, fires n m t m' ->
  Z.of_N (m' p) = Z.of_N (m p) + coefficient (change t) p.
Proof.
  intros n m t m' p (_ & E & F); rewrite coefficient_change, F; specialize (E p); lia.
Qed.

(** The change of an expression, computed place by place of the transition. *)
Fixpoint product (e : place -> Z) (d : expression) : Z :=
  match d with
  | [] => 0
  | (p, b) :: rest => b * e p + product e rest
  end.

Lemma product_cons : forall p a e d,
  product (coefficient ((p, a) :: e)) d = a * coefficient d p + product (coefficient e) d.
Proof.
  intros p a e d; induction d as [|[q b] d IH]; [cbn; ring|].
  cbn [product]; rewrite IH; cbn [coefficient].
  rewrite (Pos.eqb_sym p q); destruct (Pos.eqb q p); ring.
Qed.

Lemma product_swap : forall e d,
  product (coefficient d) e = product (coefficient e) d.
Proof.
  induction e as [|[p a] e IH]; intro d.
  - induction d as [|[q b] d IHd]; [reflexivity|].
    cbn [product] in *; rewrite <- IHd; cbn [coefficient]; ring.
  - rewrite product_cons; cbn [product]; rewrite IH; reflexivity.
Qed.

Lemma value_fires : forall n m t m' e, fires n m t m' ->
  value e m' = value e m + product (coefficient e) (change t).
Proof.
  intros n m t m' e F; rewrite <- product_swap.
  induction e as [|[p a] e IH]; cbn; [reflexivity|].
  rewrite IH, (fires_change _ _ _ _ p F); ring.
Qed.

(** The coefficients of an expression as a table. *)
Definition table_add (table : PositiveMap.t Z) (entry : place * Z) : PositiveMap.t Z :=
  let '(p, a) := entry in
  PositiveMap.add p (match PositiveMap.find p table with Some b => b + a | None => a end) table.

Definition table (e : expression) : PositiveMap.t Z :=
  fold_left table_add e (PositiveMap.empty Z).

Definition entry (t : PositiveMap.t Z) (p : place) : Z :=
  match PositiveMap.find p t with Some a => a | None => 0 end.

Lemma entry_add : forall t p a q, entry (table_add t (p, a)) q =
  entry t q + (if Pos.eqb p q then a else 0).
Proof.
  intros; unfold entry, table_add; destruct (Pos.eqb_spec p q) as [->|E].
  - rewrite PositiveMap.gss; destruct (PositiveMap.find q t); ring.
  - rewrite PositiveMap.gso by auto; destruct (PositiveMap.find q t); ring.
Qed.

Lemma entry_table : forall e p, entry (table e) p = coefficient e p.
Proof.
  intros e p; unfold table.
  assert (H : forall t, entry (fold_left table_add e t) p = entry t p + coefficient e p).
  { induction e as [|[q a] e IH]; intro t; cbn [fold_left coefficient]; [ring|].
    rewrite IH, entry_add; ring. }
  rewrite H; unfold entry; rewrite PositiveMap.gempty; ring.
Qed.

Lemma product_extensional : forall e f d, (forall p, e p = f p) -> product e d = product f d.
Proof.
  intros e f d H; induction d as [|[p b] d IH]; cbn; [reflexivity | rewrite IH, H; reflexivity].
Qed.

Lemma effect_spec : forall n m t m' e, fires n m t m' ->
  value e m' = value e m + product (entry (table e)) (change t).
Proof.
  intros n m t m' e F; rewrite (value_fires _ _ _ _ _ F).
  rewrite (product_extensional _ _ _ (entry_table e)); reflexivity.
Qed.

(** After [t] has fired, every place holds at least the tokens that [t] produced. *)
Lemma value_after : forall n m t m' e, fires n m t m' ->
  no_negative e = true ->
  product (fun p => Z.of_N (weight (post t) p)) e <= value e m'.
Proof.
  intros n m t m' e (_ & _ & F); induction e as [|[p a] e IH]; cbn; [lia|]; intro H.
  apply andb_prop in H; destruct H as [Ha He]; apply Z.leb_le in Ha.
  specialize (IH He); specialize (F p); nia.
Qed.
