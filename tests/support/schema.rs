//! Checks values against a JSON Schema. Only the keywords of `docs/parikh.schema.json` are
//! supported; another keyword in a schema is an error.

use serde_json::Value;
use std::path::Path;

/// A schema, which may refer to its own definitions.
pub(crate) struct Schema(Value);

impl Schema {
    /// Returns the schema of the output with `--format json`, from the guide in `docs`.
    pub(crate) fn of_the_guide(docs: &Path) -> Schema {
        let text = std::fs::read_to_string(docs.join("parikh.schema.json")).expect("readable");
        Schema(serde_json::from_str(&text).expect("JSON"))
    }

    /// Returns the names of the top-level alternatives.
    pub(crate) fn alternatives(&self) -> Vec<&str> {
        let all = self.0["anyOf"].as_array().expect("a list");
        all.iter().filter_map(|one| one["$ref"].as_str()?.rsplit('/').next()).collect()
    }

    /// Checks `value` against the definition of this name. Returns the first error.
    pub(crate) fn check(&self, definition: &str, value: &Value) -> Result<(), String> {
        self.holds(&self.0["$defs"][definition], value, "")
    }

    /// Returns the top-level alternatives that `value` satisfies.
    pub(crate) fn kinds(&self, value: &Value) -> Vec<&str> {
        let mut kinds = self.alternatives();
        kinds.retain(|kind| self.check(kind, value).is_ok());
        kinds
    }

    fn holds(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let words = schema.as_object().ok_or_else(|| format!("{at}: no schema: {schema}"))?;
        for (word, says) in words {
            self.word(word, says, schema, value, at)?;
        }
        Ok(())
    }

    fn word(
        &self,
        word: &str,
        says: &Value,
        schema: &Value,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let wrong = || Err(format!("{at}: {value} is not {word} {says}"));
        let is = |holds: bool| if holds { Ok(()) } else { wrong() };
        match word {
            "description" => Ok(()),
            "$ref" => {
                let name =
                    says.as_str().and_then(|it| it.strip_prefix("#/$defs/")).expect("a name");
                self.check(name, value).map_err(|why| format!("{at} ({name}){why}"))
            }
            "anyOf" => {
                let all = says.as_array().expect("a list").iter();
                let wrong: Vec<String> =
                    all.map_while(|one| self.holds(one, value, at).err()).collect();
                match wrong.len() < says.as_array().map_or(0, Vec::len) {
                    true => Ok(()),
                    false => Err(wrong.join(" | ")),
                }
            }
            "const" => is(value == says),
            "enum" => is(says.as_array().expect("a list").contains(value)),
            "type" => is(match says.as_str().expect("a type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                "integer" => value.is_u64() || value.is_i64(),
                "number" => value.is_number(),
                other => panic!("type {other}"),
            }),
            "minimum" => is(value.as_f64().is_none_or(|it| it >= says.as_f64().expect("a number"))),
            "maximum" => is(value.as_f64().is_none_or(|it| it <= says.as_f64().expect("a number"))),
            "pattern" => {
                assert_eq!(says, "^-?[0-9]+$");
                let digits = value.as_str().map(|it| it.strip_prefix('-').unwrap_or(it));
                let is_number = |it: &str| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit());
                is(digits.is_none_or(is_number))
            }
            "items" => {
                let mut all = value.as_array().into_iter().flatten().enumerate();
                all.try_for_each(|(i, one)| self.holds(says, one, &format!("{at}/{i}")))
            }
            "required" => {
                let all = says.as_array().expect("a list").iter();
                let has = |key: &Value| value.get(key.as_str().expect("a key")).is_some();
                is(all.clone().all(has))
            }
            "properties" => {
                let all = says.as_object().expect("an object").iter();
                let mut has = all.filter_map(|(key, schema)| Some((key, schema, value.get(key)?)));
                has.try_for_each(|(key, schema, it)| self.holds(schema, it, &format!("{at}/{key}")))
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                let is_more = |key: &String| known.is_none_or(|known| !known.contains_key(key));
                let mut more =
                    value.as_object().into_iter().flatten().filter(|(key, _)| is_more(key));
                match says {
                    Value::Bool(false) => match more.next() {
                        None => Ok(()),
                        Some((key, _)) => Err(format!("{at}: `{key}` is not in the schema")),
                    },
                    schema => more
                        .try_for_each(|(key, it)| self.holds(schema, it, &format!("{at}/{key}"))),
                }
            }
            other => panic!("a schema with `{other}`"),
        }
    }
}
