/**
 * Libraries to compare with `@parley/comm`.
 *
 * The import map in this folder resolves the libraries, and the lock file pins their versions.
 *
 * @module
 */

/** `canonicalize`: canonical JSON (RFC 8785). */
export interface Canonicalize {
  readonly default: (value: unknown) => string | undefined;
}

/** `json-canonicalize`: canonical JSON (RFC 8785). */
export interface JsonCanonicalize {
  canonicalize(value: unknown): string;
}

/** `@truestamp/canonify`: canonical JSON (RFC 8785). */
export interface Canonify {
  canonify(value: unknown): string | undefined;
}

/** `@noble/ed25519`, as documented in its README. */
export interface Noble {
  signAsync(message: Uint8Array, secretKey: Uint8Array): Promise<Uint8Array>;
  verifyAsync(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Promise<boolean>;
}

/** `jose`: JSON Web Signatures. */
export interface Jose {
  readonly FlattenedSign: new (payload: Uint8Array) => {
    setProtectedHeader(header: { alg: string; kid?: string }): {
      sign(key: CryptoKey): Promise<unknown>;
    };
  };
  flattenedVerify(jws: unknown, key: CryptoKey): Promise<{ readonly payload: Uint8Array }>;
}

/** `didcomm-node`: DIDComm messaging v2, Rust compiled to WebAssembly. */
export interface Didcomm {
  readonly Message: {
    new (value: object): {
      pack_signed(signer: string, resolver: object, secrets: object): Promise<[string, unknown]>;
    };
    unpack(text: string, resolver: object, secrets: object, options: object): Promise<
      [{ as_value(): unknown }, unknown]
    >;
  };
}

/** Exports of the compared packages, keyed by package name. */
export interface Peers {
  readonly canonicalize: Canonicalize;
  readonly "json-canonicalize": JsonCanonicalize;
  readonly "@truestamp/canonify": Canonify;
  readonly "@noble/ed25519": Noble;
  readonly jose: Jose;
  readonly "didcomm-node": Didcomm;
}

/**
 * Loads a package. `deno check` uses a different import map and cannot resolve the package, so the
 * specifier is computed and the type is declared in this module.
 */
export async function loadPeer<Name extends keyof Peers>(name: Name): Promise<Peers[Name]> {
  return await import(String(name));
}
