import { assertEquals, assertRejects } from "@std/assert";
import type { HttpStep } from "../kit/http_step.ts";
import { type HttpReply, type HttpRequest, listenHttp } from "../platform/http.ts";
import { HttpTestServer } from "../subject/http_test_server.ts";
import { Trace } from "../subject/trace.ts";
import { HttpSteps } from "./http_steps.ts";
import { CaseEnd } from "./case_end.ts";

type Handler = (request: HttpRequest, reply: HttpReply) => Promise<void>;

/**
 * Runs steps against a server. Returns the captured values, or rejects with the {@linkcode CaseEnd}
 * of the case.
 */
async function playOn(
  handler: Handler,
  play: (steps: HttpSteps) => Promise<void>,
): Promise<ReadonlyMap<string, unknown>> {
  const listener = await listenHttp(handler);
  const ending = new AbortController();
  const captures = new Map<string, unknown>([["version", "2025-11-25"]]);
  const steps = new HttpSteps({
    trace: new Trace(),
    captures,
    time: (withinMs = 2000) => withinMs,
    quietTime: (forMs) => forMs,
    server: {
      url: `http://127.0.0.1:${listener.port}/mcp`,
      signal: ending.signal,
      addSession: () => {},
    },
  });
  try {
    await play(steps);
    return captures;
  } finally {
    steps.close();
    ending.abort();
    await listener.close();
  }
}

/** Sends two events, the second one on a new connection. */
function twoEvents(): Handler {
  const open: HttpReply[] = [];
  return async ({ method }, reply) => {
    await Promise.resolve();
    if (method === "GET") {
      reply.head(200, { "content-type": "text/event-stream" });
      reply.write('id: e-1\ndata: {"n":1}\n\n');
      return void open.push(reply);
    }
    for (const each of open) {
      each.write('id: e-2\ndata: {"n":2}\n\n');
      each.end();
    }
    reply.head(202, {});
    reply.end();
  };
}

const OPEN: HttpStep = { stream: { method: "GET" }, as: "s" };

Deno.test("HttpSteps reads a stream's events one at a time while sending other requests", async () => {
  const captures = await playOn(twoEvents(), async (steps) => {
    await steps.play(OPEN);
    await steps.play({ event: "s", expect: { json: { n: 1 }, id: { $capture: "id" } } });
    await steps.play({ noEvent: { json: { n: 2 } }, on: "s", forMs: 20 });
    await steps.call({ method: "POST", body: {} }, { status: 202, bodyText: "" }, 2000);
    await steps.play({ event: "s", expect: { json: { n: 2 } } });
    await steps.play({ ended: "s" });
  });
  assertEquals(captures.get("id"), "e-1");
});

Deno.test("HttpSteps fails the case on a forbidden event, a missing event or a stream that stays open", async () => {
  const wrong: readonly HttpStep[] = [
    { noEvent: { json: { n: 1 } }, on: "s" },
    { event: "s", expect: { json: { n: 3 } }, withinMs: 50 },
    { ended: "s", withinMs: 50 },
    { stream: { method: "GET" }, as: "t", expect: { status: 405 } },
  ];
  for (const step of wrong) {
    const error = await assertRejects(
      () =>
        playOn(twoEvents(), async (steps) => {
          await steps.play(OPEN);
          await steps.play(step);
        }),
      CaseEnd,
    );
    assertEquals(error.run.verdict, "fail", JSON.stringify(step));
  }
});

Deno.test("HttpSteps ends the case as n/a if the response to an optional request does not match", async () => {
  const error = await assertRejects(
    () =>
      playOn(
        twoEvents(),
        (steps) => steps.play({ ...OPEN, expect: { status: 405 }, optional: "it streams" }),
      ),
    CaseEnd,
  );
  assertEquals([error.run.verdict, error.run.note], ["n/a", "it streams"]);
});

Deno.test("HttpSteps ends the case as n/a if the head of a late response does not arrive in time, and compares it otherwise", async () => {
  const late = { ...OPEN, withinMs: 50, late: "it waits for an event" };
  const verdict = async (handler: Handler): Promise<string> => {
    const playing = (): Promise<unknown> => playOn(handler, (steps) => steps.play(late));
    return (await assertRejects(playing, CaseEnd)).run.verdict;
  };
  assertEquals(await verdict(() => new Promise(() => {})), "n/a");
  const notFound: Handler = (_, reply) => {
    reply.head(404, {});
    reply.end();
    return Promise.resolve();
  };
  assertEquals(await verdict(notFound), "fail");
});

Deno.test("HttpSteps ends the case as n/a if no event of a stream matches an optional event", async () => {
  const expect = { id: "no such id" };
  const error = await assertRejects(
    () =>
      playOn(twoEvents(), async (steps) => {
        await steps.play(OPEN);
        await steps.play({ event: "s", expect, optional: "it attaches no ids" });
      }),
    CaseEnd,
  );
  assertEquals([error.run.verdict, error.run.note], ["n/a", "it attaches no ids"]);
});

Deno.test("HttpSteps sends headers unchanged, inserts captured values and omits a missing session id", async () => {
  const seen: HttpRequest["headers"][] = [];
  await playOn(async ({ headers }, reply) => {
    await Promise.resolve();
    seen.push(headers);
    reply.head(200, {});
    reply.end();
  }, (steps) =>
    steps.call(
      {
        method: "POST",
        headers: {
          host: "evil.example",
          "mcp-session-id": { $ref: "session" },
          "mcp-protocol-version": { $ref: "version" },
        },
      },
      { status: 200 },
      2000,
    ));
  assertEquals(seen[0]?.host, "evil.example");
  assertEquals(seen[0]?.["mcp-protocol-version"], "2025-11-25");
  assertEquals(seen[0]?.["mcp-session-id"], undefined);
});

/**
 * Starts a server that the steps control, and calls a function that sends requests to the server.
 */
async function playFor(
  requests: (url: string) => Promise<unknown>,
  play: (steps: HttpSteps) => Promise<void>,
): Promise<unknown> {
  const peer = new HttpTestServer({ isManual: true, opening: new Set() });
  const listener = await listenHttp((request, reply) => peer.handle(request, reply));
  const steps = new HttpSteps({
    trace: new Trace(),
    captures: new Map(),
    time: (withinMs = 2000) => withinMs,
    quietTime: (forMs) => forMs,
    client: peer,
  });
  try {
    const made = requests(`http://127.0.0.1:${listener.port}/mcp`);
    await play(steps);
    return await made;
  } finally {
    await peer.close();
    await listener.close();
  }
}

async function post(url: string): Promise<string> {
  const response = await fetch(url, { method: "POST", body: '{"id":7,"method":"ping"}' });
  return `${response.status} ${await response.text()}`;
}

Deno.test("HttpSteps responds to a client's request in chunks that contain captured values", async () => {
  const answer = await playFor(post, async (steps) => {
    await steps.play({
      accept: { method: "POST", json: { method: "ping", id: { $capture: "id" } } },
      as: "call",
    });
    await steps.play({
      reply: {
        headers: { "content-type": "text/event-stream" },
        text: "data: <<id>>\n",
        chunks: [1, 2],
      },
      to: "call",
      more: true,
    });
    await steps.play({
      write: { events: [{ id: "e", data: { id: { $ref: "id" } } }] },
      to: "call",
    });
  });
  assertEquals(answer, '200 data: 7\nid: e\ndata: {"id":7}\n\n');
});

Deno.test("HttpSteps waits until the client aborts its request, and fails the case on a timeout", async () => {
  const begin = async (steps: HttpSteps): Promise<void> => {
    await steps.play({ accept: { method: "POST" }, as: "call" });
    await steps.play({ reply: { text: "so far" }, to: "call", more: true });
  };
  const leave = async (url: string): Promise<void> =>
    await (await fetch(url, { method: "POST" })).body?.cancel();
  await playFor(leave, async (steps) => {
    await begin(steps);
    await steps.play({ ended: "call" });
  });
  let staying: Promise<unknown> | undefined;
  const stay = (url: string): Promise<unknown> => staying = post(url).catch(() => undefined);
  const error = await assertRejects(
    () =>
      playFor(stay, async (steps) => {
        await begin(steps);
        await steps.play({ ended: "call", withinMs: 50 });
      }),
    CaseEnd,
  );
  assertEquals(error.run.verdict, "fail");
  await staying;
});

Deno.test("HttpSteps fails the case on a forbidden request, and rejects all requests with a given status", async () => {
  // The request rejects, because the kit closes the connection when the case fails.
  const dropped = (url: string): Promise<unknown> => post(url).catch(() => undefined);
  const error = await assertRejects(
    () => playFor(dropped, (steps) => steps.play({ unasked: { method: "POST" }, forMs: 2000 })),
    CaseEnd,
  );
  assertEquals(error.run.verdict, "fail");
  assertEquals(await playFor(post, (steps) => steps.play({ refuseAll: 404 })), "404 ");
  await playFor(
    () => Promise.resolve(),
    (steps) => steps.play({ unasked: { method: "GET" }, forMs: 10 }),
  );
});
