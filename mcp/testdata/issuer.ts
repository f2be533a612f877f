/** An authorization server that signs tokens. */
export class SigningIssuer {
  readonly name: string;
  readonly #keys: CryptoKeyPair;

  constructor(name: string, keys: CryptoKeyPair) {
    this.name = name;
    this.#keys = keys;
  }

  static async make(name: string): Promise<SigningIssuer> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    return new SigningIssuer(
      name,
      await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]),
    );
  }

  /** Returns the JSON Web Key Set that contains the public key. */
  async keys(): Promise<Response> {
    const jwk = await crypto.subtle.exportKey("jwk", this.#keys.publicKey);
    return Response.json({ keys: [{ ...jwk, kid: "k1", alg: "ES256", use: "sig" }] });
  }

  /**
   * Issues a JWT access token (RFC 9068) that is valid for five minutes. The token's claims and
   * header can be overridden.
   */
  async token(claims: object = {}, header: object = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const parts = [
      { alg: "ES256", typ: "at+jwt", kid: "k1", ...header },
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
      { name: "ECDSA", hash: "SHA-256" },
      this.#keys.privateKey,
      new TextEncoder().encode(signed),
    );
    return `${signed}.${encode(new Uint8Array(signature))}`;
  }
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")
    .replaceAll("=", "");
}
