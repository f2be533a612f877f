/**
 * The driver skeleton in JavaScript.
 *
 * @module
 */

/**
 * Formats a driver that runs without changes but supports no operation.
 *
 * @param operations Lines that describe the operations, for a comment.
 */
export function javascriptDriver(operations: readonly string[]): string {
  return String.raw`#!/usr/bin/env node
// A driver between parley-kit and my library: one JSON object per line on standard input and output.
//
// Implement an operation, add it to OPS, run the kit. Do not print to standard output. Write logs to standard error.

import process from "node:process";
import { createInterface } from "node:readline";

/** A documented error of the library, with its code, and its details as JSON data. */
class LibraryError extends Error {
  constructor(code, message, data) {
    super(message);
    this.members = { code, message, data };
  }
}

/** The library lacks a feature that a call needs. The kit reports the case as untestable instead of failed. */
class Unsupported extends Error {}

// Each operation accepts the arguments of a case and a call, and returns the object that PROTOCOL.md describes, or a
// promise of the object. For example:
//
// const OPS = {
//   "comm.canonicalize": ({ text }) => {
//     if (text === undefined) throw new Unsupported("the library accepts only JSON text");
//     return { text: myLibrary.canonicalize(JSON.parse(text)) };
//   },
//   "comm.noop.new": (args, call) => ({ handle: call.keep(new myLibrary.Transport()) }),
//   "comm.transport.receive": async (args, call) => ({ message: await call.on.receive({ signal: call.signal }) }),
// };

const OPS = {};

// Operations that this driver does not implement yet, with their arguments and the members of their results.
// PROTOCOL.md in the package @parley/conformance describes them in detail:
//
${operations.map((line) => `//   ${line}`).join("\n")}

/** Objects and running operations of the current case. */
let current = { objects: new Map(), running: new Map() };

function take(message) {
  if (message.type === "hello") {
    const implementation = { name: "my library", version: "0", language: "javascript" };
    write({ type: "hello", protocol: 1, implementation, ops: Object.keys(OPS) });
  } else if (message.type === "case") {
    const { running } = current;
    current = { objects: new Map(), running: new Map() };
    for (const controller of running.values()) controller.abort();
  } else if (message.type === "op") {
    answer(message, current);
  } else if (message.type === "abort") {
    current.running.get(message.seq)?.abort();
  }
}

async function answer(message, { objects, running }) {
  const controller = new AbortController();
  running.set(message.seq, controller);
  const result = await run(message, objects, controller.signal);
  running.delete(message.seq);
  // Results of earlier cases are discarded.
  if (running === current.running) write({ type: "result", seq: message.seq, ...result });
}

async function run({ op, args = {}, on }, objects, signal) {
  if (!Object.hasOwn(OPS, op)) return { unsupported: { reason: "no operation " + op } };
  const keep = (object) => {
    const handle = "h" + (objects.size + 1);
    objects.set(handle, object);
    return handle;
  };
  try {
    return { ok: await OPS[op](args, { on: objects.get(on), objects, keep, signal }) };
  } catch (error) {
    if (error instanceof Unsupported) return { unsupported: { reason: error.message } };
    if (signal.aborted) return { error: { code: "aborted", message: "aborted" } };
    if (error instanceof LibraryError) return { error: error.members };
    return { fault: { message: String(error), trace: error?.stack } };
  }
}

function write(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const message = JSON.parse(line);
  if (message.type === "bye") process.exit(0);
  take(message);
}
`;
}
