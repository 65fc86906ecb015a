(** Place/transition nets, as in a textbook (T. Murata, "Petri nets", Proc. IEEE 77, 1989).

    Places are positive numbers. A marking gives every place a number of tokens. No axiom of
    extensionality is used: a marking is any function with the right values. *)

Require Import ZArith List Lia FMapPositive.
Import ListNotations.

Definition place := positive.
Definition marking := place -> N.

(** A list of places with weights. A place that is listed twice has the sum of its weights. *)
Fixpoint weight (arcs : list (place * N)) (p : place) : N :=
  match arcs with
  | [] => 0
  | (q, w) :: rest => if Pos.eqb q p then w + weight rest p else weight rest p
  end%N.

(** A transition with its input arcs and its output arcs. *)
Record transition := { pre : list (place * N); post : list (place * N) }.

(** A net with its initial marking. *)
Record net := { initial : list (place * N); transitions : list transition }.

(** Every input place holds enough tokens. *)
Definition enabled (m : marking) (t : transition) : Prop :=
  forall p, (weight (pre t) p <= m p)%N.

(** [t] leads from [m] to [m']. *)
Definition fires (n : net) (m : marking) (t : transition) (m' : marking) : Prop :=
  In t (transitions n) /\ enabled m t /\
  forall p, m' p = (m p - weight (pre t) p + weight (post t) p)%N.

(** The markings that firing sequences from the initial marking lead to. *)
Inductive reachable (n : net) : marking -> Prop :=
| reachable_initial : forall m, (forall p, m p = weight (initial n) p) -> reachable n m
| reachable_step : forall m t m', reachable n m -> fires n m t m' -> reachable n m'.

Definition dead (n : net) (m : marking) : Prop :=
  forall t, In t (transitions n) -> ~ enabled m t.

(** ** Sums of tokens *)

(** A linear expression over the tokens of places, with integer coefficients. *)
Definition expression := list (place * Z).

(** The value of an expression in a marking. *)
Fixpoint value (e : expression) (m : marking) : Z :=
  match e with
  | [] => 0
  | (p, a) :: rest => a * Z.of_N (m p) + value rest m
  end%Z.

(** ** Predicates over markings *)

Inductive predicate :=
| AtMost (e : expression) (k : Z)
| All (parts : list predicate)
| Any (parts : list predicate)
| Enabled (t : transition)
| Disabled (t : transition)
| Dead
| NotDead.

Fixpoint holds (n : net) (m : marking) (f : predicate) : Prop :=
  match f with
  | AtMost e k => (value e m <= k)%Z
  | All parts => (fix all l := match l with [] => True | g :: r => holds n m g /\ all r end) parts
  | Any parts => (fix any l := match l with [] => False | g :: r => holds n m g \/ any r end) parts
  | Enabled t => enabled m t
  | Disabled t => ~ enabled m t
  | Dead => dead n m
  | NotDead => ~ dead n m
  end.

(** ** Claims *)

Inductive statement :=
| Reachable (f : predicate)
| Unreachable (f : predicate)
| Unbounded (e : expression).

Definition is_true (n : net) (s : statement) : Prop :=
  match s with
  | Reachable f => exists m, reachable n m /\ holds n m f
  | Unreachable f => forall m, reachable n m -> ~ holds n m f
  | Unbounded e => forall k, exists m, reachable n m /\ (k < value e m)%Z
  end.

(** A claim combines numbered statements. *)
Inductive claim :=
| Statement (number : positive)
| AllOf (parts : list claim)
| AnyOf (parts : list claim).

Fixpoint claimed (n : net) (table : PositiveMap.t statement) (c : claim) : Prop :=
  match c with
  | Statement i => exists s, PositiveMap.find i table = Some s /\ is_true n s
  | AllOf parts =>
      (fix all l := match l with [] => True | d :: r => claimed n table d /\ all r end) parts
  | AnyOf parts =>
      (fix any l := match l with [] => False | d :: r => claimed n table d \/ any r end) parts
  end.
