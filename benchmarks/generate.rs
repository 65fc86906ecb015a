//! The families of `parikh_net::generate` by name, and writing them to files.

use crate::error::Error;
use clap::{Subcommand, ValueEnum};
use parikh_net::generate::{self, Answers, Kind, Shape, Specimen};
use parikh_net::{Net, text};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A family with its parameters.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Family {
    /// Dining philosophers who take their forks one after the other: one-safe, 3^N markings, two
    /// deadlocks
    Philosophers {
        /// Philosophers
        #[arg(value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
        n: u32,
    },
    /// A ring of stations with one token: one-safe, live, 3·N·2^(N-1) markings
    TokenRing {
        /// Stations
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
        n: u32,
    },
    /// Processes that share a lock of K permits: a deadlock exactly when K = 0
    MutualExclusion {
        /// Processes
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
        n: u32,
        /// Permits
        #[arg(default_value_t = 1)]
        permits: u32,
    },
    /// A buffer filled and emptied in batches: weighted arcs, live; CAPACITY ≥ PUTS + TAKES
    ProducerConsumer {
        /// Slots of the buffer
        capacity: u32,
        /// Items put at once
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        puts: u32,
        /// Items taken at once
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        takes: u32,
    },
    /// Unbounded counters beside one-safe switches
    Counters {
        /// Counters
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
        n: u32,
    },
    /// One path of 2^N one-safe markings to the only deadlock
    BinaryCounter {
        /// Bits; the net has about N^2 arcs
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        n: u32,
    },
    /// Tokens that walk on a grid: C(W·H + K − 1, K) markings
    Grid {
        /// Width
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        width: u32,
        /// Height
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        height: u32,
        /// Tokens
        #[arg(default_value_t = 1)]
        tokens: u32,
    },
    /// Cycles of one token each: one-safe, live, LENGTH^N markings
    Cycles {
        /// Cycles
        #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
        n: u32,
        /// Places of each
        #[arg(value_parser = clap::value_parser!(u32).range(2..=10_000))]
        length: u32,
        /// Let each cycle wait for the start of the next before it closes
        #[arg(long)]
        coupled: bool,
    },
    /// The explicit engine's benchmark: 100 one-safe places, 3 200 000 markings
    HundredPlaces,
    /// A random net; the same for the same seed and shape
    Random {
        /// The seed
        seed: u64,
        /// Places [default: by seed, at most 8]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        places: Option<u32>,
        /// Transitions [default: by seed, at most 10]
        #[arg(long, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
        transitions: Option<u32>,
        /// The largest arc weight [default: by seed, at most 3]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        weight: Option<u32>,
        /// The most initial tokens of a place [default: by seed, at most 3]
        #[arg(long)]
        tokens: Option<u32>,
        /// What is guaranteed [default: by seed]
        #[arg(long)]
        kind: Option<Manner>,
    },
}

/// The command line's names for [`Kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Manner {
    /// Nothing; often unbounded
    Free,
    /// Bounded by construction
    Bounded,
    /// One-safe by construction
    OneSafe,
}

/// How a net is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The contest's XML
    Pnml,
    /// Parikh's tiny textual format
    Text,
}

/// Parameters that do not fit each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The buffer is too small for the family's answers to hold.
    #[error("capacity {capacity} is less than {puts} + {takes}: the buffer must hold both batches")]
    Capacity {
        /// Slots.
        capacity: u32,
        /// Items put at once.
        puts: u32,
        /// Items taken at once.
        takes: u32,
    },
}

impl Family {
    /// The net, and what is known of it by construction.
    ///
    /// # Errors
    /// When parameters do not fit each other; single ones are checked by the command line.
    pub fn make(self) -> Result<(Net, Option<Answers>), Misfit> {
        let Specimen { net, known } = match self {
            Family::Philosophers { n } => generate::philosophers(n),
            Family::TokenRing { n } => generate::token_ring(n),
            Family::MutualExclusion { n, permits } => generate::mutual_exclusion(n, permits),
            Family::ProducerConsumer { capacity, puts, takes } => {
                if u64::from(capacity) < u64::from(puts) + u64::from(takes) {
                    return Err(Misfit::Capacity { capacity, puts, takes });
                }
                generate::producer_consumer(capacity, puts, takes)
            }
            Family::Counters { n } => generate::counters(n),
            Family::BinaryCounter { n } => generate::binary_counter(n),
            Family::Grid { width, height, tokens } => generate::grid(width, height, tokens),
            Family::Cycles { n, length, coupled } => generate::cycles(n, length, coupled),
            Family::HundredPlaces => generate::hundred_places(),
            Family::Random { seed, places, transitions, weight, tokens, kind } => {
                let small = Shape::small(seed);
                let kind = kind.map_or(small.kind, |kind| match kind {
                    Manner::Free => Kind::Free,
                    Manner::Bounded => Kind::Bounded,
                    Manner::OneSafe => Kind::OneSafe,
                });
                let shape = Shape {
                    places: places.unwrap_or(small.places),
                    transitions: transitions.unwrap_or(small.transitions),
                    weight: weight.unwrap_or(small.weight),
                    tokens: tokens.unwrap_or(small.tokens),
                    kind,
                };
                return Ok((generate::random(seed, &shape), None));
            }
        };
        Ok((net, Some(known)))
    }
}

/// The known answers in a line each, for people.
pub fn describe(known: &Answers) -> String {
    let most = |most: Option<u64>| most.map_or("unbounded".to_owned(), |most| most.to_string());
    format!(
        "states {}\nfirings {}\nmost tokens in a place {}\nmost tokens in a marking {}\n\
         deadlock {}\none-safe {}\nquasi-live {}\nlive {}\nstable place {}\n",
        known.states,
        known.firings,
        most(known.most_in_place),
        most(known.most_in_marking),
        known.deadlock,
        known.one_safe(),
        known.quasi_live,
        known.live,
        known.stable_place,
    )
}

/// Writes a net to a file, or to stdout when there is none.
///
/// # Errors
/// When it cannot be written.
pub fn write(net: &Net, format: Format, path: Option<&Path>) -> Result<(), Error> {
    match path {
        Some(path) => {
            let file = File::create(path).map_err(Error::at(path))?;
            write_to(net, format, file).map_err(Error::at(path))
        }
        None => write_to(net, format, std::io::stdout().lock()).map_err(Error::at("stdout")),
    }
}

fn write_to(net: &Net, format: Format, out: impl Write) -> std::io::Result<()> {
    let mut out = Stream { out: BufWriter::new(out), failure: None };
    match format {
        Format::Text => out.out.write_all(text::print(net).as_bytes())?,
        Format::Pnml => {
            if generate::write_pnml(net, &mut out).is_err() {
                let unknown = || std::io::Error::other("the net cannot be written");
                return Err(out.failure.unwrap_or_else(unknown));
            }
        }
    }
    out.out.flush()
}

/// A stream of bytes as one of text; keeps the reason of a failure, which `fmt` cannot carry.
struct Stream<W: Write> {
    out: BufWriter<W>,
    failure: Option<std::io::Error>,
}

impl<W: Write> std::fmt::Write for Stream<W> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|failure| {
            self.failure = Some(failure);
            std::fmt::Error
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_made_and_misfits_refused() {
        let (net, known) = Family::Philosophers { n: 3 }.make().unwrap();
        assert_eq!(net.place_count(), 15);
        assert!(describe(&known.unwrap()).starts_with("states 27\nfirings 63\n"));
        let misfit = Family::ProducerConsumer { capacity: 3, puts: 2, takes: 2 }.make();
        assert!(misfit.is_err());
    }

    #[test]
    fn both_formats_reach_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("net");
        let net = Family::HundredPlaces.make().unwrap().0;
        write(&net, Format::Pnml, Some(&path)).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), generate::pnml(&net));
        write(&net, Format::Text, Some(&path)).unwrap();
        let read = text::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(read.transition_count(), 100);
    }

    #[test]
    fn a_failing_stream_says_why() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("disk full"))
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let net = generate::grid(100, 100, 1).net;
        let error = write_to(&net, Format::Pnml, Full).unwrap_err();
        assert_eq!(error.to_string(), "disk full");
    }
}
