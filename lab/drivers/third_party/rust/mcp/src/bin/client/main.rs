//! A driver for the client of the official Rust SDK: one JSON object per line on standard input and output.

mod client;

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::AbortHandle;

use client::{Client, OPERATIONS};

/// The clients and running operations of one case.
#[derive(Default)]
struct Case {
    clients: Mutex<HashMap<String, Arc<Client>>>,
    running: Mutex<HashMap<u64, AbortHandle>>,
}

impl Case {
    fn keep(&self, client: Client) -> String {
        let mut clients = self.clients.lock().expect("no panic while locked");
        let handle = format!("h{}", clients.len() + 1);
        clients.insert(handle.clone(), Arc::new(client));
        handle
    }

    fn find(&self, handle: &Value) -> Result<Arc<Client>, String> {
        let clients = self.clients.lock().expect("no panic while locked");
        let found = handle.as_str().and_then(|handle| clients.get(handle));
        found.cloned().ok_or_else(|| format!("no client {handle}"))
    }

    /// Removes an operation. Returns false if the operation has already ended.
    fn remove(&self, seq: u64) -> Option<AbortHandle> {
        self.running
            .lock()
            .expect("no panic while locked")
            .remove(&seq)
    }

    fn end(&self) {
        for (_, task) in self.running.lock().expect("no panic while locked").drain() {
            task.abort();
        }
    }
}

fn write(line: &Value) {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")
        .and_then(|()| output.flush())
        .expect("the kit reads the output");
}

fn write_result(seq: u64, mut result: Value) {
    result["type"] = json!("result");
    result["seq"] = json!(seq);
    write(&result);
}

fn greet() {
    let names = ["mcp.client.connect", "mcp.client.disconnect"];
    write(&json!({
        "type": "hello",
        "protocol": 1,
        "implementation": { "name": "rmcp", "version": "3.11.0", "language": "rust" },
        "ops": names.iter().chain(OPERATIONS).collect::<Vec<_>>(),
        "features": {
            "mcp.client.handlers": true,
            "mcp.client.dualEra": true,
            "mcp.client.progress": true,
            "mcp.client.protocol": true,
        },
    }));
}

async fn run(message: &Value, case: &Case) -> Result<Value, String> {
    let (name, args) = (message["op"].as_str().unwrap_or_default(), &message["args"]);
    if name == "mcp.client.connect" {
        let client = Client::connect(args)
            .await
            .map_err(|error| error.to_string())?;
        return Ok(json!({ "handle": case.keep(client) }));
    }
    let client = case.find(&message["on"])?;
    if name == "mcp.client.disconnect" {
        client.close().await;
        return Ok(json!({}));
    }
    client
        .call(name, args)
        .await
        .map_err(|error| error.to_string())
}

fn start(message: Value, case: &Arc<Case>) {
    let Some(seq) = message["seq"].as_u64() else {
        return;
    };
    let name = message["op"].as_str().unwrap_or_default();
    let is_known = OPERATIONS.contains(&name)
        || matches!(name, "mcp.client.connect" | "mcp.client.disconnect");
    if !is_known {
        let reason = format!("no operation {name}");
        return write_result(seq, json!({ "unsupported": { "reason": reason } }));
    }
    let mut running = case.running.lock().expect("no panic while locked");
    let owner = case.clone();
    let task = tokio::spawn(async move {
        let result = match run(&message, &owner).await {
            Ok(value) => json!({ "ok": value }),
            Err(text) => json!({ "error": { "code": "error", "message": text } }),
        };
        if owner.remove(seq).is_some() {
            write_result(seq, result);
        }
    });
    running.insert(seq, task.abort_handle());
}

fn abort(message: &Value, case: &Case) {
    let Some(seq) = message["seq"].as_u64() else {
        return;
    };
    if let Some(task) = case.remove(seq) {
        task.abort();
        write_result(
            seq,
            json!({ "error": { "code": "aborted", "message": "aborted" } }),
        );
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut case = Arc::new(Case::default());
    while let Some(line) = lines.next_line().await? {
        let message: Value = serde_json::from_str(&line)?;
        match message["type"].as_str() {
            Some("hello") => greet(),
            Some("case") => {
                case.end();
                case = Arc::new(Case::default());
            }
            Some("op") => start(message, &case),
            Some("abort") => abort(&message, &case),
            Some("bye") => break,
            _ => {}
        }
    }
    // The runtime would wait for a read of standard input that never ends.
    std::process::exit(0);
}
