/** Reading how far a code or a message has come: what has ended stays as it is. */
import type { Backend } from "./Backend.ts"
import type { Journal, Subject } from "./Journal.ts"
import type { Providers } from "./Providers.ts"
import type { Random } from "./Random.ts"

export interface World {
  readonly backend: Backend
  readonly journal: Journal
  readonly providers: Providers
}

export const TERMINAL = {
  code: ["verified", "failed", "locked", "expired", "canceled"],
  message: ["sent", "failed", "partial_failed"]
}
const OPERATIONS = {
  code: "GET /v1/otp/{verification_id}",
  message: "GET /v1/messages/{message_id}"
} as const

export const readStatus = async (
  { backend, journal }: World,
  subject: Subject,
  id: string,
  random: Random
) => {
  const { kind, customer } = subject
  const outcome = await backend.once({ operation: OPERATIONS[kind], id, key: customer.key }, random)
  if (outcome._tag === "Broken" || outcome.status === 503) return
  const { status, phone, to } = Object(outcome.body)
  if (outcome.status !== 200 || (phone ?? to) !== subject.phone) {
    journal.contradiction(
      `${subject.phone}: ${id} is read as ${outcome.status} ${JSON.stringify(outcome.body)}`
    )
    return
  }
  const { terminalSeen } = subject
  if (terminalSeen !== undefined && status !== terminalSeen) {
    journal.contradiction(`${subject.phone}: was ${terminalSeen}, and is ${status} after it`)
  }
  if (TERMINAL[kind].includes(status)) subject.terminalSeen = status
}
