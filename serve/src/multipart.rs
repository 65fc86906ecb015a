//! Forms with files (`multipart/form-data`), as the MCC-server protocol sends them.

/// A field of a form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FormField<'b> {
    pub(super) name: String,
    pub(super) content: &'b [u8],
}

/// The form is not as RFC 7578 describes it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FormError {
    #[error("expected the content type multipart/form-data with a boundary")]
    Type,
    #[error("the form breaks off, or its parts are not separated by the boundary")]
    Boundary,
    #[error("a part of the form has no name")]
    Name,
    #[error("the form has more than {MOST_FIELDS} fields")]
    Fields,
}

/// The largest number of fields of a form.
const MOST_FIELDS: usize = 16;

/// Parses a form. File names in it are ignored.
///
/// # Errors
/// The content type names no boundary, or the body is no such form.
pub(super) fn fields<'b>(
    content_type: &str,
    body: &'b [u8],
) -> Result<Vec<FormField<'b>>, FormError> {
    let boundary = boundary(content_type).ok_or(FormError::Type)?;
    let separator = format!("\r\n--{boundary}").into_bytes();
    // The first separator has no line end in front.
    let mut rest = body.strip_prefix(&separator[2..]).ok_or(FormError::Boundary)?;
    let mut fields = Vec::new();
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        let head_end = find(part, b"\r\n\r\n").ok_or(FormError::Boundary)?;
        let content = &part[head_end + 4..];
        let end = find(content, &separator).ok_or(FormError::Boundary)?;
        let name = name(&part[..head_end]).ok_or(FormError::Name)?;
        fields.push(FormField { name, content: &content[..end] });
        if fields.len() > MOST_FIELDS {
            return Err(FormError::Fields);
        }
        rest = &content[end + separator.len()..];
    }
    rest.starts_with(b"--").then_some(fields).ok_or(FormError::Boundary)
}

/// Returns the boundary of a content type.
fn boundary(content_type: &str) -> Option<String> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    })?;
    (1..=70).contains(&boundary.len()).then(|| boundary.to_owned())
}

/// Returns the name of a part, from its headers.
fn name(head: &[u8]) -> Option<String> {
    let head = std::str::from_utf8(head).ok()?;
    let is_disposition =
        |line: &&str| line.to_ascii_lowercase().starts_with("content-disposition:");
    let line = head.split("\r\n").find(is_disposition)?;
    let (_, value) = line.split_once("; name=\"")?;
    Some(value.split_once('"')?.0.to_owned())
}

/// Returns the first position of a text.
fn find(all: &[u8], wanted: &[u8]) -> Option<usize> {
    all.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: &str = "multipart/form-data; boundary=xyz";
    const FORM: &[u8] = b"--xyz\r\nContent-Disposition: form-data; name=\"model.pnml\"; \
        filename=\"../../x\"\r\nContent-Type: application/xml\r\n\r\n<pnml/>\r\n--xyz\r\n\
        Content-Disposition: form-data; name=\"timeout\"\r\n\r\n100\r\n--xyz--\r\n";

    #[test]
    fn fields_are_read() {
        let fields = fields(KIND, FORM).unwrap();
        let read: Vec<(&str, &[u8])> =
            fields.iter().map(|field| (field.name.as_str(), field.content)).collect();
        assert_eq!(read, [("model.pnml", &b"<pnml/>"[..]), ("timeout", b"100")]);
    }

    #[test]
    fn broken_forms_are_refused() {
        assert_eq!(fields("text/plain", FORM), Err(FormError::Type));
        assert_eq!(fields("multipart/form-data", FORM), Err(FormError::Type));
        assert_eq!(fields("multipart/form-data; boundary=", FORM), Err(FormError::Type));
        for cut in 0..FORM.len() - 4 {
            assert!(fields(KIND, &FORM[..cut]).is_err(), "{cut}");
        }
        let nameless = b"--xyz\r\nContent-Disposition: form-data\r\n\r\nx\r\n--xyz--";
        assert_eq!(fields(KIND, nameless), Err(FormError::Name));
        let part = b"--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n".repeat(99);
        assert_eq!(fields(KIND, &[&part[..], b"--xyz--"].concat()), Err(FormError::Fields));
    }
}
