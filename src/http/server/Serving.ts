import { Context, Effect, Layer } from "effect"
import type { ServerResponse } from "node:http"
import { makeOverloadGate, type OverloadBounds, type OverloadGate } from "./Gate.ts"
import type { IncomingRequest } from "./IncomingRequest.ts"
import type { RequestClass } from "../RouteTable.ts"
import { type ServingOptions, ServingServer } from "./ServingServer.ts"
import { ClockAgreement } from "../../services/ClockAgreement.ts"
import { Settings } from "../../services/Settings.ts"
import { Workers } from "../../services/concurrency/Workers.ts"

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

/**
 * Takes a request and returns true, or leaves it untouched and returns false. A taken request can still be declined,
 * with its body put back, before any work is done.
 */
export type TakeRequest = (request: IncomingRequest, response: ServerResponse, decline: () => void) => boolean

/** Serves the most frequent requests ahead of the router. */
export class FastPath extends Context.Service<FastPath, TakeRequest>()("peyk/http/server/Serving/FastPath") {}
