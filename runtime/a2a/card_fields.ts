/**
 * Fields of the messages in an agent card.
 *
 * @see {@link https://github.com/a2aproject/A2A/blob/v1.0.0/specification/a2a.proto a2a.proto}
 * @module
 */

import type {
  AgentCard,
  AgentCardSignature,
  AgentInterface,
  AgentProvider,
  AgentSkill,
} from "./agent_card.ts";
import type {
  APIKeySecurityScheme,
  AuthorizationCodeOAuthFlow,
  ClientCredentialsOAuthFlow,
  DeviceCodeOAuthFlow,
  HTTPAuthSecurityScheme,
  ImplicitOAuthFlow,
  MutualTlsSecurityScheme,
  OAuth2SecurityScheme,
  OAuthFlows,
  OpenIdConnectSecurityScheme,
  PasswordOAuthFlow,
  SecurityRequirement,
  SecurityScheme,
  StringList,
} from "./security_scheme.ts";
import type { A2aAgentExtension, AgentCapabilities } from "./types.ts";

/** The messages in an agent card, by their name in the specification. */
interface CardMessages {
  AgentCard: AgentCard;
  AgentInterface: AgentInterface;
  AgentProvider: AgentProvider;
  AgentCapabilities: AgentCapabilities;
  AgentExtension: A2aAgentExtension;
  AgentSkill: AgentSkill;
  AgentCardSignature: AgentCardSignature;
  StringList: StringList;
  SecurityRequirement: SecurityRequirement;
  SecurityScheme: SecurityScheme;
  APIKeySecurityScheme: APIKeySecurityScheme;
  HTTPAuthSecurityScheme: HTTPAuthSecurityScheme;
  OAuth2SecurityScheme: OAuth2SecurityScheme;
  OpenIdConnectSecurityScheme: OpenIdConnectSecurityScheme;
  MutualTlsSecurityScheme: MutualTlsSecurityScheme;
  OAuthFlows: OAuthFlows;
  AuthorizationCodeOAuthFlow: AuthorizationCodeOAuthFlow;
  ClientCredentialsOAuthFlow: ClientCredentialsOAuthFlow;
  ImplicitOAuthFlow: ImplicitOAuthFlow;
  PasswordOAuthFlow: PasswordOAuthFlow;
  DeviceCodeOAuthFlow: DeviceCodeOAuthFlow;
}

/** Name of a message in an agent card. */
export type CardMessage = keyof CardMessages;

/** A field of a message. */
export interface CardField {
  /** Type of the value: text, a boolean, a JSON object, or a message. */
  readonly type: "string" | "boolean" | "struct" | CardMessage;
  /** Whether the field is a list of values, or an object whose members have the type. */
  readonly repeated?: "list" | "map";
  /**
   * Whether a field with the default value of its type is present: always (`REQUIRED`), or if it
   * was set (`optional`). If omitted, the field is absent. Messages and JSON objects have no
   * default value.
   */
  readonly presence?: "required" | "optional";
}

const TEXT: CardField = { type: "string" };
const OPTIONAL_TEXT: CardField = { type: "string", presence: "optional" };
const REQUIRED_TEXT: CardField = { type: "string", presence: "required" };
const TEXTS: CardField = { type: "string", repeated: "list" };
const REQUIRED_TEXTS: CardField = { ...TEXTS, presence: "required" };
const TEXT_MAP: CardField = { type: "string", repeated: "map" };
const REQUIRED_TEXT_MAP: CardField = { ...TEXT_MAP, presence: "required" };
const FLAG: CardField = { type: "boolean" };
const OPTIONAL_FLAG: CardField = { type: "boolean", presence: "optional" };
const STRUCT: CardField = { type: "struct" };
const REQUIREMENTS: CardField = { type: "SecurityRequirement", repeated: "list" };

/**
 * Messages of which exactly one field is set (`oneof`). A field that this version of the protocol
 * does not define may be the one.
 */
export const ONE_OF: ReadonlySet<CardMessage> = new Set<CardMessage>([
  "SecurityScheme",
  "OAuthFlows",
]);

/** The fields of each message. The compiler compares their names with the types. */
export const CARD_FIELDS: {
  readonly [Message in CardMessage]: {
    readonly [Name in keyof CardMessages[Message]]-?: CardField;
  };
} = {
  AgentCard: {
    name: REQUIRED_TEXT,
    description: REQUIRED_TEXT,
    supportedInterfaces: { type: "AgentInterface", repeated: "list", presence: "required" },
    provider: { type: "AgentProvider" },
    version: REQUIRED_TEXT,
    documentationUrl: OPTIONAL_TEXT,
    capabilities: { type: "AgentCapabilities", presence: "required" },
    securitySchemes: { type: "SecurityScheme", repeated: "map" },
    securityRequirements: REQUIREMENTS,
    defaultInputModes: REQUIRED_TEXTS,
    defaultOutputModes: REQUIRED_TEXTS,
    skills: { type: "AgentSkill", repeated: "list", presence: "required" },
    signatures: { type: "AgentCardSignature", repeated: "list" },
    iconUrl: OPTIONAL_TEXT,
  },
  AgentInterface: {
    url: REQUIRED_TEXT,
    protocolBinding: REQUIRED_TEXT,
    tenant: TEXT,
    protocolVersion: REQUIRED_TEXT,
  },
  AgentProvider: { url: REQUIRED_TEXT, organization: REQUIRED_TEXT },
  AgentCapabilities: {
    streaming: OPTIONAL_FLAG,
    pushNotifications: OPTIONAL_FLAG,
    extensions: { type: "AgentExtension", repeated: "list" },
    extendedAgentCard: OPTIONAL_FLAG,
  },
  // The specification does not require the URI. An extension without a URI cannot be used.
  AgentExtension: { uri: REQUIRED_TEXT, description: TEXT, required: FLAG, params: STRUCT },
  AgentSkill: {
    id: REQUIRED_TEXT,
    name: REQUIRED_TEXT,
    description: REQUIRED_TEXT,
    tags: REQUIRED_TEXTS,
    examples: TEXTS,
    inputModes: TEXTS,
    outputModes: TEXTS,
    securityRequirements: REQUIREMENTS,
  },
  AgentCardSignature: { protected: REQUIRED_TEXT, signature: REQUIRED_TEXT, header: STRUCT },
  StringList: { list: TEXTS },
  SecurityRequirement: { schemes: { type: "StringList", repeated: "map" } },
  SecurityScheme: {
    apiKeySecurityScheme: { type: "APIKeySecurityScheme" },
    httpAuthSecurityScheme: { type: "HTTPAuthSecurityScheme" },
    oauth2SecurityScheme: { type: "OAuth2SecurityScheme" },
    openIdConnectSecurityScheme: { type: "OpenIdConnectSecurityScheme" },
    mtlsSecurityScheme: { type: "MutualTlsSecurityScheme" },
  },
  APIKeySecurityScheme: { description: TEXT, location: REQUIRED_TEXT, name: REQUIRED_TEXT },
  HTTPAuthSecurityScheme: { description: TEXT, scheme: REQUIRED_TEXT, bearerFormat: TEXT },
  OAuth2SecurityScheme: {
    description: TEXT,
    flows: { type: "OAuthFlows", presence: "required" },
    oauth2MetadataUrl: TEXT,
  },
  OpenIdConnectSecurityScheme: { description: TEXT, openIdConnectUrl: REQUIRED_TEXT },
  MutualTlsSecurityScheme: { description: TEXT },
  OAuthFlows: {
    authorizationCode: { type: "AuthorizationCodeOAuthFlow" },
    clientCredentials: { type: "ClientCredentialsOAuthFlow" },
    implicit: { type: "ImplicitOAuthFlow" },
    password: { type: "PasswordOAuthFlow" },
    deviceCode: { type: "DeviceCodeOAuthFlow" },
  },
  AuthorizationCodeOAuthFlow: {
    authorizationUrl: REQUIRED_TEXT,
    tokenUrl: REQUIRED_TEXT,
    refreshUrl: TEXT,
    scopes: REQUIRED_TEXT_MAP,
    pkceRequired: FLAG,
  },
  ClientCredentialsOAuthFlow: {
    tokenUrl: REQUIRED_TEXT,
    refreshUrl: TEXT,
    scopes: REQUIRED_TEXT_MAP,
  },
  ImplicitOAuthFlow: { authorizationUrl: TEXT, refreshUrl: TEXT, scopes: TEXT_MAP },
  PasswordOAuthFlow: { tokenUrl: TEXT, refreshUrl: TEXT, scopes: TEXT_MAP },
  DeviceCodeOAuthFlow: {
    deviceAuthorizationUrl: REQUIRED_TEXT,
    tokenUrl: REQUIRED_TEXT,
    refreshUrl: TEXT,
    scopes: REQUIRED_TEXT_MAP,
  },
};
