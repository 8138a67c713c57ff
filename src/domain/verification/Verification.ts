import { Schema } from "effect"
import type { Channel, ChannelDescriptor } from "../routing/Channel.ts"
import { Charge, chargeInOrder } from "../money/Charging.ts"
import { AttemptErrorCode, Delivery } from "../ProviderOutcome.ts"
import { canBeAskedAgain, SkipReason } from "../account/Pace.ts"
import { Instant } from "../Instant.ts"
import { Locale } from "./CodeText.ts"
import { validitySeconds } from "./CodeRules.ts"
import { Phone } from "../Phone.ts"
import { plannedSteps, type Route, RouteStep } from "../routing/Route.ts"

export const VerificationStatus = Schema.Literals([
  "pending",
  "queued",
  "verified",
  "failed",
  "locked",
  "expired",
  "canceled"
])
export type VerificationStatus = typeof VerificationStatus.Type

/**
 * One real call to a provider, as it is kept; or why a step was not called, as long as none was. Readers are shown the
 * latter once the send has failed without any call.
 */
export const Attempt = Schema.Struct({
  /** Index into the route; the contract's `sequence` is one more. */
  step: Schema.Int,
  status: Schema.Literals(["sent", "failed"]),
  /** Null when sent. */
  error_code: Schema.NullOr(AttemptErrorCode),
  /** The provider's own code and text. */
  provider_error: Schema.NullOr(Schema.String),
  provider_message_id: Schema.NullOr(Schema.String),
  /** Null when the provider was not called. */
  attempted_at: Schema.NullOr(Instant),
  /** Why the provider was not called. */
  skip_reason: Schema.optionalKey(SkipReason),
  /** Its delivery, if the provider reports it; absent until that is known. */
  delivery: Schema.optionalKey(Delivery)
})
export type Attempt = typeof Attempt.Type

/** A verification as the state machine sees it; the code and the count of wrong codes stay in the store. */
export const Verification = Schema.Struct({
  id: Schema.String,
  customerId: Schema.Int,
  phone: Phone,
  status: VerificationStatus,
  /** Grows with every state change; a write that saw an older one is refused. */
  revision: Schema.Int,
  route: Schema.NonEmptyArray(RouteStep),
  /** The chosen template's text, fixed at acceptance; null for the default text. */
  textBody: Schema.NullOr(Schema.String),
  /** The language of a default text with options; null for any other text. */
  textLocale: Schema.NullOr(Locale),
  /** The customer's data as its original JSON text; null: none. */
  metadata: Schema.NullOr(Schema.String),
  attempts: Schema.Array(Attempt),
  /** The steps that were neither tried nor skipped, in the order in which they will be. */
  remaining: Schema.Array(Schema.Int),
  /** When the first of them is due; null when none is to come. */
  nextStepAt: Schema.NullOr(Instant),
  /** Its account's slot at that time is reserved for it. */
  slotReserved: Schema.Boolean,
  /** That step was called, and the outcome is unknown: Peyk repeats the call once, with the same id. */
  repeating: Schema.Boolean,
  /** The response of send: the status, and the step whose channel it named. Both are null before the first outcome. */
  answeredStatus: Schema.NullOr(Schema.Literals(["queued", "failed"])),
  answeredStep: Schema.NullOr(Schema.Int),
  createdAt: Instant,
  expiresAt: Instant,
  verifiedAt: Schema.NullOr(Instant),
  ...Charge.fields
})
export type Verification = typeof Verification.Type

export const EventType = Schema.Literals([
  "verification.queued",
  "verification.attempt_sent",
  "verification.attempt_failed",
  "verification.attempt_unknown",
  "verification.attempt_delivered",
  "verification.attempt_undelivered",
  "verification.verified",
  "verification.failed",
  "verification.locked",
  "verification.expired",
  "verification.canceled"
])
export type EventType = typeof EventType.Type

export const expiresInSeconds = ({ createdAt, expiresAt }: Verification): number =>
  Math.round((expiresAt - createdAt) / 1000)

/** The steps of a route that are tried by themselves: those to ask for are behind them. */
export const stepsInTurn = (route: Route): ReadonlyArray<number> => plannedSteps(route).map((_, step) => step)

export const startVerification = (
  input: Pick<Verification, "id" | "customerId" | "phone" | "route" | "textBody" | "textLocale" | "metadata">,
  now: Instant
): Verification => ({
  ...input,
  status: "pending",
  revision: 0,
  attempts: [],
  remaining: stepsInTurn(input.route),
  nextStepAt: now,
  slotReserved: false,
  repeating: false,
  answeredStatus: null,
  answeredStep: null,
  createdAt: now,
  expiresAt: now + validitySeconds(input.route) * 1000,
  verifiedAt: null,
  ...chargeInOrder([], plannedSteps(input.route))
})

export const isTerminal = (status: VerificationStatus): boolean => status !== "pending" && status !== "queued"

/** When an active verification's timer is due: at its next step, else at its end. */
export const nextDueAt = ({ status, nextStepAt, expiresAt }: Verification): Instant | null =>
  isTerminal(status) ? null : Math.min(nextStepAt ?? expiresAt, expiresAt)

/** As much of a verification as readers are shown. */
export type ShownVerification = Pick<
  Verification,
  "id" | "phone" | "status" | "route" | "attempts" | "nextStepAt" | "expiresAt" | "verifiedAt" | "metadata"
> &
  Partial<Pick<Verification, "repeating">>

/** The status a reader sees: an active verification past its end is expired, whether or not it was recorded yet. */
export const effectiveStatus = ({ status, expiresAt }: ShownVerification, now: Instant): VerificationStatus =>
  !isTerminal(status) && now >= expiresAt ? "expired" : status

export const wasCalled = ({ attempted_at }: Attempt): boolean => attempted_at !== null

/** Why it was skipped does not keep it from being asked for. It is kept for that, but not shown once a step was called. */
export const isKeptToAskFor = ({ attempted_at, skip_reason }: Attempt): boolean =>
  attempted_at === null && canBeAskedAgain(skip_reason)

/** Whether a step that is not to come by itself can be asked for: no account of its channel was called. */
const waitsToBeAsked = (
  { route, attempts }: Pick<Verification, "route" | "attempts">,
  step: number
): boolean =>
  (route[step]?.onRequest === true || attempts.some((each) => each.step === step && isKeptToAskFor(each))) &&
  !attempts.some((each) => wasCalled(each) && route[each.step]?.channel === route[step]?.channel)

/** Whether there is a step that is not to come by itself, and can be asked for. */
const canBeAskedFor = (verification: Pick<Verification, "route" | "attempts">): boolean =>
  verification.route.some((_, step) => waitsToBeAsked(verification, step))

/** Whether some channel may still have to send the code, so that its encrypted copy has to stay. */
export const mayStillSend = (verification: Verification): boolean =>
  !isTerminal(verification.status) && (verification.nextStepAt !== null || canBeAskedFor(verification))

/** The steps of a channel that can be asked for: those to come, else those that wait for it. None twice. */
export const stepsToAskFor = (
  verification: Pick<Verification, "route" | "attempts" | "remaining" | "nextStepAt">,
  channel: Channel
): ReadonlyArray<number> => {
  const { route, remaining, nextStepAt } = verification
  const isOfChannel = (step: number) => route[step]?.channel === channel
  const planned = nextStepAt === null ? [] : remaining.filter(isOfChannel)
  return planned.length > 0
    ? planned
    : [...route.keys()].filter((step) => isOfChannel(step) && waitsToBeAsked(verification, step))
}

/** The channels that a request for the next one can name now, in the order of the route. */
export const channelsToAskFor = (
  verification: Pick<Verification, "route" | "attempts" | "remaining" | "nextStepAt">
): ReadonlyArray<Channel> =>
  [...new Set(verification.route.map(({ channel }) => channel))].filter(
    (channel) => stepsToAskFor(verification, channel).length > 0
  )

/**
 * The response of send after the first outcome: `failed` when the first attempt definitely failed and no other channel is
 * left, or when no channel could be tried; and the step that was called. Where none was called, it is the step planned
 * first among those that were not skipped, else the first one.
 */
export const firstResponse = ({
  status,
  attempts,
  remaining
}: Verification): Pick<Verification, "answeredStatus" | "answeredStep"> => ({
  answeredStatus: status === "failed" ? "failed" : "queued",
  answeredStep: attempts.find(wasCalled)?.step ?? remaining[0] ?? 0
})

/** Whether send has answered, or would have if its process had not died. */
export const isAnswered = ({ status, answeredStep }: Verification): boolean =>
  status !== "pending" || answeredStep !== null

/** The response of the send that created this verification; later events do not change it. */
export const sendResponse = (
  verification: Verification
): { readonly status: "queued" | "failed"; readonly channel: ChannelDescriptor } => {
  const { answeredStatus, answeredStep } =
    verification.answeredStep === null ? firstResponse(verification) : verification
  return { status: answeredStatus ?? "queued", channel: descriptorOf(verification, answeredStep ?? 0) }
}

const descriptorOf = ({ route }: ShownVerification, step: number): ChannelDescriptor =>
  (route[step] ?? route[0]).descriptor

/** The last channel that was tried; where none was, the first of the route. */
const currentChannel = (verification: ShownVerification): ChannelDescriptor =>
  descriptorOf(verification, verification.attempts.findLast(wasCalled)?.step ?? 0)

/** Whole seconds until the next channel, rounded up; null when there is none to come. */
const remainingSeconds = (verification: ShownVerification, now: Instant): number | null => {
  const { nextStepAt, repeating } = verification
  if (nextStepAt === null || repeating === true || effectiveStatus(verification, now) !== "queued")
    return null
  return Math.max(0, Math.ceil((nextStepAt - now) / 1000))
}

interface AttemptView {
  readonly sequence: number
  readonly channel: ChannelDescriptor
  readonly status: "sent" | "failed"
  /** Null when the provider was not called. */
  readonly dispatchedAt: Instant | null
  readonly transitionReason: "timed_out" | "failed" | null
  readonly errorCode: AttemptErrorCode | null
  /** Why the provider was not called; null if it was. */
  readonly skipReason: SkipReason | null
  /** Null while the provider has not reported it. */
  readonly delivery: Delivery["status"] | null
}

const attemptView = (verification: ShownVerification, attempt: Attempt, isLast: boolean): AttemptView => ({
  sequence: attempt.step + 1,
  channel: descriptorOf(verification, attempt.step),
  status: attempt.status,
  dispatchedAt: attempt.attempted_at,
  transitionReason: isLast ? null : attempt.status === "sent" ? "timed_out" : "failed",
  errorCode: attempt.error_code,
  skipReason: attempt.skip_reason ?? null,
  delivery: attempt.delivery?.status ?? null
})

export interface VerificationView {
  readonly id: string
  readonly status: VerificationStatus
  readonly phone: Phone
  readonly currentChannel: ChannelDescriptor
  readonly currentChannelStatus: "sent" | "failed" | null
  readonly remainingSeconds: number | null
  readonly expiresAt: Instant
  readonly verifiedAt: Instant | null
  readonly attempts: ReadonlyArray<AttemptView>
  /** JSON text of an object; null: the send had none. */
  readonly metadata: string | null
}

/** Those that readers are shown: a step that is skipped now may still be followed by one that is called. */
export const shownAttempts = ({ status, attempts }: ShownVerification): ReadonlyArray<Attempt> =>
  status === "failed" ? attempts : attempts.filter(wasCalled)

/** The response of the status endpoint at `now`. */
export const viewVerification = (verification: ShownVerification, now: Instant): VerificationView => {
  const attempts = shownAttempts(verification)
  return {
    id: verification.id,
    status: effectiveStatus(verification, now),
    phone: verification.phone,
    currentChannel: currentChannel(verification),
    currentChannelStatus: attempts.at(-1)?.status ?? null,
    remainingSeconds: remainingSeconds(verification, now),
    expiresAt: verification.expiresAt,
    verifiedAt: verification.verifiedAt,
    attempts: attempts.map((attempt, index) =>
      attemptView(verification, attempt, index === attempts.length - 1)
    ),
    metadata: verification.metadata
  }
}
