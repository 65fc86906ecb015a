//! Suggestions for messages about an unknown name.

/// Returns the first candidate with the fewest edits from `name` (insertions, deletions,
/// replacements). Returns `None` if every candidate needs more edits than about a third of the
/// length of `name`. Only the first 200 characters of each name are compared.
pub fn closest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let name: Vec<char> = name.chars().take(MAX_COMPARED_CHARACTERS).collect();
    let mut max_edits = (name.len() + 1) / 3;
    let mut best = None;
    let mut row = Vec::new();
    let mut candidate_letters = Vec::new();
    for candidate in candidates {
        candidate_letters.clear();
        candidate_letters.extend(candidate.chars().take(MAX_COMPARED_CHARACTERS));
        if name.len().abs_diff(candidate_letters.len()) > max_edits {
            continue;
        }
        let edits = distance(&name, &candidate_letters, &mut row);
        if edits <= max_edits {
            best = Some(candidate);
            if edits == 0 {
                break;
            }
            // Only a strictly closer candidate is of interest.
            max_edits = edits - 1;
        }
    }
    best
}

/// The largest number of characters of a name that are compared. Limits the time for long names.
const MAX_COMPARED_CHARACTERS: usize = 200;

/// Computes Levenshtein's distance of two words: the least number of letters to insert, delete or
/// replace. `row` is a buffer for one row of the table of distances between prefixes of `a` and
/// `b`.
fn distance(a: &[char], b: &[char], row: &mut Vec<usize>) -> usize {
    row.clear();
    row.extend(0..=b.len());
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_candidate_with_the_fewest_edits_is_suggested() {
        let names = ["idle_1", "idle_12", "busy_1"];
        assert_eq!(closest("idle_13", names.into_iter()), Some("idle_1"));
        assert_eq!(closest("bussy_1", names.into_iter()), Some("busy_1"));
        assert_eq!(closest("critical", names.into_iter()), None);
        assert_eq!(closest("", names.into_iter()), None);
    }

    #[test]
    fn distances_are_levenshteins() {
        let distance = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|word| word.chars().collect::<Vec<_>>());
            super::distance(&a, &b, &mut Vec::new())
        };
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }
}
