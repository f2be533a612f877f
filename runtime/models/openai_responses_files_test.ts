import { assert, assertEquals } from "@std/assert";
import { encodeBase64 } from "@parley/internal/base64";
import type { FilePart, ToolResult } from "../shared/model.ts";
import { bodyOf } from "./testdata/responses.ts";

const PNG = encodeBase64(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]));
const JPEG = encodeBase64(new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, 0, 1]));
const PDF = btoa("%PDF-1.7 1 0 obj");

function fileOf(mediaType: string, data: Uint8Array | string, filename?: string): FilePart {
  const name = filename === undefined ? {} : { filename };
  return { type: "file", mediaType, data: { type: "data", data }, ...name };
}

function linkTo(url: string, mediaType: string): FilePart {
  return { type: "file", mediaType, data: { type: "url", url: new URL(url) } };
}

/** Returns the content that is sent for a user message with the given files and a text. */
async function contentOf(...files: readonly FilePart[]): Promise<unknown> {
  const { input } = await bodyOf({ messages: [{ role: "user", content: [...files] }] });
  return Array.isArray(input) ? input[0].content : input;
}

Deno.test("openAiResponses() sends images and documents", async () => {
  assertEquals(
    await contentOf(
      fileOf("image/png", new Uint8Array([1, 2, 3])),
      linkTo("https://example.org/a", "image/*"),
      fileOf("application/pdf", "AQID"),
      fileOf("application/pdf", "AQID", "a.pdf"),
      linkTo("https://example.org/a.pdf", "application/pdf"),
    ),
    [
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AQID" },
      { type: "input_image", detail: "auto", image_url: "https://example.org/a" },
      {
        type: "input_file",
        filename: "file.pdf",
        file_data: "data:application/pdf;base64,AQID",
      },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AQID" },
      { type: "input_file", file_url: "https://example.org/a.pdf" },
    ],
  );
});

Deno.test("openAiResponses() sends the type that the first bytes of a file identify", async () => {
  const image = { type: "input_image", detail: "auto" };
  assertEquals(
    await contentOf(
      fileOf("image/png", JPEG),
      fileOf("IMAGE/JPG; q=1", "AQID"),
      fileOf("application/octet-stream", PNG),
      fileOf("image/webp", btoa("RIFF\0\0\0\0WEBPVP8 ")),
      fileOf("image/png", btoa("GIF89a......")),
      fileOf("text/plain", PDF, "a"),
    ),
    [
      { ...image, image_url: `data:image/jpeg;base64,${JPEG}` },
      { ...image, image_url: "data:image/jpeg;base64,AQID" },
      { ...image, image_url: `data:image/png;base64,${PNG}` },
      { ...image, image_url: `data:image/webp;base64,${btoa("RIFF\0\0\0\0WEBPVP8 ")}` },
      { ...image, image_url: `data:image/gif;base64,${btoa("GIF89a......")}` },
      { type: "input_file", filename: "a", file_data: `data:application/pdf;base64,${PDF}` },
    ],
  );
});

Deno.test("openAiResponses() accepts data: URLs, line breaks and URL-safe base64 as data", async () => {
  const expected = {
    type: "input_image",
    detail: "auto",
    image_url: "data:image/png;base64,+/+/AQ==",
  };
  const url = "data:image/png;base64,+/+/AQ==";
  for (const data of ["+/+/AQ==", "-_-_AQ", "+/+/\r\nAQ==", url]) {
    assertEquals(await contentOf(fileOf("image/png", data)), [expected]);
  }
  assertEquals(await contentOf(linkTo(url, "image/png")), [expected]);
});

Deno.test("openAiResponses() sends text files as text", async () => {
  const text = btoa("a,b");
  assertEquals(await contentOf(fileOf("text/csv; charset=utf-8", text)), "a,b");
  assertEquals(await contentOf(fileOf("application/json", text, "a.json")), 'File "a.json":\na,b');
  for (const type of ["image/svg+xml", "application/x-ndjson", "application/ld+json"]) {
    assertEquals(await contentOf(fileOf(type, text)), "a,b");
  }
});

Deno.test("openAiResponses() describes files that the API does not accept", async () => {
  const wrong = [
    fileOf("audio/mpeg", "AQID"),
    fileOf("image/tiff", "AQID"),
    fileOf("application/zip", "AQID"),
    fileOf("image/png", "not base64!"),
    fileOf("image/png", ""),
    linkTo("https://example.org/a.mp4", "video/mp4"),
    linkTo("file:///a.png", "image/png"),
  ];
  for (const file of wrong) {
    const content = await contentOf(file);
    assert(typeof content === "string" && content.includes(file.mediaType), String(content));
  }
  const named = await contentOf(fileOf("audio/mpeg", "AQID", "a.mp3"));
  assert(typeof named === "string" && named.startsWith('[File "a.mp3" of type audio/mpeg'));
});

Deno.test("openAiResponses() sends files and texts in a tool result", async () => {
  const result = (value: FilePart[]): ToolResult => ({
    type: "tool-result",
    toolCallId: "c1",
    toolName: "f",
    output: { type: "content", value: [{ type: "text", text: "See:" }, ...value] },
    isError: false,
    durationMs: 1,
  });
  const outputs = [];
  for (const files of [[], [fileOf("image/png", PNG)], [fileOf("audio/wav", "AQID")]]) {
    const { input } = await bodyOf({ messages: [{ role: "tool", content: [result(files)] }] });
    outputs.push(Array.isArray(input) ? input[0].output : input);
  }
  const [text, image, audio] = outputs;
  assertEquals(text, "See:");
  assertEquals(image, [
    { type: "input_text", text: "See:" },
    { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PNG}` },
  ]);
  assert(audio.startsWith("See:\n[File of type audio/wav"), audio);
});
