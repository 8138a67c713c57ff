import { Cache, Clock, Context, Data, Effect, Exit, Layer, Option, Struct } from "effect"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { AccountState, LastError } from "../../domain/account/AccountState.ts"
import { mostPerMinute, type SkipCounts } from "../../domain/account/Pace.ts"
import { type CustomerConfiguration, type RoutingStep, sendsNothing } from "../../domain/customer/Customer.ts"
import type { AlarmReason } from "../../domain/guard/Alarm.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import { previewRoute } from "../../domain/routing/RouteResolution.ts"
import { AccountStates } from "../account/AccountHistories.ts"
import { type AccountOwner, type AccountRecord, Accounts, FIRST_ACCOUNTS } from "../account/Accounts.ts"
import { CustomerRecords } from "./CustomerRecords.ts"
import { GuardRecords } from "../guard/GuardRecords.ts"
import { RoutingOrders } from "../routing/RoutingOrders.ts"

type OfAccount = Pick<AccountRecord, "id" | "label" | "channel">

/** Something of a customer's set-up that keeps codes from arriving, and that a person has to put right. */
export type SetUpConcern = Data.TaggedEnum<{
  /** Its provider refuses the account, and has not accepted anything since. */
  AccountRefused: { readonly account: OfAccount; readonly error: LastError }
  /** Its settings are too incomplete for codes and for messages. */
  AccountSendsNothing: { readonly account: OfAccount }
  /** The last check did not reach its provider. */
  AccountNotReached: { readonly account: OfAccount; readonly at: Instant; readonly detail: string | null }
  /** Steps of codes skipped the account in the last hour. `most`: the most that it sends in a minute; null: any. */
  AccountSkipped: {
    readonly account: OfAccount
    readonly steps: number
    readonly skips: SkipCounts
    readonly most: number | null
  }
  /** A step of the saved routing order cannot be sent: `code` is the error of a send that names it. */
  StepCannotSend: {
    readonly channel: Channel
    readonly accountId: number | null
    readonly code: string
    readonly problem: Problem | null
  }
  /** Codes were tried on the channel, and none was delivered or verified. */
  ChannelDeliversNothing: { readonly channel: Channel; readonly codes: number; readonly accepted: number }
  /** The guard's open alarms: the newest of them, and how many there are. */
  GuardAlarms: { readonly open: number; readonly reason: AlarmReason; readonly since: Instant }
}>
export const SetUpConcern = Data.taggedEnum<SetUpConcern>()

/** What became of a customer's latest codes on one channel. */
interface ChannelResult {
  readonly channel: Channel
  /** Codes for which it was tried. */
  readonly codes: number
  /** Those that the provider accepted. */
  readonly accepted: number
  /** Those that were delivered, or verified with it as the last channel. */
  readonly arrived: number
}

export class ChannelResults extends Context.Service<
  ChannelResults,
  {
    /** Of the customer's latest codes of this time, at most a thousand. */
    readonly read: (
      customerId: number,
      span: { readonly from: Instant; readonly to: Instant }
    ) => Effect.Effect<ReadonlyArray<ChannelResult>>
  }
>()("peyk/services/customer/SetUpConcerns/ChannelResults") {}

/** With fewer codes, none of them verified can be chance. */
const MIN_CODES = 10
const LOOKS_BACK_MILLIS = 24 * HOUR_MILLIS
/** A person takes so long to enter a code. */
const ENTERED_AFTER_MILLIS = 10 * MINUTE_MILLIS

/** Many pages ask, and keep themselves up to date: the codes of a customer are read once for all of them. */
const RESULTS_AGE = "5 seconds"
const MAX_CUSTOMERS = 1000

const named = ({ id, label, channel }: AccountRecord): OfAccount => ({ id, label, channel })

const accountConcerns = (
  account: AccountRecord,
  state: AccountState | undefined
): ReadonlyArray<SetUpConcern> => {
  if (state === undefined) return []
  const { lastError, failures } = account
  const isRefused =
    lastError?.code === "provider_misconfigured" && (failures > 0 || state.lastCheck?.result === "refused")
  const { lastCheck } = state
  const steps = Object.values(state.skips).reduce((sum, count) => sum + count, 0)
  return [
    ...(isRefused ? [SetUpConcern.AccountRefused({ account: named(account), error: lastError })] : []),
    ...(sendsNothing(account) ? [SetUpConcern.AccountSendsNothing({ account: named(account) })] : []),
    ...(lastCheck?.result === "not_reached" && !sendsNothing(account)
      ? [
          SetUpConcern.AccountNotReached({
            account: named(account),
            at: lastCheck.at,
            detail: lastCheck.detail
          })
        ]
      : []),
    ...(steps > 0
      ? [
          SetUpConcern.AccountSkipped({
            account: named(account),
            steps,
            skips: state.skips,
            most: mostPerMinute(state)
          })
        ]
      : [])
  ]
}

/** Templates are checked when an order is saved, and are no matter of accounts. */
const withoutTemplate = (step: RoutingStep): RoutingStep => Struct.omit(step, ["template_id"])

const stepConcerns = (
  steps: ReadonlyArray<RoutingStep>,
  configuration: CustomerConfiguration
): ReadonlyArray<SetUpConcern> =>
  previewRoute(steps.map(withoutTemplate), configuration).flatMap(({ step, resolved }) => {
    if (resolved._tag === "Success") return []
    const error = resolved.failure
    const accountId =
      "details" in error && "account_id" in error.details ? error.details.account_id : undefined
    return [
      SetUpConcern.StepCannotSend({
        channel: step.channel,
        accountId: accountId ?? step.account_id ?? null,
        code: error._tag,
        problem: ("problem" in error ? error.problem : undefined) ?? null
      })
    ]
  })

const channelConcerns = (results: ReadonlyArray<ChannelResult>): ReadonlyArray<SetUpConcern> =>
  results.flatMap(({ channel, codes, accepted, arrived }) =>
    codes >= MIN_CODES && arrived === 0
      ? [SetUpConcern.ChannelDeliversNothing({ channel, codes, accepted })]
      : []
  )

/** What is wrong with the set-up of a customer, or of the platform's shared accounts, for overview and doctor alike. */
export class SetUpConcerns extends Context.Service<
  SetUpConcerns,
  { readonly read: (owner: AccountOwner, now: Instant) => Effect.Effect<ReadonlyArray<SetUpConcern>> }
>()("peyk/services/customer/SetUpConcerns") {
  static readonly layer = Layer.effect(
    SetUpConcerns,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const states = yield* AccountStates
      const customers = yield* CustomerRecords
      const orders = yield* RoutingOrders
      const guard = yield* GuardRecords
      const { read: readResults } = yield* ChannelResults
      const results = yield* Cache.makeWith(
        Effect.fnUntraced(function* (customerId: number) {
          const now = yield* Clock.currentTimeMillis
          return yield* readResults(customerId, {
            from: now - LOOKS_BACK_MILLIS,
            to: now - ENTERED_AFTER_MILLIS
          })
        }),
        { capacity: MAX_CUSTOMERS, timeToLive: (exit) => (Exit.isSuccess(exit) ? RESULTS_AGE : 0) }
      )

      const listOf = (owner: AccountOwner) =>
        Effect.map(accounts.list(owner, FIRST_ACCOUNTS), ({ items }) => items)

      const ofCustomer = Effect.fnUntraced(function* (customerId: number, own: ReadonlyArray<AccountRecord>) {
        const found = yield* Effect.option(customers.find(customerId))
        if (Option.isNone(found)) return []
        const { plan, webOtpHost, webOtpOrigins, appHash, brand, locale } = found.value
        const { steps } = yield* orders.find(customerId)
        const configuration: CustomerConfiguration = {
          customerId,
          plan,
          webOtpHost,
          webOtpOrigins,
          appHash,
          brand,
          locale,
          limits: {},
          routing: steps,
          routingTemplates: [],
          accounts: own,
          sharedAccounts: steps.some(({ sender }) => sender === "shared") ? yield* listOf(null) : []
        }
        const { openAlarms } = yield* guard.state(customerId)
        const [newest] = openAlarms
        return [
          ...stepConcerns(steps, configuration),
          ...channelConcerns(yield* Cache.get(results, customerId)),
          ...(newest === undefined
            ? []
            : [
                SetUpConcern.GuardAlarms({
                  open: openAlarms.length,
                  reason: newest.reason,
                  since: newest.startedAt
                })
              ])
        ]
      })

      return SetUpConcerns.of({
        read: Effect.fnUntraced(function* (owner, now) {
          const own = yield* listOf(owner)
          const active = own.filter((account) => account.active)
          const byId = yield* states.read(
            owner,
            active.map(({ id }) => id),
            now
          )
          return [
            ...active.flatMap((account) => accountConcerns(account, byId.get(account.id))),
            ...(owner === null ? [] : yield* ofCustomer(owner, own))
          ]
        })
      })
    })
  )
}
