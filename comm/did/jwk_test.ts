import { assertEquals, assertThrows } from "@std/assert";
import { formatBase64url } from "../shared/base64url.ts";
import { selectKeys } from "./document.ts";
import { didJwkResolver, formatDidJwk } from "./jwk.ts";
import { resolveDid } from "./resolver.ts";
import { CommError } from "../shared/error.ts";

function toDid(jwk: string): string {
  return `did:jwk:${formatBase64url(new TextEncoder().encode(jwk))}`;
}

const X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

Deno.test("formatDidJwk() encodes the public key", async () => {
  const publicKey = new Uint8Array(32).fill(7);
  const did = formatDidJwk(publicKey);
  const [key] = selectKeys(await resolveDid(did, didJwkResolver), "authentication");
  assertEquals(key, { keyId: `${did}#0`, publicKey });
  assertThrows(() => formatDidJwk(new Uint8Array(33)), RangeError);
});

Deno.test("didJwkResolver does not authorize an encryption key", async () => {
  const did = toDid(`{"kty":"OKP","crv":"Ed25519","x":"${X}","use":"enc"}`);
  const document = await resolveDid(did, didJwkResolver);
  assertThrows(() => selectKeys(document, "authentication"), CommError);
});

Deno.test("didJwkResolver rejects private keys and invalid keys", async () => {
  const refused = [
    toDid(`{"kty":"OKP","crv":"Ed25519","x":"${X}","d":"${X}"}`),
    toDid(`{"kty":"OKP","kty":"OKP"}`),
    toDid("[]"),
    toDid("nonsense"),
    "did:jwk:e30=",
    "did:jwk:*",
    "did:key:z6Mk",
  ];
  for (const did of refused) {
    const { didResolutionMetadata } = await didJwkResolver.resolve(did);
    assertEquals(didResolutionMetadata.error, "invalidDid", did);
  }
});

Deno.test("didJwkResolver lists the relationships that the use and the curve of a key allow", async () => {
  const signing = [
    "authentication",
    "assertionMethod",
    "capabilityInvocation",
    "capabilityDelegation",
  ];
  const expected: [string, string[]][] = [
    [`{"kty":"OKP","crv":"Ed25519","x":"${X}"}`, signing],
    [`{"kty":"OKP","crv":"Ed25519","x":"${X}","use":"sig"}`, signing],
    [`{"kty":"OKP","crv":"X25519","x":"${X}","use":"enc"}`, ["keyAgreement"]],
    [`{"kty":"EC","crv":"P-256","x":"${X}","y":"${X}"}`, [...signing, "keyAgreement"]],
    [`{"kty":"EC","crv":"P-256","x":"${X}","y":"${X}","use":"sig"}`, signing],
  ];
  for (const [jwk, relationships] of expected) {
    const did = toDid(jwk);
    const document = await resolveDid(did, didJwkResolver);
    const { "@context": context, id, verificationMethod, ...rest } = document;
    assertEquals(context, [
      "https://www.w3.org/ns/did/v1",
      "https://w3id.org/security/suites/jws-2020/v1",
    ]);
    assertEquals(id, did);
    assertEquals(verificationMethod, [{
      id: `${did}#0`,
      type: "JsonWebKey2020",
      controller: did,
      publicKeyJwk: JSON.parse(jwk),
    }]);
    assertEquals(rest, Object.fromEntries(relationships.map((name) => [name, [`${did}#0`]])));
  }
});
