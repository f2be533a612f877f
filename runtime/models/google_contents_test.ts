import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  ToolCall,
  ToolMessage,
  ToolResult,
  UserMessage,
} from "../shared/model.ts";
import { toContents } from "./google_contents.ts";
import { bodyOf, NEW_MODEL, OLD_MODEL } from "./testdata/google.ts";

const NEW = { model: NEW_MODEL, provider: "google", server: "google" };
const OLD = { model: OLD_MODEL, provider: "google", server: "google" };
const PLACEHOLDER = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

function user(...texts: readonly string[]): UserMessage {
  return { role: "user", content: texts.map((text) => ({ type: "text", text })) };
}

function assistant(...content: AssistantMessage["content"]): AssistantMessage {
  return { role: "assistant", content };
}

function call(toolCallId: string, rest: Partial<ToolCall> = {}): ToolCall {
  return { type: "tool-call", toolCallId, toolName: "weather", input: { city: "Paris" }, ...rest };
}

function result(toolCallId: string, rest: Partial<ToolResult> = {}): ToolResult {
  return {
    type: "tool-result",
    toolCallId,
    toolName: "weather",
    output: { type: "text", value: "Sunny" },
    isError: false,
    durationMs: 1,
    ...rest,
  };
}

function tool(...content: ToolResult[]): ToolMessage {
  return { role: "tool", content };
}

function file(mediaType: string, data = "AQI="): FilePart {
  return { type: "file", mediaType, data: { type: "data", data } };
}

function called(id: string): object {
  return { functionCall: { id, name: "weather", args: { city: "Paris" } } };
}

function answered(id: string, response: object = { output: "Sunny" }): object {
  return { functionResponse: { id, name: "weather", response } };
}

function signed(thoughtSignature: string): { google: { thoughtSignature: string } } {
  return { google: { thoughtSignature } };
}

Deno.test("googleGenerateContent() sends the system prompt as an instruction", async () => {
  const system = (content: string) => ({ role: "system" as const, content });
  const body = await bodyOf({
    messages: [system("Be brief."), user("Hi"), system(" "), system("Smile.")],
  });
  assertEquals(body.systemInstruction, { parts: [{ text: "Be brief." }, { text: "Smile." }] });
  assertEquals(body.contents, [{ role: "user", parts: [{ text: "Hi" }] }]);
});

Deno.test("toContents() merges adjacent messages and omits empty ones", () => {
  const messages = [
    user("a", ""),
    user("b"),
    assistant(),
    assistant({ type: "text", text: "" }, { type: "reasoning", text: "of another provider" }),
    user(),
    assistant({ type: "text", text: "c" }),
    assistant({ type: "text", text: "d" }),
  ];
  assertEquals(toContents(messages, NEW), [
    { role: "user", parts: [{ text: "a" }, { text: "b" }] },
    { role: "model", parts: [{ text: "c" }, { text: "d" }] },
  ]);
});

Deno.test("toContents() begins with a turn of the user", () => {
  const blank = { role: "user", parts: [{ text: " " }] };
  assertEquals(toContents([], NEW), [blank]);
  assertEquals(toContents([user("")], NEW), [blank]);
  assertEquals(toContents([assistant({ type: "text", text: "Hi" })], NEW), [
    blank,
    { role: "model", parts: [{ text: "Hi" }] },
  ]);
});

Deno.test("toContents() sends back signatures, thoughts and parts of unsupported types", () => {
  const executed = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "s2" };
  const message = assistant(
    { type: "reasoning", text: "Hm", providerOptions: { google: { thought: true } } },
    { type: "reasoning", text: "", providerOptions: { google: { part: executed } } },
    { type: "text", text: "a", providerOptions: signed("s3") },
    { type: "text", text: "b" },
    { type: "text", text: "", providerOptions: signed("s4") },
    { ...file("image/png"), providerOptions: signed("s5") },
    call("c1", { providerOptions: signed("s6") }),
    call("c2"),
  );
  const [, content] = toContents([user("Hi"), message], OLD);
  assertEquals(content, {
    role: "model",
    parts: [
      { text: "Hm", thought: true },
      executed,
      { text: "a", thoughtSignature: "s3" },
      { text: "b" },
      { text: "", thoughtSignature: "s4" },
      { inlineData: { mimeType: "image/png", data: "AQI=" }, thoughtSignature: "s5" },
      { ...called("c1"), thoughtSignature: "s6" },
      called("c2"),
    ],
  });
});

Deno.test("toContents() sends a placeholder for the first call of a message without signature", () => {
  const openAi = { openai: { call_fields: { signature: "x" } } };
  const messages = [
    user("Hi"),
    assistant(call("c1", { providerOptions: openAi }), call("c2")),
    tool(result("c1"), result("c2")),
    assistant(call("c3", { providerOptions: signed("s") }), call("c4")),
    tool(result("c3"), result("c4")),
  ];
  const partsOf = (dialect: typeof NEW) =>
    toContents(messages, dialect).filter(({ role }) => role === "model").map(({ parts }) => parts);
  assertEquals(partsOf(NEW), [
    [{ ...called("c1"), thoughtSignature: PLACEHOLDER }, called("c2")],
    [{ ...called("c3"), thoughtSignature: "s" }, called("c4")],
  ]);
  assertEquals(partsOf(OLD)[0], [called("c1"), called("c2")]);
  assertEquals(atob(PLACEHOLDER), "skip_thought_signature_validator");
});

Deno.test("toContents() wraps tool input that is not an object", () => {
  const inputs = [
    [call("c", { input: {}, rawInput: '{"a' }), { rawInput: '{"a' }],
    [call("c", { input: [1] }), { rawInput: [1] }],
    [call("c", { input: "x" }), { rawInput: "x" }],
  ] as const;
  for (const [part, args] of inputs) {
    const [, content] = toContents([user("Hi"), assistant(part)], OLD);
    assertEquals(content?.parts, [{ functionCall: { id: "c", name: "weather", args } }]);
  }
});

Deno.test("toContents() sends every type of tool output", () => {
  const outputs = [
    [result("c", { output: { type: "json", value: [1] } }), { output: [1] }],
    [result("c", { output: { type: "error-text", value: "No" }, isError: true }), { error: "No" }],
    [
      result("c", { output: { type: "error-json", value: { a: 1 } }, isError: true }),
      { error: { a: 1 } },
    ],
    [
      result("c", { output: { type: "execution-denied", reason: "Late" }, isError: true }),
      { error: "The call was not approved: Late" },
    ],
    [
      result("c", {
        output: {
          type: "content",
          value: [{ type: "text", text: "a" }, { type: "text", text: "b" }],
        },
      }),
      { output: "a\nb" },
    ],
  ] as const;
  for (const [part, response] of outputs) {
    const [, , content] = toContents([user("Hi"), assistant(call("c")), tool(part)], NEW);
    assertEquals(content, { role: "user", parts: [answered("c", response)] });
  }
});

Deno.test("toContents() responds to every call once, in call order, before other parts", () => {
  const messages = [
    user("Hi"),
    assistant(call("a"), call("b"), call("c")),
    user("Wait"),
    tool(result("lost"), result("c"), result("a"), result("a")),
    user("Go on"),
  ];
  const [, , content] = toContents(messages, NEW);
  const orphan = { text: "Result of an earlier call to the tool weather: Sunny" };
  assertEquals(content?.parts, [
    answered("a"),
    answered("b", { error: "The call has no result." }),
    answered("c"),
    orphan,
    orphan,
    { text: "Wait" },
    { text: "Go on" },
  ]);
});

Deno.test("toContents() responds to calls at the end and before another message of the model", () => {
  const missing = { error: "The call has no result." };
  assertEquals(toContents([user("Hi"), assistant(call("a"))], OLD).slice(1), [
    { role: "model", parts: [called("a")] },
    { role: "user", parts: [answered("a", missing)] },
  ]);
  const joined = [user("Hi"), assistant(call("a")), assistant({ type: "text", text: "Done" })];
  assertEquals(toContents(joined, OLD).slice(1), [
    { role: "model", parts: [called("a"), { text: "Done" }] },
    { role: "user", parts: [answered("a", missing)] },
  ]);
});

Deno.test("toContents() sends files of tool results in the response, or after it, or as text", () => {
  const value = [
    { type: "text" as const, text: "See" },
    file("image/png"),
    file("audio/wav"),
    file("application/zip"),
    file("text/plain", btoa("notes")),
  ];
  const messages: ModelMessage[] = [
    user("Hi"),
    assistant(call("a"), call("b")),
    tool(result("a", { output: { type: "content", value } }), result("b")),
  ];
  const output =
    "See\n[File of type application/zip: the model cannot read this type of file]\nnotes";
  const image = { inlineData: { mimeType: "image/png", data: "AQI=" } };
  const audio = { inlineData: { mimeType: "audio/wav", data: "AQI=" } };
  const label = { text: "Files from the result of tool call a:" };
  const response = { id: "a", name: "weather", response: { output } };
  assertEquals(toContents(messages, NEW)[2]?.parts, [
    { functionResponse: { ...response, parts: [image] } },
    answered("b"),
    label,
    audio,
  ]);
  assertEquals(toContents(messages, OLD)[2]?.parts, [
    { functionResponse: response },
    answered("b"),
    label,
    image,
    audio,
  ]);
});

Deno.test("toContents() sends additional fields of parts and results", () => {
  const part = {
    ...file("video/mp4"),
    providerOptions: { google: { videoMetadata: { fps: 0.2 } } },
  };
  const messages: ModelMessage[] = [
    { role: "user", content: [part] },
    assistant(call("a")),
    tool(result("a", { providerOptions: { google: { scheduling: "SILENT" } } })),
  ];
  const [video, , response] = toContents(messages, NEW);
  assertEquals(video?.parts, [{
    videoMetadata: { fps: 0.2 },
    inlineData: { mimeType: "video/mp4", data: "AQI=" },
  }]);
  assert(JSON.stringify(response).includes('"scheduling":"SILENT"'));
});

const anyPart = fc.oneof(
  fc.constantFrom("", " ", "a").map((text) => ({ type: "text" as const, text })),
  fc.constantFrom("a", "b").map((id) => call(id)),
  fc.constant({ type: "reasoning" as const, text: "r" }),
);
const anyMessage: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.array(fc.constantFrom("", "a"), { maxLength: 2 }).map((texts) => user(...texts)),
  fc.array(anyPart, { maxLength: 3 }).map((parts) => assistant(...parts)),
  fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 })
    .map((ids) => tool(...ids.map((id) => result(id)))),
);

Deno.test("toContents() returns contents that the API accepts for any conversation", () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 8 }), (messages) => {
      const contents = toContents(messages, NEW);
      let pending: unknown[] = [];
      for (const [index, { role, parts }] of contents.entries()) {
        assertEquals(role, index % 2 === 0 ? "user" : "model");
        assert(Array.isArray(parts) && parts.length > 0);
        assert(parts.every(({ text }) => text !== ""));
        const responses = parts.flatMap(({ functionResponse }) => functionResponse?.id ?? []);
        assertEquals(responses, pending);
        assertEquals(
          parts.slice(0, pending.length).map((part) => Object.keys(part)[0]),
          pending.map(() => "functionResponse"),
        );
        pending = parts.flatMap(({ functionCall }) => functionCall?.id ?? []);
      }
      assertEquals(pending, []);
    }),
    propertyRuns(300),
  );
});
