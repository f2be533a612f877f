/** Thousands of frames that are nearly right, against our server on every transport. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { LinePipe } from "../rpc/line_pipe.ts";
import { mcpHandler, servePipe } from "../mod.ts";
import type { ChunkReader } from "../stream/chunks.ts";
import { splitLines } from "../stream/lines.ts";
import { Queue } from "../stream/queue.ts";
import { clientFrame, type Cut, cut, type Debt, debtOf, pieces } from "./testdata/frames.ts";
import { everythingServer } from "./testdata/subject.ts";

const LINE_FEED = new Uint8Array([0x0a]);
/** Frames for a run: 5,000 in 100 runs, forty times that in the nightly profile. */
const FRAMES_PER_RUN = 50;

/** What the test reads of an answer. */
interface Answer {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A server behind a pipe of bytes. */
class Line {
  readonly #bytes = new Queue<Uint8Array>({ capacity: 100_000 });
  readonly #read: ChunkReader = async (take) => {
    for await (const chunk of this.#bytes) await take(chunk);
  };
  readonly #answers: Answer[] = [];
  readonly #serving: Promise<void>;

  constructor() {
    const writer = {
      writeLine: (line: string) => Promise.resolve(void this.#answers.push(JSON.parse(line))),
    };
    const pipe = new LinePipe(splitLines(this.#read), writer);
    this.#serving = servePipe(everythingServer(), pipe);
  }

  write(bytes: Uint8Array): void {
    assert(this.#bytes.tryPush(bytes), "the queue of the test is full");
  }

  /** Ends the input, and returns what was answered once all work is done. */
  async answers(): Promise<readonly Answer[]> {
    this.#bytes.end();
    await this.#serving;
    return this.#answers;
  }
}

/** Each request has its answer, nothing else has more than one error without an id. */
function checkAnswers(debts: readonly Debt[], all: readonly Answer[]): void {
  const answers = all.filter(({ method }) => method === undefined);
  for (const answer of answers) {
    assert(("result" in answer) !== ("error" in answer), "an answer is a result or an error");
  }
  const ids = new Set(debts.flatMap(({ id }) => id === undefined ? [] : [id]));
  for (const id of ids) {
    const asked = debts.filter((debt) => debt.id === id).length;
    assert(answers.filter((answer) => answer.id === id).length >= asked, `${id} is unanswered`);
  }
  const least = debts.reduce((sum, debt) => sum + debt.least, 0);
  const most = debts.reduce((sum, debt) => sum + debt.most, 0);
  assert(answers.length >= least, `${answers.length} answers to ${least} frames`);
  assert(answers.length <= most, `${answers.length} answers to at most ${most} frames`);
}

const frames = fc.array(clientFrame.chain(cut), {
  minLength: FRAMES_PER_RUN,
  maxLength: FRAMES_PER_RUN,
});

Deno.test("the check sees a lost answer, one too many, and one that is neither result nor error", () => {
  const debt: Debt = { least: 1, most: 1, id: 1 };
  const answer = { id: 1, result: {} };
  checkAnswers([debt], [answer]);
  for (const wrong of [[], [answer, answer], [{ id: 2, result: {} }], [{ id: 1 }]]) {
    assertThrows(() => checkAnswers([debt], wrong));
  }
});

Deno.test("a server on a pipe answers every request among any frames, however they are cut", async () => {
  const property = fc.asyncProperty(frames, async (cuts) => {
    const line = new Line();
    for (const each of cuts) {
      for (const piece of pieces(each)) line.write(piece);
      line.write(LINE_FEED);
    }
    line.write(new TextEncoder().encode('{"jsonrpc":"2.0","id":"alive","method":"ping"}\n'));
    const debts = cuts.map(({ bytes }) => debtOf(bytes));
    checkAnswers([...debts, { least: 1, most: 1, id: "alive" }], await line.answers());
  });
  await fc.assert(property, propertyRuns(100));
});

const header = fc.oneof(
  fc.constantFrom("application/json", "text/event-stream", "2025-11-25", "2026-07-28", "*/*", ""),
  fc.constantFrom("tools/call", "add", "=?base64?YQ==?=", "=?base64?%?=", "application/jsonx", "1"),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019 ;,=/"\\-_?*'), maxLength: 40 }),
);

const oddHeaders = fc.record({
  "content-type": header,
  "accept": header,
  "mcp-protocol-version": header,
  "mcp-method": header,
  "mcp-name": header,
  "mcp-param-a": header,
  "mcp-session-id": header,
  "last-event-id": header,
  "origin": header,
  "authorization": header,
}, { requiredKeys: [] });

/** What goes round a frame: method, headers, chunks. */
const envelope = fc.record({
  method: fc.oneof({ weight: 9, arbitrary: fc.constant("POST") }, fc.constantFrom("PUT", "PATCH")),
  headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, oddHeaders).map((odd) => ({
    "content-type": "application/json",
    ...odd,
  })),
});

const requests = fc.array(fc.tuple(envelope, clientFrame.chain(cut)), {
  minLength: FRAMES_PER_RUN,
  maxLength: FRAMES_PER_RUN,
});

/** A body that comes in pieces. */
function streamOf(cut: Cut): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = pieces(cut);
  return new ReadableStream({
    pull: (controller) => {
      const { done, value } = parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** The messages of a response, of whichever form it is. */
async function messagesOf(response: Response): Promise<Answer[]> {
  const text = await response.text();
  if (text === "") return [];
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return [JSON.parse(text)];
  }
  return text.split("\n").filter((line) => /^data: ?\S/.test(line))
    .map((line) => JSON.parse(line.slice("data:".length)));
}

/** What is wrong is refused; what is taken is answered. */
function checkResponse(debt: Debt, status: number, answers: readonly Answer[]): void {
  assert(status < 500, `${status}`);
  if (status === 202) assertEquals(debt.least, 0);
  if (status === 200 && debt.id !== undefined) {
    assertEquals(answers.filter(({ id }) => id === debt.id).length, 1);
  }
}

for (const inSession of [false, true]) {
  const where = inSession ? "in a session" : "without a session";
  Deno.test(`a server over HTTP answers any request at once, ${where}`, async () => {
    const handler = mcpHandler(everythingServer());
    const session = inSession ? await openSession(handler) : {};
    const property = fc.asyncProperty(requests, async (all) => {
      for (const [{ method, headers }, body] of all) {
        const init = { method, headers: { ...headers, ...session }, body: streamOf(body) };
        const response = await handler(new Request("http://localhost/mcp", init));
        checkResponse(debtOf(body.bytes), response.status, await messagesOf(response));
      }
    });
    await fc.assert(property, propertyRuns(100));
    const alive = await handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", ...(await openSession(handler)) },
        body: '{"jsonrpc":"2.0","id":"alive","method":"ping"}',
      }),
    );
    assertEquals(await alive.json(), { jsonrpc: "2.0", id: "alive", result: {} });
    await handler.close();
  });
}

async function openSession(
  handler: (request: Request) => Promise<Response>,
): Promise<Record<string, string>> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "fuzz", version: "1" },
  };
  const response = await handler(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    }),
  );
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}
