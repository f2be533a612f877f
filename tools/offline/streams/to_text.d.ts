export function toText(stream: ReadableStream): Promise<string>;
