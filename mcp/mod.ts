/** mcp @module */
export {};
