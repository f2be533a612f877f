import { assertEquals, assertStringIncludes } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import { openAiChat } from "./openai_chat.ts";

const KEY = 'sk+abc/xyz=="key';

/** Returns the message, the details and the cause of the error for a response with a text. */
async function failWith(text: string, options: object): Promise<string> {
  const model = openAiChat({
    baseUrl: "https://models.example/v1",
    model: "m",
    fetch: () => Promise.resolve(Response.json({ error: { message: text } }, { status: 401 })),
    ...options,
  });
  try {
    await model.generate({ messages: [], tools: [], options: {} });
  } catch (error) {
    if (!AgentError.isAgentError(error)) throw error;
    return `${error.message} ${JSON.stringify(error.details)} ${error.cause}`;
  }
  throw new Error("the call did not fail");
}

Deno.test("an error contains no key, in whatever form the server repeats it", async () => {
  const forms = [
    KEY,
    encodeURIComponent(KEY),
    encodeURIComponent(encodeURIComponent(KEY)),
    new URLSearchParams({ KEY }).toString(),
    btoa(KEY),
    btoa(`Bearer ${KEY}`),
    JSON.stringify(KEY),
  ];
  for (const form of forms) {
    const text = await failWith(`invalid key ${form}.`, { apiKey: KEY });
    assertEquals([form, text.includes(form)], [form, false]);
    assertEquals(/abc.{0,6}xyz/.test(text), false);
    assertStringIncludes(text, '"status":401');
  }
});

Deno.test("an error contains no password of basic credentials", async () => {
  const headers = { authorization: `Basic ${btoa("bob:hunter2-pass")}` };
  const text = await failWith("user bob has another password than hunter2-pass", { headers });
  assertEquals(text.includes("hunter2"), false);
  assertStringIncludes(text, "user bob has another password than [redacted]");
});

Deno.test("the text of an error without a secret is unchanged", async () => {
  const words =
    'model "m" at https://x.example/a%20b does not exist (request req_0123456789abcdef)';
  assertStringIncludes(await failWith(words, { apiKey: KEY }), words);
});
