import { assertEquals } from "@std/assert";
import { rejectHeaders } from "./http_request.ts";

Deno.test("rejectHeaders() rejects a content type with several charsets of which one is not UTF-8", () => {
  const statuses = ["utf-8; charset=utf-16", "utf-16; charset=utf-8", "utf-8; charset=utf-8"].map(
    (charset) => {
      const headers = { "content-type": `application/json; charset=${charset}` };
      return rejectHeaders(new Request("https://bob.example", { method: "POST", headers }))?.status;
    },
  );
  assertEquals(statuses, [415, 415, undefined]);
});
