import { assertEquals } from "@std/assert";
import { httpEndpoint } from "../http.ts";
import { AgentCommMessage } from "../message/message.ts";
import { formatMessage } from "../message/message_json.ts";

function post(handler: (request: Request) => Promise<Response>, sender: string) {
  const message = new AgentCommMessage({
    sender,
    recipient: "did:web:bob.com",
    protocol: "agent.task.v1",
    messageType: "request",
    payload: null,
  });
  return handler(
    new Request("https://bob.com/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: formatMessage(message),
    }),
  );
}

Deno.test("searches for the URLs of a few domains leave responses for other domains", async () => {
  const { handler, transport } = httpEndpoint({
    urlOf: (did) => did.includes("slow") ? new Promise(() => {}) : undefined,
    replyWaitMs: 60_000,
    capacity: 40,
    onError: () => {},
  });
  const receiving = (async () => {
    while (await transport.receive() !== undefined);
  })();
  const responses: Promise<Response>[] = [];
  for (let n = 0; n < 20; n++) {
    for (const domain of ["slow1.com", "slow2.com", "slow3.com"]) {
      responses.push(post(handler, `did:web:${domain}:${n}`));
    }
  }
  const response = await post(handler, "did:web:honest.com");
  assertEquals(response.headers.get("content-type"), "application/x-ndjson");
  await response.body?.cancel();
  await transport.close();
  await Promise.all([receiving, ...responses]);
});

Deno.test("messages of one sender do not delay the messages of another sender", async () => {
  const { handler, transport } = httpEndpoint({ urlOf: () => undefined });
  for (let n = 0; n < 20; n++) await post(handler, `did:web:flood.com:${n}`);
  await post(handler, "did:web:honest.com");
  const senders: (string | undefined)[] = [];
  for (let n = 0; n < 4; n++) senders.push((await transport.receive())?.sender);
  assertEquals(senders, [
    "did:web:flood.com:0",
    "did:web:honest.com",
    "did:web:flood.com:1",
    "did:web:flood.com:2",
  ]);
  await transport.close();
});
