/**
 * A relay in front of an MCP server over stdio. The relay applies one fault or control.
 *
 *     deno run -A lab/selftest/relay.ts RULE COMMAND...
 *
 * @module
 */

import { isObject, readJson } from "../../conformance/kit/json.ts";
import { startChild } from "../../conformance/platform/child_process.ts";
import { commandLine, exitNow, readInput, writeOut } from "../../conformance/platform/process.ts";
import { LineSplitter } from "../../conformance/subject/lines.ts";
import { findFault } from "./find_fault.ts";
import type { FaultRule, Message, StdioRule } from "./fault_rule.ts";
import { createDelay } from "./latency.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** Forwards lines in both directions, and applies a fault rule to them. */
class Relay {
  readonly #rule: FaultRule;
  readonly #requests: Map<unknown, Message> = new Map();
  readonly #queue: string[] = [];
  readonly #send: (line: string) => void;

  constructor(rule: FaultRule, send: (line: string) => void) {
    this.#rule = rule;
    this.#send = send;
  }

  fromClient(line: string): void {
    const value = readJson(line)?.value;
    const message = isObject(value) ? value : undefined;
    const answers = this.#rule.intercept?.(line, message);
    if (answers === "exit") return exitNow(1);
    if (answers === "drop") return;
    for (const answer of answers ?? []) writeOut(`${JSON.stringify(answer)}\n`);
    const isWaiting = this.#rule.isSerial === true && this.#requests.size > 0;
    if (isWaiting) this.#queue.push(line);
    else this.#pass(line, message);
  }

  fromServer(line: string): void {
    const value = readJson(line)?.value;
    if (!isObject(value)) return writeOut(`${line}\n`);
    const request = "method" in value ? undefined : this.#requests.get(value.id);
    if (request !== undefined) this.#requests.delete(value.id);
    const context = request === undefined ? {} : { request };
    for (const answer of this.#rule.answer?.(value, context) ?? [value]) {
      writeOut(`${typeof answer === "string" ? answer : JSON.stringify(answer)}\n`);
    }
    const next = this.#requests.size === 0 ? this.#queue.shift() : undefined;
    const parsed = next === undefined ? undefined : readJson(next)?.value;
    if (next !== undefined) this.#pass(next, isObject(parsed) ? parsed : undefined);
  }

  #pass(line: string, message: Message | undefined): void {
    if (message !== undefined && "id" in message && "method" in message) {
      this.#requests.set(message.id, message);
    }
    this.#send(`${line}\n`);
  }
}

/**
 * Decodes and re-encodes a single chunk, which corrupts UTF-8 sequences that are split between
 * chunks.
 */
function reencode(chunk: Uint8Array): Uint8Array {
  return new TextEncoder().encode(new TextDecoder().decode(chunk));
}

function splitter(take: (line: string) => void): LineSplitter {
  return new LineSplitter({ line: take, overflow: () => exitNow(1) }, MAX_BYTES);
}

async function main([id = "", ...command]: readonly string[]): Promise<void> {
  const rule = findFault(id);
  const later = createDelay(rule.delayMs);
  const output = splitter((line) => relay.fromServer(line));
  const child = await startChild(command, {
    onOutput: (chunk) => later(() => output.push(chunk)),
  });
  const relay = new Relay(rule, (line) => child.write(line));
  const { maxLine = Infinity, decodesPieces, staysAtEnd }: StdioRule = rule.stdio ?? {};
  const input = splitter((line) => relay.fromClient(line.slice(0, maxLine)));
  readInput(
    (chunk) => later(() => input.push(decodesPieces === true ? reencode(chunk) : chunk)),
    () =>
      later(() => {
        input.end();
        if (staysAtEnd === true) setInterval(() => {}, 1000);
        else child.closeInput();
      }),
  );
  const { code } = await child.exited;
  later(() => exitNow(code ?? 1));
}

if (import.meta.main) await main(commandLine());
