import { assertEquals, assertThrows } from "@std/assert";
import { readAdmissions, readPolicy } from "./verification_policy.ts";

const SENDER = "did:web:ann.example";

Deno.test("readAdmissions() reads each level once, so a level cannot change after it was checked", () => {
  for (const member of ["senders", "protocols"] as const) {
    let reads = 0;
    const levels = Object.defineProperty({}, SENDER, {
      enumerable: true,
      get: () => reads++ === 0 ? "reject" : "none",
    });
    const admissions = readAdmissions(readPolicy({ [member]: levels }), false);
    assertEquals([admissions[member].get(SENDER), reads], ["reject", 1]);
  }
});

Deno.test("readAdmissions() throws for an unknown level and names it", () => {
  for (const member of ["senders", "protocols"] as const) {
    // The cast stands for a policy that is read from a file.
    const policy = readPolicy({ [member]: { [SENDER]: "signed" } } as never);
    const { message } = assertThrows(() => readAdmissions(policy, false), TypeError);
    assertEquals(message.startsWith(`"policy.${member}[${SENDER}]" must be`), true, message);
  }
});
