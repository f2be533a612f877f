import { assert } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { chatCompletionsHandler } from "./chat_completions.ts";
import { responsesHandler } from "./responses.ts";
import { serveClerk } from "./testdata/clerk.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\0", "\ud800"),
  fc.constantFrom("user", "assistant", "tool", "message", "text", "input_text", "image_url"),
  fc.constantFrom("https://example.com/a.png", "data:image/png;base64,AAAA", "__proto__"),
);

/** JSON values that often have the names of members that are read. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      ...["role", "content", "type", "text", "image_url", "url", "id", "format"],
      ...["approval_request_id", "approve", "reason", "include_usage", "__proto__", "a"],
    ),
    tie("value"),
  ),
}));

function bodies(names: readonly string[]): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.dictionary(fc.constantFrom(...names), value);
}

const CHAT = ["messages", "n", "tools", "functions", "response_format", "stream_options"];
const RESPONSES = [
  ...["input", "instructions", "previous_response_id", "conversation", "background", "store"],
  ...["tools", "text", "prompt", "metadata"],
];

/** An endpoint, the members that it reads, and a member that makes a request valid. */
const ENDPOINTS = {
  "chat/completions": { create: chatCompletionsHandler, names: CHAT, valid: "messages" },
  responses: { create: responsesHandler, names: RESPONSES, valid: "input" },
};

const MESSAGES = [{ role: "user", content: "Hi" }];

for (const [path, { create, names, valid }] of Object.entries(ENDPOINTS)) {
  Deno.test(`no body causes an error of the server at /${path}`, async () => {
    await using clerk = serveClerk();
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const handler = create({ models: { clerk: clerk.served }, onError });
    const body = fc.oneof(
      bodies(names),
      bodies(names).map((rest) => ({ ...rest, [valid]: MESSAGES })),
    );
    await fc.assert(
      fc.asyncProperty(body, async (members) => {
        const request = new Request(`https://example.com/v1/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ ...members, model: "clerk" }),
        });
        const response = await handler(request, { principal: { subject: "ann" } });
        const text = await response.text();
        assert([200, 400].includes(response.status), `${response.status} ${text}`);
        assert(errors.length === 0, `${errors}`);
      }),
      propertyRuns(300),
    );
  });
}
