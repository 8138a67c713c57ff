import { totalmem } from "node:os"

/**
 * A server's young generation in MB: V8 reads it only when it starts. What a send keeps while its provider works is copied
 * once in this one, and twice in V8's usual one of 32, after which it counts as old (docs/decisions/0024).
 */
const YOUNG_GENERATION = 64

/** With less memory V8 chooses a small heap, and this would not fit into it. */
const LEAST_MEMORY = 2 ** 30

const limitsHeap = /(?:semi|old)[-_]space[-_]size|max[-_]heap[-_]size/

/** That of the machine or of the container. */
const memoryHere = () => Math.min(totalmem(), process.constrainedMemory?.() || Number.POSITIVE_INFINITY)

const givenHere = () => [...process.execArgv, process.env.NODE_OPTIONS ?? ""]

/** Node's options for a server: none where memory is scarce, or those that are given limit V8's heap. */
export const serverOptions = (memory = memoryHere(), given = givenHere()) =>
  memory < LEAST_MEMORY || given.some((each) => limitsHeap.test(each))
    ? []
    : [`--max-semi-space-size=${YOUNG_GENERATION}`]
