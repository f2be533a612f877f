/** conformance @module */
export {};
