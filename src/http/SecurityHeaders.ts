/** For every response: browsers must not guess another type than its Content-Type. */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const
