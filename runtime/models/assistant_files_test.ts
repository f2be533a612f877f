import { assertEquals, assertStrictEquals } from "@std/assert";
import type { FilePart, ModelMessage } from "../shared/model.ts";
import { moveAssistantFiles } from "./assistant_files.ts";
import { bodyOf as chatBodyOf } from "./testdata/chat.ts";
import { bodyOf as messagesBodyOf } from "./testdata/messages.ts";
import { bodyOf as responsesBodyOf } from "./testdata/responses.ts";

const PNG = btoa("\x89PNG\r\n\x1a\n0000");
const FILE: FilePart = {
  type: "file",
  mediaType: "image/png",
  data: { type: "data", data: PNG },
};

/** The same file from a server, with data that other servers reject. */
const CREATED: FilePart = {
  ...FILE,
  filename: "a.png",
  providerOptions: { google: { thoughtSignature: "c2ln" }, openai: { item: { id: "ig_1" } } },
};
const LABEL = { type: "text", text: "The assistant created this file:" } as const;
const MOVED = { ...FILE, filename: "a.png" };
const DRAW = { role: "user", content: [{ type: "text", text: "Draw" }] } satisfies ModelMessage;
const MORE = { role: "user", content: [{ type: "text", text: "More" }] } satisfies ModelMessage;
const CALL = { type: "tool-call", toolCallId: "c1", toolName: "look", input: {} } as const;
const RESULT = {
  role: "tool",
  content: [{
    type: "tool-result",
    toolCallId: "c1",
    toolName: "look",
    output: { type: "text", value: "ok" },
    isError: false,
    durationMs: 0,
  }],
} satisfies ModelMessage;

function assistant(
  ...content: Extract<ModelMessage, { role: "assistant" }>["content"]
): ModelMessage {
  return { role: "assistant", content };
}

Deno.test("moveAssistantFiles() moves the files to the next user message, or adds one", () => {
  const text = { type: "text", text: "Here" } as const;
  const alone: ModelMessage = { role: "user", content: [LABEL, MOVED] };
  const joined: ModelMessage = { role: "user", content: [LABEL, MOVED, ...MORE.content] };
  const rows: readonly (readonly [readonly ModelMessage[], readonly ModelMessage[]])[] = [
    [[DRAW, assistant(text, CREATED), MORE], [DRAW, assistant(text), joined]],
    [[DRAW, assistant(CREATED), MORE], [DRAW, assistant(), joined]],
    [
      [DRAW, assistant(CREATED, CALL), RESULT, MORE],
      [DRAW, assistant(CALL), RESULT, joined],
    ],
    [
      [DRAW, assistant(CREATED, CALL), RESULT, assistant(text), MORE],
      [DRAW, assistant(CALL), RESULT, alone, assistant(text), MORE],
    ],
    [[DRAW, assistant(CREATED, CALL), RESULT], [DRAW, assistant(CALL), RESULT, alone]],
    [
      [assistant(CREATED), { role: "system", content: "S" }, MORE],
      [assistant(), { role: "system", content: "S" }, joined],
    ],
  ];
  for (const [messages, expected] of rows) assertEquals(moveAssistantFiles(messages), expected);
});

Deno.test("moveAssistantFiles() keeps a conversation without files, and files that stay", () => {
  const plain = [DRAW, assistant({ type: "text", text: "No" }), MORE];
  assertStrictEquals(moveAssistantFiles(plain), plain);
  const own = [DRAW, assistant(CREATED), MORE];
  assertStrictEquals(moveAssistantFiles(own, () => true), own);
});

Deno.test("models send files that another model created in a user message", async () => {
  const messages = [DRAW, assistant(CREATED), MORE];
  const url = `data:image/png;base64,${PNG}`;
  assertEquals((await chatBodyOf({ messages }, { provider: "router" })).messages, [
    { role: "user", content: "Draw" },
    {
      role: "user",
      content: [
        LABEL,
        { type: "image_url", image_url: { url } },
        { type: "text", text: "More" },
      ],
    },
  ]);
  assertEquals((await messagesBodyOf({ messages })).messages, [{
    role: "user",
    content: [
      { type: "text", text: "Draw" },
      LABEL,
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      { type: "text", text: "More" },
    ],
  }]);
  const foreign = [DRAW, assistant(FILE), MORE];
  assertEquals((await responsesBodyOf({ messages: foreign })).input, [
    { role: "user", content: "Draw" },
    {
      role: "user",
      content: [
        { type: "input_text", text: LABEL.text },
        { type: "input_image", detail: "auto", image_url: url },
        { type: "input_text", text: "More" },
      ],
    },
  ]);
});

Deno.test("models replace a created file that the API does not accept with a note", async () => {
  const speech: FilePart = {
    type: "file",
    mediaType: "audio/ogg",
    data: { type: "data", data: "T2dnUwAA" },
  };
  const text = "[File of type audio/ogg: the model cannot read this type of file]";
  const messages = [DRAW, assistant(speech), MORE];
  assertEquals((await messagesBodyOf({ messages })).messages, [{
    role: "user",
    content: [
      { type: "text", text: "Draw" },
      LABEL,
      { type: "text", text },
      { type: "text", text: "More" },
    ],
  }]);
  const { messages: sent } = await chatBodyOf({ messages });
  assertEquals(JSON.parse(JSON.stringify(sent))[1].content[1], { type: "text", text });
});
