import { Context, Effect, Layer } from "effect"
import { ClockAgreement } from "../../services/ClockAgreement.ts"
import { Settings } from "../../services/Settings.ts"
import { Workers } from "../../services/concurrency/Workers.ts"
import { FastPath } from "./FastPath.ts"
import { type ServingOptions, ServingServer } from "./ServingServer.ts"
import { makeOverloadGate, type OverloadBounds, type OverloadGate } from "./OverloadGate.ts"
import type { RequestClass } from "./RequestClass.ts"

/** How long a stopping server keeps idle connections, for clients that are about to send another request. */
const LINGER_MILLIS = 500
const LOOK_MILLIS = 50
const SWEEP_MILLIS = 250

/** With a wrong clock a process would see codes as expired, and limits as lapsed: it serves only health checks. */
export const closedWhile = (isApart: () => boolean, gate: OverloadGate): OverloadGate => {
  const isOpenTo = (kind: RequestClass) => kind === "vital" || !isApart()
  return {
    ...gate,
    hasRoom: (kind, now) => isOpenTo(kind) && gate.hasRoom(kind, now),
    enter: (kind, now) => isOpenTo(kind) && gate.enter(kind, now)
  }
}

/** The server of this process; its state can be read at any time. */
export class Serving extends Context.Service<Serving, ServingServer>()("peyk/http/server/Serving") {
  static readonly layer = (options: OverloadBounds & ServingOptions) =>
    Layer.effect(
      Serving,
      Effect.gen(function* () {
        const { load } = yield* Workers
        const { isApart } = yield* ClockAgreement
        const gate = closedWhile(isApart, makeOverloadGate(options, load))
        const server = new ServingServer(gate, options, yield* FastPath)
        const sweep = Effect.sync(() => server.endOverdue())
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(SWEEP_MILLIS), sweep)))
        return server
      })
    )

  /**
   * When the process stops, before anything else: accepts no new connections, responds to what was read and to what
   * still arrives on open connections, each as the last of its connection, and then ends the idle ones.
   */
  static readonly layerDrain = Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* Serving
      const { graceMillis } = yield* Settings
      const endAsTheyFinish = Effect.gen(function* () {
        yield* Effect.sleep(LINGER_MILLIS)
        while (!server.isIdle) {
          server.endIdle()
          yield* Effect.sleep(LOOK_MILLIS)
        }
      })
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          server.stopAccepting()
          if (!server.isIdle) yield* Effect.timeoutOption(endAsTheyFinish, graceMillis)
          server.closeAllConnections()
        })
      )
    })
  )
}
