import { assert, assertEquals, assertFalse, assertNotEquals, assertThrows } from "@std/assert";
import { CommError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { AgentCommMessage } from "./message.ts";
import type { AgentCommMessageInit } from "./message_members.ts";
import { signingPayload } from "../signing/signing.ts";
import { readUuidV7Time } from "../shared/uuid.ts";

const INIT: AgentCommMessageInit = {
  sender: "did:web:ann.example",
  recipient: "did:web:bob.example",
  protocol: "agent.task.v1",
  messageType: "task_assign",
  payload: { n: 1 },
};

Deno.test("AgentCommMessage uses the same time for default id and timestamp", () => {
  const message = new AgentCommMessage(INIT);
  assertEquals(readUuidV7Time(message.id), message.timestampMs);
  assertEquals(new Date(message.timestampMs).toISOString(), message.timestamp);
  assertNotEquals(new AgentCommMessage(INIT).id, message.id);
});

Deno.test("AgentCommMessage accepts a timestamp as a Date or a string, and stores the string unchanged", () => {
  const text = "2026-01-02T04:04:05.678000001+01:00";
  const fromText = new AgentCommMessage({ ...INIT, timestamp: text });
  const fromDate = new AgentCommMessage({ ...INIT, timestamp: new Date(fromText.timestampMs) });
  assertEquals(fromText.timestamp, text);
  assertEquals(fromDate.timestamp, "2026-01-02T03:04:05.678Z");
  assertEquals(readUuidV7Time(fromDate.id), fromDate.timestampMs);
});

Deno.test("AgentCommMessage is deeply frozen and copies its payload", () => {
  const payload = { list: [{ deep: true }] };
  const message = new AgentCommMessage({ ...INIT, payload });
  payload.list.push({ deep: false });
  assertEquals(message.payload, { list: [{ deep: true }] });
  assertThrows(() => Object.assign(message, { id: "other" }), TypeError);
  assert(isDeeplyFrozen(message.payload) && isDeeplyFrozen(message.extensions));
});

function isDeeplyFrozen(value: unknown): boolean {
  return typeof value !== "object" || value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
}

const REFUSED: readonly (readonly [field: string, change: Record<string, unknown>])[] = [
  ["id", { id: "" }],
  ["id", { id: 7 }],
  ["id", { id: null }],
  ["correlationId", { correlationId: "" }],
  ["correlationId", { correlationId: null }],
  ["replyTo", { replyTo: "" }],
  ["sender", { sender: "ann" }],
  ["sender", { sender: "did:web:ann.example#key-1" }],
  ["sender", { sender: undefined }],
  ["recipient", { recipient: "" }],
  ["recipient", { recipient: `did:web:${"a".repeat(2048)}` }],
  ["protocol", { protocol: "" }],
  ["messageType", { messageType: "\ud800" }],
  ["payload", { payload: undefined }],
  ["signature", { signature: "" }],
  ["timestamp", { timestamp: 1767323045678 }],
  ["timestamp", { timestamp: "yesterday" }],
  ["timestamp", { timestamp: new Date(NaN) }],
  ["timestamp", { timestamp: new Date(8.64e15) }],
  ["extensions", { extensions: [] }],
  ["replyTo", { extensions: { replyTo: "x" } }],
];

for (const [field, change] of REFUSED) {
  Deno.test(`AgentCommMessage rejects ${JSON.stringify(change).slice(0, 60)}`, () => {
    const create: () => unknown = () =>
      Reflect.construct(AgentCommMessage, [{ ...INIT, ...change }]);
    const error = assertThrows(create, CommError);
    assert(error.is("invalid_message"));
    assertEquals(error.details.field, field);
  });
}

Deno.test("AgentCommMessage rejects a payload that is not JSON", () => {
  const create: () => unknown = () =>
    Reflect.construct(AgentCommMessage, [{ ...INIT, payload: { when: new Date() } }]);
  const error = assertThrows(create, CommError);
  assertEquals(error.code, "serialization_failed");
});

Deno.test("AgentCommMessage accepts a payload with 127 levels and rejects 128", () => {
  let payload: JsonValue = [];
  for (let level = 1; level < 127; level++) payload = [payload];
  new AgentCommMessage({ ...INIT, payload });
  assertThrows(
    () => new AgentCommMessage({ ...INIT, payload: [payload] }),
    CommError,
    "127 levels",
  );
});

Deno.test("reply() swaps sender and recipient and links to the original message", () => {
  const question = new AgentCommMessage({ ...INIT, correlationId: "thread", replyTo: "root" });
  const answer = question.reply("task_result", [42]);
  assertEquals(
    { ...answer.toJSON(), id: "", timestamp: "" },
    {
      id: "",
      correlationId: question.id,
      replyTo: question.id,
      sender: question.recipient,
      recipient: question.sender,
      protocol: question.protocol,
      messageType: "task_result",
      payload: [42],
      timestamp: "",
    },
  );
  assertNotEquals(answer.id, question.reply("task_result", [42]).id);
});

Deno.test("reply() sets correlationId to the id of the message, even if that message is a reply", () => {
  const first = new AgentCommMessage(INIT).reply("task_result", 1);
  assertEquals(first.reply("task_assign", 2).correlationId, first.id);
});

Deno.test("reply() accepts a signature, an id and a timestamp", () => {
  const options = { id: "7", timestamp: "2026-01-02T03:04:05Z" };
  const answer = new AgentCommMessage(INIT).reply("task_result", null, "c2ln", options);
  assertEquals([answer.signature, answer.id, answer.timestamp], ["c2ln", "7", options.timestamp]);
});

Deno.test("new AgentCommMessage() does not trust a proxy that claims to be validated", () => {
  const asked: PropertyKey[] = [];
  const has = (_target: AgentCommMessageInit, name: PropertyKey): boolean => {
    asked.push(name);
    return true;
  };
  const sender = "nobody";
  assertThrows(() => new AgentCommMessage(new Proxy({ ...INIT, sender }, { has })), CommError);
  const forged = { isDisordered: false, covered: '{"payload":"another"}' };
  const marks = Object.fromEntries(asked.map((name) => [name, forged]));
  const message = new AgentCommMessage({ ...INIT, ...marks, id: "1" });
  assertEquals(JSON.parse(new TextDecoder().decode(signingPayload(message))).payload, INIT.payload);
});

Deno.test("equals() compares all members and ignores their order", () => {
  const message = new AgentCommMessage({ ...INIT, id: "1", payload: { a: 1, b: 0 } });
  const same = new AgentCommMessage({ ...message, payload: { b: -0, a: 1 } });
  assert(message.equals(same));
  const changes: readonly Partial<AgentCommMessageInit>[] = [
    { id: "2" },
    { correlationId: "c" },
    { replyTo: "r" },
    { sender: "did:web:eve.example" },
    { recipient: "did:web:eve.example" },
    { protocol: "agent.task.v2" },
    { messageType: "notification" },
    { payload: { a: 1 } },
    { signature: "s" },
    { timestamp: "2026-01-02T03:04:05.678Z" },
    { extensions: { proof: {} } },
  ];
  for (const change of changes) {
    assertFalse(message.equals(new AgentCommMessage({ ...message, ...change })));
  }
});

Deno.test("toJSON() omits absent members and includes extensions", () => {
  const bare = new AgentCommMessage({ ...INIT, id: "1", timestamp: "2026-01-02T03:04:05Z" });
  assertEquals(
    JSON.stringify(bare),
    '{"id":"1","sender":"did:web:ann.example","recipient":"did:web:bob.example",' +
      '"protocol":"agent.task.v1","messageType":"task_assign","payload":{"n":1},' +
      '"timestamp":"2026-01-02T03:04:05Z"}',
  );
  const extended = new AgentCommMessage({ ...bare, extensions: { ttl: 5 } });
  assertEquals(extended.toJSON(), { ...bare.toJSON(), ttl: 5 });
});

Deno.test("new AgentCommMessage() names an init that is not an object", () => {
  for (const [init, shown] of [[undefined, "undefined"], ["{}", '"{}"'], [[], "an array"]]) {
    const create = () => Reflect.construct(AgentCommMessage, [init]);
    const { message } = assertThrows(create, TypeError);
    assertEquals(message, `"init" must be an object, got ${shown}`);
  }
});
