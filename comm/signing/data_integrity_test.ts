import { assert, assertEquals, assertThrows } from "@std/assert";
import { formatProofValue, hashProofInput, readProofValue, withContext } from "./data_integrity.ts";
import { readMultikey } from "../did/multikey.ts";
import { detectBackend } from "./ed25519.ts";
import { CommError } from "../shared/error.ts";

/** W3C Data Integrity EdDSA Cryptosuites v1.0 §B.2, "Representation: eddsa-jcs-2022". */
const CONTEXT = [
  "https://www.w3.org/ns/credentials/v2",
  "https://www.w3.org/ns/credentials/examples/v2",
];
const DOCUMENT = {
  "@context": CONTEXT,
  id: "urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33",
  type: ["VerifiableCredential", "AlumniCredential"],
  name: "Alumni Credential",
  description: "A minimum viable example of an Alumni Credential.",
  issuer: "https://vc.example/issuers/5678",
  validFrom: "2023-01-01T00:00:00Z",
  credentialSubject: { id: "did:example:abcdefgh", alumniOf: "The School of Examples" },
};
const CONFIG = {
  type: "DataIntegrityProof",
  cryptosuite: "eddsa-jcs-2022",
  created: "2023-02-24T23:36:38Z",
  verificationMethod:
    "https://vc.example/issuers/5678#z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2",
  proofPurpose: "assertionMethod",
  "@context": CONTEXT,
};
const PUBLIC_KEY = "z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2";
const PROOF_VALUE =
  "z63t83Y53KfzJ5ZosfKTnqfMcKB2dmTrfjSaQjeNNjAD5srBowQfmWqeRb8rRjmeEuCBEsddF9LsVogtuTsijJKh4";

Deno.test("hashProofInput() matches the example in the W3C recommendation", async () => {
  const data = await hashProofInput(withContext(DOCUMENT, CONFIG), CONFIG);
  const publicKey = readMultikey(PUBLIC_KEY);
  assert(publicKey !== undefined);
  const key = await (await detectBackend()).openPublicKey(publicKey);
  assert(await key.verify(readProofValue(PROOF_VALUE), data));
});

Deno.test("withContext() throws if the document context does not start with the proof context", () => {
  const [first] = CONTEXT;
  assert(first !== undefined);
  assertEquals(withContext(DOCUMENT, { "@context": first })["@context"], first);
  assertEquals(withContext({}, {}), {});
  for (const context of [[...CONTEXT, "urn:x"], CONTEXT.toReversed(), "urn:x"]) {
    assertThrows(() => withContext(DOCUMENT, { "@context": context }), CommError);
  }
  assertThrows(() => withContext({}, { "@context": CONTEXT }), CommError);
});

Deno.test("readProofValue() accepts only 64 bytes in base58btc", () => {
  const bytes = new Uint8Array(64).fill(7);
  assertEquals(readProofValue(formatProofValue(bytes)), bytes);
  const refused = [
    undefined,
    5,
    "",
    "z",
    PROOF_VALUE.slice(1),
    `${PROOF_VALUE}1`,
    `z1${PROOF_VALUE.slice(1)}`,
    `z${"0".repeat(88)}`,
  ];
  for (const value of refused) assertThrows(() => readProofValue(value), CommError);
});
