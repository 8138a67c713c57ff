import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { KeyMode, Plan } from "../../domain/customer/Customer.ts"
import { AnyKey, CurrentPrincipal } from "../ServiceKeys.ts"
import { Load } from "../RouteTable.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { Rials } from "./SearchFields.ts"
import { toWallet, WalletResource } from "./WalletApi.ts"
import { AccountSummaries, type AccountSummary } from "../../services/activity/AccountSummaries.ts"
import { handlersOf, manageGroup, summary } from "./Endpoints.ts"

const Limit = Schema.Int.annotate({ description: "0: no limit" })

export const QuotaResource = Schema.NullOr(
  Schema.Struct({ limit: Schema.Int, used: Schema.Int, resets_at: Timestamp }).annotate({
    description: "Accepted requests of a calendar month (UTC)."
  })
)

const AccountResource = Schema.Struct({
  customer: Schema.Struct({ id: Schema.Int, name: Schema.String, plan: Plan }),
  mode: KeyMode,
  limits: Schema.Struct({
    key_minute: Limit,
    phone_hour: Limit,
    phone_day: Limit,
    message_phone_hour: Limit,
    message_phone_day: Limit,
    platform_phone_day: Limit
  }),
  prices: Schema.Struct({
    eitaa: Rials,
    bale: Rials,
    soroushplus: Rials,
    rubika: Rials,
    telegram: Rials,
    sms: Rials,
    voice: Schema.optionalKey(Rials)
  }).annotate({
    description:
      "Rials for a successful send. Providers of sms charge the account themselves. voice: over the platform's account, only where it has one."
  }),
  quota: QuotaResource,
  wallet: Schema.NullOr(WalletResource)
}).annotate({ identifier: "AccountSummary" })

export const toQuota = (quota: AccountSummary["quota"]): typeof QuotaResource.Type =>
  quota === null ? null : { limit: quota.limit, used: quota.used, resets_at: formatInstant(quota.resetsAt) }

const toAccount = (
  { customer, limits, prices, quota, wallet }: AccountSummary,
  mode: KeyMode
): typeof AccountResource.Type => ({
  customer,
  mode,
  limits: {
    key_minute: limits.keyMinute,
    phone_hour: limits.phoneHour,
    phone_day: limits.phoneDay,
    message_phone_hour: limits.messagePhoneHour,
    message_phone_day: limits.messagePhoneDay,
    platform_phone_day: limits.platformPhoneDay
  },
  prices,
  quota: toQuota(quota),
  wallet: wallet === null ? null : toWallet(wallet)
})

const READING = "Read the customer's plan, limits, prices, quota and wallet"

export class AccountGroup extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("read", "/v1/account", { success: AccountResource }).annotateMerge(summary(READING))
  )
  .middleware(AnyKey)
  .annotate(Load, "manage")
  .annotateMerge(OpenApi.annotations({ title: "Account" })) {}

export class ManagedAccountGroup extends manageGroup(
  "managed-account",
  "/v1/manage/account",
  { title: "Management: account" },
  HttpApiEndpoint.get("read", "/", { success: AccountResource }).annotateMerge(summary(READING))
) {}

export const AccountHandlers = handlersOf(AccountGroup, (handlers) =>
  handlers.handleAll({
    read: Effect.fnUntraced(function* () {
      const { customerId, mode, requestsPerMinute, confirm } = yield* CurrentPrincipal
      yield* confirm
      return toAccount(yield* (yield* AccountSummaries).read(customerId, requestsPerMinute), mode)
    }, orEnvelope)
  })
)

export const ManagedAccountHandlers = handlersOf(ManagedAccountGroup, (handlers) =>
  handlers.handleAll({
    read: Effect.fnUntraced(function* () {
      const { actor } = yield* CurrentActor
      return toAccount(yield* (yield* AccountSummaries).read(actor.customerId, null), "live")
    })
  })
)
