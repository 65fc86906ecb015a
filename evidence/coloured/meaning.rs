//! Terms and conditions, and their evaluation given a colour for each variable.

/// A multiset of colours of one sort: colours with their multiplicities, ascending.
pub(super) type Bag = Vec<(u64, u64)>;

/// The error that a multiset has too many colours, or a multiplicity is too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooMany;

/// A multiset as a function of the variables, which are given by index.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Constant(u64),
    Variable(usize),
    /// Every colour of a sort of this size, once.
    All(u64),
    /// A shift of each colour by a number of steps, in a cyclic sort of this size.
    Shift(Box<Term>, u64, u64),
    /// The partition element of each colour.
    PartOf(Box<Term>, Vec<u64>),
    /// A tuple of components, each with the size of its sort.
    Tuple(Vec<(Term, u64)>),
    Times(u64, Box<Term>),
    Sum(Vec<Term>),
    Minus(Box<Term>, Box<Term>),
}

/// A condition on the variables.
#[derive(Clone, Debug)]
pub(super) enum Guard {
    All(Vec<Guard>),
    Any(Vec<Guard>),
    Not(Box<Guard>),
    /// A comparison of two sides. Each side is a term of one colour, and the number that its
    /// position is counted from.
    Compare(fn(&i128, &i128) -> bool, [(Term, i64); 2]),
}

impl Term {
    /// Returns true if the term is exactly one colour under every binding.
    pub(super) fn is_one_colour(&self) -> bool {
        match self {
            Term::Constant(_) | Term::Variable(_) => true,
            Term::Shift(of, ..) | Term::PartOf(of, _) => of.is_one_colour(),
            Term::Tuple(parts) => parts.iter().all(|(part, _)| part.is_one_colour()),
            Term::All(_) | Term::Times(..) | Term::Sum(_) | Term::Minus(..) => false,
        }
    }

    /// Appends the variables of the term.
    pub(super) fn variables(&self, into: &mut Vec<usize>) {
        match self {
            Term::Constant(_) | Term::All(_) => {}
            Term::Variable(variable) => into.push(*variable),
            Term::Shift(of, ..) | Term::PartOf(of, _) | Term::Times(_, of) => of.variables(into),
            Term::Tuple(parts) => parts.iter().for_each(|(part, _)| part.variables(into)),
            Term::Sum(parts) => parts.iter().for_each(|part| part.variables(into)),
            Term::Minus(first, second) => {
                first.variables(into);
                second.variables(into);
            }
        }
    }

    /// Evaluates the term under a binding.
    ///
    /// # Errors
    /// When the multiset has more than `most` colours, or a multiplicity of 2⁶³ or more.
    pub(super) fn evaluate(&self, binding: &[u64], most: usize) -> Result<Bag, TooMany> {
        let bag = match self {
            Term::Constant(colour) => vec![(*colour, 1)],
            Term::Variable(variable) => vec![(binding[*variable], 1)],
            Term::All(size) if *size > most as u64 => return Err(TooMany),
            Term::All(size) => (0..*size).map(|colour| (colour, 1)).collect(),
            Term::Shift(of, by, size) => {
                let of = of.evaluate(binding, most)?;
                // Both summands are below 2⁶².
                merged(of.into_iter().map(|(colour, n)| ((colour + by) % size, n)).collect())?
            }
            Term::PartOf(of, part_of) => {
                let of = of.evaluate(binding, most)?;
                merged(of.into_iter().map(|(colour, n)| (part_of[colour as usize], n)).collect())?
            }
            Term::Tuple(parts) => {
                let mut tuples = vec![(0, 1)];
                for (part, size) in parts {
                    let part = part.evaluate(binding, most)?;
                    if tuples.len().saturating_mul(part.len()) > most {
                        return Err(TooMany);
                    }
                    let mut longer = Vec::with_capacity(tuples.len() * part.len());
                    for &(tuple, n) in &tuples {
                        for &(colour, m) in &part {
                            longer.push((tuple * size + colour, fits(u64::checked_mul(n, m))?));
                        }
                    }
                    tuples = longer;
                }
                tuples
            }
            Term::Times(0, _) => Vec::new(),
            Term::Times(times, of) => {
                let mut bag = of.evaluate(binding, most)?;
                for (_, n) in &mut bag {
                    *n = fits(n.checked_mul(*times))?;
                }
                bag
            }
            Term::Sum(parts) => {
                let mut sum = Vec::new();
                for part in parts {
                    sum.extend(part.evaluate(binding, most)?);
                }
                merged(sum)?
            }
            Term::Minus(first, second) => {
                let mut bag = first.evaluate(binding, most)?;
                for (colour, n) in second.evaluate(binding, most)? {
                    if let Ok(at) = bag.binary_search_by_key(&colour, |&(colour, _)| colour) {
                        bag[at].1 = bag[at].1.saturating_sub(n);
                    }
                }
                bag.retain(|&(_, n)| n > 0);
                bag
            }
        };
        if bag.len() > most { Err(TooMany) } else { Ok(bag) }
    }

    /// Evaluates a term that is one colour.
    pub(super) fn colour(&self, binding: &[u64]) -> u64 {
        match self {
            Term::Constant(colour) => *colour,
            Term::Variable(variable) => binding[*variable],
            Term::Shift(of, by, size) => (of.colour(binding) + by) % size,
            Term::PartOf(of, part_of) => part_of[of.colour(binding) as usize],
            Term::Tuple(parts) => {
                parts.iter().fold(0, |tuple, (part, size)| tuple * size + part.colour(binding))
            }
            // Not a single colour; callers check this before.
            Term::All(_) | Term::Times(..) | Term::Sum(_) | Term::Minus(..) => 0,
        }
    }
}

impl Guard {
    /// Appends the variables of the condition.
    pub(super) fn variables(&self, into: &mut Vec<usize>) {
        match self {
            Guard::All(parts) | Guard::Any(parts) => {
                parts.iter().for_each(|part| part.variables(into));
            }
            Guard::Not(of) => of.variables(into),
            Guard::Compare(_, sides) => sides.iter().for_each(|(side, _)| side.variables(into)),
        }
    }

    /// Evaluates the condition under a binding.
    pub(super) fn holds(&self, binding: &[u64]) -> bool {
        match self {
            Guard::All(parts) => parts.iter().all(|part| part.holds(binding)),
            Guard::Any(parts) => parts.iter().any(|part| part.holds(binding)),
            Guard::Not(of) => !of.holds(binding),
            Guard::Compare(holds, sides) => {
                let [a, b] = sides
                    .each_ref()
                    .map(|(side, start)| i128::from(*start) + i128::from(side.colour(binding)));
                holds(&a, &b)
            }
        }
    }
}

/// Merges entries of the same colour.
fn merged(mut bag: Bag) -> Result<Bag, TooMany> {
    bag.sort_unstable();
    let mut merged: Bag = Vec::with_capacity(bag.len());
    for (colour, n) in bag {
        match merged.last_mut() {
            Some((last, sum)) if *last == colour => *sum = fits(sum.checked_add(n))?,
            _ => merged.push((colour, n)),
        }
    }
    Ok(merged)
}

fn fits(number: Option<u64>) -> Result<u64, TooMany> {
    number.filter(|&number| number < 1 << 63).ok_or(TooMany)
}
