import { Context, Effect, Layer } from "effect"
import { ClockAgreement } from "../../services/ClockAgreement.ts"
import { Settings } from "../../services/Settings.ts"
import { Workers } from "../../services/concurrency/Workers.ts"
import { FastPath } from "./FastPath.ts"
import { type ServingOptions, ServingServer } from "./NodeServer.ts"
import { makeOverloadGate, type OverloadBounds, type OverloadGate } from "./OverloadGate.ts"
import type { RequestClass } from "./RequestClass.ts"

/** How long a client that is just about to ask again, on a connection it has, finds somebody there. */
const LINGER_MILLIS = 500
const LOOK_MILLIS = 50
const SWEEP_MILLIS = 250

/** With a wrong time a process would take codes for expired, and limits for lapsed: it answers nothing but health checks. */
export const closedWhile = (isApart: () => boolean, gate: OverloadGate): OverloadGate => {
  const isOpenTo = (kind: RequestClass) => kind === "vital" || !isApart()
  return {
    ...gate,
    hasRoom: (kind, now) => isOpenTo(kind) && gate.hasRoom(kind, now),
    enter: (kind, now) => isOpenTo(kind) && gate.enter(kind, now)
  }
}

/** The server of this process: what it is doing now can be read from it at any time. */
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
   * When the process is told to stop, and before anything else stops: takes no new connections, answers what was read and
   * what still comes on the connections there are, each as its connection's last, and then ends the idle ones.
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
