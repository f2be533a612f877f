/**
 * Types of the ways to authenticate that an agent card declares.
 *
 * @see https://a2a-protocol.org/latest/specification/#45-security-objects
 * @module
 */

/** A combination of security schemes, all of which a caller must satisfy. */
export interface SecurityRequirement {
  /** Scopes that each scheme must grant, by the name of the scheme. */
  readonly schemes?: Readonly<Record<string, StringList>>;
}

/** A list of strings. */
export interface StringList {
  /** The strings. */
  readonly list?: readonly string[];
}

/**
 * A way to authenticate. One member is present.
 *
 * @see https://a2a-protocol.org/latest/specification/#451-securityscheme
 */
export interface SecurityScheme {
  /** An API key. */
  readonly apiKeySecurityScheme?: APIKeySecurityScheme;
  /** A scheme of the `Authorization` header. */
  readonly httpAuthSecurityScheme?: HTTPAuthSecurityScheme;
  /** OAuth 2.0. */
  readonly oauth2SecurityScheme?: OAuth2SecurityScheme;
  /** OpenID Connect. */
  readonly openIdConnectSecurityScheme?: OpenIdConnectSecurityScheme;
  /** A client certificate. */
  readonly mtlsSecurityScheme?: MutualTlsSecurityScheme;
}

/** Authentication with an API key. */
export interface APIKeySecurityScheme {
  /** Description of the scheme. */
  readonly description?: string;
  /** Place of the key: `"query"`, `"header"` or `"cookie"`. */
  readonly location: string;
  /** Name of the query parameter, header or cookie. */
  readonly name: string;
}

/** Authentication with the `Authorization` header. */
export interface HTTPAuthSecurityScheme {
  /** Description of the scheme. */
  readonly description?: string;
  /** Name of the scheme, for example `"Bearer"`. */
  readonly scheme: string;
  /** Format of a bearer token, for example `"JWT"`. */
  readonly bearerFormat?: string;
}

/** Authentication with OAuth 2.0. */
export interface OAuth2SecurityScheme {
  /** Description of the scheme. */
  readonly description?: string;
  /** Supported flow. */
  readonly flows: OAuthFlows;
  /** URL of the metadata of the authorization server (RFC 8414). */
  readonly oauth2MetadataUrl?: string;
}

/** Authentication with OpenID Connect. */
export interface OpenIdConnectSecurityScheme {
  /** Description of the scheme. */
  readonly description?: string;
  /** URL of the metadata of the provider. */
  readonly openIdConnectUrl: string;
}

/** Authentication with a client certificate. */
export interface MutualTlsSecurityScheme {
  /** Description of the scheme. */
  readonly description?: string;
}

/** OAuth 2.0 flow. One member is present. */
export interface OAuthFlows {
  /** Authorization code flow. */
  readonly authorizationCode?: AuthorizationCodeOAuthFlow;
  /** Client credentials flow. */
  readonly clientCredentials?: ClientCredentialsOAuthFlow;
  /** Implicit flow, which A2A deprecates. */
  readonly implicit?: ImplicitOAuthFlow;
  /** Password flow, which A2A deprecates. */
  readonly password?: PasswordOAuthFlow;
  /** Device authorization flow (RFC 8628). */
  readonly deviceCode?: DeviceCodeOAuthFlow;
}

/** OAuth 2.0 authorization code flow. */
export interface AuthorizationCodeOAuthFlow {
  /** URL of the authorization endpoint. */
  readonly authorizationUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /** URL at which tokens are refreshed. */
  readonly refreshUrl?: string;
  /** Descriptions of the scopes, by scope. */
  readonly scopes: Readonly<Record<string, string>>;
  /** Whether the flow requires PKCE (RFC 7636). */
  readonly pkceRequired?: boolean;
}

/** OAuth 2.0 client credentials flow. */
export interface ClientCredentialsOAuthFlow {
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /** URL at which tokens are refreshed. */
  readonly refreshUrl?: string;
  /** Descriptions of the scopes, by scope. */
  readonly scopes: Readonly<Record<string, string>>;
}

/** OAuth 2.0 implicit flow. */
export interface ImplicitOAuthFlow {
  /** URL of the authorization endpoint. */
  readonly authorizationUrl?: string;
  /** URL at which tokens are refreshed. */
  readonly refreshUrl?: string;
  /** Descriptions of the scopes, by scope. */
  readonly scopes?: Readonly<Record<string, string>>;
}

/** OAuth 2.0 password flow. */
export interface PasswordOAuthFlow {
  /** URL of the token endpoint. */
  readonly tokenUrl?: string;
  /** URL at which tokens are refreshed. */
  readonly refreshUrl?: string;
  /** Descriptions of the scopes, by scope. */
  readonly scopes?: Readonly<Record<string, string>>;
}

/** OAuth 2.0 device authorization flow. */
export interface DeviceCodeOAuthFlow {
  /** URL of the device authorization endpoint. */
  readonly deviceAuthorizationUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /** URL at which tokens are refreshed. */
  readonly refreshUrl?: string;
  /** Descriptions of the scopes, by scope. */
  readonly scopes: Readonly<Record<string, string>>;
}
