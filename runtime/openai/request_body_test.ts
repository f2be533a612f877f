import { assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "./api_error.ts";
import { readJsonObject } from "./request_body.ts";

function post(body: BodyInit, type: string | null = "application/json"): Request {
  const request = new Request("http://localhost/v1/chat/completions", { method: "POST", body });
  if (type === null) request.headers.delete("content-type");
  else request.headers.set("content-type", type);
  return request;
}

async function statusOf(request: Request): Promise<number> {
  const error = await assertRejects(() => readJsonObject(request, 100_000), ApiError);
  return error.status;
}

Deno.test("a body must be a JSON object of at most the maximum size", async () => {
  assertEquals(await readJsonObject(post('{"a":1}'), 7), { a: 1 });
  await assertRejects(() => readJsonObject(post('{"a":1}'), 6), ApiError, "at most 6 bytes");
  assertEquals(await statusOf(post("")), 400);
  assertEquals(await statusOf(post("{")), 400);
  assertEquals(await statusOf(post("[]")), 400);
  assertEquals(await statusOf(post("null")), 400);
  assertEquals(await statusOf(post("[".repeat(100_000))), 400);
});

Deno.test("deep nesting and the name __proto__ in a body have no effect", async () => {
  const deep = `{"metadata":${"[".repeat(40_000)}${"]".repeat(40_000)}}`;
  assertEquals(Object.keys(await readJsonObject(post(deep), 100_000)), ["metadata"]);
  const body = await readJsonObject(post('{"__proto__":{"model":"clerk"}}'), 100_000);
  assertEquals(body.model, undefined);
});

Deno.test("a body of another type, which a page can send without permission, is rejected", async () => {
  assertEquals(await statusOf(post("{}", "text/plain")), 415);
  assertEquals(await statusOf(post("{}", "application/x-www-form-urlencoded")), 415);
  assertEquals(await statusOf(post("{}", null)), 415);
  assertEquals(await readJsonObject(post("{}", "Application/JSON; charset=utf-8"), 10), {});
});
