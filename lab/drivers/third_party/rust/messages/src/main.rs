//! Runs the operations of signed messages, built from third-party libraries, for the kit: one JSON object per line on
//! standard input and output.

mod messages;

use std::io::{self, BufRead, Write};

use messages::{Failure, OPERATIONS};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let answer = match message["type"].as_str() {
            Some("hello") => hello(),
            Some("op") => {
                let mut result = run(&message);
                result["type"] = json!("result");
                result["seq"] = message["seq"].clone();
                result
            }
            Some("bye") => break,
            _ => continue,
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn hello() -> Value {
    let names: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "hello",
        "protocol": 1,
        "implementation": {
            "name": "serde_json_canonicalizer + ed25519-dalek + multibase",
            "version": "0.3.2, 2.2.0, 0.9.3",
            "language": "rust",
        },
        "ops": names,
    })
}

/// Calls an operation and returns the members of its result.
fn run(message: &Value) -> Value {
    let name = message["op"].as_str().unwrap_or_default();
    let Some((_, operation)) = OPERATIONS.iter().find(|(known, _)| *known == name) else {
        return json!({ "unsupported": { "reason": format!("unknown operation {name}") } });
    };
    match operation(&message["args"]) {
        Ok(value) => json!({ "ok": value }),
        Err(Failure::Unsupported(reason)) => json!({ "unsupported": { "reason": reason } }),
        Err(Failure::Rejected(message)) => {
            json!({ "error": { "code": "invalid_argument", "message": message } })
        }
    }
}
