import { Redacted, Result } from "effect"
import { Phone } from "../../src/domain/Phone.ts"
import { beginAttempt, cancelMessage, recordOutcome } from "../../src/domain/message/MessageMachine.ts"
import { chargeMessage } from "../../src/domain/message/MessageLanes.ts"
import { startMessage } from "../../src/domain/message/Message.ts"
import type { LeasedTimer } from "../../src/domain/Timer.ts"
import { tryNext } from "../../src/domain/verification/NextChannel.ts"
import { startVerification } from "../../src/domain/verification/Verification.ts"
import { recordAttempt, releaseStep } from "../../src/domain/verification/Step.ts"
import { expire } from "../../src/domain/verification/VerificationMachine.ts"
import { ProviderOutcome } from "../../src/domain/ProviderOutcome.ts"
import { judge } from "../../src/domain/Webhook.ts"
import { timestamp } from "../../src/layers/postgres/SqlRows.ts"
import type { DueDelivery } from "../../src/services/webhook/WebhookStore.ts"
import type { Admission } from "../../src/domain/customer/Admission.ts"
import type { RouteStep } from "../../src/domain/routing/Route.ts"
import type { Acceptance } from "../../src/services/verification/VerificationStore.ts"
import type { MessageAcceptance } from "../../src/services/message/MessageStore.ts"

export const NOW = 1_800_000_000_000
export const CUSTOMER = 1
const ID = "0199f000-0000-7000-8000-000000000001"
const LEASE = { token: "0199f000-0000-4000-8000-000000000002", until: NOW + 30_000 }
const BYTES = new Uint8Array(32)

const step = (accountId: number): RouteStep => ({
  channel: "bale",
  account_id: accountId,
  price: 1000 * accountId,
  wait: 60,
  reportsDelivery: true,
  descriptor: { type: "messenger", provider: "bale", credential_id: accountId, label: "bale" }
})

const phone = Phone.make("+989121234567")

/** Everything that can refuse a request is asked. */
export const admission: Admission = {
  phone: { hour: 5, day: 20, platformDay: 50, callers: 5 },
  monthlyQuota: 0,
  hold: 2000
}

/** The rows of a request of which nothing was counted, and of its wallet. */
export const unusedLimits = {
  nth: 1,
  isCurrent: true,
  isKeyTaken: false,
  hourUsed: null,
  hourEndsAt: null,
  dayUsed: null,
  dayEndsAt: null,
  platformDayUsed: null,
  platformDayEndsAt: null,
  callers: null,
  callersUntil: null,
  usedThisMonth: 0
}
/** What all customers sent to the phone, as a cell on another node returns it. */
export const platformCount = {
  phone,
  dayUsed: 1,
  dayEndsAt: timestamp(NOW),
  callers: [CUSTOMER],
  callersUntil: timestamp(NOW),
  addsCaller: true
}
/** A code that verifies, as a cell on another node returns it. */
export const comparedApart = {
  nth: 1,
  matched: true,
  status: "verified",
  wrongCodes: 0,
  ends: true,
  snapshot: "{}"
}
export const stripe = { customerId: CUSTOMER, stripe: 1, balance: 9000n, held: 0n }

const idempotency = { key: "key", fingerprint: BYTES, expiresAt: NOW + 86_400_000 }

export const verification = startVerification(
  {
    id: ID,
    customerId: CUSTOMER,
    phone,
    route: [step(1), step(2)],
    textBody: null,
    textLocale: null,
    metadata: null
  },
  NOW
)

export const acceptance: Acceptance = {
  verification,
  setUpVersion: 7,
  admission,
  client: null,
  codeHash: BYTES,
  sealedCode: BYTES,
  lease: LEASE,
  idempotency,
  guardFlag: null,
  risk: null
}

export const timer: LeasedTimer = {
  kind: "verification",
  customerId: CUSTOMER,
  subject: ID,
  lane: 0,
  leaseToken: LEASE.token,
  leasedUntil: LEASE.until
}

const sent = recordAttempt(verification, {
  step: 0,
  outcome: ProviderOutcome.Accepted({ messageId: "m" }),
  attemptedAt: NOW,
  finishedAt: NOW
})

/** A code over Bale that waits for Eitaa, and may be asked for by SMS. */
const waiting = recordAttempt(
  startVerification(
    {
      id: ID,
      customerId: CUSTOMER,
      phone,
      route: [step(1), step(2), { ...step(3), channel: "sms", onRequest: true }],
      textBody: null,
      textLocale: null,
      metadata: null
    },
    NOW
  ),
  { step: 0, outcome: ProviderOutcome.Accepted({ messageId: "m" }), attemptedAt: NOW, finishedAt: NOW }
).next

const nextOf = (channel?: string) => ({
  before: waiting,
  transition: Result.getOrThrow(tryNext(waiting, { channel, now: NOW + 1 }))
})

/** Requests for the next channel, and for one that costs more. */
export const requested = { next: nextOf(), channel: nextOf("sms") }

/** Transitions that need different parts of the committing statement. */
export const transitions = { sent, expired: expire(sent.next), released: releaseStep(sent.next, 1, NOW) }

export const message = chargeMessage(
  startMessage({
    id: ID,
    customerId: CUSTOMER,
    phone,
    strategy: "failover",
    route: [step(1), step(2)],
    text: "text",
    template: null,
    metadata: "{}",
    scheduledFor: null,
    createdAt: NOW
  })
)

export const begun = beginAttempt(message, 0, { lane: 0, dueAt: NOW, now: NOW, patienceMillis: 0 })

export const messageSent = recordOutcome(
  begun.next,
  { step: 0, tries: 1 },
  ProviderOutcome.Accepted({ messageId: "m" }),
  NOW
)

export const messageCanceled = Result.getOrThrow(cancelMessage(message, NOW))

export const messageAcceptance: MessageAcceptance = {
  message,
  setUpVersion: 7,
  admission,
  lanes: [0],
  lease: LEASE,
  idempotency
}

export const messageTimer: LeasedTimer = { ...timer, kind: "message" }

export const webhookTimer: LeasedTimer = { ...timer, kind: "webhook", lane: 1 }

export const dueDelivery: DueDelivery = {
  customerId: CUSTOMER,
  endpointId: 1,
  eventId: ID,
  url: "https://example.com/",
  accepts: true,
  failingSince: null,
  secrets: [Redacted.make("whsec")],
  body: "{}",
  tries: [],
  startedAt: null,
  nextTryAt: NOW
}

export const delivered = judge(
  dueDelivery,
  { status: 204, error: null, retryAfterMillis: null },
  { at: NOW, finishedAt: NOW },
  0
)
