//! The binary messages between client and worker process.
//!
//! A message is its length (four bytes), a tag, and its parts. Numbers are little-endian; lists are
//! their length and their elements. Vectors of floating-point numbers omit zeros, which are most
//! entries. Both ends run the same program, so there are no versions.

use crate::answer::NoAnswer;
use crate::budget::ExhaustionReason;
use crate::linear_program::{Column, Interval, LinearProgram, Row, Sense};
use crate::lp::{Infeasibility, LpAnswer, Optimum};

/// A message from the client.
#[derive(Debug)]
pub(super) enum WorkerRequest {
    /// Replace the current problem by this program.
    Load(LinearProgram),
    /// Replace the objective, see
    /// [`IncrementalLp::set_objective`](crate::lp::IncrementalLp::set_objective).
    Objective(Sense, Vec<(Column, i64)>),
    /// Replace the bounds of a row.
    RowBounds(Row, Interval),
    /// Replace the bounds of a column.
    ColumnBounds(Column, Interval),
    /// Add a row.
    AddRow(Interval, Vec<(Column, i64)>),
    /// Solve the program.
    Solve(Allowance),
    /// Return the row of the inverse basis that belongs to a column.
    InverseRow(Column),
    /// Stop solving.
    Stop,
}

/// Limits of one solve; `u64::MAX` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    /// Time limit in microseconds.
    pub(super) time: u64,
    /// Memory limit in bytes, beyond the current usage of the process.
    pub(super) memory: u64,
}

/// A message from the worker process.
#[derive(Debug)]
pub(super) enum Reply {
    /// A sign of life.
    Pulse,
    /// The answer to [`WorkerRequest::Solve`].
    Solved(LpAnswer),
    /// The answer to [`WorkerRequest::InverseRow`]: the entries of the row of the inverse basis,
    /// each with the program row that it multiplies. `None` if the column is not basic or there is
    /// no basis.
    InverseRow(Option<Vec<(Row, f64)>>),
}

/// The error for bytes that are not a valid message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvalidMessage;

/// Encoded messages to send.
#[derive(Debug, Default)]
pub(super) struct OutgoingMessage(pub(super) Vec<u8>);

impl OutgoingMessage {
    /// Appends one message whose content is written by `write_content`.
    fn message(&mut self, tag: u8, write_content: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.count(0);
        self.0.push(tag);
        write_content(self);
        let length = (self.0.len() - start - 4) as u32;
        self.0[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// Appends a list length or an index in four bytes. Both are below 2³², because columns and
    /// rows are numbered in 32 bits.
    fn count(&mut self, count: usize) {
        self.0.extend((count as u32).to_le_bytes());
    }

    fn integer(&mut self, value: i64) {
        self.0.extend(value.to_le_bytes());
    }

    fn float(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    fn sense(&mut self, sense: Sense) {
        self.flag(sense == Sense::Maximise);
    }

    fn interval(&mut self, interval: Interval) {
        for bound in [interval.lower, interval.upper] {
            self.flag(bound.is_some());
            if let Some(bound) = bound {
                self.integer(bound);
            }
        }
    }

    fn entries(&mut self, entries: &[(Column, i64)]) {
        self.count(entries.len());
        for &(column, a) in entries {
            self.count(column.index());
            self.integer(a);
        }
    }

    fn floats(&mut self, values: &[f64]) {
        self.count(values.len());
        self.count(values.iter().filter(|&&value| value != 0.0).count());
        for (position, &value) in values.iter().enumerate().filter(|&(_, &value)| value != 0.0) {
            self.count(position);
            self.float(value);
        }
    }

    fn multipliers(&mut self, multipliers: Option<&[f64]>) {
        self.flag(multipliers.is_some());
        if let Some(multipliers) = multipliers {
            self.floats(multipliers);
        }
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }

    pub(super) fn load(&mut self, program: &LinearProgram) {
        self.message(0, |out| {
            out.sense(program.sense());
            out.count(program.columns().len());
            program.columns().iter().for_each(|&bounds| out.interval(bounds));
            let costs = program.objective().iter().enumerate().filter(|&(_, &cost)| cost != 0);
            let costs: Vec<_> = costs.map(|(c, &cost)| (Column(c as u32), cost)).collect();
            out.entries(&costs);
            out.count(program.rows().len());
            for (_, entries, bounds) in program.iter_rows() {
                out.interval(bounds);
                out.entries(entries);
            }
        });
    }

    pub(super) fn objective(&mut self, sense: Sense, costs: &[(Column, i64)]) {
        self.message(1, |out| {
            out.sense(sense);
            out.entries(costs);
        });
    }

    pub(super) fn row_bounds(&mut self, row: Row, bounds: Interval) {
        self.message(2, |out| {
            out.count(row.index());
            out.interval(bounds);
        });
    }

    pub(super) fn column_bounds(&mut self, column: Column, bounds: Interval) {
        self.message(3, |out| {
            out.count(column.index());
            out.interval(bounds);
        });
    }

    pub(super) fn add_row(&mut self, bounds: Interval, entries: &[(Column, i64)]) {
        self.message(4, |out| {
            out.interval(bounds);
            out.entries(entries);
        });
    }

    pub(super) fn solve(&mut self, allowance: Allowance) {
        self.message(5, |out| {
            out.0.extend(allowance.time.to_le_bytes());
            out.0.extend(allowance.memory.to_le_bytes());
        });
    }

    pub(super) fn inverse_row(&mut self, column: Column) {
        self.message(6, |out| out.count(column.index()));
    }

    pub(super) fn stop(&mut self) {
        self.message(7, |_| ());
    }

    /// Appends a message from the worker process to the client.
    pub(super) fn encode_reply(&mut self, reply: &Reply) {
        match reply {
            Reply::Pulse => self.message(0, |_| ()),
            Reply::Solved(answer) => self.message(1, |out| out.answer(answer)),
            Reply::InverseRow(row) => self.message(2, |out| {
                out.flag(row.is_some());
                let entries = row.as_deref().unwrap_or_default();
                out.count(entries.len());
                for (row, value) in entries {
                    out.count(row.index());
                    out.float(*value);
                }
            }),
        }
    }

    /// Appends an answer.
    fn answer(&mut self, answer: &LpAnswer) {
        match answer {
            LpAnswer::Optimal(optimum) => {
                self.0.push(0);
                self.float(optimum.objective);
                self.floats(&optimum.point);
                self.multipliers(optimum.multipliers.as_deref());
            }
            LpAnswer::Infeasible(infeasibility) => {
                self.0.push(1);
                self.multipliers(infeasibility.multipliers.as_deref());
            }
            LpAnswer::Unbounded => self.0.push(2),
            LpAnswer::NoAnswer(NoAnswer::Exhausted(why)) => {
                self.0.push(3);
                self.0.push(match why {
                    ExhaustionReason::Time => 0,
                    ExhaustionReason::Memory => 1,
                    ExhaustionReason::Cancelled => 2,
                });
            }
            LpAnswer::NoAnswer(NoAnswer::Unknown(text)) => {
                self.0.push(4);
                self.text(text);
            }
            LpAnswer::NoAnswer(NoAnswer::Failed(text)) => {
                self.0.push(5);
                self.text(text);
            }
        }
    }
}

/// Takes the first complete message off `bytes`, or returns `None`.
pub(super) fn first_message(bytes: &mut Vec<u8>) -> Option<Vec<u8>> {
    let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    let message = bytes.get(4..4 + length)?.to_vec();
    bytes.drain(..4 + length);
    // Free the buffer, so that a large program is not held twice.
    if bytes.is_empty() {
        bytes.shrink_to(1 << 16);
    }
    Some(message)
}

/// The unread rest of a message.
struct MessageReader<'b>(&'b [u8]);

impl<'b> MessageReader<'b> {
    fn bytes(&mut self, count: usize) -> Result<&'b [u8], InvalidMessage> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(InvalidMessage)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], InvalidMessage> {
        self.bytes(N)?.try_into().map_err(|_| InvalidMessage)
    }

    fn byte(&mut self) -> Result<u8, InvalidMessage> {
        Ok(self.array::<1>()?[0])
    }

    fn flag(&mut self) -> Result<bool, InvalidMessage> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(InvalidMessage),
        }
    }

    fn number(&mut self) -> Result<u32, InvalidMessage> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads the length of a list. Each element has at least one byte, so a length above the number
    /// of unread bytes is invalid.
    fn count(&mut self) -> Result<usize, InvalidMessage> {
        let count = self.number()? as usize;
        if count > self.0.len() { Err(InvalidMessage) } else { Ok(count) }
    }

    fn integer(&mut self) -> Result<i64, InvalidMessage> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    fn float(&mut self) -> Result<f64, InvalidMessage> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    fn sense(&mut self) -> Result<Sense, InvalidMessage> {
        Ok(if self.flag()? { Sense::Maximise } else { Sense::Minimise })
    }

    fn interval(&mut self) -> Result<Interval, InvalidMessage> {
        let mut end = || Ok(if self.flag()? { Some(self.integer()?) } else { None });
        Ok(Interval { lower: end()?, upper: end()? })
    }

    fn entries(&mut self) -> Result<Vec<(Column, i64)>, InvalidMessage> {
        let count = self.count()?;
        (0..count).map(|_| Ok((Column(self.number()?), self.integer()?))).collect()
    }

    /// Reads a vector that must have the given length.
    fn floats(&mut self, length: usize) -> Result<Vec<f64>, InvalidMessage> {
        if self.number()? as usize != length {
            return Err(InvalidMessage);
        }
        let mut values = vec![0.0; length];
        for _ in 0..self.count()? {
            let position = self.number()? as usize;
            *values.get_mut(position).ok_or(InvalidMessage)? = self.float()?;
        }
        Ok(values)
    }

    fn multipliers(&mut self, rows: usize) -> Result<Option<Vec<f64>>, InvalidMessage> {
        Ok(if self.flag()? { Some(self.floats(rows)?) } else { None })
    }

    fn text(&mut self) -> Result<String, InvalidMessage> {
        let count = self.count()?;
        Ok(String::from_utf8_lossy(self.bytes(count)?).into_owned())
    }

    fn expect_end<T>(self, value: T) -> Result<T, InvalidMessage> {
        if self.0.is_empty() { Ok(value) } else { Err(InvalidMessage) }
    }
}

/// Decodes a message from the client.
pub(super) fn decode_request(message: &[u8]) -> Result<WorkerRequest, InvalidMessage> {
    let mut reader = MessageReader(message);
    let request = match reader.byte()? {
        0 => WorkerRequest::Load(decode_program(&mut reader)?),
        1 => WorkerRequest::Objective(reader.sense()?, reader.entries()?),
        2 => WorkerRequest::RowBounds(Row(reader.number()?), reader.interval()?),
        3 => WorkerRequest::ColumnBounds(Column(reader.number()?), reader.interval()?),
        4 => WorkerRequest::AddRow(reader.interval()?, reader.entries()?),
        5 => WorkerRequest::Solve(Allowance {
            time: u64::from_le_bytes(reader.array()?),
            memory: u64::from_le_bytes(reader.array()?),
        }),
        6 => WorkerRequest::InverseRow(Column(reader.number()?)),
        7 => WorkerRequest::Stop,
        _ => return Err(InvalidMessage),
    };
    reader.expect_end(request)
}

fn decode_program(reader: &mut MessageReader<'_>) -> Result<LinearProgram, InvalidMessage> {
    let sense = reader.sense()?;
    let mut program = LinearProgram::new(sense);
    for _ in 0..reader.count()? {
        program.add_column(reader.interval()?).map_err(|_| InvalidMessage)?;
    }
    program.set_objective(sense, reader.entries()?).map_err(|_| InvalidMessage)?;
    for _ in 0..reader.count()? {
        program.add_row(reader.interval()?, reader.entries()?).map_err(|_| InvalidMessage)?;
    }
    Ok(program)
}

/// Decodes a message from a worker process about a program with `columns` columns and `rows` rows.
pub(super) fn decode_reply(
    message: &[u8],
    (columns, rows): (usize, usize),
) -> Result<Reply, InvalidMessage> {
    let mut reader = MessageReader(message);
    let reply = match reader.byte()? {
        0 => Reply::Pulse,
        1 => Reply::Solved(match reader.byte()? {
            0 => LpAnswer::Optimal(Optimum {
                objective: reader.float()?,
                point: reader.floats(columns)?,
                multipliers: reader.multipliers(rows)?,
            }),
            1 => LpAnswer::Infeasible(Infeasibility { multipliers: reader.multipliers(rows)? }),
            2 => LpAnswer::Unbounded,
            3 => LpAnswer::NoAnswer(NoAnswer::Exhausted(match reader.byte()? {
                0 => ExhaustionReason::Time,
                1 => ExhaustionReason::Memory,
                2 => ExhaustionReason::Cancelled,
                _ => return Err(InvalidMessage),
            })),
            4 => LpAnswer::NoAnswer(NoAnswer::Unknown(reader.text()?)),
            5 => LpAnswer::NoAnswer(NoAnswer::Failed(reader.text()?)),
            _ => return Err(InvalidMessage),
        }),
        2 => {
            let has_row = reader.flag()?;
            let count = reader.count()?;
            let mut entries = Vec::with_capacity(count);
            for _ in 0..count {
                let row = reader.number()?;
                if row as usize >= rows {
                    return Err(InvalidMessage);
                }
                entries.push((Row(row), reader.float()?));
            }
            Reply::InverseRow(has_row.then_some(entries))
        }
        _ => return Err(InvalidMessage),
    };
    reader.expect_end(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> LinearProgram {
        let mut program = LinearProgram::new(Sense::Maximise);
        let x = program.add_column(Interval::NON_NEGATIVE).unwrap();
        let y = program.add_column(Interval::between(-3, 8)).unwrap();
        program.add_row(Interval::at_most(4), [(x, 2), (y, -1)]).unwrap();
        program.set_objective(Sense::Maximise, [(y, 7)]).unwrap();
        program
    }

    fn messages(out: OutgoingMessage) -> Vec<Vec<u8>> {
        let mut bytes = out.0;
        let messages = std::iter::from_fn(|| first_message(&mut bytes)).collect();
        assert!(bytes.is_empty());
        messages
    }

    #[test]
    fn decoded_messages_equal_the_encoded_ones() {
        let program = example();
        let mut out = OutgoingMessage::default();
        out.load(&program);
        out.row_bounds(Row(0), Interval::exactly(-5));
        out.column_bounds(Column(1), Interval::FREE);
        let allowance = Allowance { time: u64::MAX, memory: 12 };
        out.solve(allowance);
        let heard: Vec<String> =
            messages(out).iter().map(|m| format!("{:?}", decode_request(m).unwrap())).collect();
        assert_eq!(heard[0], format!("{:?}", WorkerRequest::Load(program.clone())));
        assert_eq!(
            heard[1],
            format!("{:?}", WorkerRequest::RowBounds(Row(0), Interval::exactly(-5)))
        );
        assert_eq!(
            heard[2],
            format!("{:?}", WorkerRequest::ColumnBounds(Column(1), Interval::FREE))
        );
        assert_eq!(heard[3], format!("{:?}", WorkerRequest::Solve(allowance)));

        let optimum = LpAnswer::Optimal(Optimum {
            objective: 56.0,
            point: vec![0.0, 8.0],
            multipliers: Some(vec![0.5]),
        });
        let mut out = OutgoingMessage::default();
        out.encode_reply(&Reply::Solved(optimum.clone()));
        let Reply::Solved(heard) = decode_reply(&messages(out)[0], (2, 1)).unwrap() else {
            panic!()
        };
        assert_eq!(heard, optimum);
    }

    /// Any bytes from a broken process decode to a value of the right size or to an error.
    #[test]
    fn garbled_messages_are_refused() {
        let program = example();
        let mut out = OutgoingMessage::default();
        out.load(&program);
        let whole = messages(out).remove(0);
        for length in 0..whole.len() {
            assert!(decode_request(&whole[..length]).is_err(), "{length}");
        }
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..20_000 {
            let length = random.usize(..40);
            let mut bytes: Vec<u8> =
                std::iter::repeat_with(|| random.u8(..4)).take(length).collect();
            if let Some(first) = bytes.first_mut() {
                *first = random.u8(..3);
            }
            if let Ok(Reply::Solved(LpAnswer::Optimal(optimum))) = decode_reply(&bytes, (2, 1)) {
                assert_eq!(optimum.point.len(), 2);
            }
            let _ = decode_request(&bytes);
        }
    }
}
