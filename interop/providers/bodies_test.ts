/**
 * Lets the compiler check that the request bodies of conversations that move between the model APIs
 * have the types of the providers' own packages.
 */

import { assert, assertEquals } from "@std/assert";
import { holdConversation } from "../../runtime/models/testdata/strict/conversations.ts";

const SEEDS = 60;

/** Longest text in the checked bodies. No type depends on longer texts, which are contents. */
const MAX_TEXT = 100;

/** Name of the body's type in `request_types.ts`, by the URL of the request. */
const TYPES: readonly (readonly [prefix: string, type: string])[] = [
  ["https://api.openai.com/v1/chat/completions", "ChatBody"],
  ["https://api.mistral.ai/v1/chat/completions", "ChatBody"],
  ["https://router.example/v1/chat/completions", "RoutedChatBody"],
  ["https://api.openai.com/v1/responses", "ResponsesBody"],
  ["https://api.anthropic.com/v1/messages", "MessagesBody"],
  ["https://generativelanguage.googleapis.com/v1beta/models/", "GeminiBody"],
];

/** A body that the compiler must reject, for each type. */
const WRONG: Readonly<Record<string, object>> = {
  ChatBody: {
    model: "m",
    messages: [{ role: "assistant", content: "Hi", reasoning: "Hm" }],
    stream: false,
  },
  RoutedChatBody: {
    model: "m",
    messages: [{ role: "tool", tool_call_id: "c", content: "Hi", reasoning: "Hm" }],
    stream: false,
  },
  ResponsesBody: { model: "m", input: [{ type: "function_call", call_id: "c", name: "f" }] },
  MessagesBody: { model: "m", max_tokens: 1, messages: [{ role: "tool", content: "Hi" }] },
  GeminiBody: { contents: [{ role: "model", parts: [{ functionCall: { arguments: "{}" } }] }] },
};

function toLiteral(body: unknown): string {
  return JSON.stringify(
    body,
    (_, value) => typeof value === "string" ? value.slice(0, MAX_TEXT) : value,
  );
}

/** Holds random conversations. Returns the distinct bodies that were sent, with their types. */
async function collectBodies(): Promise<ReadonlyMap<string, string>> {
  const bodies = new Map<string, string>();
  for (let seed = 0; seed < SEEDS; seed++) {
    await holdConversation(seed, (url, body) => {
      const type = TYPES.find(([prefix]) => url.startsWith(prefix))?.[1];
      assert(type !== undefined, url);
      bodies.set(toLiteral(JSON.parse(body)), type);
    });
  }
  return bodies;
}

Deno.test("the types of the providers' packages accept all bodies of moving conversations", async () => {
  const bodies = await collectBodies();
  const types = Object.keys(WRONG);
  assertEquals(new Set(bodies.values()), new Set(types));
  const source = [
    `import type { ${types} } from "${new URL("./request_types.ts", import.meta.url)}";`,
    ...Array.from(bodies, ([body, type], index) => `export const body${index}: ${type} = ${body};`),
    ...Object.entries(WRONG).map(([type, body]) =>
      `// @ts-expect-error The type rejects this body.\n` +
      `export const wrong${type}: ${type} = ${toLiteral(body)};`
    ),
  ];
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/bodies.ts`;
    await Deno.writeTextFile(file, source.join("\n"));
    const config = new URL("../deno.json", import.meta.url).pathname;
    const { success, stderr } = await new Deno.Command("deno", {
      args: ["check", "--quiet", "--frozen", "--config", config, file],
      env: { NO_COLOR: "1" },
    }).output();
    assert(success, new TextDecoder().decode(stderr).slice(0, 10_000));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
