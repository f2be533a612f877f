/**
 * The driver skeleton in JavaScript.
 *
 * @module
 */

/** Text before the list of operations. */
const START: string = String.raw`#!/usr/bin/env node
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

/** An error that a function of the host throws, such as a tool of the case. */
class HostError extends Error {}

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
//   "runtime.run": async ({ config, input }, call) => {
//     // The model and the tools of a case are functions of the host.
//     const model = (request) => call.host("model.generate", { model: config.model, ...request }, call.signal);
//     return await myLibrary.run(model, input);
//   },
// };

const OPS = {};

// Names of the optional features in PROTOCOL.md that the library has. Cases that need other features are untestable.
const FEATURES = [];

// Operations that this driver does not implement yet, with their arguments and the members of their results.
// PROTOCOL.md in the package @parley/conformance describes them in detail:
//
`;

/** Text after the list of operations. */
const END: string = String.raw`

/** Objects and running operations of the current case. */
let current = newCase();

/** The last number of a host call. */
let lastCall = 0;

function newCase() {
  return { objects: new Map(), running: new Map(), hostCalls: new Map() };
}

function take(message) {
  if (message.type === "hello") {
    const implementation = { name: "my library", version: "0", language: "javascript" };
    const features = Object.fromEntries(FEATURES.map((name) => [name, true]));
    write({ type: "hello", protocol: 1, implementation, ops: Object.keys(OPS), features });
  } else if (message.type === "case") {
    const { running } = current;
    current = newCase();
    for (const controller of running.values()) controller.abort();
  } else if (message.type === "op") {
    answer(message, current);
  } else if (message.type === "abort") {
    current.running.get(message.seq)?.abort();
  } else if (message.type === "return") {
    current.hostCalls.get(message.call)?.(message);
  }
}

async function answer(message, state) {
  const controller = new AbortController();
  state.running.set(message.seq, controller);
  const result = await run(message, state, controller.signal);
  state.running.delete(message.seq);
  // Results of earlier cases are discarded.
  if (state === current) write({ type: "result", seq: message.seq, ...result });
}

async function run({ op, args = {}, on }, state, signal) {
  const { objects } = state;
  if (!Object.hasOwn(OPS, op)) return { unsupported: { reason: "no operation " + op } };
  const keep = (object) => {
    const handle = "h" + (objects.size + 1);
    objects.set(handle, object);
    return handle;
  };
  try {
    const host = (fn, args, signal) => callHost(state, fn, args, signal);
    return { ok: await OPS[op](args, { on: objects.get(on), objects, keep, signal, host }) };
  } catch (error) {
    if (error instanceof Unsupported) return { unsupported: { reason: error.message } };
    if (signal.aborted) return { error: { code: "aborted", message: "aborted" } };
    if (error instanceof LibraryError) return { error: error.members };
    return { fault: { message: String(error), trace: error?.stack } };
  }
}

/** Calls a function of the host. If the signal is aborted, the call ends without a value. */
function callHost(state, fn, args, signal) {
  const call = ++lastCall;
  return new Promise((resolve, reject) => {
    const cancel = () => {
      if (state === current) write({ type: "cancelled", call });
      state.hostCalls.delete(call);
      reject(new Error("aborted"));
    };
    state.hostCalls.set(call, ({ ok, special, error }) => {
      state.hostCalls.delete(call);
      signal?.removeEventListener("abort", cancel);
      if (error !== undefined) reject(new HostError(error.message));
      else if (special === undefined) resolve(ok);
      else reject(new Unsupported("no value " + special)); // PROTOCOL.md lists the values
    });
    write({ type: "call", call, fn, args });
    if (signal?.aborted) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  });
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

/**
 * Formats a driver that runs without changes but supports no operation.
 *
 * @param operations Lines that describe the operations, for a comment.
 */
export function javascriptDriver(operations: readonly string[]): string {
  return `${START}${operations.map((line) => `//   ${line}`).join("\n")}${END}`;
}
