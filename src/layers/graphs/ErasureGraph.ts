import { Context, Effect, Layer } from "effect"
import { Messages } from "../../services/message/Messages.ts"
import { Cancellations, PhoneErasures, type SendInProgress } from "../../services/PhoneErasures.ts"
import { Verifications } from "../../services/verification/Verifications.ts"
import { PhoneErasureStoreSql } from "../retention/PhoneErasureStoreSql.ts"
import type { useCases } from "./UseCases.ts"

type Cancel = (customerId: number, id: string) => Effect.Effect<void>

const makeCancels = Effect.gen(function* () {
  const verifications = yield* Verifications
  const messages = yield* Messages
  return {
    verification: ((customerId, id) => Effect.ignore(verifications.cancel({ customerId, id }))) as Cancel,
    message: ((customerId, id) => Effect.ignore(messages.stop({ customerId, id }))) as Cancel
  }
})
type Cancels = Effect.Success<typeof makeCancels>

class LiveCancels extends Context.Service<LiveCancels, Cancels>()(
  "peyk/layers/graphs/ErasureGraph/LiveCancels"
) {}
class SandboxCancels extends Context.Service<SandboxCancels, Cancels>()(
  "peyk/layers/graphs/ErasureGraph/SandboxCancels"
) {}

const CancellationsLive = Layer.effect(
  Cancellations,
  Effect.gen(function* () {
    const cancels = { live: yield* LiveCancels, test: yield* SandboxCancels }
    return Cancellations.of({
      cancel: (customerId, { kind, mode, id }: SendInProgress) => cancels[mode][kind](customerId, id)
    })
  })
)

/** Erasing phones, over the use cases of both modes. */
export const erasuresLive = ({ live, sandbox, messages, sandboxMessages }: typeof useCases) =>
  Layer.provide(PhoneErasures.layer, [
    PhoneErasureStoreSql,
    Layer.provide(CancellationsLive, [
      Layer.provide(Layer.effect(LiveCancels, makeCancels), [live, messages]),
      Layer.provide(Layer.effect(SandboxCancels, makeCancels), [sandbox, sandboxMessages])
    ])
  ])
