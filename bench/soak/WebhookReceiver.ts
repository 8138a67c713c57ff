/** The endpoint for events: it sometimes fails, hangs and cuts the connection, and stores each event. */
import { Effect, type Scope } from "effect"
import { createHash } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { type Answer, fakeFarEnd, type Fault, type Received } from "../../test/support/fakes/FakeFarEnd.ts"
import { randomOf } from "./Random.ts"

export interface ReceivedEvent {
  readonly type: string
  readonly digest: string
  /** How often it came, and how often it was accepted. */
  arrived: number
  taken: number
}

export interface WebhookReceiver {
  readonly url: string
  /** By `webhook-id`. */
  readonly events: ReadonlyMap<string, ReceivedEvent>
  /** The ids that came with two different bodies. */
  readonly contradictions: ReadonlyArray<string>
  readonly calm: () => void
}

const FORGET_ABOVE = 1000

export const startWebhookReceiver = (seed: string): Effect.Effect<WebhookReceiver, never, Scope.Scope> =>
  Effect.gen(function* () {
    const events = new Map<string, ReceivedEvent>()
    const contradictions: Array<string> = []
    const random = randomOf(seed, "webhooks")
    let isCalm = false

    const note = ({ headers, body, json }: Received): ReceivedEvent => {
      const id = headers["webhook-id"] ?? ""
      const digest = createHash("sha256").update(body).digest("base64")
      const event = events.get(id) ?? { type: String(Object(json).type), digest, arrived: 0, taken: 0 }
      events.set(id, event)
      event.arrived += 1
      if (event.digest !== digest) contradictions.push(id)
      return event
    }

    const answer = async (received: Received): Promise<Answer | Fault> => {
      const event = note(received)
      const at = isCalm ? 1 : random.next()
      if (at < 0.03) return { status: 500 }
      if (at < 0.05) return "reset"
      // Accepted, but the sender does not learn of it: it comes again.
      event.taken += 1
      if (at < 0.07) return "reset"
      if (at < 0.1) await pause(500)
      return { status: 204 }
    }

    const fake = yield* fakeFarEnd(() => ({ status: 204 }))
    const takeTurns = async (received: Received): Promise<Answer | Fault> => {
      fake.script(takeTurns)
      if (fake.received.length > FORGET_ABOVE) fake.received.length = 0
      return answer(received)
    }
    fake.script(takeTurns)
    return {
      url: fake.url,
      events,
      contradictions,
      calm: () => {
        isCalm = true
      }
    }
  })
