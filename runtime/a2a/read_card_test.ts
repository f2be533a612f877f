import { assertEquals, assertThrows } from "@std/assert";
import { InvalidMember } from "@parley/internal/proto-json";
import { findUnknownMember, readAgentCard, toCanonicalCard } from "./read_card.ts";

const skill = { id: "answer", name: "Answer", description: "Answers", tags: ["math"] };

const card = {
  name: "oracle",
  description: "Answers difficult questions",
  version: "1.0.0",
  supportedInterfaces: [
    { url: "https://oracle.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [skill],
};

Deno.test("readAgentCard() returns the members that the protocol defines", () => {
  const complete = {
    ...card,
    provider: { url: "https://example.com", organization: "Example" },
    documentationUrl: "https://example.com/docs",
    iconUrl: "https://example.com/icon.png",
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: true,
      extensions: [{ uri: "urn:e", description: "d", required: true, params: { a: [1, null] } }],
    },
    securitySchemes: {
      key: { apiKeySecurityScheme: { location: "header", name: "x-key" } },
      bearer: { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } },
      oauth: {
        oauth2SecurityScheme: {
          description: "d",
          flows: {
            authorizationCode: {
              authorizationUrl: "https://as.example/authorize",
              tokenUrl: "https://as.example/token",
              scopes: { read: "Read" },
              pkceRequired: true,
            },
          },
          oauth2MetadataUrl: "https://as.example/.well-known/oauth-authorization-server",
        },
      },
      oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://as.example/oidc" } },
      certificate: { mtlsSecurityScheme: { description: "d" } },
    },
    securityRequirements: [{ schemes: { oauth: { list: ["read"] } } }],
    skills: [{
      ...skill,
      examples: ["6 * 7"],
      inputModes: ["text/plain"],
      outputModes: ["text/plain"],
      securityRequirements: [{ schemes: { key: { list: ["a"] } } }],
    }],
    signatures: [{ protected: "e30", signature: "AA", header: { x: 1 } }],
  };
  assertEquals<unknown>(readAgentCard(complete), complete);
});

Deno.test("readAgentCard() drops unknown members at every level", () => {
  const [endpoint] = card.supportedInterfaces;
  const received = {
    ...card,
    preferredTransport: "JSONRPC",
    supportedInterfaces: [{ ...endpoint, transport: "JSONRPC" }],
    capabilities: { streaming: true, stateTransitionHistory: true },
    securitySchemes: { future: { quantumSecurityScheme: { name: "q" } } },
  };
  const read: unknown = readAgentCard(received);
  assertEquals(read, { ...card, securitySchemes: { future: {} } });
});

Deno.test("readAgentCard() reads names in snake_case, and null as an absent member", () => {
  const { defaultInputModes, supportedInterfaces: _, ...rest } = card;
  const received = {
    ...rest,
    defaultInputModes: undefined,
    default_input_modes: defaultInputModes,
    supported_interfaces: [{
      url: "https://oracle.example/a2a",
      protocol_binding: "JSONRPC",
      protocol_version: "1.0",
      tenant: null,
    }],
    icon_url: "https://example.com/icon.png",
    security_schemes: {
      oauth: {
        oauth2_security_scheme: {
          flows: { device_code: { device_authorization_url: "u", token_url: "t", scopes: {} } },
          oauth2_metadata_url: "m",
        },
      },
    },
    provider: null,
  };
  assertEquals<unknown>(readAgentCard(received), {
    ...card,
    iconUrl: "https://example.com/icon.png",
    securitySchemes: {
      oauth: {
        oauth2SecurityScheme: {
          flows: { deviceCode: { deviceAuthorizationUrl: "u", tokenUrl: "t", scopes: {} } },
          oauth2MetadataUrl: "m",
        },
      },
    },
  });
});

Deno.test("readAgentCard() fills in required members, as Protocol Buffers do", () => {
  assertEquals<unknown>(readAgentCard({ skills: [{ id: "a" }] }), {
    name: "",
    description: "",
    supportedInterfaces: [],
    version: "",
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [{ id: "a", name: "", description: "", tags: [] }],
  });
});

Deno.test("readAgentCard() stores a member named __proto__ like any other", () => {
  const text =
    '{"securitySchemes":{"__proto__":{"mtlsSecurityScheme":{}}},"__proto__":{"name":"x"}}';
  const read = readAgentCard(JSON.parse(text));
  assertEquals(read.name, "");
  assertEquals(Object.entries(read.securitySchemes ?? {}), [
    ["__proto__", { mtlsSecurityScheme: {} }],
  ]);
});

const invalid: readonly (readonly [title: string, change: object, message: string])[] = [
  ["a name that is not a string", { name: 1 }, '"card.name" must be a string'],
  ["a lone surrogate", { name: "\ud800" }, '"card.name" must be a string'],
  ["a list that is an object", { skills: {} }, '"card.skills" must be an array'],
  ["a skill that is null", { skills: [null] }, '"card.skills[0]" must be an object'],
  [
    "a tag that is a number",
    { skills: [skill, { ...skill, tags: ["a", 1] }] },
    '"card.skills[1].tags[1]" must be a string',
  ],
  [
    "a flag that is a string",
    { capabilities: { streaming: "true" } },
    '"card.capabilities.streaming" must be a boolean',
  ],
  [
    "parameters that are an array",
    { capabilities: { extensions: [{ uri: "u", params: [] }] } },
    '"card.capabilities.extensions[0].params" must be a JSON object',
  ],
  [
    "schemes that are an array",
    { securitySchemes: [] },
    '"card.securitySchemes" must be an object',
  ],
  [
    "a scheme of two kinds",
    {
      securitySchemes: {
        a: { mtlsSecurityScheme: {}, httpAuthSecurityScheme: { scheme: "Bearer" } },
      },
    },
    '"card.securitySchemes.a" must be an object with one of "apiKeySecurityScheme", ' +
    '"httpAuthSecurityScheme", "oauth2SecurityScheme", "openIdConnectSecurityScheme", ' +
    '"mtlsSecurityScheme"',
  ],
];

for (const [title, change, message] of invalid) {
  Deno.test(`readAgentCard() rejects ${title}`, () => {
    const error = assertThrows(() => readAgentCard({ ...card, ...change }), InvalidMember);
    assertEquals(error.message, message);
  });
}

Deno.test("readAgentCard() rejects a value that is not an object", () => {
  for (const value of [null, [], "card", 1, undefined]) {
    assertThrows(() => readAgentCard(value), InvalidMember);
  }
});

// The example in section 8.4.1 of the specification, with its other required members.
Deno.test("toCanonicalCard() removes default values as in the specification", () => {
  const canonical = toCanonicalCard({
    name: "Example Agent",
    description: "",
    capabilities: { streaming: false, pushNotifications: false, extensions: [] },
    skills: [],
  });
  assertEquals(canonical, {
    name: "Example Agent",
    description: "",
    capabilities: { streaming: false, pushNotifications: false },
    skills: [],
    supportedInterfaces: [],
    version: "",
    defaultInputModes: [],
    defaultOutputModes: [],
  });
});

Deno.test("toCanonicalCard() distinguishes empty messages from absent ones", () => {
  const canonical = toCanonicalCard({
    ...card,
    documentationUrl: "",
    securitySchemes: {
      certificate: { mtlsSecurityScheme: { description: "" } },
      oauth: {
        oauth2SecurityScheme: {
          description: "",
          flows: { clientCredentials: { tokenUrl: "t", refreshUrl: "", scopes: {} } },
        },
      },
    },
    securityRequirements: [{ schemes: { certificate: { list: [] } } }, { schemes: {} }],
    capabilities: { extensions: [{ uri: "u", required: false, params: {} }] },
    skills: [{ ...skill, examples: [], securityRequirements: [] }],
    signatures: [{ protected: "e30", signature: "AA" }],
  });
  assertEquals(canonical, {
    ...card,
    documentationUrl: "",
    securitySchemes: {
      certificate: { mtlsSecurityScheme: {} },
      oauth: {
        oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "t", scopes: {} } } },
      },
    },
    securityRequirements: [{ schemes: { certificate: {} } }, {}],
    capabilities: { extensions: [{ uri: "u", params: {} }] },
  });
});

Deno.test("toCanonicalCard() throws a TypeError for an invalid card", () => {
  assertThrows(() => toCanonicalCard({ name: 1 }), TypeError, '"card.name" must be a string');
});

Deno.test("findUnknownMember() returns the path of a member that the protocol lacks", () => {
  assertEquals(findUnknownMember(card), undefined);
  const rows: readonly (readonly [change: object, path: string])[] = [
    [{ documentationURL: "u" }, "card.documentationURL"],
    [{ capabilities: { streams: true } }, "card.capabilities.streams"],
    [{ skills: [skill, { ...skill, tag: "a" }] }, "card.skills[1].tag"],
    [
      { securitySchemes: { a: { mtlsSecurityScheme: { name: "x" } } } },
      "card.securitySchemes.a.mtlsSecurityScheme.name",
    ],
    [JSON.parse('{"skills":[{"__proto__":{}}]}'), "card.skills[0].__proto__"],
  ];
  for (const [change, path] of rows) assertEquals(findUnknownMember({ ...card, ...change }), path);
  const params = { anything: { goes: "here" } };
  const extended = { ...card, capabilities: { extensions: [{ uri: "u", params }] } };
  assertEquals(findUnknownMember({ ...extended, iconUrl: undefined }), undefined);
});
