/**
 * Message stacks: third-party libraries for canonical JSON, Ed25519 and multibase, assembled to signed messages.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

const SETUP =
  "The driver is written as a user of these libraries would write it: it selects the signed members, and the libraries " +
  "canonicalize, sign, verify, and encode keys. It verifies only messages whose sender is a `did:key`.";

/** The message stacks, with notes on their failing cases. */
export const MESSAGE_SUBJECTS: readonly ThirdPartySubject[] = [
  {
    name: "messages-javascript",
    title: "canonicalize, @noble/ed25519, multiformats",
    package: "canonicalize, @noble/ed25519, multiformats",
    version: "5.1.0, 3.2.0, 14.0.5",
    language: "javascript",
    library: "comm",
    access: {
      kind: "driver",
      command: "{third_party} conformance/drivers/third_party/messages.ts",
    },
    setup:
      `${SETUP} Signatures are verified with the option \`zip215: false\`, by the rules of RFC 8032.`,
    notes: [],
  },
  {
    name: "messages-python",
    title: "rfc8785, PyNaCl, base58",
    package: "rfc8785, PyNaCl, base58",
    version: "0.1.4, 1.6.2, 2.1.1",
    language: "python",
    library: "comm",
    access: {
      kind: "driver",
      command:
        "env PYTHONPATH=conformance/drivers/third_party/python {build}/bin/python -m messages",
    },
    build: { tool: "python", folder: "python/messages" },
    setup: SETUP,
    notes: [],
  },
  {
    name: "messages-go",
    title: "gowebpki/jcs, crypto/ed25519, go-multibase",
    package: "github.com/gowebpki/jcs, github.com/multiformats/go-multibase",
    version: "1.0.2, 0.3.0",
    language: "go",
    library: "comm",
    access: { kind: "driver", command: "{build}/driver" },
    build: { tool: "go", folder: "go/messages" },
    setup: SETUP,
    notes: [],
  },
  {
    name: "messages-rust",
    title: "serde_json_canonicalizer, ed25519-dalek, multibase",
    package: "serde_json_canonicalizer, ed25519-dalek, multibase",
    version: "0.3.2, 2.2.0, 0.9.3",
    language: "rust",
    library: "comm",
    access: { kind: "driver", command: "{build}/release/parley-third-party-messages" },
    build: { tool: "rust", folder: "rust/messages" },
    setup: `${SETUP} Signatures are verified with \`verify_strict()\`.`,
    notes: [],
  },
  {
    name: "messages-java",
    title: "java-json-canonicalization, Bouncy Castle, copper-multibase",
    package:
      "io.github.erdtman:java-json-canonicalization, org.bouncycastle:bcprov-jdk18on, com.apicatalog:copper-multibase",
    version: "1.1, 1.87, 4.1.0",
    language: "java",
    library: "comm",
    access: {
      kind: "driver",
      command: "java -cp {build}/third-party-messages-0.1.0.jar:{build}/lib/* parley.Driver",
    },
    build: { tool: "java", folder: "java/messages" },
    setup: SETUP,
    notes: [],
  },
];
