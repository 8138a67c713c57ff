import { Effect, Layer } from "effect"
import type { RequestBlock } from "../../src/domain/LoggedRequest.ts"
import { RequestStore } from "../../src/services/activity/RequestLog.ts"

/** Keeps blocks in memory; each statement takes what `meanwhile` takes. */
export const memoryRequestStore = (meanwhile: Effect.Effect<void> = Effect.void) => {
  const blocks: Array<RequestBlock> = []
  const layer = Layer.succeed(RequestStore, {
    add: (added) =>
      Effect.andThen(
        meanwhile,
        Effect.sync(() => {
          blocks.push(...added)
        })
      )
  })
  return { blocks, layer }
}
