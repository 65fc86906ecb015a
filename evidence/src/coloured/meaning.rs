//! Terms and conditions, and their evaluation given a colour for each variable.

/// A multiset of colours of one sort: colours with their multiplicities, ascending.
pub(super) type ColourMultiset = Vec<(u64, u64)>;

/// The error that a multiset has too many colours, or a multiplicity is too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooManyColours;

/// A multiset as a function of the variables, which are given by index.
#[derive(Clone, Debug)]
pub(super) enum MultisetTerm {
    /// The given colour, with multiplicity 1.
    Constant(u64),
    /// The colour of the given variable, with multiplicity 1.
    Variable(usize),
    /// Every colour of a sort with this number of colours, each with multiplicity 1.
    All(u64),
    /// A shift of each colour by a number of steps, in a cyclic sort of this size.
    Shift(Box<MultisetTerm>, u64, u64),
    /// The partition element of each colour, looked up in the list by the position of the colour.
    PartOf(Box<MultisetTerm>, Vec<u64>),
    /// A tuple of components, each with the size of its sort.
    Tuple(Vec<(MultisetTerm, u64)>),
    /// A multiple of a multiset.
    Times(u64, Box<MultisetTerm>),
    /// The sum of multisets.
    Sum(Vec<MultisetTerm>),
    /// The difference of multisets. No multiplicity falls below 0.
    Minus(Box<MultisetTerm>, Box<MultisetTerm>),
}

/// A condition on the variables.
#[derive(Clone, Debug)]
pub(super) enum GuardTerm {
    /// The conjunction of the conditions.
    All(Vec<GuardTerm>),
    /// The disjunction of the conditions.
    Any(Vec<GuardTerm>),
    /// The negation of the condition.
    Not(Box<GuardTerm>),
    /// A comparison of two numbers. Each is given by a term of one colour and the number that is
    /// added to the position of this colour.
    Compare(fn(&i128, &i128) -> bool, [(MultisetTerm, i64); 2]),
}

impl MultisetTerm {
    /// Returns true if the term has only constants, variables, shifts, partition elements and
    /// tuples. Then it is exactly one colour under every binding. Returns false for a multiple or a
    /// sum, even if it is one colour.
    pub(super) fn is_one_colour(&self) -> bool {
        match self {
            MultisetTerm::Constant(_) | MultisetTerm::Variable(_) => true,
            MultisetTerm::Shift(of, ..) | MultisetTerm::PartOf(of, _) => of.is_one_colour(),
            MultisetTerm::Tuple(parts) => parts.iter().all(|(part, _)| part.is_one_colour()),
            MultisetTerm::All(_)
            | MultisetTerm::Times(..)
            | MultisetTerm::Sum(_)
            | MultisetTerm::Minus(..) => false,
        }
    }

    /// Appends the variables of the term.
    pub(super) fn variables(&self, collected: &mut Vec<usize>) {
        match self {
            MultisetTerm::Constant(_) | MultisetTerm::All(_) => {}
            MultisetTerm::Variable(variable) => collected.push(*variable),
            MultisetTerm::Shift(of, ..)
            | MultisetTerm::PartOf(of, _)
            | MultisetTerm::Times(_, of) => of.variables(collected),
            MultisetTerm::Tuple(parts) => {
                parts.iter().for_each(|(part, _)| part.variables(collected))
            }
            MultisetTerm::Sum(parts) => parts.iter().for_each(|part| part.variables(collected)),
            MultisetTerm::Minus(first, second) => {
                first.variables(collected);
                second.variables(collected);
            }
        }
    }

    /// Evaluates the term under a binding.
    ///
    /// # Errors
    /// When the multiset or an operand in it has more than `max_colours` colours, or a multiplicity
    /// of 2⁶³ or more.
    pub(super) fn evaluate(
        &self,
        binding: &[u64],
        max_colours: usize,
    ) -> Result<ColourMultiset, TooManyColours> {
        let bag = match self {
            MultisetTerm::Constant(colour) => vec![(*colour, 1)],
            MultisetTerm::Variable(variable) => vec![(binding[*variable], 1)],
            MultisetTerm::All(size) if *size > max_colours as u64 => return Err(TooManyColours),
            MultisetTerm::All(size) => (0..*size).map(|colour| (colour, 1)).collect(),
            MultisetTerm::Shift(of, by, size) => {
                let of = of.evaluate(binding, max_colours)?;
                // A colour and a number of steps are below 2⁶², so their sum does not overflow.
                merged(of.into_iter().map(|(colour, n)| ((colour + by) % size, n)).collect())?
            }
            MultisetTerm::PartOf(of, part_of) => {
                let of = of.evaluate(binding, max_colours)?;
                merged(of.into_iter().map(|(colour, n)| (part_of[colour as usize], n)).collect())?
            }
            MultisetTerm::Tuple(parts) => {
                let mut tuples = vec![(0, 1)];
                for (part, size) in parts {
                    let part = part.evaluate(binding, max_colours)?;
                    if tuples.len().saturating_mul(part.len()) > max_colours {
                        return Err(TooManyColours);
                    }
                    let mut longer = Vec::with_capacity(tuples.len() * part.len());
                    for &(tuple, n) in &tuples {
                        for &(colour, m) in &part {
                            longer.push((
                                tuple * size + colour,
                                require_63_bits(u64::checked_mul(n, m))?,
                            ));
                        }
                    }
                    tuples = longer;
                }
                tuples
            }
            MultisetTerm::Times(0, _) => Vec::new(),
            MultisetTerm::Times(times, of) => {
                let mut bag = of.evaluate(binding, max_colours)?;
                for (_, n) in &mut bag {
                    *n = require_63_bits(n.checked_mul(*times))?;
                }
                bag
            }
            MultisetTerm::Sum(parts) => {
                let mut sum = Vec::new();
                for part in parts {
                    sum.extend(part.evaluate(binding, max_colours)?);
                }
                merged(sum)?
            }
            MultisetTerm::Minus(first, second) => {
                let mut bag = first.evaluate(binding, max_colours)?;
                for (colour, n) in second.evaluate(binding, max_colours)? {
                    if let Ok(position) = bag.binary_search_by_key(&colour, |&(colour, _)| colour) {
                        bag[position].1 = bag[position].1.saturating_sub(n);
                    }
                }
                bag.retain(|&(_, n)| n > 0);
                bag
            }
        };
        if bag.len() > max_colours { Err(TooManyColours) } else { Ok(bag) }
    }

    /// Evaluates a term that is one colour.
    pub(super) fn colour(&self, binding: &[u64]) -> u64 {
        match self {
            MultisetTerm::Constant(colour) => *colour,
            MultisetTerm::Variable(variable) => binding[*variable],
            MultisetTerm::Shift(of, by, size) => (of.colour(binding) + by) % size,
            MultisetTerm::PartOf(of, part_of) => part_of[of.colour(binding) as usize],
            MultisetTerm::Tuple(parts) => {
                parts.iter().fold(0, |tuple, (part, size)| tuple * size + part.colour(binding))
            }
            // Not a single colour; callers check this before.
            MultisetTerm::All(_)
            | MultisetTerm::Times(..)
            | MultisetTerm::Sum(_)
            | MultisetTerm::Minus(..) => 0,
        }
    }
}

impl GuardTerm {
    /// Appends the variables of the condition.
    pub(super) fn variables(&self, into: &mut Vec<usize>) {
        match self {
            GuardTerm::All(parts) | GuardTerm::Any(parts) => {
                parts.iter().for_each(|part| part.variables(into));
            }
            GuardTerm::Not(of) => of.variables(into),
            GuardTerm::Compare(_, sides) => sides.iter().for_each(|(side, _)| side.variables(into)),
        }
    }

    /// Evaluates the condition under a binding.
    pub(super) fn holds(&self, binding: &[u64]) -> bool {
        match self {
            GuardTerm::All(parts) => parts.iter().all(|part| part.holds(binding)),
            GuardTerm::Any(parts) => parts.iter().any(|part| part.holds(binding)),
            GuardTerm::Not(of) => !of.holds(binding),
            GuardTerm::Compare(holds, sides) => {
                let [a, b] = sides
                    .each_ref()
                    .map(|(side, start)| i128::from(*start) + i128::from(side.colour(binding)));
                holds(&a, &b)
            }
        }
    }
}

/// Merges entries of the same colour.
fn merged(mut bag: ColourMultiset) -> Result<ColourMultiset, TooManyColours> {
    bag.sort_unstable();
    let mut merged: ColourMultiset = Vec::with_capacity(bag.len());
    for (colour, n) in bag {
        match merged.last_mut() {
            Some((last, sum)) if *last == colour => *sum = require_63_bits(sum.checked_add(n))?,
            _ => merged.push((colour, n)),
        }
    }
    Ok(merged)
}

/// Returns an error for a missing number, or for 2⁶³ or more.
fn require_63_bits(number: Option<u64>) -> Result<u64, TooManyColours> {
    number.filter(|&number| number < 1 << 63).ok_or(TooManyColours)
}
