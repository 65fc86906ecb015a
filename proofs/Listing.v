(** Markings that are listed one by one, and closed under firing. *)

Require Import ZArith List Lia Bool FMapPositive.
From Parikh Require Import Net Linear Evaluation Refutation Invariant Sequence.
Import ListNotations.

(** A marking, with the numbers of its successors in the order of the enabled transitions. *)
Record listed := { table_of : PositiveMap.t N; successors : list positive }.

Definition same (m m' : PositiveMap.t N) : bool := PositiveMap.equal N.eqb m m'.

Lemma same_spec : forall m m', same m m' = true -> forall p, tokens m p = tokens m' p.
Proof.
  intros m m' E p; unfold same in E; apply PositiveMap.equal_2 in E; destruct E as [D E].
  unfold tokens; destruct (PositiveMap.find p m) as [a|] eqn:A;
    destruct (PositiveMap.find p m') as [b|] eqn:B; auto.
  - apply N.eqb_eq, (E p a b); apply PositiveMap.find_2; assumption.
  - exfalso; assert (K : PositiveMap.In p m') by (apply D; exists a; apply PositiveMap.find_2, A).
    destruct K as [b K]; apply PositiveMap.find_1 in K; congruence.
  - exfalso; assert (K : PositiveMap.In p m) by (apply D; exists b; apply PositiveMap.find_2, B).
    destruct K as [a K]; apply PositiveMap.find_1 in K; congruence.
Qed.

Fixpoint number_listed (l : list listed) (i : positive) (a : PositiveMap.t listed) :=
  match l with
  | [] => a
  | x :: r => number_listed r (Pos.succ i) (PositiveMap.add i x a)
  end.

Definition listed_by_number (l : list listed) := number_listed l 1 (PositiveMap.empty listed).

Lemma listed_by_number_spec : forall l i x,
  PositiveMap.find i (listed_by_number l) = Some x -> In x l.
Proof.
  intros l i x; unfold listed_by_number.
  assert (H : forall l j a, PositiveMap.find i (number_listed l j a) = Some x ->
    In x l \/ PositiveMap.find i a = Some x).
  { clear l; induction l as [|y r IH]; intros j a H; cbn in H; [auto|].
    destruct (IH _ _ H) as [I|F]; [left; right; exact I|].
    destruct (Pos.eq_dec i j) as [->|E].
    - rewrite PositiveMap.gss in F; injection F as ->; left; left; reflexivity.
    - rewrite PositiveMap.gso in F by exact E; auto. }
  intro F; destruct (H _ _ _ F) as [I|E]; [exact I|].
  rewrite PositiveMap.gempty in E; discriminate.
Qed.

(** Every enabled transition leads to the listed successor. *)
Fixpoint closed_at (numbers : PositiveMap.t listed) (m : PositiveMap.t N) (ts : list transition)
    (next : list positive) : bool :=
  match ts with
  | [] => match next with [] => true | _ => false end
  | t :: r =>
      if is_enabled (tokens m) t then
        match next with
        | i :: next =>
            match PositiveMap.find i numbers with
            | Some x => same (fire t 1 m) (table_of x) && closed_at numbers m r next
            | None => false
            end
        | [] => false
        end
      else closed_at numbers m r next
  end.

Definition closed (n : net) (l : list listed) : bool :=
  match l with
  | [] => false
  | first :: _ =>
      let numbers := listed_by_number l in
      same (initial_table n) (table_of first) &&
      forallb (fun x => closed_at numbers (table_of x) (transitions n) (successors x)) l
  end.

(** The predicate of an [Unreachable] statement holds in no listed marking. *)
Definition excludes (n : net) (statements : PositiveMap.t statement) (l : list listed)
    (i : positive) : bool :=
  match PositiveMap.find i statements with
  | Some (Unreachable f) => forallb (fun x => negb (evaluate n (tokens (table_of x)) f)) l
  | _ => false
  end.

Definition check_listing (n : net) (statements : PositiveMap.t statement) (l : list listed)
    (shown : list positive) : bool :=
  closed n l && forallb (excludes n statements l) shown.

Lemma fires_one : forall n m t m', fires n m t m' -> forall p, m' p = moved t 1 m p.
Proof. intros n m t m' (_ & E & F) p; rewrite F; specialize (E p); unfold moved; lia. Qed.

Lemma moved_same : forall t c m m', (forall p, m p = m' p) ->
  forall p, moved t c m p = moved t c m' p.
Proof. intros t c m m' E p; unfold moved; rewrite E; reflexivity. Qed.

Lemma closed_at_spec : forall numbers m ts next t,
  closed_at numbers m ts next = true -> In t ts -> enabled (tokens m) t ->
  exists i x, PositiveMap.find i numbers = Some x /\
    forall p, tokens (table_of x) p = moved t 1 (tokens m) p.
Proof.
  intros numbers m ts; induction ts as [|u r IH]; intros next t C T E; [destruct T|].
  cbn [closed_at] in C; destruct (is_enabled (tokens m) u) eqn:U.
  - destruct next as [|i next]; [discriminate|].
    destruct (PositiveMap.find i numbers) as [x|] eqn:F; [|discriminate].
    apply andb_prop in C; destruct C as [S C]; destruct T as [->|T]; [|exact (IH _ _ C T E)].
    exists i, x; split; [exact F|]; intro p; rewrite <- (same_spec _ _ S p); apply fire_spec.
  - destruct T as [->|T]; [|exact (IH _ _ C T E)].
    apply is_enabled_spec in E; congruence.
Qed.

(** Every reachable marking is listed. *)
Theorem closed_sound : forall n l m, closed n l = true -> reachable n m ->
  exists x, In x l /\ forall p, m p = tokens (table_of x) p.
Proof.
  intros n l m C; destruct l as [|first rest]; [discriminate|]; unfold closed in C.
  set (l := first :: rest) in *; apply andb_prop in C; destruct C as [S C].
  rewrite forallb_forall in C; intro R; induction R as [m I|m t m' R [x [X E]] F].
  - exists first; split; [left; reflexivity|]; intro p.
    rewrite I, <- (same_spec _ _ S p), initial_table_spec; reflexivity.
  - destruct (closed_at_spec _ _ _ _ t (C x X) (proj1 F)) as [i [y [Y K]]].
    + apply (enabled_same m _ t); [intro; symmetry; apply E|]; apply F.
    + exists y; split; [exact (listed_by_number_spec _ _ _ Y)|]; intro p.
      rewrite (fires_one _ _ _ _ F p), K; apply moved_same, E.
Qed.

(** The statements that a listing shows are true. *)
Theorem listing_sound : forall n statements l shown,
  check_listing n statements l shown = true -> proved n statements shown.
Proof.
  intros n statements l shown C; apply andb_prop in C; destruct C as [C X].
  rewrite forallb_forall in X; apply Forall_forall; intros i I; specialize (X i I).
  unfold excludes in X; destruct (PositiveMap.find i statements) as [[f|f|e]|] eqn:F; try discriminate.
  exists (Unreachable f); split; [reflexivity|]; intros m R H.
  destruct (closed_sound n l m C R) as [x [Hx E]]; rewrite forallb_forall in X.
  specialize (X x Hx); apply (holds_same n _ _ f E), evaluate_spec in H; rewrite H in X.
  discriminate.
Qed.
