/**
 * The driver skeleton in Rust.
 *
 * @module
 */

import { RUST_JSON } from "./init_rust_json.ts";

/** Text before the list of operations. */
const START: string = String
  .raw`//! A driver between parley-kit and my library: one JSON object per line on standard input and output.
//!
//! Implement an operation, add it to OPERATIONS, run the kit. Do not print to standard output. Write logs to standard
//! error.
#![allow(dead_code)]

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{self, BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc, Mutex, MutexGuard};
use std::thread;

/// The reason why an operation has no value.
enum Failure {
    /// A documented error of the library, with its code, and its details as JSON data.
    Library { code: String, message: String, data: Option<Json> },
    /// The library lacks a feature that a call needs. The kit reports the case as untestable instead of failed.
    Unsupported(String),
    /// An error of a function of the host, such as a tool of the case.
    Host(String),
    /// The kit has aborted the operation.
    Aborted,
    /// Any other error.
    Fault(String),
}

type Outcome = Result<Json, Failure>;

/// An operation reads the arguments of a case and returns the object that PROTOCOL.md describes. Each operation runs on
/// a thread, so it can wait. For example:
///
///     fn canonicalize(call: &Call) -> Outcome {
///         let Some(input) = call.args.get("text").text() else {
///             return Err(Failure::Unsupported("the library accepts only JSON text".into()));
///         };
///         let text = my_library::canonicalize(input).map_err(|error| Failure::Fault(error.to_string()))?;
///         Ok(object([("text", Json::Text(text))]))
///     }
///
///     fn new_transport(call: &Call) -> Outcome {
///         Ok(object([("handle", Json::Text(call.keep(my_library::Transport::new())))]))
///     }
///
///     fn run(call: &Call) -> Outcome {
///         // The model and the tools of a case are functions of the host.
///         my_library::run(|request| call.host("model.generate", request), call.args.get("input"))
///     }
type Operation = fn(&Call) -> Outcome;

const OPERATIONS: &[(&str, Operation)] = &[];

/// The optional features in PROTOCOL.md that the library has. Cases that need other features are untestable.
const FEATURES: &[&str] = &[];

// Operations that this driver does not implement yet, with their arguments and the members of their results.
// PROTOCOL.md in the package @parley/conformance describes them in detail:
//
`;

/** Text after the list of operations. */
const END: string = String.raw`

/// An object of the library.
type Thing = Arc<dyn Any + Send + Sync>;

/// The context of an operation: its arguments, the object it is called on, and the registry of new objects.
struct Call {
    args: Json,
    /// The object, for downcast_ref.
    on: Option<Thing>,
    seq: u64,
    state: Arc<Case>,
    driver: Arc<Driver>,
}

impl Call {
    /// Registers an object and returns its handle.
    fn keep(&self, thing: impl Any + Send + Sync) -> String {
        let mut objects = lock(&self.state.objects);
        let handle = format!("h{}", objects.len() + 1);
        objects.insert(handle.clone(), Arc::new(thing));
        handle
    }

    /// Calls a function of the host, and waits for its value.
    fn host(&self, function: &str, args: Json) -> Outcome {
        let number = self.driver.last_call.fetch_add(1, Ordering::SeqCst) + 1;
        let (sender, receiver) = mpsc::channel();
        lock(&self.state.host_calls).insert(number, (self.seq, sender));
        let line = [("type", text("call")), ("call", Json::Number(number.to_string())), ("fn", text(function))];
        self.driver.write(&self.state, object(line).with("args", args));
        match receiver.recv() {
            Ok(answer) if answer.has("error") => {
                Err(Failure::Host(answer.get("error").get("message").text().unwrap_or("no message").into()))
            }
            Ok(answer) if answer.has("special") => Err(Failure::Unsupported(format!(
                "no value {}", // PROTOCOL.md lists the values
                answer.get("special")
            ))),
            Ok(answer) => Ok(answer.get("ok").clone()),
            Err(_) => {
                let line = [("type", text("cancelled")), ("call", Json::Number(number.to_string()))];
                self.driver.write(&self.state, object(line));
                Err(Failure::Aborted)
            }
        }
    }
}

/// The objects and host calls of one case.
#[derive(Default)]
struct Case {
    objects: Mutex<HashMap<String, Thing>>,
    /// The host calls, with the operation that waits for each.
    host_calls: Mutex<HashMap<u64, (u64, mpsc::Sender<Json>)>>,
}

/// State that all threads share.
#[derive(Default)]
struct Driver {
    current: Mutex<Arc<Case>>,
    last_call: AtomicU64,
}

impl Driver {
    /// Writes a line, unless its case has ended.
    fn write(&self, state: &Arc<Case>, line: Json) {
        let current = lock(&self.current);
        if Arc::ptr_eq(&current, state) {
            let mut output = io::stdout().lock();
            let _ = writeln!(output, "{line}").and_then(|()| output.flush());
        }
    }
}

fn main() {
    let driver = Arc::new(Driver::default());
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Some(message) = Json::parse(&line) else {
            eprintln!("not JSON: {line}");
            std::process::exit(1);
        };
        let state = lock(&driver.current).clone();
        match message.get("type").text() {
            Some("hello") => driver.write(&state, hello()),
            Some("case") => {
                *lock(&driver.current) = Arc::default();
                lock(&state.host_calls).clear();
            }
            Some("op") => start(&driver, state, message),
            Some("abort") => {
                let seq = message.get("seq").number();
                lock(&state.host_calls).retain(|_, (waiting, _)| Some(*waiting) != seq);
            }
            Some("return") => {
                let found = message.get("call").number().and_then(|call| lock(&state.host_calls).remove(&call));
                if let Some((_, sender)) = found {
                    let _ = sender.send(message);
                }
            }
            Some("bye") => return,
            _ => {}
        }
    }
}

fn hello() -> Json {
    let names = OPERATIONS.iter().map(|(name, _)| text(name)).collect();
    let features = FEATURES.iter().map(|name| (*name, Json::Bool(true)));
    let implementation = [("name", text("my library")), ("version", text("0")), ("language", text("rust"))];
    object([("type", text("hello")), ("protocol", Json::Number("1".into())), ("ops", Json::List(names))])
        .with("implementation", object(implementation))
        .with("features", object(features))
}

/// Runs an operation on a thread and writes its result.
fn start(driver: &Arc<Driver>, state: Arc<Case>, message: Json) {
    let driver = driver.clone();
    thread::spawn(move || {
        let seq = message.get("seq").number().unwrap_or(0);
        let name = message.get("op").text().unwrap_or("").to_string();
        let on = message.get("on").text().and_then(|handle| lock(&state.objects).get(handle).cloned());
        let call = Call { args: message.get("args").clone(), on, seq, state: state.clone(), driver: driver.clone() };
        let outcome = match OPERATIONS.iter().find(|(known, _)| *known == name) {
            None => Err(Failure::Unsupported(format!("no operation {name}"))),
            Some((_, act)) => catch_unwind(AssertUnwindSafe(|| act(&call)))
                .unwrap_or_else(|_| Err(Failure::Fault("the operation panicked, see standard error".into()))),
        };
        let line = [("type", text("result")), ("seq", Json::Number(seq.to_string()))];
        let (member, value) = describe(outcome);
        driver.write(&state, object(line).with(member, value));
    });
}

/// Returns the member of the result line that an outcome becomes.
fn describe(outcome: Outcome) -> (&'static str, Json) {
    match outcome {
        Ok(value) => ("ok", value),
        Err(Failure::Unsupported(reason)) => ("unsupported", object([("reason", Json::Text(reason))])),
        Err(Failure::Aborted) => ("error", object([("code", text("aborted")), ("message", text("aborted"))])),
        Err(Failure::Library { code, message, data }) => {
            let error = object([("code", Json::Text(code)), ("message", Json::Text(message))]);
            ("error", data.into_iter().fold(error, |error, data| error.with("data", data)))
        }
        Err(Failure::Host(message) | Failure::Fault(message)) => ("fault", object([("message", Json::Text(message))])),
    }
}

/// Locks a mutex, also after a thread has panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
${RUST_JSON}`;

/**
 * Formats a driver that runs without changes but supports no operations. It needs only Rust's
 * standard library.
 *
 * @param operations Lines that describe the operations, for a comment.
 */
export function rustDriver(operations: readonly string[]): string {
  return `${START}${operations.map((line) => `// ${line}`).join("\n")}${END}`;
}
