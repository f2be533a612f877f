import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { McpError } from "../shared/error.ts";
import type { Line, LineReader } from "@parley/internal/split-lines";
import { LinePipe, readLines } from "./ndjson_pipe.ts";
import type { RpcNotification } from "../jsonrpc/message.ts";
import { openStdioPipe } from "./stdio_pipe.ts";

const HELLO: RpcNotification = { jsonrpc: "2.0", method: "hello" };

function writer(): { written: string[]; writeLine(line: string): Promise<void> } {
  const written: string[] = [];
  return { written, writeLine: (line) => Promise.resolve(void written.push(line)) };
}

function lines(...all: Line[]): LineReader {
  return async (take) => {
    for (const line of all) await take(line);
  };
}

Deno.test("LinePipe reads frames, ignores blank lines and reports lines that are too long", async () => {
  const pipe = new LinePipe(lines('{"jsonrpc":"2.0","method":"a"}', "", { maxBytes: 9 }), writer());
  const frames = await Array.fromAsync(pipe.frames);
  assertEquals(frames, [
    { kind: "notification", message: { jsonrpc: "2.0", method: "a" } },
    {
      kind: "invalid",
      code: -32600,
      reason: "Invalid Request: line is longer than 9 bytes",
      id: null,
      isResponse: false,
    },
  ]);
});

Deno.test("the reason for a line that is too long does not repeat itself", async () => {
  const pipe = new LinePipe(lines({ maxBytes: 9 }), writer(), { maxJunkLines: 1 });
  const [frame] = await Array.fromAsync(pipe.frames);
  assert(frame?.kind === "invalid");
  assertEquals(frame.reason, "Invalid Request: line is longer than 9 bytes");
  assertEquals(
    pipe.diagnosis,
    'expected JSON-RPC messages, got the lines "(a line of more than 9 bytes)"',
  );
});

Deno.test("LinePipe rejects a line that is not UTF-8, and names the id of a response", async () => {
  const texts = [
    '{"jsonrpc":"2.0","id":7,"method":"\ufffd"}',
    '{"jsonrpc":"2.0","id":"a","result":{"x":"\ufffd"}}',
    '{"jsonrpc":"2.0","id":"\ufffd","result":{}}',
    '{"jsonrpc":"2.0","method":"\ufffd"}',
    "\ufffd",
  ];
  const damaged = texts.map((damagedText) => ({ damagedText }));
  for (const options of [{}, { maxJunkLines: 100 }]) {
    const pipe = new LinePipe(lines(...damaged), writer(), options);
    const frames = await Array.fromAsync(pipe.frames);
    const facts = frames.map((frame) =>
      frame.kind === "invalid" && [frame.code, frame.id, frame.isResponse]
    );
    assertEquals(facts, [
      [-32700, null, false],
      [-32700, "a", true],
      [-32700, null, true],
      [-32700, null, false],
      [-32700, null, false],
    ]);
    for (const frame of frames) {
      assert(frame.kind === "invalid");
      assertStringIncludes(frame.reason, "Parse error: the message is not valid UTF-8");
    }
  }
});

Deno.test("LinePipe writes messages and batches as lines, in send order", async () => {
  const { written, writeLine } = writer();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => release = resolve);
  let isFirst = true;
  const pipe = new LinePipe(lines(), {
    writeLine: async (line) => {
      if (isFirst) {
        isFirst = false;
        await held;
      }
      await writeLine(line);
    },
  });
  const sends = [pipe.send(HELLO), pipe.send([HELLO, HELLO])];
  release();
  await Promise.all(sends);
  assertEquals(written, [JSON.stringify(HELLO), JSON.stringify([HELLO, HELLO])]);
});

Deno.test("LinePipe.send() returns a settled promise for a synchronous writer", async () => {
  const written: string[] = [];
  const pipe = new LinePipe(lines(), { writeLine: (line) => void written.push(line) });
  const sends = [pipe.send(HELLO), pipe.send(HELLO)];
  assertEquals(written.length, 2);
  await Promise.all(sends);
});

Deno.test("LinePipe.send() rejects a value that is not JSON and stays open", async () => {
  const { written, writeLine } = writer();
  const pipe = new LinePipe(lines(), { writeLine });
  const error = await assertRejects(
    () => pipe.send({ ...HELLO, params: { big: 1n } }),
    McpError,
  );
  assertEquals(error.code, "serialization_error");
  await pipe.send(HELLO);
  assertEquals(written.length, 1);
});

Deno.test("LinePipe.send() wraps writer errors and stays open", async () => {
  const broken = (): never => {
    throw new Error("EPIPE");
  };
  for (const fail of [broken, () => Promise.reject(new Error("EPIPE"))]) {
    let count = 0;
    const pipe = new LinePipe(lines(), {
      writeLine: () => count++ === 0 ? fail() : Promise.resolve(),
    });
    const [first, second] = await Promise.allSettled([pipe.send(HELLO), pipe.send(HELLO)]);
    assertEquals([first.status, second.status], ["rejected", "fulfilled"]);
    const error = first.status === "rejected" ? first.reason : undefined;
    assertInstanceOf(error, McpError);
    assertEquals([error.code, error.message.includes("EPIPE")], ["transport_error", true]);
    await pipe.send(HELLO);
    assertEquals(count, 3);
  }
});

Deno.test("LinePipe.close() ends the frames and rejects later sends, even during a read", async () => {
  let closed = 0;
  const waiting = readLines({ readLine: () => new Promise(() => {}) });
  const pipe = new LinePipe(waiting, writer(), { close: () => Promise.resolve(void closed++) });
  const frames = Array.fromAsync(pipe.frames);
  await pipe.close();
  await pipe.close();
  assertEquals([await frames, closed], [[], 1]);
  const error = await assertRejects(() => pipe.send(HELLO), McpError, "closed");
  assertEquals(error.code, "transport_error");
});

Deno.test("LinePipe.send() accepts a writer that returns a boolean", async () => {
  for (const returned of ["true", "false", "null"]) {
    const written: string[] = [];
    const writeLine = (line: string) => {
      written.push(line);
      return JSON.parse(returned);
    };
    const pipe = new LinePipe(lines(), { writeLine });
    await pipe.send(HELLO);
    await pipe.send(HELLO);
    assertEquals(written.length, 2);
  }
});

Deno.test("LinePipe forwards reader errors", async () => {
  const pipe = new LinePipe(
    readLines({ readLine: () => Promise.reject(new Error("cable cut")) }),
    writer(),
  );
  await assertRejects(() => Array.fromAsync(pipe.frames), Error, "cable cut");
});

Deno.test("LinePipe pauses reading at maxWaiting frames", async () => {
  let count = 0;
  const reader = { readLine: () => Promise.resolve(count++ < 1000 ? "{}" : null) };
  const pipe = new LinePipe(readLines(reader), writer(), { maxWaiting: 5 });
  const iterator = pipe.frames[Symbol.asyncIterator]();
  await iterator.next();
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  assertEquals(count < 10, true);
  await pipe.close();
});

Deno.test("openStdioPipe() limits the length of lines from a custom reader", async () => {
  const input = ["x".repeat(11), null];
  const pipe = openStdioPipe({
    reader: { readLine: () => Promise.resolve(input.shift() ?? null) },
    writer: writer(),
    maxLineBytes: 10,
    maxBufferedChars: 1000,
    maxJunkLines: undefined,
  });
  const [frame] = await Array.fromAsync(pipe.frames);
  assertEquals(frame?.kind === "invalid" && frame.reason.includes("10 bytes"), true);
});

Deno.test("LinePipe.send() rejects messages beyond maxBufferedChars until the peer reads", async () => {
  let count = 0;
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const writeLine = () => gates[count++]?.promise ?? Promise.reject(new Error("refused"));
  const { length } = JSON.stringify(HELLO);
  const pipe = new LinePipe(lines(), { writeLine }, {
    label: "blocked",
    maxBufferedChars: 2 * length,
  });
  const [first, second] = [pipe.send(HELLO), pipe.send(HELLO)];
  const error = await assertRejects(() => pipe.send(HELLO), McpError);
  assertEquals(error.code, "core");
  assertStringIncludes(
    error.message,
    `more than ${2 * length} characters are buffered for "blocked"`,
  );
  gates[0]?.resolve();
  await first;
  const third = pipe.send(HELLO);
  await assertRejects(() => pipe.send(HELLO), McpError, "are buffered for");
  for (const { resolve } of gates) resolve();
  await Promise.all([second, third]);
  assertEquals(count, 3);
});

Deno.test("LinePipe.send() accepts a line of any length if nothing is buffered", async () => {
  const { written, writeLine } = writer();
  const pipe = new LinePipe(lines(), { writeLine }, { maxBufferedChars: 1 });
  await pipe.send(HELLO);
  await pipe.send(HELLO);
  assertEquals(written.length, 2);
});

Deno.test("LinePipe closes its streams after too many lines that are not messages", async () => {
  let closes = 0;
  const close = () => {
    closes++;
    return Promise.reject(new Error("not closed"));
  };
  const junk = lines("a", "\u001b[2J", "c");
  const pipe = new LinePipe(junk, writer(), { maxJunkLines: 1, close });
  const error = await assertRejects(() => Array.fromAsync(pipe.frames), McpError);
  assertStringIncludes(error.message, String.raw`the last one: "\u001b[2J"`);
  await assertRejects(() => pipe.close(), Error, "not closed");
  assertEquals(closes, 1);
});

Deno.test("the text of a line that is not a message is escaped in the error", async () => {
  const pipe = new LinePipe(lines("a", "\u202eb\u200b\u009b"), writer(), { maxJunkLines: 1 });
  const error = await assertRejects(() => Array.fromAsync(pipe.frames), McpError);
  assertStringIncludes(error.message, String.raw`the last one: "\u{202e}b\u{200b}\u{9b}"`);
});
