/** The clients' record, in memory: counts of answers, and for each code and message the facts that must hold later. */
import type { Broken, Operation, Outcome, Reply } from "./Client.ts"
import { errorCodeOf, problemOf } from "./Contract.ts"
import type { Customer } from "./Customers.ts"
import { now } from "./Time.ts"

/** The answers and broken calls that one request got until it was answered, oldest first. */
export type Attempts = ReadonlyArray<Outcome>

/** Somebody to whom one code, or one message, is sent: each phone is used once. */
export interface Subject {
  readonly kind: "code" | "message"
  readonly customer: Customer
  readonly phone: string
  readonly idempotencyKey: string
  /** When its first request was made. */
  readonly askedAt: number
  /** Ids that sends were answered with. */
  readonly ids: Set<string>
  /** The last terminal status that was read. */
  terminalSeen: string | undefined
  /** Answers of verify. */
  verified: number
  refusedCodes: number
  /** Calls of verify of which nobody knows what became. */
  rightCodesLost: number
  wrongCodesLost: number
  rightCodesGiven: number
}

/** A send that a process accepted, when it was the first to do so. */
export interface Accepted {
  readonly server: number
  /** The customer's key. */
  readonly key: string
  readonly at: number
}

const SENDS: ReadonlyArray<Operation> = ["POST /v1/otp/send", "POST /v1/messages/send"]
const MAX_SUBJECTS = 100_000
const MAX_BROKEN = 50_000
const MAX_KEPT = 1000

export class Journal {
  readonly subjects = new Map<string, Subject>()
  /** How often each operation was answered how. */
  readonly answers = new Map<string, number>()
  readonly broken: Array<Broken> = []
  /** Requests that were repeated until they were answered. */
  readonly repeated: Array<Attempts> = []
  readonly accepted: Array<Accepted> = []
  /** The longest wait for a 503, in milliseconds. */
  longestRefusal = 0
  /** Faults that one answer shows. */
  readonly problems: Array<string> = []
  /** Faults that two answers show together. */
  readonly contradictions: Array<string> = []
  calls = 0

  get isFull(): boolean {
    return this.subjects.size >= MAX_SUBJECTS
  }

  newSubject(kind: Subject["kind"], customer: Customer, phone: string): Subject {
    const subject: Subject = {
      kind,
      customer,
      phone,
      idempotencyKey: `soak-${phone}`,
      askedAt: now(),
      ids: new Set(),
      terminalSeen: undefined,
      verified: 0,
      refusedCodes: 0,
      rightCodesLost: 0,
      wrongCodesLost: 0,
      rightCodesGiven: 0
    }
    this.subjects.set(phone, subject)
    return subject
  }

  note(outcome: Outcome): void {
    this.calls += 1
    const what =
      outcome._tag === "Broken"
        ? `broken: ${outcome.error}`
        : `${outcome.status} ${errorCodeOf(outcome) ?? ""}`
    const key = `${outcome.operation} ${what}`.trim()
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1)
    if (outcome._tag === "Broken") {
      if (!outcome.byUs && this.broken.length < MAX_BROKEN) this.broken.push(outcome)
      return
    }
    this.noteTimes(outcome)
    const problem = problemOf(outcome)
    if (problem !== undefined) this.problem(problem)
  }

  private noteTimes({ operation, status, isReplayed, server, key, from, to }: Reply): void {
    if (status === 503) this.longestRefusal = Math.max(this.longestRefusal, to - from)
    if (status < 300 && !isReplayed && SENDS.includes(operation)) this.accepted.push({ server, key, at: to })
  }

  problem(text: string): void {
    if (this.problems.length < MAX_KEPT) this.problems.push(text)
  }

  contradiction(text: string): void {
    if (this.contradictions.length < MAX_KEPT) this.contradictions.push(text)
  }
}
