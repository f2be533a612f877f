/**
 * Message stacks: third-party libraries for canonical JSON, Ed25519 and multibase, combined to
 * create signed messages.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

const SETUP =
  "The driver is written as a user of these libraries would write it: it selects the signed members, and the libraries " +
  "canonicalize, sign, verify, and encode keys. It verifies only messages whose sender is a `did:key`.";

/** The third-party message stacks, with notes on their failing cases. */
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
      command: "{third_party} lab/drivers/third_party/messages.ts",
    },
    setup:
      `${SETUP} Signatures are verified with the option \`zip215: false\`, by the rules of RFC 8032.`,
    notes: [
      {
        cases: ["comm/canonical-json/depth-5000-is-an-error"],
        text: "Arrays of any depth are canonicalized.",
      },
      {
        cases: ["comm/did-key/far-too-long"],
        text: "The base58 decoder does not limit the length of its input.",
      },
      {
        cases: ["comm/ed25519-edges/small-order-nonce"],
        text: "A signature whose point R has small order is accepted, as RFC 8032 allows.",
      },
      {
        cases: ["comm/ed25519-edges/cofactored-only"],
        text: "Signatures are verified with the cofactored equation, which RFC 8032 allows.",
      },
      {
        cases: ["comm/signing/unsafe-integer"],
        text:
          "`JSON.parse()` reads an integer above 2^53 as the nearest double, which is then signed.",
      },
      {
        cases: ["comm/verification/signature-padded", "comm/verification/reasons"],
        text: "The base64url decoder of `multiformats` ignores padding.",
      },
    ],
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
      command: "env PYTHONPATH=lab/drivers/third_party/python {build}/bin/python -m messages",
    },
    build: "python/messages",
    setup: SETUP,
    notes: [
      {
        cases: ["comm/canonical-json/depth-5000-is-an-error"],
        text: "`json.loads()` raises a `RecursionError`, which is not a JSON error.",
      },
      {
        cases: ["comm/did-key/far-too-long"],
        text: "The base58 decoder does not limit the length of its input.",
      },
      {
        cases: ["comm/did-key/wrong-text"],
        text: "`base58.b58decode()` ignores white space at the end of a string.",
      },
      {
        cases: ["comm/verification/signature-*", "comm/verification/reasons"],
        text:
          "`base64.urlsafe_b64decode()` ignores padding, non-zero trailing bits and characters outside the alphabet, and accepts the standard alphabet.",
      },
    ],
  },
  {
    name: "messages-go",
    title: "gowebpki/jcs, crypto/ed25519, go-multibase",
    package: "github.com/gowebpki/jcs, github.com/multiformats/go-multibase",
    version: "1.0.2, 0.3.0",
    language: "go",
    library: "comm",
    access: { kind: "driver", command: "{build}/messages" },
    build: "go/messages",
    setup: SETUP,
    notes: [
      {
        cases: ["comm/canonical-json/depth-5000-is-an-error"],
        text: "Arrays of any depth are canonicalized.",
      },
      {
        cases: ["comm/ed25519-edges/small-order-key"],
        text: "A public key of small order is accepted, as RFC 8032 allows.",
      },
      {
        cases: ["comm/ed25519-edges/small-order-nonce"],
        text: "A signature whose point R has small order is accepted, as RFC 8032 allows.",
      },
      {
        cases: ["comm/signing/unsafe-integer"],
        text:
          "`jcs.Transform()` reads an integer above 2^53 as the nearest double, which is then signed.",
      },
      {
        cases: [
          "comm/verification/signature-leftover-bits",
          "comm/verification/signature-white-space",
        ],
        text:
          "`base64.RawURLEncoding` ignores line feeds and, without `Strict()`, non-zero trailing bits.",
      },
    ],
  },
  {
    name: "messages-rust",
    title: "serde_json_canonicalizer, ed25519-dalek, multibase",
    package: "serde_json_canonicalizer, ed25519-dalek, multibase",
    version: "0.3.2, 2.2.0, 0.9.3",
    language: "rust",
    library: "comm",
    access: { kind: "driver", command: "{build}/debug/parley-third-party-messages" },
    build: "rust/messages",
    setup: `${SETUP} Signatures are verified with \`verify_strict()\`.`,
    notes: [
      {
        cases: ["comm/canonical-json/depth-128"],
        text: "`serde_json` accepts at most 127 nested arrays by default.",
      },
      {
        cases: ["comm/signing/unsafe-integer"],
        text:
          "`serde_json_canonicalizer` reads an integer above 2^53 as the nearest double, which is then signed.",
      },
    ],
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
    build: "java/messages",
    setup: SETUP,
    notes: [
      {
        cases: ["comm/canonical-json/depth-5000-is-an-error"],
        text: "Deeply nested arrays cause a `StackOverflowError`.",
      },
      {
        cases: [
          "comm/canonical-json/lone-high-surrogate-in-a-value",
          "comm/canonical-json/lone-low-surrogate-in-a-name",
        ],
        text: "Lone surrogates are accepted.",
      },
      {
        cases: ["comm/ed25519-edges/small-order-nonce"],
        text: "A signature whose point R has small order is accepted, as RFC 8032 allows.",
      },
      {
        cases: ["comm/ed25519-edges/cofactored-only"],
        text: "Signatures are verified with the cofactored equation, which RFC 8032 allows.",
      },
      {
        cases: ["comm/signing/unsafe-integer"],
        text:
          "`JsonCanonicalizer` reads an integer above 2^53 as the nearest double, which is then signed.",
      },
      {
        cases: [
          "comm/verification/signature-leftover-bits",
          "comm/verification/signature-padded",
          "comm/verification/reasons",
        ],
        text: "`Base64.getUrlDecoder()` accepts padding and non-zero trailing bits.",
      },
    ],
  },
];
