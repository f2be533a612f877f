import { assertEquals, assertMatch } from "@std/assert";
import { createUuidV7, readUuidV7Time } from "./uuid.ts";

Deno.test("createUuidV7() returns an id that contains the given time", () => {
  for (const ms of [0, 1, 1_767_323_045_678, 2 ** 48 - 1]) {
    const id = createUuidV7(ms);
    assertMatch(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assertEquals(readUuidV7Time(id), ms);
  }
  assertEquals(readUuidV7Time(createUuidV7(-5)), 0);
});

Deno.test("createUuidV7() returns unique ids", () => {
  assertEquals(new Set(Array.from({ length: 1000 }, () => createUuidV7(0))).size, 1000);
});

Deno.test("readUuidV7Time() reads the example in RFC 9562 appendix A.6, in lowercase and uppercase", () => {
  assertEquals(readUuidV7Time("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"), 1645557742000);
  assertEquals(readUuidV7Time("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), 1645557742000);
});

Deno.test("readUuidV7Time() returns undefined for an id that is not a UUIDv7", () => {
  for (
    const id of [
      "",
      "1",
      "919108f7-52d1-4320-9bac-f847db4148a8",
      "017f22e279b07cc398c4dc0c0c07398f",
      "x017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
      "0017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n",
      "\n017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    ]
  ) {
    assertEquals(readUuidV7Time(id), undefined);
  }
});
