import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { encodeBase64 } from "@parley/internal/base64";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { FilePart } from "../shared/model.ts";
import { type FileRules, IMAGE_TYPES, toSendableFile } from "./sendable_file.ts";

const RULES: FileRules = {
  acceptsData: (type) => IMAGE_TYPES.has(type) || type === "application/pdf",
  acceptsUrl: (type) => IMAGE_TYPES.has(type),
};

const PNG = bytesOf("\x89PNG\r\n\x1a\n0000");
const JPEG = bytesOf("\xff\xd8\xff\xe0\0\x10JFIF");

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

function fileOf(mediaType: string, data: Uint8Array | string | URL, filename?: string): FilePart {
  return {
    type: "file",
    mediaType,
    data: data instanceof URL ? { type: "url", url: data } : { type: "data", data },
    ...filename === undefined ? {} : { filename },
  };
}

Deno.test("toSendableFile() takes the media type from the first bytes, and writes it in its usual form", () => {
  const rows = [
    ["image/png", PNG, "image/png"],
    ["image/png", JPEG, "image/jpeg"],
    ["image/jpeg", PNG, "image/png"],
    ["IMAGE/PNG", PNG, "image/png"],
    ["image/jpg", JPEG, "image/jpeg"],
    [" Image/JPG ; q=1", bytesOf("unknown content"), "image/jpeg"],
    ["", PNG, "image/png"],
    ["application/octet-stream", bytesOf("%PDF-1.7 content"), "application/pdf"],
    ["image/png", bytesOf("RIFF\x01\x02\x03\x04WEBPVP8 "), "image/webp"],
    ["image/png", bytesOf("GIF89a\x01\x02"), "image/gif"],
    ["image/gif", bytesOf("GIF87a\x01\x02"), "image/gif"],
    ["text/plain", PNG, "image/png"],
    ["application/json", JPEG, "image/jpeg"],
    ["binary/octet-stream", JPEG, "image/jpeg"],
    ["image/svg+xml", PNG, "image/png"],
    ["audio/wav", bytesOf("%PDF-1.4"), "application/pdf"],
  ] as const;
  for (const [label, bytes, mediaType] of rows) {
    const data = encodeBase64(bytes);
    assertEquals(toSendableFile(fileOf(label, bytes), RULES), { type: "data", mediaType, data });
    assertEquals(toSendableFile(fileOf(label, data), RULES), { type: "data", mediaType, data });
  }
});

Deno.test("toSendableFile() reads every form of base64 and data: URLs", () => {
  const data = encodeBase64(bytesOf("\x89PNG\r\n\x1a\n\xfb\xff"));
  const rows = [
    data.replace(/(.{4})/g, "$1\r\n"),
    data.replaceAll("+", "-").replaceAll("/", "_"),
    data.replaceAll("=", ""),
    `data:image/png;base64,${data}`,
    `data:;BASE64,${data}`,
    new URL(`data:image/png;base64,${data}`),
  ];
  for (const row of rows) {
    assertEquals(toSendableFile(fileOf("image/png", row), RULES), {
      type: "data",
      mediaType: "image/png",
      data,
    });
  }
});

Deno.test("toSendableFile() decodes text", () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const rows = [
    ["text/csv", "a,b\n1,é", "a,b\n1,é"],
    ["TEXT/Markdown; charset=UTF-8", "# é", "# é"],
    ["image/svg+xml", svg, svg],
    ["application/ld+json", "{}", "{}"],
    ["application/json", "{}", "{}"],
    ["image/png", svg, svg],
    ["image/jpeg", "\n<!DOCTYPE html><p>403</p>", "\n<!DOCTYPE html><p>403</p>"],
    ["application/pdf", '{"error":"no such file"}', '{"error":"no such file"}'],
    ["application/x-unknown", '<?xml version="1.0"?>', '<?xml version="1.0"?>'],
    ["application/octet-stream", "plain text", "plain text"],
    ["", "plain text", "plain text"],
  ] as const;
  for (const [label, content, text] of rows) {
    const bytes = new TextEncoder().encode(content);
    assertEquals(toSendableFile(fileOf(label, bytes, "a.txt"), RULES), {
      type: "text",
      text,
      filename: "a.txt",
    });
  }
  const latin = fileOf('text/csv; charset="windows-1252"', bytesOf("caf\xe9"));
  assertEquals(toSendableFile(latin, RULES), { type: "text", text: "café" });
  const unknown = fileOf("text/csv; charset=klingon", bytesOf("a"));
  assertEquals(toSendableFile(unknown, RULES), { type: "text", text: "a" });
  const inUrl = fileOf("", new URL("data:text/csv,a%2Cb"));
  assertEquals(toSendableFile(inUrl, RULES), { type: "text", text: "a,b" });
});

Deno.test("toSendableFile() replaces other files with a note", () => {
  const url = new URL("https://files.example/a.csv");
  const rows = [
    [
      fileOf("audio/wav", bytesOf("RIFF....WAVEfmt "), "a.wav"),
      '[File "a.wav" of type audio/wav: the model cannot read this type of file]',
    ],
    [
      fileOf("image/png", bytesOf("II*\0\x08\0\0\0")),
      "[File of type image/png: the model cannot read this type of file]",
    ],
    [
      fileOf("image/jpeg", bytesOf("\0\0\0\x18ftypheic")),
      "[File of type image/jpeg: the model cannot read this type of file]",
    ],
    [
      fileOf("image/bmp", bytesOf("BM\x01\x02\x03\x04")),
      "[File of type image/bmp: the model cannot read this type of file]",
    ],
    [
      fileOf("application/octet-stream", bytesOf("\0\x01\x02")),
      "[File of type application/octet-stream: the model cannot read this type of file]",
    ],
    [
      fileOf("", bytesOf("\xff\xfe\xfd")),
      "[File of unknown type: the model cannot read this type of file]",
    ],
    [fileOf("image/png", ""), "[File of type image/png: the file is empty]"],
    [
      fileOf("image/png", "not base64!"),
      "[File of type image/png: the content is not valid base64]",
    ],
    [fileOf("image/png", "AAAAA"), "[File of type image/png: the content is not valid base64]"],
    [
      fileOf("image/png", "data:image/png,%ff"),
      "[File of type image/png: the content is not valid base64]",
    ],
    [
      { ...fileOf("image/bmp\nIgnore", "AAAA"), filename: 'a"\n\u202eb.bmp' },
      '[File "a"\\u{a}\\u{202e}b.bmp" of type image/bmp\\u{a}Ignore: the model cannot read this type of file]',
    ],
    [
      fileOf("text/csv", url),
      "[File of type text/csv: the model cannot read the file at https://files.example/a.csv]",
    ],
  ] as const;
  for (const [part, text] of rows) {
    assertEquals(toSendableFile(part, RULES), { type: "note", text });
  }
  const image = fileOf("image/jpg", new URL("https://files.example/a.jpg"));
  assertEquals(toSendableFile(image, RULES), {
    type: "url",
    mediaType: "image/jpeg",
    url: "https://files.example/a.jpg",
  });
});

Deno.test("toSendableFile() accepts any media type and any content", () => {
  const text = fc.string({ unit: "binary" });
  const content = fc.oneof(text, fc.uint8Array(), fc.base64String());
  fc.assert(
    fc.property(text, content, (mediaType, data) => {
      const { type } = toSendableFile(fileOf(mediaType, data), RULES);
      assertEquals(["data", "text", "note"].includes(type), true);
    }),
    propertyRuns(300),
  );
});
