/** A careful backend's calls: without a response it repeats the request, at another process, with the same key. */
import { setTimeout as pause } from "node:timers/promises"
import type { Call, Client, Outcome, Reply } from "./Client.ts"
import { errorCodeOf } from "./Contract.ts"
import type { Attempts, Journal } from "./Journal.ts"
import type { Random } from "./Random.ts"

export interface Responded {
  /** Null: none of the tries got a response. */
  readonly reply: Reply | null
  readonly attempts: Attempts
}

export interface Backend {
  /** Once, whatever the result is. */
  readonly once: (call: Call, random: Random) => Promise<Outcome>
  /**
   * Until the response is something else than "not now".
   *
   * @param isAlone no other call does the same at this time: if it was already done, an earlier try did it
   */
  readonly insist: (call: Call, random: Random, isAlone?: boolean) => Promise<Responded>
}

const TRIES = 12
const isNotNow = (outcome: Outcome): boolean =>
  outcome._tag === "Broken" ||
  outcome.status === 503 ||
  errorCodeOf(outcome) === "idempotency_key_in_progress"

export const makeBackend = (client: Client, journal: Journal, servers: number): Backend => {
  const callAt = async (server: number, call: Call): Promise<Outcome> => {
    const outcome = await client.call(server, call)
    journal.note(outcome)
    return outcome
  }

  return {
    once: (call, random) => callAt(random.between(0, servers - 1), call),
    insist: async (call, random, isAlone = true) => {
      const attempts: Array<Outcome> = []
      const first = random.between(0, servers - 1)
      for (let nth = 0; nth < TRIES; nth += 1) {
        // Only the first try may hang up: this backend wants a response.
        const { hangUpAfter: _, ...patient } = call
        const outcome = await callAt((first + nth) % servers, nth === 0 ? call : patient)
        attempts.push(outcome)
        if (!isNotNow(outcome)) break
        await pause(150 + 150 * nth)
      }
      if (isAlone && attempts.length > 1) journal.repeated.push(attempts)
      const last = attempts.at(-1)
      return { reply: last?._tag === "Reply" && !isNotNow(last) ? last : null, attempts }
    }
  }
}
