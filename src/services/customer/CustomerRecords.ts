import { Context, Effect, Schema } from "effect"
import { type NotFound, ScopeInsufficient } from "../../domain/Errors.ts"
import { Name, optional } from "../../domain/Fields.ts"
import type { Instant } from "../../domain/Instant.ts"
import { LimitChange, type LimitOverrides } from "../../domain/customer/Limits.ts"
import { Plan } from "../../domain/customer/Customer.ts"
import { AppHash, Brand, DEFAULT_LOCALE, Locale, SiteOrigins } from "../../domain/verification/CodeText.ts"
import { HostName } from "../../domain/text/HostName.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { action, mayPerform, NoInput, NoTarget, requireFresh } from "../Action.ts"
import { Wallets } from "../Wallets.ts"
import { ConsoleSessions } from "../user/ConsoleSessions.ts"

export interface CustomerRecord {
  readonly id: number
  readonly name: string
  readonly plan: Plan
  /** The site whose pages take codes out of messages by themselves (WebOTP). */
  readonly webOtpHost: string | null
  /** The same for several sites; empty: `webOtpHost` is the only one. */
  readonly webOtpOrigins: ReadonlyArray<string>
  /** Of the Android app that takes codes out of SMS by itself. */
  readonly appHash: string | null
  /** The brand that the default text names. */
  readonly brand: string | null
  /** The language of the default text. */
  readonly locale: Locale
  /** Whether its users must have a second factor. */
  readonly needsSecondFactor: boolean
  readonly createdAt: Instant
}

/** A missing field stays as it is. */
interface CustomerChange {
  readonly name?: string | undefined
  readonly plan?: Plan | undefined
  readonly webOtpHost?: string | null | undefined
  readonly webOtpOrigins?: ReadonlyArray<string> | undefined
  readonly appHash?: string | null | undefined
  readonly brand?: string | null | undefined
  readonly locale?: Locale | undefined
  readonly needsSecondFactor?: boolean | undefined
}

/** The customers of this installation. Customers are never removed. */
export class CustomerRecords extends Context.Service<
  CustomerRecords,
  {
    readonly list: Effect.Effect<ReadonlyArray<CustomerRecord>>
    readonly find: (id: number) => Effect.Effect<CustomerRecord, NotFound>
    readonly create: (name: string, plan: Plan) => Effect.Effect<CustomerRecord>
    readonly update: (id: number, change: CustomerChange) => Effect.Effect<CustomerRecord, NotFound>
    /** The customer's own limits; the platform's count where it has none. */
    readonly limits: (id: number) => Effect.Effect<LimitOverrides, NotFound>
    /** The customer's own limits after the change. */
    readonly changeLimits: (id: number, change: LimitChange) => Effect.Effect<LimitOverrides, NotFound>
  }
>()("peyk/services/customer/CustomerRecords") {}

export const BRAND = "The brand that the default text names."
export const LOCALE = "The language of the default text, if a request names none."
export const SECOND_FACTOR = "Whether users of this customer must sign in with a second factor."
export const WEBOTP_HOST = "The site whose pages read codes by themselves (WebOTP)."
export const WEBOTP_ORIGINS =
  "The same for several sites, as `https://` and a host name. `client.origin` of a send chooses one of them; without it the first is used."
export const APP_HASH =
  "Your Android app's hash (SMS Retriever), by which it reads codes from SMS by itself. The default text of an SMS has it in a line of its own."

/** What the customer's own people change. */
export const MeChange = Schema.Struct({
  brand: optional(Brand).annotateKey({ description: `${BRAND} Null: the text names no brand.` }),
  locale: optional(Locale).annotateKey({ description: `${LOCALE} Null: fa.` }),
  webotp_host: optional(HostName).annotateKey({
    description: `${WEBOTP_HOST} Null: none.`
  }),
  webotp_origins: optional(SiteOrigins).annotateKey({
    description: `${WEBOTP_ORIGINS} Null or empty: \`webotp_host\` is the only site.`
  }),
  app_hash: optional(AppHash).annotateKey({ description: `${APP_HASH} Null: none.` }),
  second_factor_required: optional(Schema.Boolean).annotateKey({
    description: `${SECOND_FACTOR} For owners who have signed in within the last 10 minutes.`
  })
}).annotate({ identifier: "MeChange" })

/** The name that the customer had. */
const customerBefore = ({ actor: { customerId } }: { readonly actor: Actor }) =>
  Effect.map(
    CustomerRecords.use((customers) => customers.find(customerId)),
    ({ name }) => ({ name })
  )

/** The customer's own log begins with it. */
export const createCustomer = action("customer.create", {
  input: Schema.Struct({ name: Name, plan: Plan }),
  target: NoTarget,
  access: "operator",
  run: ({ input: { name, plan } }) => CustomerRecords.use((customers) => customers.create(name, plan)),
  audit: ({ id, name, plan }) => ({ id, name, details: { name, plan }, customerId: id })
})

/** Of the actor's customer. Only owners change its name, and whether it needs a second factor; only operators its plan. */
export const changeCustomer = action("customer.update", {
  input: Schema.Struct({
    ...MeChange.fields,
    name: Schema.optionalKey(Name),
    plan: Schema.optionalKey(Plan)
  }),
  target: NoTarget,
  access: "writer",
  allow: ({ actor, input: { name, plan, second_factor_required: needsFactor = null } }) =>
    (name === undefined || mayPerform(actor, "owner")) &&
    (needsFactor === null || mayPerform(actor, "owner")) &&
    (plan === undefined || mayPerform(actor, "operator"))
      ? Effect.when(requireFresh(actor), Effect.succeed(needsFactor !== null))
      : Effect.fail(new ScopeInsufficient()),
  before: ({ actor: { customerId } }) =>
    Effect.map(
      CustomerRecords.use((customers) => customers.find(customerId)),
      ({ name, plan, brand, locale, webOtpHost, webOtpOrigins, appHash, needsSecondFactor }) => ({
        name,
        values: {
          name,
          plan,
          brand,
          locale,
          webotp_host: webOtpHost,
          webotp_origins: webOtpOrigins,
          app_hash: appHash,
          second_factor_required: needsSecondFactor
        }
      })
    ),
  run: ({ actor, input }) => {
    const { name, plan, brand, locale, webotp_host, webotp_origins, app_hash, second_factor_required } = input
    const change = {
      name,
      plan,
      brand,
      webOtpHost: webotp_host,
      webOtpOrigins: webotp_origins === null ? [] : webotp_origins,
      appHash: app_hash,
      locale: locale === null ? DEFAULT_LOCALE : locale,
      needsSecondFactor: second_factor_required ?? undefined
    }
    return CustomerRecords.use((customers) => customers.update(actor.customerId, change))
  },
  audit: ({ id, locale, webOtpOrigins }, { input }) => ({
    id,
    details: {
      ...input,
      ...(input.locale !== undefined && { locale }),
      ...(input.webotp_origins !== undefined && { webotp_origins: webOtpOrigins })
    }
  })
})

const noLimits = Object.fromEntries(Object.keys(LimitChange.fields).map((name) => [name, null]))

export const setLimits = action("customer.set_limits", {
  input: LimitChange,
  target: NoTarget,
  access: "operator",
  before: ({ actor: { customerId } }) =>
    Effect.gen(function* () {
      const customers = yield* CustomerRecords
      const { name } = yield* customers.find(customerId)
      const earlier = yield* customers.limits(customerId)
      return { name, values: { ...noLimits, ...earlier } }
    }),
  run: ({ actor, input }) =>
    CustomerRecords.use((customers) => customers.changeLimits(actor.customerId, input)),
  audit: (_, { actor, input }) => ({ id: actor.customerId, details: input })
})

/** Rials. */
export const TopUpAmount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000_000 }))

export const topUp = action("wallet.top_up", {
  input: Schema.Struct({ amount: TopUpAmount }),
  target: NoTarget,
  access: "operator",
  before: customerBefore,
  run: ({ actor, input: { amount } }) => Wallets.use((wallets) => wallets.topUp(actor.customerId, amount)),
  audit: (_, { actor, input }) => ({ id: actor.customerId, details: input })
})

/** Shows an operator the customer's console. The target is their session. */
export const enterCustomer = action("customer.enter", {
  input: NoInput,
  target: Schema.String,
  access: "operator",
  before: customerBefore,
  run: ({ actor: { customerId }, target }) =>
    Effect.gen(function* () {
      yield* CustomerRecords.use((customers) => customers.find(customerId))
      yield* ConsoleSessions.use((sessions) => sessions.enter(target, customerId))
    }),
  audit: (_, { actor }) => ({ id: actor.customerId })
})
