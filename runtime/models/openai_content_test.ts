import { assertEquals } from "@std/assert";
import { failureOf, QUESTION, streamed } from "./testdata/ask.ts";
import { bodyOf, chunk, completion, modelOf } from "./testdata/chat.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";

const DATA = "iVBORw0KGgo=";
const IMAGE = { type: "image_url", image_url: { url: `data:image/png;base64,${DATA}` } };
const FILE = { type: "file", mediaType: "image/png", data: { type: "data", data: DATA } };

/** Returns the content that the model reads from a message, whole and in chunks. */
async function contentsOf(message: object): Promise<unknown[]> {
  const whole = await modelOf(() => Response.json(completion(message))).generate(QUESTION);
  const events = [chunk(message), chunk({}, "stop"), "[DONE]"];
  const pieces = await streamed(modelOf(() => eventStream(events)));
  const repeated = [chunk(message), { choices: [{ message, finish_reason: "stop" }] }, "[DONE]"];
  const again = await streamed(modelOf(() => eventStream(repeated)));
  return [whole, pieces, again].map((response) => response.message.content);
}

Deno.test("openAiChat() reads texts and images in the forms of other APIs", async () => {
  const text = { type: "text", text: "A" };
  const rows = [
    [{ content: [text] }, [text]],
    [{ content: [{ type: "output_text", text: "A" }] }, [text]],
    [{ content: [{ text: "A" }] }, [text]],
    [{ content: ["A"] }, [text]],
    [{ content: [{ type: "refusal", refusal: "A" }] }, [text]],
    [{ content: [text, { type: "reference", reference_ids: [1] }, null] }, [text]],
    [{ content: "", images: [IMAGE] }, [FILE]],
    [{ content: null, images: [IMAGE, IMAGE] }, [FILE]],
    [{ content: "A", images: [{ image_url: IMAGE.image_url.url }] }, [text, FILE]],
    [{ content: [text, IMAGE] }, [text, FILE]],
    [{ content: "A", images: null }, [text]],
  ] as const;
  for (const [message, expected] of rows) {
    for (const content of await contentsOf(message)) {
      assertEquals(content, expected, JSON.stringify(message));
    }
  }
  const [linked] = await contentsOf({
    images: [{ type: "image_url", image_url: { url: "https://a.example/b" } }],
  });
  const url = new URL("https://a.example/b");
  assertEquals(linked, [{ type: "file", mediaType: "image/*", data: { type: "url", url } }]);
});

Deno.test("openAiChat() rejects a response whose only content has an unknown type", async () => {
  for (const content of [[{ type: "hologram", data: "x" }], [{ type: "output_text", text: 5 }]]) {
    const works = [
      () => modelOf(() => Response.json(completion({ content }))).generate(QUESTION),
      () => streamed(modelOf(() => eventStream([chunk({ content }), chunk({}, "stop"), "[DONE]"]))),
    ];
    for (const work of works) assertEquals((await failureOf(work())).retryable, true);
  }
  const content = [{ type: "hologram" }, { type: "text", text: "A" }];
  const known = await modelOf(() => Response.json(completion({ content }))).generate(QUESTION);
  assertEquals(known.message.content, [{ type: "text", text: "A" }]);
});

Deno.test("openAiChat() reads an array of chunks whose last one contains only a finish reason", async () => {
  for (const last of [{ finish_reason: "stop" }, { delta: null, finish_reason: "stop" }]) {
    const body = [chunk({ content: "A" }), { ...chunk({}), choices: [{ index: 0, ...last }] }];
    const response = await modelOf(() => Response.json(body)).generate(QUESTION);
    assertEquals([response.message.content, response.finishReason], [
      [{ type: "text", text: "A" }],
      "stop",
    ]);
  }
});

Deno.test("openAiChat() sends the name of a text file", async () => {
  const file = {
    type: "file" as const,
    mediaType: "text/csv",
    data: { type: "data" as const, data: btoa("a,b") },
    filename: 'x".csv\n',
  };
  const { messages } = await bodyOf({
    messages: [
      { role: "user", content: [file] },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "f", input: {} }],
      },
      {
        role: "tool",
        content: [{
          type: "tool-result",
          toolCallId: "c1",
          toolName: "f",
          output: { type: "content", value: [file] },
          isError: false,
          durationMs: 1,
        }],
      },
    ],
  });
  const [user, , tool] = JSON.parse(JSON.stringify(messages));
  const text = 'File "x".csv\\u{a}":\na,b';
  assertEquals([user.content, tool.content], [[{ type: "text", text }], text]);
});
