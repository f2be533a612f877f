import { assertEquals, assertThrows } from "@std/assert";
import { ApiError } from "./api_error.ts";
import { type ChatReaderSettings, readChatRequest } from "./chat_request.ts";

const SETTINGS: ChatReaderSettings = {
  callerInstructions: "ignore",
  callerTools: "reject",
  maxMessages: 5,
};

const HI = { role: "user", content: "Hi" };
const PNG = "data:image/png;base64,iVBORw0KGgo=";

/** Asserts that a body is rejected because of a member. */
function assertRejected(
  body: Readonly<Record<string, unknown>>,
  param: string,
  code: "invalid_value" | "unsupported_parameter" = "invalid_value",
): void {
  const error = assertThrows(() => readChatRequest(body, SETTINGS), ApiError);
  assertEquals([error.status, error.body.param, error.body.code], [400, param, code]);
}

Deno.test("a request contains the conversation and the message to respond to", () => {
  const messages = [
    { role: "system", content: "Be rude." },
    { role: "user", content: [{ type: "text", text: "Hel" }, { type: "text", text: "lo" }] },
    { role: "assistant", content: "Hi.", tool_calls: [{ id: "c1" }] },
    { role: "tool", tool_call_id: "c1", content: "forged" },
    { role: "user", content: "What is 6 × 7?" },
  ];
  assertEquals(readChatRequest({ messages, temperature: 2, stream: true }, SETTINGS), {
    messages: [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi." },
    ],
    turn: "What is 6 × 7?",
    isStream: true,
    hasUsage: false,
  });
});

Deno.test("instructions of the caller are text of the user, if the server wants it", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "developer", content: [{ type: "text", text: "Be kind." }] },
    HI,
  ];
  const settings: ChatReaderSettings = { ...SETTINGS, callerInstructions: "user" };
  assertEquals(readChatRequest({ messages }, settings).messages, [
    { role: "user", content: "Be brief." },
    { role: "user", content: "Be kind." },
  ]);
  assertEquals(readChatRequest({ messages }, SETTINGS).messages, []);
});

Deno.test("parts with the reason why a model declined belong to the conversation, and images do not", () => {
  const messages = [
    { role: "user", content: [{ type: "image_url", image_url: { url: PNG } }] },
    { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    { role: "assistant", content: null },
    HI,
  ];
  assertEquals(readChatRequest({ messages }, SETTINGS).messages, [
    { role: "assistant", content: "No." },
  ]);
});

Deno.test("the message can contain images, which are not loaded", () => {
  const content = [
    { type: "text", text: "Compare." },
    { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
    { type: "image_url", image_url: { url: PNG } },
  ];
  assertEquals(readChatRequest({ messages: [{ role: "user", content }] }, SETTINGS).turn, [
    { type: "text", text: "Compare." },
    {
      type: "file",
      mediaType: "image/*",
      data: { type: "url", url: new URL("https://example.com/a.png") },
    },
    { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
  ]);
});

const BAD_IMAGES: readonly unknown[] = [
  undefined,
  7,
  "",
  "cat.png",
  "http://example.com/a.png",
  "https://localhost/a.png",
  "https://10.0.0.1/a.png",
  "https://169.254.169.254/latest/meta-data",
  "https://db.internal/a.png",
  "https://user:password@example.com/a.png",
  `https://example.com/${"a".repeat(9000)}`,
  "file:///etc/passwd",
  "data:text/html;base64,PGI+",
  "data:image/png,abc",
  "data:image/png;base64,a",
  "data:image/png;base64,!!!!",
];

for (const url of BAD_IMAGES) {
  Deno.test(`the image ${`${url}`.slice(0, 60)} is rejected`, () => {
    const content = [{ type: "image_url", image_url: { url } }];
    assertRejected({ messages: [{ role: "user", content }] }, "messages[0].content[0].image_url");
  });
}

const INVALID: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["messages", {}],
  ["messages", { messages: null }],
  ["messages", { messages: {} }],
  ["messages", { messages: "Hi" }],
  ["messages", { messages: [] }],
  ["messages", { messages: [HI, HI, HI, HI, HI, HI] }],
  ["messages[0]", { messages: [null, HI] }],
  ["messages[0]", { messages: [[HI], HI] }],
  ["messages[1]", { messages: [HI, "Hi"] }],
  ["messages[0].role", { messages: [{ role: "assistant", content: "Hi" }] }],
  ["messages[1].role", { messages: [HI, { role: "system", content: "Hi" }] }],
  ["messages[1].role", { messages: [HI, { role: "tool", content: "Hi" }] }],
  ["messages[0].role", { messages: [{ role: "root", content: "Hi" }, HI] }],
  ["messages[0].role", { messages: [{ role: 1, content: "Hi" }, HI] }],
  ["messages[0].role", { messages: [{ role: "__proto__", content: "Hi" }, HI] }],
  ["messages[0].content", { messages: [{ role: "user", content: 7 }, HI] }],
  ["messages[0].content", { messages: [{ role: "user", content: { text: "Hi" } }, HI] }],
  ["messages[0].content[0]", { messages: [{ role: "user", content: ["Hi"] }, HI] }],
  ["messages[0].content[0].text", {
    messages: [{ role: "user", content: [{ type: "text", text: 7 }] }, HI],
  }],
  ["messages[0].content", { messages: [{ role: "user" }] }],
  ["messages[0].content", { messages: [{ role: "user", content: "" }] }],
  ["messages[0].content", { messages: [{ role: "user", content: [] }] }],
  ["messages[0].content", { messages: [{ role: "user", content: Array(1001).fill({}) }] }],
  ["messages[0].content[0]", { messages: [{ role: "user", content: [null] }] }],
  ["messages[0].content[0].type", { messages: [{ role: "user", content: [{}] }] }],
  ["messages[0].content[0].text", {
    messages: [{ role: "user", content: [{ type: "text", text: "" }] }],
  }],
  ["stream", { messages: [HI], stream: "true" }],
  ["stream_options", { messages: [HI], stream_options: true }],
  ["stream_options.include_usage", { messages: [HI], stream_options: { include_usage: 1 } }],
  ["tools", { messages: [HI], tools: {} }],
  ["functions", { messages: [HI], functions: "f" }],
  ["response_format", { messages: [HI], response_format: "json_object" }],
  ["response_format.type", { messages: [HI], response_format: { type: 1 } }],
];

for (const [param, body] of INVALID) {
  Deno.test(`an invalid "${param}" is rejected: ${JSON.stringify(body).slice(0, 80)}`, () => {
    assertRejected(body, param);
  });
}

const UNSUPPORTED: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["n", { messages: [HI], n: 2 }],
  ["n", { messages: [HI], n: "1" }],
  ["tools", { messages: [HI], tools: [{ type: "function", function: { name: "f" } }] }],
  ["functions", { messages: [HI], functions: [{ name: "f" }] }],
  ["response_format", { messages: [HI], response_format: { type: "json_object" } }],
  ["messages[0].content[0]", {
    messages: [{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }],
  }],
];

for (const [param, body] of UNSUPPORTED) {
  Deno.test(`an unsupported "${param}" is rejected: ${JSON.stringify(body).slice(0, 80)}`, () => {
    assertRejected(body, param, "unsupported_parameter");
  });
}

Deno.test("null is the default of a parameter, and one response is supported", () => {
  const body = { messages: [HI], n: 1, tools: null, stream: null, stream_options: null };
  const expected = { messages: [], turn: "Hi", isStream: false, hasUsage: false };
  assertEquals(readChatRequest({ ...body, response_format: null }, SETTINGS), expected);
  assertEquals(readChatRequest({ ...body, response_format: { type: "text" } }, SETTINGS), expected);
});

Deno.test("the tools of the caller are ignored, if the server wants it", () => {
  const tools = [{ type: "function", function: { name: "f" } }];
  const settings: ChatReaderSettings = { ...SETTINGS, callerTools: "ignore" };
  assertEquals(readChatRequest({ messages: [HI], tools }, settings).turn, "Hi");
});
