/**
 * The part of the driver skeleton in Rust that reads and writes JSON, because Rust's standard
 * library cannot.
 *
 * @module
 */

/** Rust code that reads and writes JSON. */
export const RUST_JSON: string = String.raw`
/// A JSON value. Numbers are texts, so that none is changed.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

fn text(value: &str) -> Json {
    Json::Text(value.to_string())
}

fn object<'a>(members: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
}

impl Json {
    /// Returns a member of an object, or null.
    fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => members.get(name).unwrap_or(&Json::Null),
            _ => &Json::Null,
        }
    }

    fn has(&self, name: &str) -> bool {
        matches!(self, Json::Object(members) if members.contains_key(name))
    }

    /// Returns a copy of an object with one more member.
    fn with(self, name: &str, value: Json) -> Json {
        match self {
            Json::Object(mut members) => {
                members.insert(name.to_string(), value);
                Json::Object(members)
            }
            other => other,
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Json::Text(value) => Some(value),
            _ => None,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            Json::Number(value) => value.parse().ok(),
            _ => None,
        }
    }

    fn parse(line: &str) -> Option<Json> {
        let mut reader = Reader { line, bytes: line.as_bytes(), at: 0 };
        let value = reader.value()?;
        reader.space();
        (reader.at == reader.bytes.len()).then_some(value)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(value) => out.write_str(value),
            Json::Text(value) => write_text(out, value),
            Json::List(items) => {
                out.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(out, "{}{item}", if index == 0 { "" } else { "," })?;
                }
                out.write_str("]")
            }
            Json::Object(members) => {
                out.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { "," })?;
                    write_text(out, name)?;
                    write!(out, ":{value}")?;
                }
                out.write_str("}")
            }
        }
    }
}

fn write_text(out: &mut fmt::Formatter<'_>, value: &str) -> fmt::Result {
    out.write_str("\"")?;
    for character in value.chars() {
        match character {
            '"' | '\\' => write!(out, "\\{character}")?,
            '\0'..='\x1f' => write!(out, "\\u{:04x}", character as u32)?,
            _ => write!(out, "{character}")?,
        }
    }
    out.write_str("\"")
}

/// Reads one line of JSON.
struct Reader<'a> {
    line: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Skips white space and then the given text. Returns whether the text was there.
    fn take(&mut self, word: &str) -> bool {
        self.space();
        let found = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn value(&mut self) -> Option<Json> {
        self.space();
        match self.bytes.get(self.at)? {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => self.text().map(Json::Text),
            b't' => self.take("true").then_some(Json::Bool(true)),
            b'f' => self.take("false").then_some(Json::Bool(false)),
            b'n' => self.take("null").then_some(Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self) -> Option<Json> {
        let mut members = BTreeMap::new();
        self.take("{");
        if self.take("}") {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.text()?;
            if !self.take(":") {
                return None;
            }
            members.insert(name, self.value()?);
            if self.take("}") {
                return Some(Json::Object(members));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn list(&mut self) -> Option<Json> {
        let mut items = Vec::new();
        self.take("[");
        if self.take("]") {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value()?);
            if self.take("]") {
                return Some(Json::List(items));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        text.parse::<f64>().ok().map(|_| Json::Number(text.to_string()))
    }

    fn text(&mut self) -> Option<String> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        // Rust's texts hold no lone surrogates, which become U+FFFD.
        let mut units: Vec<u16> = Vec::new();
        loop {
            let character = self.line.get(self.at..)?.chars().next()?;
            self.at += character.len_utf8();
            match character {
                '"' => return Some(String::from_utf16_lossy(&units)),
                '\\' => units.push(self.escape()?),
                _ => units.extend(character.encode_utf16(&mut [0; 2]).iter()),
            }
        }
    }

    fn escape(&mut self) -> Option<u16> {
        let kind = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(match kind {
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => {
                let digits = std::str::from_utf8(self.bytes.get(self.at..self.at + 4)?).ok()?;
                self.at += 4;
                u16::from_str_radix(digits, 16).ok()?
            }
            other => u16::from(other),
        })
    }
}
`;
