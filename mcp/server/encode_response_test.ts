import { assertEquals } from "@std/assert";
import { failure, success } from "../jsonrpc/message.ts";
import { encodeLegacy, encodeModern } from "./encode_response.ts";

Deno.test("a result that cannot be encoded is an internal error in both eras", () => {
  const result = {
    content: [],
    get late() {
      throw new Error("secret");
    },
  };
  const identity = { info: { name: "s", version: "1" } };
  const error = { code: -32603, message: "Internal error: the result is not JSON" };
  assertEquals(encodeModern(success(1, result), "tools/call", identity), failure(1, error));
  assertEquals(encodeLegacy(success(1, result)), failure(1, error));
});
