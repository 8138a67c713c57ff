import { Array as Arr, Clock, Context, Effect, Layer, Result } from "effect"
import type {
  AdmissionError,
  BlockedPhone,
  InvalidPhone,
  RouteError,
  SuspectedFraud,
  TemplateError,
  ValidationError
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { parsePhone, type Phone } from "../../domain/Phone.ts"
import { NIL_UUID } from "../../domain/Uuid.ts"
import { type Blockage, settingsNeeded } from "../../domain/account/AccountState.ts"
import { nextTurnAt } from "../../domain/account/Pace.ts"
import type { CustomerConfiguration, RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import { chargeInOrder } from "../../domain/money/Charging.ts"
import { NO_TRACES } from "../../domain/guard/Segments.ts"
import { strongest, verdictOf } from "../../domain/guard/Verdict.ts"
import { type Channel, type ChannelDescriptor, channelType } from "../../domain/routing/Channel.ts"
import type { Template } from "../../domain/message/Template.ts"
import { type Route, type RouteStep, spokenIn, stepText } from "../../domain/routing/Route.ts"
import { checkNames, type KnownStep, type RouteRequest } from "../../domain/routing/RouteRequest.ts"
import { resolveStep } from "../../domain/routing/RouteResolution.ts"
import { smsSize } from "../../domain/text/SmsParts.ts"
import { type CodeText, isTooLongForApp } from "../../domain/verification/CodeText.ts"
import { validitySeconds } from "../../domain/verification/CodeRules.ts"
import type { AccountStates } from "../account/AccountHistories.ts"
import { AccountSummaries, type AccountSummary } from "../activity/AccountSummaries.ts"
import { Customers, type CustomerSetUp } from "../customer/Customers.ts"
import type { SetUpChanged } from "../customer/Idempotency.ts"
import type { Billing } from "../customer/Limits.ts"
import { requestedCode, tracesOf, withoutSms } from "../guard/CodeDecisions.ts"
import { GuardCeiling } from "../guard/Guard.ts"
import { Networks } from "../guard/GuardStore.ts"
import { Templates } from "../message/Templates.ts"
import { PhoneRecords, type PhoneUse } from "../PhoneRecords.ts"
import { outlooksOf } from "../routing/RouteOutlooks.ts"
import { Routing } from "../routing/Routing.ts"
import { Settings } from "../Settings.ts"
import { ClientHashes } from "./Codes.ts"
import type { SendRequest } from "./VerificationSends.ts"

/** One step, if the code was sent now. */
export interface PreviewedStep {
  readonly name: Channel
  readonly channel: ChannelDescriptor
  /** Seconds. */
  readonly wait: number
  /** Rials for a successful send. */
  readonly price: number
  readonly state: "ready" | "gap" | "rate" | "cooldown" | "misconfigured"
  /** A code of the errors if it is misconfigured, else when it can send; null: it is ready. */
  readonly reason: string | null
  readonly freeAt: Instant | null
  /** Why its account is skipped. */
  readonly blockage: Blockage | null
  /** Why it is misconfigured. */
  readonly refusal: RouteError | TemplateError | null
  /** Tried only if a request for the next channel names its channel. */
  readonly isOnRequest: boolean
  /** Takes over for the step before it. */
  readonly isStandby: boolean
}

interface PreviewedText {
  readonly channel: Channel
  /** With a sample code; null: the provider has a text of its own. */
  readonly text: string | null
  /** Of an SMS whose text is known. */
  readonly smsParts: number | null
  /** What is wrong with the text; null: nothing. */
  readonly problem: "too_long_for_app" | null
}

/** How much of a limit is used; a limit of 0 is none. */
interface UsedLimit {
  readonly limit: number
  readonly used: number
  readonly resetsAt: Instant | null
}

/** The errors that a preview can say. */
type PreviewedRefusal =
  | (RouteError | TemplateError | ValidationError | BlockedPhone | SuspectedFraud)["_tag"]
  | AdmissionError["_tag"]

/** What would become of a code now. Nothing is sent, held or counted for it. */
export interface CodePreview {
  readonly route: ReadonlyArray<PreviewedStep>
  readonly texts: ReadonlyArray<PreviewedText>
  readonly limits: {
    readonly phoneHour: UsedLimit
    readonly phoneDay: UsedLimit
    readonly quota: AccountSummary["quota"]
    readonly wallet: AccountSummary["wallet"]
  }
  /** Null: there is no route. */
  readonly whole: { readonly validSeconds: number; readonly mostRials: number } | null
  /** The error that a send would get by the customer's own records. */
  readonly wouldRefuse: PreviewedRefusal | null
}

/** A request without its phone, which is given apart: the preview of an order may have none. */
type CodeRequest = RouteRequest & Pick<SendRequest, "locale" | "client">

/** An order of channels that is not saved yet. */
interface DraftedOrder {
  readonly customerId: number
  readonly steps: ReadonlyArray<RoutingStep>
  readonly order: StepOrder
  /** Those that its steps can name. */
  readonly templates: ReadonlyArray<Template>
  /** Null: anybody's. */
  readonly phone: Phone | null
}

type Step = {
  readonly asked: KnownStep | RouteStep
  readonly resolved: Result.Result<RouteStep, RouteError | TemplateError>
}

/** Each step by itself, where the whole is refused. */
const stepsAlone = (customer: CustomerConfiguration, request: CodeRequest): ReadonlyArray<Step> =>
  Result.match(
    checkNames(request.channels ?? customer.routing ?? [], () => true),
    {
      onFailure: () => [],
      onSuccess: (known) => known.map((asked) => ({ asked, resolved: resolveStep(asked, request, customer) }))
    }
  )

/** Of a step that names no account which could send. */
const unresolvedChannel = ({ channel, ...step }: Step["asked"]): ChannelDescriptor => ({
  type: channelType(channel),
  provider: channel,
  credential_id: ("account_id" in step ? step.account_id : undefined) ?? null,
  label: channel
})

/** Saved steps to ask for that cannot send: a send goes without them. */
const leftOut = (customer: CustomerConfiguration, request: CodeRequest, route: Route): ReadonlyArray<Step> =>
  (customer.routing ?? [])
    .filter(
      ({ channel, on_request }) => on_request === true && route.every((step) => step.channel !== channel)
    )
    .flatMap((step) => stepsAlone({ ...customer, routing: [step] }, { ...request, channels: undefined }))
    .filter(({ resolved }) => Result.isFailure(resolved))

const isOnRequest = (asked: Step["asked"]): boolean =>
  ("on_request" in asked && asked.on_request === true) || ("onRequest" in asked && asked.onRequest === true)

type Outlook = Effect.Success<ReturnType<typeof outlooksOf<Step>>>[number]

const READY = { state: "ready", reason: null, freeAt: null, blockage: null } as const

/**
 * Whether the step's account can send. What others do with an account of the platform's is not shown.
 *
 * @param waitMillis a code waits so long for a turn
 */
const stateOf = ({ blockage, state }: Outlook, isShared: boolean, now: Instant, waitMillis: number) => {
  if (blockage?._tag === "OutOfHours")
    return { state: "rate", reason: "hours", freeAt: blockage.until, blockage } as const
  if (isShared || state === null) return READY
  if (blockage !== null) {
    const { _tag: tag, until: freeAt } = blockage
    return tag === "Cooling"
      ? ({ state: "cooldown", reason: "cooldown", freeAt, blockage } as const)
      : ({ state: "rate", reason: "rate", freeAt, blockage } as const)
  }
  const turn = nextTurnAt(state)
  return turn === null || turn <= now + waitMillis
    ? READY
    : ({ state: "gap", reason: "gap", freeAt: turn, blockage: null } as const)
}

const previewedStep =
  (now: Instant, waitMillis: number) =>
  (outlook: Outlook): PreviewedStep => {
    const { asked, resolved, price } = outlook
    const step = { name: asked.channel, price, isOnRequest: isOnRequest(asked) }
    if (Result.isFailure(resolved)) {
      const channel = unresolvedChannel(asked)
      const wait = typeof asked.wait === "number" ? asked.wait : 0
      const { failure: refusal } = resolved
      const state = { state: "misconfigured", reason: refusal._tag, freeAt: null, blockage: null } as const
      return { ...step, channel, wait, isStandby: false, refusal, ...state }
    }
    const { descriptor: channel, wait, standby } = resolved.success
    const state = stateOf(outlook, channel.credential_id === null, now, waitMillis)
    return { ...step, channel, wait, isStandby: standby === true, refusal: null, ...state }
  }

/** The provider fills in its own template; IPPanel reads the digits of a code in words of its own. */
const hasProvidersText = ({ channel, descriptor: { provider } }: RouteStep): boolean =>
  channel === "sms"
    ? settingsNeeded(provider, "code").length > 0
    : channel === "voice" && provider === "ippanel"

/** Nobody's code. */
const sampleCode = (length: number): string => "1234567890".slice(0, length)

const textsOf = (
  steps: ReadonlyArray<RouteStep>,
  text: CodeText,
  code: string,
  { appHash, locale }: Pick<CustomerConfiguration, "appHash" | "locale">
): ReadonlyArray<PreviewedText> => {
  if (!Arr.isReadonlyArrayNonEmpty(steps)) return []
  const seconds = validitySeconds(steps)
  const previewed = (step: RouteStep): PreviewedText => {
    const { channel } = step
    if (hasProvidersText(step)) return { channel, text: null, smsParts: null, problem: null }
    const rendered = stepText(step, text, code, seconds)
    if (channel !== "sms") return { channel, text: rendered, smsParts: null, problem: null }
    const problem = isTooLongForApp(rendered, appHash) ? "too_long_for_app" : null
    return { channel, text: rendered, smsParts: smsSize(rendered).parts, problem }
  }
  return Arr.dedupeWith(spokenIn(steps, locale), (one, other) => one.channel === other.channel).map(previewed)
}

const usedOf = (uses: ReadonlyArray<PhoneUse>, { phoneHour, phoneDay }: AccountSummary["limits"]) => {
  const codes = uses.find(({ kind }) => kind === "code")
  return {
    phoneHour: { limit: phoneHour, used: codes?.hourUsed ?? 0, resetsAt: codes?.hourEndsAt ?? null },
    phoneDay: { limit: phoneDay, used: codes?.dayUsed ?? 0, resetsAt: codes?.dayEndsAt ?? null }
  }
}

const isFull = ({ limit, used }: Pick<UsedLimit, "limit" | "used">): boolean => limit > 0 && used >= limit

const wholeOf = (outlooks: ReadonlyArray<Outlook>): CodePreview["whole"] => {
  const planned = outlooks.filter(({ asked }) => !isOnRequest(asked))
  const steps = planned.flatMap(({ resolved, price }) =>
    Result.isSuccess(resolved) ? [{ ...resolved.success, price }] : []
  )
  return Arr.isReadonlyArrayNonEmpty(steps) && steps.length === planned.length
    ? { validSeconds: validitySeconds(steps), mostRials: chargeInOrder([], steps).held }
    : null
}

/** The limit that would refuse a code that holds so much. */
const fullLimit = ({ phoneHour, phoneDay, quota, wallet }: CodePreview["limits"], hold: number) => {
  if (isFull(phoneHour)) return "too_many_requests_phone_hour"
  if (isFull(phoneDay)) return "too_many_requests_phone_day"
  if (quota !== null && isFull(quota)) return "quota_exceeded"
  return wallet !== null && wallet.balance - wallet.held < hold ? "insufficient_balance" : null
}

/** What the customer's own lists and alarms would do to the code. */
const makeGuarded = Effect.gen(function* () {
  const ceiling = yield* GuardCeiling
  const networks = yield* Networks
  const hashes = yield* ClientHashes
  const phones = yield* PhoneRecords

  return Effect.fnUntraced(function* (
    customer: CustomerSetUp,
    { client }: CodeRequest,
    phone: Phone,
    route: readonly [RouteStep, ...ReadonlyArray<RouteStep>],
    now: Instant
  ) {
    const hashed = client === undefined ? null : hashes.of(client)
    const request = { customer, phone, client, hashed, route }
    const isOff = ceiling === "off" || customer.guard.mode === "off"
    const code = requestedCode(request, isOff ? NO_TRACES : tracesOf(request))
    const verdict = verdictOf(customer.guard, code, networks.isIn, now)
    // Where the operator switched the guard off, deny lists are off too.
    if (verdict._tag === "Denied")
      return { route, refused: ceiling === "off" ? null : ("blocked_phone" as const) }
    const isEnforced = ceiling === "enforcing" && customer.guard.mode === "enforcing"
    const action = verdict._tag === "Judged" && isEnforced ? strongest(verdict.alarmed) : null
    if (action === null) return { route, refused: null }
    const { lastVerifiedAt } = yield* phones.lookUp(customer.customerId, "live", phone)
    if (lastVerifiedAt !== null) return { route, refused: null }
    const left = action === "refuse" ? null : withoutSms(route)
    return left === null ? { route, refused: "suspected_fraud" as const } : { route: left, refused: null }
  })
})

/** The route as a send would try it, or its steps one by one with the error that a send would get. */
const makeRouteOf = Effect.gen(function* () {
  const routing = yield* Routing
  const guarded = yield* makeGuarded

  return Effect.fnUntraced(function* (
    customer: CustomerSetUp,
    request: CodeRequest,
    phone: Phone | null,
    now: Instant
  ) {
    const whole = routing.resolve(customer, request)
    if (Result.isFailure(whole)) {
      return { steps: stepsAlone(customer, request), refused: whole.failure._tag }
    }
    const ofRoute = (route: Route, refused: PreviewedRefusal | null) => ({
      steps: [
        ...route.map((step): Step => ({ asked: step, resolved: Result.succeed(step) })),
        ...leftOut(customer, request, whole.success)
      ],
      refused
    })
    if (phone === null) return ofRoute(whole.success, null)
    const { route, refused } = yield* guarded(customer, request, phone, whole.success, now)
    return ofRoute(routing.ofCode(customer, route, { phone, id: NIL_UUID }), refused)
  })
})

/** Tells what a send would do now, without a send. */
export class CodePreviews extends Context.Service<
  CodePreviews,
  {
    readonly preview: (request: SendRequest) => Effect.Effect<CodePreview, InvalidPhone | SetUpChanged>
    /** Of a code that names no channels, if this order was saved. */
    readonly previewOrder: (drafted: DraftedOrder) => Effect.Effect<CodePreview>
  }
>()("peyk/services/verification/CodePreviews") {
  static readonly layer = Layer.effect(
    CodePreviews,
    Effect.gen(function* () {
      const { codeLength, slotWaitMillis } = yield* Settings
      const customers = yield* Customers
      const templates = yield* Templates
      const summaries = yield* AccountSummaries
      const phones = yield* PhoneRecords
      const outlookContext = yield* Effect.context<Billing | AccountStates>()
      const routeOf = yield* makeRouteOf

      const limitsOf = Effect.fnUntraced(function* (customerId: number, phone: Phone | null) {
        const { limits, quota, wallet } = yield* summaries.read(customerId, null)
        const uses = phone === null ? [] : yield* phones.uses(customerId, phone)
        return { ...usedOf(uses, limits), quota, wallet } satisfies CodePreview["limits"]
      })

      const previewed = Effect.fnUntraced(function* (
        customer: CustomerSetUp,
        request: CodeRequest,
        phone: Phone | null
      ) {
        const now = yield* Clock.currentTimeMillis
        const { steps, refused } = yield* routeOf(customer, request, phone, now)
        const text = yield* Effect.result(templates.codeText(customer, request))
        const outlooks = yield* Effect.provideContext(outlooksOf(customer, steps, now), outlookContext)
        const limits = yield* limitsOf(customer.customerId, phone)
        const whole = wholeOf(outlooks)
        const resolved = Arr.getSuccesses(steps.map((step) => step.resolved))
        const found: CodePreview = {
          route: outlooks.map(previewedStep(now, slotWaitMillis)),
          texts: Result.isSuccess(text)
            ? textsOf(resolved, text.success, sampleCode(codeLength), {
                appHash: customer.appHash,
                locale: request.locale ?? customer.locale
              })
            : [],
          limits,
          whole,
          wouldRefuse:
            refused ??
            (Result.isFailure(text) ? text.failure._tag : null) ??
            fullLimit(limits, whole?.mostRials ?? 0)
        }
        return found
      })

      return CodePreviews.of({
        preview: Effect.fnUntraced(function* (request) {
          const customer = yield* customers.configuration(request.customerId, request.setUpVersion)
          return yield* previewed(customer, request, yield* Effect.fromResult(parsePhone(request.phone)))
        }),

        previewOrder: Effect.fnUntraced(function* ({ customerId, steps, order, templates: known, phone }) {
          // Without a key's version nothing can have changed since.
          const customer = yield* Effect.orDie(customers.configuration(customerId))
          const drafted = { ...customer, routing: steps, stepOrder: order, routingTemplates: known }
          return yield* previewed(drafted, {}, phone)
        })
      })
    })
  )
}
