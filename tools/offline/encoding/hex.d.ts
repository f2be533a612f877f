export function encodeHex(src: string | Uint8Array | ArrayBuffer): string;
export function decodeHex(src: string): Uint8Array<ArrayBuffer>;
