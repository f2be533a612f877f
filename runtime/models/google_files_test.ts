import { assertEquals } from "@std/assert";
import { encodeBase64 } from "@parley/internal/base64";
import type { FilePart } from "../shared/model.ts";
import { toFilePart } from "./google_files.ts";

function inline(mediaType: string, data: Uint8Array | string, filename?: string): FilePart {
  return {
    type: "file",
    mediaType,
    ...filename === undefined ? {} : { filename },
    data: { type: "data", data },
  };
}

function linked(mediaType: string, url: string): FilePart {
  return { type: "file", mediaType, data: { type: "url", url: new URL(url) } };
}

Deno.test("toFilePart() sends images, audio, videos and PDF files as data", () => {
  const types = [
    ["image/png", "image/png"],
    ["image/jpg", "image/jpeg"],
    ["IMAGE/WebP; q=1", "image/webp"],
    ["audio/wav", "audio/wav"],
    ["video/mp4", "video/mp4"],
    ["application/pdf", "application/pdf"],
  ] as const;
  for (const [mediaType, mimeType] of types) {
    const expected = { inlineData: { mimeType, data: "AQI=" } };
    assertEquals(toFilePart(inline(mediaType, new Uint8Array([1, 2]))), expected);
    assertEquals(toFilePart(inline(mediaType, "AQI=")), expected);
    assertEquals(toFilePart(linked(mediaType, `data:${mediaType};base64,AQI=`)), expected);
  }
});

Deno.test("toFilePart() sends the URL of a file", () => {
  const url = "https://example.com/a.png";
  assertEquals(toFilePart(linked("image/png", url)), {
    fileData: { fileUri: url, mimeType: "image/png" },
  });
  assertEquals(toFilePart(linked("video/mp4", "gs://bucket/a.mp4")), {
    fileData: { fileUri: "gs://bucket/a.mp4", mimeType: "video/mp4" },
  });
});

Deno.test("toFilePart() sends text files as text", () => {
  for (const type of ["text/csv", "application/json", "application/ld+json", "Text/Plain;x=y"]) {
    assertEquals(toFilePart(inline(type, new TextEncoder().encode("a,ä"))), { text: "a,ä" });
  }
  assertEquals(
    toFilePart(inline("text/csv", encodeBase64(new TextEncoder().encode("a")), "t.csv")),
    {
      text: 'File "t.csv":\na',
    },
  );
});

Deno.test("toFilePart() describes files that the API rejects", () => {
  const files = [
    [
      inline("application/zip", "AQI=", "a.zip"),
      '[File "a.zip" of type application/zip: the model cannot read this type of file]',
    ],
    [
      linked("application/zip", "https://example.com/a.zip"),
      "[File of type application/zip: the model cannot read the file at https://example.com/a.zip]",
    ],
    [
      inline("image/gif", "AQI="),
      "[File of type image/gif: the model cannot read this type of file]",
    ],
  ] as const;
  for (const [file, text] of files) assertEquals(toFilePart(file), { text });
});
