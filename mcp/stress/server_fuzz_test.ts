/** Fuzz tests that send malformed frames to the server on every transport. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { mcpHandler } from "../mod.ts";
import { clientFrame, cut, type Debt, debtOf, streamOf } from "./testdata/frames.ts";
import { runDueTimers } from "./testdata/odd_server.ts";
import { type Answer, ServedLine } from "./testdata/served_line.ts";
import { everythingServer } from "./testdata/subject.ts";

/**
 * Number of frames per run. By default, 100 runs test 5,000 frames; the nightly profile tests 40
 * times as many.
 */
const FRAMES_PER_RUN = 50;

/**
 * Asserts that each request receives a response, and any other frame at most one error without an
 * id.
 */
function checkAnswers(debts: readonly Debt[], all: readonly Answer[]): void {
  const answers = all.filter(({ method }) => method === undefined);
  for (const answer of answers) {
    assert(
      ("result" in answer) !== ("error" in answer),
      "a response has either a result or an error",
    );
  }
  const ids = new Set(debts.flatMap(({ id }) => id === undefined ? [] : [id]));
  for (const id of ids) {
    const asked = debts.filter((debt) => debt.id === id).length;
    assert(
      answers.filter((answer) => answer.id === id).length >= asked,
      `request ${id} has no response`,
    );
  }
  const least = debts.reduce((sum, debt) => sum + debt.least, 0);
  const most = debts.reduce((sum, debt) => sum + debt.most, 0);
  assert(answers.length >= least, `${answers.length} responses, expected at least ${least}`);
  assert(answers.length <= most, `${answers.length} responses, expected at most ${most}`);
}

const frames = fc.array(clientFrame.chain(cut), {
  minLength: FRAMES_PER_RUN,
  maxLength: FRAMES_PER_RUN,
});

Deno.test("checkAnswers() detects missing, duplicate and invalid responses", () => {
  const debt: Debt = { least: 1, most: 1, id: 1 };
  const answer = { id: 1, result: {} };
  checkAnswers([debt], [answer]);
  for (const wrong of [[], [answer, answer], [{ id: 2, result: {} }], [{ id: 1 }]]) {
    assertThrows(() => checkAnswers([debt], wrong));
  }
});

Deno.test("a server on a pipe responds to every request among arbitrary frames and chunks", async () => {
  const property = fc.asyncProperty(frames, async (cuts) => {
    const answers: Answer[] = [];
    const line = new ServedLine((answer) => answers.push(answer));
    const alive = new TextEncoder().encode('{"jsonrpc":"2.0","id":"alive","method":"ping"}');
    for (const each of [...cuts, { bytes: alive, at: [] }]) line.write(each);
    await line.end();
    const debts = cuts.map(({ bytes }) => debtOf(bytes));
    checkAnswers([...debts, { least: 1, most: 1, id: "alive" }], answers);
  });
  await fc.assert(property, propertyRuns(100));
  // Run the timers of pipes that were closed while they yielded to the event loop.
  await runDueTimers();
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

/** HTTP method, headers and chunks of a frame. */
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

/** Returns the messages in a response body, which is JSON or an SSE stream. */
async function messagesOf(response: Response): Promise<Answer[]> {
  const text = await response.text();
  if (text === "") return [];
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return [JSON.parse(text)];
  }
  return text.split("\n").filter((line) => /^data: ?\S/.test(line))
    .map((line) => JSON.parse(line.slice("data:".length)));
}

/**
 * Asserts that the status is not a server error, and that an accepted request receives exactly one
 * response.
 */
function checkResponse(debt: Debt, status: number, answers: readonly Answer[]): void {
  assert(status < 500, `${status}`);
  if (status === 202) assertEquals(debt.least, 0);
  if (status === 200 && debt.id !== undefined) {
    assertEquals(answers.filter(({ id }) => id === debt.id).length, 1);
  }
}

for (const inSession of [false, true]) {
  const where = inSession ? "in a session" : "without a session";
  Deno.test(`a server over HTTP responds to any request, ${where}`, async () => {
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
