/** Name of a signature algorithm. */
export type SigningAlg = "ES256" | "RS256";

/** Parameters of the keys, keyed by the name of the algorithm. */
const KEYS: Readonly<Record<SigningAlg, RsaHashedKeyGenParams | EcKeyGenParams>> = {
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
};

/** An authorization server that signs tokens. */
export class SigningIssuer {
  readonly name: string;
  readonly alg: SigningAlg;
  readonly #keys: CryptoKeyPair;

  constructor(name: string, alg: SigningAlg, keys: CryptoKeyPair) {
    this.name = name;
    this.alg = alg;
    this.#keys = keys;
  }

  static async make(name: string, alg: SigningAlg = "ES256"): Promise<SigningIssuer> {
    const keys = await crypto.subtle.generateKey(KEYS[alg], true, ["sign", "verify"]);
    if (!("privateKey" in keys)) throw new Error(`"${alg}" must have a pair of keys`);
    return new SigningIssuer(name, alg, keys);
  }

  /** Returns the public key as a JSON Web Key. */
  async jwk(): Promise<JsonWebKey> {
    return await crypto.subtle.exportKey("jwk", this.#keys.publicKey);
  }

  /** Returns the private key as a JSON Web Key. */
  async privateJwk(): Promise<JsonWebKey> {
    return await crypto.subtle.exportKey("jwk", this.#keys.privateKey);
  }

  /** Returns the JSON Web Key Set that contains the public key. */
  async keys(): Promise<Response> {
    return Response.json({ keys: [{ ...await this.jwk(), kid: "k1", alg: this.alg, use: "sig" }] });
  }

  /**
   * Issues a JWT access token (RFC 9068) that is valid for five minutes. The token's claims and
   * header can be overridden.
   */
  async token(claims: object = {}, header: object = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const parts = [
      { alg: this.alg, typ: "at+jwt", kid: "k1", ...header },
      {
        iss: this.name,
        sub: "ada",
        aud: "https://mcp.example/mcp",
        client_id: "client-1",
        iat: now,
        exp: now + 300,
        jti: crypto.randomUUID(),
        ...claims,
      },
    ].map((part) => encode(new TextEncoder().encode(JSON.stringify(part))));
    const signed = parts.join(".");
    const signature = await crypto.subtle.sign(
      { name: KEYS[this.alg].name, hash: "SHA-256" },
      this.#keys.privateKey,
      new TextEncoder().encode(signed),
    );
    return `${signed}.${encode(new Uint8Array(signature))}`;
  }
}

/** Encodes bytes as base64url. */
export function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")
    .replaceAll("=", "");
}
