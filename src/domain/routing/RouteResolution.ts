import { Array as Arr, Result, Struct } from "effect"
import {
  type DuplicateChannel,
  FallbackOrderRequired,
  type InvalidChannel,
  NoCredentials,
  type RouteError,
  type TemplateError,
  TemplateNotFound
} from "../Errors.ts"
import { standbyAccounts } from "../account/Standby.ts"
import type { CustomerConfiguration, RoutingStep } from "../customer/Customer.ts"
import { checkCodeTemplate } from "../message/Template.ts"
import { type Channel, channelType, TELEGRAM_GATEWAY } from "./Channel.ts"
import { DEFAULT_WAIT_SECONDS } from "./Waits.ts"
import type { Route, RouteStep, RouteAccount } from "./Route.ts"
import { codeRouteAccount, missingSettings, selectAccount } from "./AccountSelection.ts"
import { checkNames, type KnownStep, type RouteRequest, type StepRequest } from "./RouteRequest.ts"

type ConnectedAccounts = Pick<CustomerConfiguration, "accounts" | "sharedAccounts"> &
  Partial<Pick<CustomerConfiguration, "routing">>

/** An active account opens calls to those who may send over it. */
const opensVoice = ({ sender }: KnownStep, { accounts, sharedAccounts }: ConnectedAccounts): boolean =>
  (sender === "shared" ? sharedAccounts : accounts).some(
    ({ channel, active }) => channel === "voice" && active
  )

/** Whether codes may go over telegram, or by a call, is decided by the customer's accounts. */
const opensChannel =
  (configuration: CustomerConfiguration, isSaved: boolean) =>
  (step: KnownStep): boolean =>
    step.channel === "voice"
      ? // A saved order was accepted with an account: that one is unavailable now.
        isSaved || opensVoice(step, configuration)
      : [...configuration.accounts, ...configuration.sharedAccounts].some(
          ({ channel }) => channel === step.channel
        )

const isOnRequest = ({ on_request }: StepRequest): boolean => on_request === true
const isInTurn = (step: StepRequest): boolean => !isOnRequest(step)

const accountFor = (configuration: CustomerConfiguration, step: KnownStep) =>
  step.sender === undefined &&
  step.account_id === undefined &&
  !configuration.accounts.some(({ active }) => active)
    ? Result.fail(new NoCredentials())
    : selectAccount(configuration, { ...step, kind: "code" })

const toRoute = (steps: ReadonlyArray<RouteStep>): Result.Result<Route, FallbackOrderRequired> =>
  Arr.isReadonlyArrayNonEmpty(steps) ? Result.succeed(steps) : Result.fail(new FallbackOrderRequired())

/** The request overrides the saved order. `wait` is the request's own if the channels are. */
const waitOf = (
  { wait }: KnownStep,
  { channels, channelTimeout }: RouteRequest
): Pick<RouteStep, "wait" | "waitsMeasured"> => {
  const seconds =
    (channels === undefined ? (channelTimeout ?? wait) : (wait ?? channelTimeout)) ?? DEFAULT_WAIT_SECONDS
  return seconds === "measured" ? { wait: DEFAULT_WAIT_SECONDS, waitsMeasured: true } : { wait: seconds }
}

/** The template of the step's text: that of the request, for messengers, or that of the saved step. */
const templateOf = (
  { channel, template_id }: KnownStep,
  { templateId }: RouteRequest,
  { routingTemplates }: CustomerConfiguration
): Result.Result<Pick<RouteStep, "textBody" | "template">, TemplateError> => {
  if (templateId !== undefined)
    return Result.succeed(channelType(channel) === "messenger" ? { template: templateId } : {})
  if (template_id === undefined) return Result.succeed({})
  const template = routingTemplates.find(({ id }) => id === template_id)
  return template === undefined
    ? Result.fail(new TemplateNotFound({ details: { template_id } }))
    : Result.map(checkCodeTemplate(template), (textBody) => ({ textBody, template: template_id }))
}

/** A step of a request, or of the saved order, by itself. */
export const resolveStep = (
  step: KnownStep,
  request: RouteRequest,
  configuration: CustomerConfiguration
): Result.Result<RouteStep, RouteError | TemplateError> =>
  Result.gen(function* () {
    const account = yield* accountFor(configuration, step)
    if (!account.sendsCodes) {
      return yield* Result.fail(missingSettings(account, "code"))
    }
    const text = yield* templateOf(step, request, configuration)
    const source = request.channels === undefined ? ("saved" as const) : ("request" as const)
    const asked = step.on_request === true && ({ onRequest: true } as const)
    return { ...codeRouteAccount(account), ...waitOf(step, request), source, ...text, ...asked }
  })

/** The step, followed by those that take over for it. */
const withStandby = (
  step: RouteStep,
  { accounts, sharedAccounts }: CustomerConfiguration
): ReadonlyArray<RouteStep> => {
  const own = step.descriptor.credential_id === null ? sharedAccounts : accounts
  const account = own.find(({ id }) => id === step.account_id)
  if (account?.standby === undefined || account.standby.length === 0) return [step]
  const standby = standbyAccounts(account, own).map((each): RouteStep => ({
    ...codeRouteAccount(each),
    ...Struct.pick(step, ["wait", "textBody", "template", "waitsMeasured", "onRequest"]),
    standby: true
  }))
  return [step, ...standby]
}

const NO_STEPS: ReadonlyArray<StepRequest> = []

const stepsOnRequest = (routing: CustomerConfiguration["routing"]): ReadonlyArray<StepRequest> =>
  routing?.some(isOnRequest) === true ? routing.filter(isOnRequest) : NO_STEPS

/**
 * The saved steps that are tried only if they are asked for, also next to a request's own channels. One that cannot
 * send now is left out: no send needs it.
 */
const resolveOnRequest = (
  planned: ReadonlyArray<KnownStep>,
  request: RouteRequest,
  configuration: CustomerConfiguration
): ReadonlyArray<RouteStep> =>
  stepsOnRequest(configuration.routing)
    .filter(({ channel }) => planned.every((step) => step.channel !== channel))
    .flatMap((step) => {
      const resolved = Result.flatMap(checkNames([step], opensChannel(configuration, true)), (known) =>
        Result.all(known.map((each) => resolveStep(each, { ...request, channels: undefined }, configuration)))
      )
      return Result.getOrElse(resolved, () => [])
    })

/**
 * The route of a request: its own channels, else the saved routing order. A step's waiting time is the first
 * of: the request's channel object, the request, the saved step, the default.
 */
export const resolveRoute = (
  request: RouteRequest,
  configuration: CustomerConfiguration
): Result.Result<Route, RouteError | TemplateError> =>
  Result.gen(function* () {
    const saved = configuration.routing ?? []
    const requested = request.channels ?? (saved.some(isOnRequest) ? saved.filter(isInTurn) : saved)
    const steps = yield* checkNames(requested, opensChannel(configuration, request.channels === undefined))
    const planned = yield* Result.all(steps.map((step) => resolveStep(step, request, configuration)))
    const asked = planned.length === 0 ? [] : resolveOnRequest(steps, request, configuration)
    return yield* toRoute([...planned, ...asked].flatMap((step) => withStandby(step, configuration)))
  })

/** The least, so that with every channel but telegram and voice a code is valid for 300 seconds, as the sandbox's codes are. */
const SANDBOX_WAIT_SECONDS = 45

/** An account of the sandbox, by its channel's name. */
export const sandboxAccount = (channel: Channel, provider: string): RouteAccount => ({
  channel,
  account_id: null,
  reportsDelivery: true,
  descriptor: { type: channelType(channel), provider, credential_id: null, label: `Sandbox (${provider})` }
})

const sandboxStep = (step: KnownStep | undefined): RouteStep => {
  const channel = step?.channel ?? "bale"
  const smsProvider = step?.provider ?? "smsir"
  const provider = step === undefined ? "sandbox" : channel === "sms" ? smsProvider : channel
  return { ...sandboxAccount(channel, provider), wait: SANDBOX_WAIT_SECONDS }
}

/** An account of Telegram's gateway is the consent to codes over telegram, and one of voice to calls, also in the sandbox. */
const opensInSandbox =
  ({ accounts, sharedAccounts }: ConnectedAccounts) =>
  ({ channel }: KnownStep): boolean =>
    [...accounts, ...sharedAccounts].some((account) =>
      channel === "voice"
        ? account.channel === channel && account.active
        : account.provider === TELEGRAM_GATEWAY
    )

/**
 * The sandbox's route: only the channels' names, because nothing is sent there. Saved steps that are tried only if they
 * are asked for are in it too, so that asking can be tried out.
 */
export const resolveSandboxRoute = (
  request: RouteRequest,
  connected: ConnectedAccounts
): Result.Result<Route, InvalidChannel | DuplicateChannel> => {
  const isOpen = opensInSandbox(connected)
  return Result.map(checkNames(request.channels ?? [], isOpen), ([first, ...rest]): Route => {
    const planned: Route = [sandboxStep(first), ...rest.map(sandboxStep)]
    const asked = stepsOnRequest(connected.routing ?? null)
      .filter(({ channel }) => planned.every((step) => step.channel !== channel))
      .flatMap((step) => Result.getOrElse(checkNames([step], isOpen), () => []))
    return [...planned, ...asked.map((step) => ({ ...sandboxStep(step), onRequest: true as const }))]
  })
}

/** One step of a routing order as a send would use it: the account and its wait, or the reason why there is none. */
interface StepPreview {
  readonly step: RoutingStep
  readonly resolved: Result.Result<RouteStep, RouteError | TemplateError>
}

/** Each step by itself, unlike a send, which is refused by the first that does not resolve. */
export const previewRoute = (
  steps: ReadonlyArray<RoutingStep>,
  configuration: CustomerConfiguration
): ReadonlyArray<StepPreview> =>
  steps.map((step) => ({ step, resolved: resolveStep(step, {}, configuration) }))
