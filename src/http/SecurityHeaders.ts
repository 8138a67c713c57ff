/** On every answer: it is what its Content-Type says, and nothing else. */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const
