(* parikh-proved FILE...: reads files of docs/proved-checker.md, and asks the extracted checker.

   This file and zarith are trusted: it turns text into the data of Net.v and Checker.v, and prints
   the result of [Checker.check]. *)

module Integer = Z (* of zarith; the checker has a module of the same name *)
open Checker

exception Malformed of string

(* ---- Words, with "#" for comments to the end of the line ---- *)

type source = { channel : in_channel; mutable line : int; word : Buffer.t }

let next_word source =
  Buffer.clear source.word;
  let rec skip_comment () =
    match input_char source.channel with
    | '\n' -> source.line <- source.line + 1
    | _ -> skip_comment () in
  let rec read () =
    match input_char source.channel with
    | exception End_of_file -> ()
    | '\n' ->
      source.line <- source.line + 1;
      if Buffer.length source.word = 0 then read ()
    | ' ' | '\t' | '\r' -> if Buffer.length source.word = 0 then read ()
    | '#' when Buffer.length source.word = 0 ->
      (match skip_comment () with () -> read () | exception End_of_file -> ())
    | character -> Buffer.add_char source.word character; read () in
  read ();
  if Buffer.length source.word = 0 then raise (Malformed "the file ends too early");
  Buffer.contents source.word

let expect source wanted =
  let word = next_word source in
  if word <> wanted then raise (Malformed ("expected " ^ wanted ^ " instead of " ^ word))

let integer source =
  let word = next_word source in
  let is_digit index character = (character >= '0' && character <= '9')
    || (index = 0 && character = '-' && String.length word > 1) in
  let valid = ref true in
  String.iteri (fun index character -> if not (is_digit index character) then valid := false) word;
  if not !valid then raise (Malformed ("expected a number instead of " ^ word));
  Integer.of_string word

let natural source =
  let number = integer source in
  if Integer.sign number < 0 then raise (Malformed "expected a number from 0 on");
  number

(* Numbers of places, transitions, statements and facts start at 0 in files and at 1 in the checker. *)
let index source = Integer.succ (natural source)

let count source =
  let number = natural source in
  if Integer.fits_int number then Integer.to_int number else raise (Malformed "the number is too large")

let list source item =
  let rec read remaining items =
    if remaining = 0 then List.rev items else read (remaining - 1) (item source :: items) in
  read (count source) []

(* ---- Nets, predicates, claims ---- *)

let place_below places source =
  let place = index source in
  if Integer.gt place places then raise (Malformed "there is no such place");
  place

let arc places source =
  let place = place_below places source in
  let weight = natural source in
  (place, weight)

let transition places source =
  expect source "transition";
  let pre = list source (arc places) in
  let post = list source (arc places) in
  { pre; post }

let term source =
  let place = index source in
  let coefficient = integer source in
  (place, coefficient)

let rec predicate transitions source =
  let transition () =
    let number = count source in
    if number >= Array.length transitions then raise (Malformed "there is no such transition");
    transitions.(number) in
  match next_word source with
  | "most" ->
    let sum = list source term in
    let bound = integer source in
    AtMost (sum, bound)
  | "all" -> All (list source (predicate transitions))
  | "any" -> Any (list source (predicate transitions))
  | "enabled" -> Enabled (transition ())
  | "disabled" -> Disabled (transition ())
  | "dead" -> Dead
  | "live" -> NotDead
  | word -> raise (Malformed ("there is no predicate " ^ word))

let statement transitions source =
  match next_word source with
  | "reachable" -> Reachable (predicate transitions source)
  | "unreachable" -> Unreachable (predicate transitions source)
  | "unbounded" -> Unbounded (list source term)
  | word -> raise (Malformed ("there is no statement " ^ word))

let rec claim source =
  match next_word source with
  | "statement" -> Statement (index source)
  | "all" -> AllOf (list source claim)
  | "any" -> AnyOf (list source claim)
  | word -> raise (Malformed ("there is no claim " ^ word))

(* ---- Evidence ---- *)

let multiple source =
  let fact = index source in
  let factor = integer source in
  (fact, factor)

let rec derivation transitions source =
  match next_word source with
  | "sum" -> Contradiction (list source multiple)
  | "bound" ->
    let sum = list source term in
    let bound = integer source in
    let divisor = integer source in
    let terms = list source multiple in
    let rest = derivation transitions source in
    Bound (sum, bound, divisor, terms, rest)
  | "cases" ->
    let fact = index source in
    Cases (fact, list source (derivation transitions))
  | "cut" ->
    let middle = predicate transitions source in
    let refuted = derivation transitions source in
    let rest = derivation transitions source in
    Cut (middle, refuted, rest)
  | word -> raise (Malformed ("there is no derivation " ^ word))

let firing source =
  let transition = index source in
  let times = natural source in
  (transition, times)

let action source =
  match next_word source with
  | "fire" -> let (transition, times) = firing source in Fire (transition, times)
  | "goal" -> Goal (index source)
  | word -> raise (Malformed ("there is no action " ^ word))

let reason transitions source =
  expect source "after";
  let transition = index source in
  let after = list source index in
  let why = derivation transitions source in
  (transition, { after; why })

let clause transitions source =
  let part = predicate transitions source in
  let reasons = list source (reason transitions) in
  (part, reasons)

let consequence transitions source =
  let part = predicate transitions source in
  (part, derivation transitions source)

let marking places source =
  expect source "marking";
  let add table (place, tokens) = set place tokens table in
  let table_of = List.fold_left add PositiveMap.empty (list source (arc places)) in
  let successors = list source index in
  { table_of; successors }

let rec evidence places transitions source items =
  match next_word source with
  | "end" -> List.rev items
  | word ->
    let item = match word with
      | "sequence" -> Sequence (list source action)
      | "inductive" ->
        let clauses = list source (clause transitions) in
        Inductively (clauses, list source (consequence transitions))
      | "follows" -> Follows (list source (consequence transitions))
      | "refutes" ->
        let number = index source in
        Refutes (number, derivation transitions source)
      | "pump" ->
        let number = index source in
        let prefix = list source firing in
        Pumping (number, prefix, list source firing)
      | "markings" ->
        let markings = list source (marking places) in
        Listing (markings, list source index)
      | word -> raise (Malformed ("there is no evidence " ^ word)) in
    evidence places transitions source (item :: items)

let verdict source =
  expect source "parikh-claim";
  expect source "1";
  expect source "places";
  let places = natural source in
  expect source "initial";
  let initial = list source (arc places) in
  expect source "transitions";
  let transitions = list source (transition places) in
  let table = Array.of_list transitions in
  expect source "assumptions";
  let assumed = list source (predicate table) in
  expect source "statements";
  let statements = list source (statement table) in
  let add (number, table) item = (Integer.succ number, PositiveMap.add number item table) in
  let (_, numbered) = List.fold_left add (Integer.one, PositiveMap.empty) statements in
  expect source "claim";
  let whole = claim source in
  let items = evidence places table source [] in
  (check { initial; transitions } assumed numbered whole items, List.length assumed)

(* ---- The program ---- *)

let judge file =
  match open_in_bin file with
  | exception Sys_error why -> Printf.printf "%s: %s\n%!" file why; 1
  | channel ->
    let source = { channel; line = 1; word = Buffer.create 80 } in
    let code = match verdict source with
      | (true, 0) -> Printf.printf "%s: accepted\n%!" file; 0
      | (true, count) ->
        Printf.printf "%s: accepted if the assumptions hold (%d)\n%!" file count; 0
      | (false, _) -> Printf.printf "%s: refused\n%!" file; 4
      | exception Malformed why -> Printf.printf "%s:%d: %s\n%!" file source.line why; 1
      | exception Stack_overflow -> Printf.printf "%s: the evidence is too deep\n%!" file; 1
      | exception Out_of_memory -> Printf.printf "%s: out of memory\n%!" file; 1 in
    close_in channel;
    code

let () =
  match List.tl (Array.to_list Sys.argv) with
  | [] -> prerr_endline "usage: parikh-proved FILE..."; exit 2
  | files -> exit (List.fold_left (fun worst file -> max worst (judge file)) 0 files)
