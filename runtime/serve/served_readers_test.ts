/**
 * A property of served agents: all readers receive the same events, whenever they start to read and
 * however often they leave.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryRuns } from "../runs/memory.ts";
import { openRuns } from "../runs/open_runs.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import type { LanguageModel } from "../shared/model.ts";
import type { ServedAgent, ServedRun } from "./contracts.ts";
import { serveRuns } from "./serve_runs.ts";
import { serveSessions } from "./serve_sessions.ts";

/** A model that streams words. It waits at the gates before some of them. */
function streamWords(gates: readonly Gate[]): LanguageModel {
  return {
    modelId: "words",
    generate: () => Promise.reject(new Error("only streams")),
    async *stream() {
      for (const gate of gates) {
        await gate.wait();
        yield { type: "text-delta", delta: "word " };
      }
      yield {
        type: "finish",
        response: {
          message: {
            role: "assistant",
            content: [{ type: "text", text: "word ".repeat(gates.length) }],
          },
          finishReason: "stop",
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        },
      };
    },
  };
}

/** Reads all events. Leaves the loop after each part, and continues after its last event. */
async function readInParts(run: ServedRun, sizes: readonly number[]): Promise<string> {
  const events: unknown[] = [];
  let after: string | undefined;
  for (const size of [...sizes, Infinity]) {
    let left = size;
    for await (const live of run.events(after === undefined ? {} : { after })) {
      events.push(live);
      after = live.cursor;
      if (--left === 0) break;
    }
  }
  return JSON.stringify(events);
}

const reader = fc.record({
  /** Number of gates that are open before the reader starts. */
  start: fc.nat({ max: 4 }),
  sizes: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }),
});

async function testReaders(
  open: (make: () => ToolLoopAgent) => { readonly served: ServedAgent } & AsyncDisposable,
): Promise<void> {
  const property = fc.asyncProperty(
    fc.array(reader, { minLength: 2, maxLength: 5 }),
    async (readers) => {
      const gates = [1, 2, 3].map(createGate);
      await using opened = open(() => new ToolLoopAgent({ name: "a", model: streamWords(gates) }));
      const run = await opened.served.start(undefined, { turn: "Go" });
      const reading: Promise<string>[] = [];
      for (let step = 0; step <= 4; step++) {
        for (const { sizes, start } of readers) {
          if (start === step) reading.push(readInParts(run, sizes));
        }
        await gates[step]?.reached;
        gates[step]?.release();
      }
      await run.settled();
      reading.push(readInParts(run, []));
      const [first, ...others] = await Promise.all(reading);
      assertEquals(others, others.map(() => first ?? ""));
    },
  );
  await fc.assert(property, propertyRuns(20));
}

Deno.test("serveSessions: all readers receive the same events", () =>
  testReaders((make) => {
    const served = serveSessions({ storage: memoryStorage(), make, flushMs: 0, drainMs: 0 });
    return { served, [Symbol.asyncDispose]: () => served.close() };
  }));

Deno.test("serveRuns: all readers receive the same events", () =>
  testReaders((make) => {
    const runs = openRuns(memoryRuns(), { a: { version: "1", make } }, {
      storeEvents: true,
      flushMs: 0,
    });
    const working = runs.work();
    return {
      served: serveRuns(runs, { agent: "a" }),
      [Symbol.asyncDispose]: async () => {
        await runs.close();
        await working;
      },
    };
  }));
