import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { readSendRequest, type SendRequestJson } from "./a2a_request.ts";
import { InvalidMember } from "./proto_json.ts";

const FULL: SendRequestJson = {
  tenant: "t1",
  message: {
    messageId: "m1",
    contextId: "c1",
    taskId: "k1",
    role: "ROLE_USER",
    parts: [
      { text: "Hello", metadata: { lang: "en" } },
      { raw: "+/+/AA==", mediaType: "image/png", filename: "a.png" },
      { url: "https://example.com/a.pdf", mediaType: "application/pdf" },
      { data: { count: 0, list: [null, false] } },
    ],
    metadata: { "https://example.com/ext": { snake_case: 1 } },
    extensions: ["https://example.com/ext"],
    referenceTaskIds: ["k0"],
  },
  configuration: {
    acceptedOutputModes: ["text/plain"],
    taskPushNotificationConfig: {
      tenant: "t1",
      id: "p1",
      taskId: "k1",
      url: "https://client.example/hook",
      token: "secret",
      authentication: { scheme: "Bearer", credentials: "abc" },
    },
    historyLength: 0,
    returnImmediately: true,
  },
  metadata: { trace: "1" },
};

function message(parts: unknown): unknown {
  return { message: { messageId: "m", role: "ROLE_USER", parts } };
}

Deno.test("a request is read as it is", () => {
  assertEquals(readSendRequest(structuredClone(FULL)), FULL);
});

Deno.test("base64 is read in one form", () => {
  const forms: Readonly<Record<string, string>> = {
    "": "",
    "AA==": "AA==",
    AA: "AA==",
    AB: "AA==",
    "AB==": "AA==",
    "A_-": "A/8=",
    "A/+=": "A/8=",
    "-_-_": "+/+/",
    "-_-_AQ": "+/+/AQ==",
  };
  for (const [text, raw] of Object.entries(forms)) {
    const { message: read } = readSendRequest(message([{ raw: text }]));
    assertEquals(read.parts, [{ raw }], text);
  }
});

Deno.test("a request in snake case, with numbers and base64url, is the same request", () => {
  const request = {
    tenant: "t1",
    message: {
      message_id: "m1",
      context_id: "c1",
      task_id: "k1",
      role: 1,
      parts: [
        { text: "Hello", raw: null, metadata: { lang: "en" } },
        { raw: "-_-_AA", media_type: "image/png", filename: "a.png" },
        { url: "https://example.com/a.pdf", media_type: "application/pdf" },
        { data: { count: 0, list: [null, false] } },
      ],
      metadata: { "https://example.com/ext": { snake_case: 1 } },
      extensions: ["https://example.com/ext"],
      reference_task_ids: ["k0"],
      kind: "message",
    },
    configuration: {
      accepted_output_modes: ["text/plain"],
      task_push_notification_config: {
        tenant: "t1",
        id: "p1",
        task_id: "k1",
        url: "https://client.example/hook",
        token: "secret",
        authentication: { scheme: "Bearer", credentials: "abc" },
      },
      history_length: "0",
      return_immediately: true,
    },
    metadata: { trace: "1" },
    unknown: { ignored: true },
  };
  assertEquals(readSendRequest(request), FULL);
});

Deno.test("members with their default value are absent", () => {
  const request = {
    tenant: "",
    message: {
      messageId: "m",
      contextId: "",
      taskId: null,
      role: "ROLE_USER",
      parts: [{ text: "", filename: "", mediaType: null }],
      extensions: [],
      referenceTaskIds: null,
    },
    configuration: { acceptedOutputModes: [], returnImmediately: false },
    metadata: null,
  };
  const expected: unknown = {
    message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "" }] },
  };
  assertEquals<unknown>(readSendRequest(request), expected);
});

Deno.test("null is a value of a data part", () => {
  assertEquals(readSendRequest(message([{ data: null }])).message.parts, [{ data: null }]);
});

Deno.test("a request that is not valid names the member", () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [null, "request"],
    [[], "request"],
    [{}, "message"],
    [{ message: [] }, "message"],
    [{ message: { role: "ROLE_USER", parts: [{ text: "a" }] } }, "message.messageId"],
    [{ message: { messageId: "m".repeat(257), role: 1, parts: [] } }, "message.messageId"],
    [{ message: { messageId: "m\0", role: 1, parts: [] } }, "message.messageId"],
    [{ message: { messageId: "m", parts: [{ text: "a" }] } }, "message.role"],
    [{ message: { messageId: "m", role: "user", parts: [{ text: "a" }] } }, "message.role"],
    [{ message: { messageId: "m", role: 0, parts: [{ text: "a" }] } }, "message.role"],
    [message([]), "message.parts"],
    [message("text"), "message.parts"],
    [message(Array.from({ length: 101 }, () => ({ text: "a" }))), "message.parts"],
    [message([null]), "message.parts[0]"],
    [message([{}]), "message.parts[0]"],
    [message([{ text: "a", url: "https://a.example" }]), "message.parts[0]"],
    [message([{ text: "a" }, { text: 5 }]), "message.parts[1].text"],
    [message([{ text: "\ud800" }]), "message.parts[0].text"],
    [message([{ raw: "a*b" }]), "message.parts[0].raw"],
    [message([{ raw: "abcde" }]), "message.parts[0].raw"],
    [message([{ url: "no URL" }]), "message.parts[0].url"],
    [message([{ text: "a", mediaType: "text" }]), "message.parts[0].mediaType"],
    [message([{ text: "a", mediaType: "text/plain;\r\nx" }]), "message.parts[0].mediaType"],
    [message([JSON.parse('{"data":{"__proto__":{}}}')]), "message.parts[0].data"],
    [message([{ text: "a", metadata: [] }]), "message.parts[0].metadata"],
  ];
  for (const [request, path] of rows) {
    const error = assertThrows(() => readSendRequest(request), InvalidMember);
    assertEquals(error.path, path);
  }
});

Deno.test("a configuration that is not valid names the member", () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [5, "configuration"],
    [{ historyLength: -1 }, "configuration.historyLength"],
    [{ historyLength: 1.5 }, "configuration.historyLength"],
    [{ historyLength: 2_147_483_648 }, "configuration.historyLength"],
    [{ returnImmediately: 1 }, "configuration.returnImmediately"],
    [{ acceptedOutputModes: "text/plain" }, "configuration.acceptedOutputModes"],
    [{ acceptedOutputModes: [1] }, "configuration.acceptedOutputModes"],
    [{ taskPushNotificationConfig: {} }, "configuration.taskPushNotificationConfig.url"],
    [
      { taskPushNotificationConfig: { url: "https://a.example", authentication: {} } },
      "configuration.taskPushNotificationConfig.authentication.scheme",
    ],
  ];
  for (const [configuration, path] of rows) {
    const request = { ...Object(message([{ text: "a" }])), configuration };
    const error = assertThrows(() => readSendRequest(request), InvalidMember);
    assertEquals(error.path, path);
  }
});

/** Renames the members that ProtoJSON defines, but not those of metadata and data. */
function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === "metadata" || name === "data" ? member : toSnakeCase(member),
    ]),
  );
}

Deno.test("every variant of a request in ProtoJSON is read equally", () => {
  const text = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" })
    .filter((each) => !each.includes("\0"));
  const json = fc.jsonValue({ maxDepth: 2 }).filter((each) =>
    !JSON.stringify(each).includes("__proto__")
  );
  const object = fc.dictionary(fc.string({ maxLength: 5 }), json, { maxKeys: 3 })
    .filter((each) => !JSON.stringify(each).includes("__proto__"));
  const details = fc.record(
    { filename: text, mediaType: fc.constant("text/plain"), metadata: object },
    { requiredKeys: [] },
  );
  const content = fc.oneof(
    text.map((each) => ({ text: each })),
    json.map((data) => ({ data })),
    fc.uint8Array({ maxLength: 9 }).map((bytes) => ({ raw: btoa(String.fromCharCode(...bytes)) })),
  );
  const part = fc.tuple(content, details).map(([one, rest]) => ({ ...one, ...rest }));
  const request = fc.record({
    message: fc.record(
      {
        messageId: text,
        role: fc.constant("ROLE_USER"),
        parts: fc.array(part, { minLength: 1, maxLength: 3 }),
        contextId: text,
        metadata: object,
      },
      { requiredKeys: ["messageId", "role", "parts"] },
    ),
  });
  fc.assert(fc.property(request, (value) => {
    const read = readSendRequest(JSON.parse(JSON.stringify(value)));
    assertEquals(readSendRequest(JSON.parse(JSON.stringify(toSnakeCase(value)))), read);
    // Reading the result again changes nothing, so that a digest of it is stable.
    assertEquals(readSendRequest(JSON.parse(JSON.stringify(read))), read);
    const base64url = JSON.stringify(
      value,
      (name, member) =>
        name === "raw" && typeof member === "string"
          ? member.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
          : member,
    );
    if (!base64url.includes('"data"')) {
      assertEquals(readSendRequest(JSON.parse(base64url)), read);
    }
  }));
});
