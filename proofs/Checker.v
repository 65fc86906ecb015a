(** The checker: evidence about numbered statements, and the claim that follows. *)

Require Import ZArith List Lia Bool FMapPositive.
From Parikh Require Import Net Linear Evaluation Refutation Invariant Sequence Pump Listing.
Import ListNotations.

Inductive evidence :=
| Sequence (actions : list action)
| Inductively (clauses : list clause_with_reasons) (consequences : list (predicate * derivation))
| Follows (consequences : list (predicate * derivation))
| Refutes (statement : positive) (refuted : derivation)
| Pumping (statement : positive) (prefix pump : list (positive * Z))
| Listing (markings : list listed) (shown : list positive).

(** Tables of a net: the transitions of each place, the transitions by number, the initial marking. *)
Record tables := {
  of_places : PositiveMap.t (list numbered);
  numbers : PositiveMap.t transition;
  first : PositiveMap.t N;
}.

Definition tables_of (n : net) : tables :=
  {| of_places := adjacency (transitions n) 1 (PositiveMap.empty _);
     numbers := by_number n;
     first := initial_table n |}.

(** The invariants and the true statements so far. *)
Record state := { known : store; shown : PositiveMap.t unit }.

Definition show (l : list positive) (s : state) : state :=
  {| known := known s;
     shown := fold_left (fun a i => PositiveMap.add i tt a) l (shown s) |}.

Definition check_refutes (n : net) (s : store) (x : statement) (d : derivation) : bool :=
  match x with
  | Unreachable f => refutes (push (expand n f) s) d
  | _ => false
  end.

Definition check_one (n : net) (a : tables)
    (statements : PositiveMap.t statement) (s : state) (e : evidence) : option state :=
  match e with
  | Sequence l => option_map (fun i => show i s) (run n (numbers a) statements (first a) l)
  | Inductively clauses l =>
      option_map (fun k => {| known := k; shown := shown s |})
        (check_inductive n (of_places a) (first a) (known s) clauses l)
  | Follows l =>
      option_map (fun k => {| known := k; shown := shown s |}) (conclude (known s) l)
  | Refutes i d =>
      match PositiveMap.find i statements with
      | Some x => if check_refutes n (known s) x d then Some (show [i] s) else None
      | None => None
      end
  | Pumping i prefix pump =>
      match PositiveMap.find i statements with
      | Some (Unbounded e) =>
          if check_pump (numbers a) (first a) prefix pump e then Some (show [i] s) else None
      | _ => None
      end
  | Listing l i => if check_listing n statements l i then Some (show i s) else None
  end.

Fixpoint check_all (n : net) (a : tables)
    (statements : PositiveMap.t statement) (s : state) (l : list evidence) : option state :=
  match l with
  | [] => Some s
  | e :: r =>
      match check_one n a statements s e with
      | Some s => check_all n a statements s r
      | None => None
      end
  end.

(** The claim follows from the statements that are shown. *)
Fixpoint follows (s : PositiveMap.t unit) (c : claim) : bool :=
  match c with
  | Statement i => PositiveMap.mem i s
  | AllOf l => forallb (follows s) l
  | AnyOf l => existsb (follows s) l
  end.

(** Checks a claim about a net. The predicates [assumed] are taken to hold in every reachable
    marking. *)
Definition check (n : net) (assumed : list predicate) (statements : PositiveMap.t statement)
    (c : claim) (l : list evidence) : bool :=
  let a := tables_of n in
  match check_all n a statements
    {| known := push_all assumed empty_store; shown := PositiveMap.empty unit |} l with
  | Some s => follows (shown s) c
  | None => false
  end.

Definition all_true (n : net) (statements : PositiveMap.t statement) (s : PositiveMap.t unit) :=
  forall i, PositiveMap.mem i s = true ->
    exists x, PositiveMap.find i statements = Some x /\ is_true n x.

Lemma show_true : forall n statements l s,
  all_true n statements (shown s) -> proved n statements l ->
  all_true n statements (shown (show l s)).
Proof.
  intros n statements l s T P; cbn; revert T; generalize (shown s) as a.
  induction P as [|i r Hi _ IH]; intros a T; cbn; [exact T|].
  apply IH; intros j J; rewrite PositiveMap.mem_find in J.
  destruct (Pos.eq_dec j i) as [->|E]; [exact Hi|].
  rewrite PositiveMap.gso in J by exact E; rewrite <- PositiveMap.mem_find in J; exact (T j J).
Qed.

(** Predicates that follow from invariants are invariants. *)
Theorem follows_sound : forall n s l s',
  invariants n s -> conclude s l = Some s' -> invariants n s'.
Proof. intros n s l s' I C m M; exact (conclude_sound n m l s s' (I m M) C). Qed.

(** A predicate that contradicts invariants is unreachable. *)
Theorem unreachable_sound : forall n s x d,
  invariants n s -> check_refutes n s x d = true -> is_true n x.
Proof.
  intros n s [f|f|e] d I; cbn; try discriminate; intros R m M H.
  apply (refutes_sound n m _ _ R), valid_push; [apply I, M | apply expand_spec, H].
Qed.

Lemma check_one_sound : forall n statements s e s',
  invariants n (known s) -> all_true n statements (shown s) ->
  check_one n (tables_of n) statements s e = Some s' ->
  invariants n (known s') /\ all_true n statements (shown s').
Proof.
  intros n statements s e s' I T; destruct e as [l|clauses l|l|i d|i prefix pump|l shown0]; cbn [check_one].
  - destruct (run n _ statements _ l) as [k|] eqn:R; [|discriminate]; intros [= <-].
    split; [exact I|]; apply show_true; [exact T | exact (sequence_sound _ _ _ _ R)].
  - match goal with |- option_map _ ?x = _ -> _ => destruct x as [k|] eqn:R end; [|discriminate].
    intros [= <-]; split; [exact (inductive_sound _ _ _ _ _ I R) | exact T].
  - destruct (conclude (known s) l) as [k|] eqn:R; [|discriminate].
    intros [= <-]; split; [exact (follows_sound _ _ _ _ I R) | exact T].
  - destruct (PositiveMap.find i statements) as [x|] eqn:F; [|discriminate].
    destruct (check_refutes n (known s) x d) eqn:R; [|discriminate]; intros [= <-].
    split; [exact I|]; apply show_true; [exact T|]; constructor; [|constructor].
    exists x; split; [exact F | exact (unreachable_sound _ _ _ _ I R)].
  - destruct (PositiveMap.find i statements) as [[f|f|e]|] eqn:F; try discriminate.
    destruct (check_pump _ _ prefix pump e) eqn:R; [|discriminate]; intros [= <-].
    split; [exact I|]; apply show_true; [exact T|]; constructor; [|constructor].
    exists (Unbounded e); split; [exact F | exact (pump_sound _ _ _ _ R)].
  - destruct (check_listing n statements l shown0) eqn:R; [|discriminate]; intros [= <-].
    split; [exact I|]; apply show_true; [exact T | exact (listing_sound _ _ _ _ R)].
Qed.

Section ClaimInduction.
  Variable P : claim -> Prop.
  Hypothesis statement_case : forall i, P (Statement i).
  Hypothesis all_case : forall l, Forall P l -> P (AllOf l).
  Hypothesis any_case : forall l, Forall P l -> P (AnyOf l).
  Fixpoint claim_induction (c : claim) : P c :=
    let parts := fix parts l : Forall P l :=
      match l with
      | [] => Forall_nil P
      | d :: r => Forall_cons d (claim_induction d) (parts r)
      end in
    match c with
    | Statement i => statement_case i
    | AllOf l => all_case l (parts l)
    | AnyOf l => any_case l (parts l)
    end.
End ClaimInduction.

Lemma claim_follows : forall n statements s c,
  all_true n statements s -> follows s c = true -> claimed n statements c.
Proof.
  intros n statements s c T; induction c as [i|l IH|l IH] using claim_induction; cbn [follows].
  - apply T.
  - intro F; apply (proj2 (Forall_all (claimed n statements) l)).
    rewrite forallb_forall in F; apply Forall_forall; intros d D.
    rewrite Forall_forall in IH; apply IH; auto.
  - intro F; apply (proj2 (Exists_any (claimed n statements) l)).
    apply existsb_exists in F; destruct F as [d [D F]]; apply Exists_exists; exists d.
    rewrite Forall_forall in IH; auto.
Qed.

Lemma check_all_sound : forall n statements l s s',
  invariants n (known s) -> all_true n statements (shown s) ->
  check_all n (tables_of n) statements s l = Some s' ->
  all_true n statements (shown s').
Proof.
  intros n statements l; induction l as [|e r IH]; intros s s' I T; cbn [check_all].
  - intros [= <-]; exact T.
  - destruct (check_one n _ statements s e) as [s1|] eqn:O; [|discriminate].
    destruct (check_one_sound n statements s e s1 I T O) as [I1 T1]; exact (IH s1 s' I1 T1).
Qed.

(** What the checker accepts is true, if the assumptions are. *)
Theorem check_sound : forall n assumed statements c l,
  Forall (invariant n) assumed ->
  check n assumed statements c l = true -> claimed n statements c.
Proof.
  intros n assumed statements c l A; unfold check.
  destruct (check_all n _ statements _ l) as [s|] eqn:C; [|discriminate].
  apply claim_follows; eapply check_all_sound; [| |exact C].
  - intros m R; apply valid_push_all; [apply valid_empty|].
    apply Forall_forall; intros f F; rewrite Forall_forall in A; exact (A f F m R).
  - intros i; cbn; rewrite PositiveMap.mem_find, PositiveMap.gempty; discriminate.
Qed.
