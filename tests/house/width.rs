//! Comments have at most 100 columns, like code. Tables, code in comments and links may be wider.

use super::{CRATES, files, read};

/// Maximal number of columns of a comment.
const WIDEST: usize = 100;

/// Returns true if a line may be wider: it is a table row, has a link, or is one long code word.
fn is_apart(comment: &str) -> bool {
    comment.contains('|') || comment.contains("://") || comment.contains("](") || {
        let trimmed = comment.trim();
        trimmed.starts_with('`') && trimmed.ends_with('`')
    }
}

#[test]
fn comments_are_within_a_hundred_columns() {
    let (mut wide, mut comments) = (Vec::new(), 0);
    for path in CRATES.iter().chain(&["tests"]).flat_map(|root| files(root, "rs")) {
        let (text, mut in_code) = (read(&path), false);
        // In these files, `--help` prints comments line by line.
        if text.contains("verbatim_doc_comment") {
            continue;
        }
        for (number, line) in (1..).zip(text.lines()) {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                in_code = false;
                continue;
            };
            comments += 1;
            let comment = comment.trim_start_matches(['/', '!']);
            in_code ^= comment.trim().starts_with("```");
            if line.chars().count() > WIDEST && !in_code && !is_apart(comment) {
                wide.push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(wide.is_empty(), "wider than {WIDEST} columns:\n{}", wide.join("\n"));
    assert!(comments > 10_000, "{comments} lines of comments: this is not the source");
}
