import { assert, assertEquals } from "@std/assert";
import type { LanguageModel } from "../shared/model.ts";
import { failureOf, QUESTION, streamed } from "./testdata/ask.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";
import { chunk, completion, modelOf as chatOf } from "./testdata/chat.ts";
import { modelOf as googleOf, reply as googleReply } from "./testdata/google.ts";
import {
  block,
  MESSAGE_START,
  messageEnd,
  modelOf as messagesOf,
  reply,
} from "./testdata/messages.ts";
import {
  completed,
  message,
  modelOf as responsesOf,
  reply as responseOf,
} from "./testdata/responses.ts";

/** A response with the text `A`, complete and as a stream. */
interface Wire {
  readonly modelOf: (answer: () => Response) => LanguageModel;
  readonly whole: object;
  readonly events: readonly object[];
}

const WIRES: Readonly<Record<string, Wire>> = {
  "openAiChat()": {
    modelOf: chatOf,
    whole: completion({ content: "A" }),
    events: [chunk({ content: "A" }, "stop")],
  },
  "openAiResponses()": {
    modelOf: responsesOf,
    whole: responseOf([message("A")]),
    events: [completed([message("A")])],
  },
  "anthropicMessages()": {
    modelOf: messagesOf,
    whole: reply([{ type: "text", text: "A" }]),
    events: [
      MESSAGE_START,
      ...block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "A" }]),
      ...messageEnd("end_turn"),
    ],
  },
  "googleGenerateContent()": {
    modelOf: googleOf,
    whole: googleReply([{ text: "A" }]),
    events: [googleReply([{ text: "A" }])],
  },
};

const MEDIA_TYPES = [
  ...["application/json", "text/event-stream", "text/plain", ""],
  ...["TEXT/EVENT-STREAM; Charset=UTF-8", "text/html", "application/octet-stream", "invalid"],
];

/** Returns a response with a media type that may be wrong. `""` sends no media type. */
function bodyOf(text: string, mediaType: string): Response {
  const headers = mediaType === "" ? {} : { "content-type": mediaType };
  // A body of bytes has no media type by default.
  return new Response(new TextEncoder().encode(text), { headers });
}

for (const [name, { modelOf, whole, events }] of Object.entries(WIRES)) {
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const bodies = [
    JSON.stringify(whole),
    JSON.stringify(whole, null, 2),
    `\ufeff\n ${JSON.stringify(whole)}`,
    `${" ".repeat(1000)}\n${JSON.stringify(whole)}\n`,
    stream,
    stream.replaceAll("data: ", "data:").replaceAll("\n", "\r\n"),
    stream.replaceAll("\n", "\r"),
    `\ufeff${stream}`,
    `\n\nretry: 3000\nid: 1\n${stream}`,
    `: waiting\n\n${
      events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join("")
    }`,
  ];

  Deno.test(`${name} reads a body by its first characters, for every media type`, async () => {
    for (const body of bodies) {
      for (const mediaType of MEDIA_TYPES) {
        const model = modelOf(() => bodyOf(body, mediaType));
        for (const { message } of [await model.generate(QUESTION), await streamed(model)]) {
          assertEquals(message.content, [{ type: "text", text: "A" }], `${mediaType}: ${body}`);
        }
      }
    }
  });

  Deno.test(`${name} ignores events without data, and the end mark of other APIs`, async () => {
    for (const odd of ["null", " null", '""', "[]", "{}", ": waiting"]) {
      const texts = events.flatMap((event) => [odd, JSON.stringify(event)]);
      for (const end of ["", "[DONE]", '"[DONE]"', " [DONE] "]) {
        const lines = [...texts, odd, end].map((data) =>
          data.startsWith(":") || data === "" ? `${data}\n\n` : `data: ${data}\n\n`
        );
        const model = modelOf(() => bodyOf(lines.join(""), "text/event-stream"));
        const { message } = await streamed(model);
        assertEquals(message.content, [{ type: "text", text: "A" }], `${odd} ${end}`);
      }
    }
  });

  Deno.test(`${name} quotes an error in the form of a gateway`, async () => {
    const rows = [
      { code: 1301, msg: "zzz" },
      { detail: [{ msg: "zzz" }] },
      { base_resp: { status_code: 1008, status_msg: "zzz" } },
      { error: "zzz" },
      { error: { message: "zzz" } },
    ];
    const [first = {}] = events;
    for (const row of rows) {
      const streams = [[row], ...events.length > 1 ? [[first, row]] : []];
      const works = [
        modelOf(() => Response.json(row)).generate(QUESTION),
        ...streams.map((data) => streamed(modelOf(() => eventStream(data)))),
      ];
      for (const work of works) {
        const { message } = await failureOf(work);
        assert(message.includes("zzz"), message);
      }
    }
  });

  Deno.test(`${name} reads whether the error of a gateway is retryable`, async () => {
    const rows = [
      [{ error: { message: "zzz", type: "overloaded_error", code: 529 } }, true, 529],
      [{ error: { message: "zzz", code: 429 } }, true, 429],
      [{ error: { message: "zzz", code: "503" } }, true, 503],
      [{ error: { message: "", code: 502 } }, true, 502],
      [{ error: { message: "zzz", type: "overloaded_error" } }, true, undefined],
      [{ error: { error: { message: "zzz", type: "api_error" } } }, true, undefined],
      [{ error: "zzz", code: 503 }, true, 503],
      [{ error: { message: "zzz" }, code: 503 }, true, 503],
      [{ error: [{ message: "zzz", code: 503 }] }, true, 503],
      [{ code: 503, msg: "zzz" }, true, 503],
      [{ error: { message: "zzz", code: 400 } }, false, 400],
      [{ error: { message: "zzz", code: 429, type: "insufficient_quota" } }, false, 429],
      [{ error: { message: "zzz" } }, false, undefined],
      [{ message: "zzz", code: 401 }, false, 401],
      [{ code: 1301, msg: "zzz" }, false, undefined],
    ] as const;
    const [first = {}] = events;
    for (const [row, retryable, status] of rows) {
      const streams = [[row], ...events.length > 1 ? [[first, row]] : []];
      const works = [
        () => modelOf(() => Response.json(row)).generate(QUESTION),
        ...streams.map((data) => () => streamed(modelOf(() => eventStream(data)))),
      ];
      for (const work of works) {
        const error = await failureOf(work());
        assert(error.is("model_error"));
        const expected = [retryable, status];
        assertEquals([error.retryable, error.details.status], expected, JSON.stringify(row));
      }
    }
  });

  Deno.test(`${name} quotes a body that is neither JSON nor an event stream`, async () => {
    for (const body of ["Internal error", "<p>Internal error</p>"]) {
      const model = modelOf(() => bodyOf(body, "application/json"));
      for (const work of [model.generate(QUESTION), streamed(model)]) {
        const error = await failureOf(work);
        assert(error.message.includes("Internal error"), error.message);
      }
    }
  });
}
