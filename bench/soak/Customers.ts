/** The customers whose backends the load plays, as an operator sets them up. */
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import type { Phone } from "../../src/domain/Phone.ts"
import { configuration } from "../../src/layers/config/Configuration.ts"
import { Infrastructure } from "../../src/layers/graphs/Infrastructure.ts"
import { ManagementLive } from "../../src/layers/graphs/Management.ts"
import { Webhooks } from "../../src/services/webhook/Webhooks.ts"
import { Accounts } from "../../src/services/account/Accounts.ts"
import { Contacts } from "../../src/services/account/Contacts.ts"
import { CustomerRecords } from "../../src/services/customer/CustomerRecords.ts"
import { Keys } from "../../src/services/key/Keys.ts"
import { RoutingOrders } from "../../src/services/routing/RoutingOrders.ts"
import { Wallets } from "../../src/services/Wallets.ts"
import { chatOf, type Providers } from "./Providers.ts"

export interface Customer {
  readonly id: number
  readonly key: string
}

export interface SetUp {
  readonly count: number
  /** The settings of the processes. */
  readonly env: Readonly<Record<string, string>>
  readonly providers: Providers
  readonly webhookUrl: string
  /** Phones that have met the bots that have to be met. */
  readonly acquainted: ReadonlyArray<string>
}

const FUNDS = 900_000_000_000
/** So many at a time are linked to their chats. */
const IMPORTED = 10_000

const connectAccounts = Effect.fnUntraced(function* (customerId: number, { providers, acquainted }: SetUp) {
  const { connect } = yield* Accounts
  const { link } = yield* Contacts
  for (const { channel, provider, settings, needsContact } of providers.accounts) {
    const account = { channel, provider, label: channel, settings, isDefault: false }
    const { id } = yield* connect(customerId, { ...account, allowsPrivateAddresses: true })
    if (!needsContact) continue
    for (let from = 0; from < acquainted.length; from += IMPORTED) {
      const met = acquainted.slice(from, from + IMPORTED)
      const contacts = met.map((phone) => ({ phone: phone as Phone, chatId: chatOf(phone) }))
      yield* link(customerId, id, contacts)
    }
  }
})

const makeCustomer = Effect.fnUntraced(function* <E, R>(
  name: string,
  plan: "start" | "business",
  setUp: SetUp,
  connect: (id: number) => Effect.Effect<void, E, R>
) {
  const webhooks = yield* Webhooks
  const { id } = yield* (yield* CustomerRecords).create(name, plan)
  yield* (yield* Wallets).topUp(id, FUNDS)
  yield* connect(id)
  yield* webhooks.create(id, {
    url: `${setUp.webhookUrl}/of/${id}`,
    events: ["*"],
    mode: "live",
    description: ""
  })
  const { secret } = yield* (yield* Keys).create(id, {
    mode: "live",
    name: "soak",
    expiresAt: null
  })
  return { id, key: Redacted.value(secret) } satisfies Customer
})

const makeOrdinary = (nth: number, setUp: SetUp) =>
  makeCustomer(`soak ${nth}`, nth % 2 === 0 ? "start" : "business", setUp, (id) =>
    Effect.andThen(
      connectAccounts(id, setUp),
      Effect.flatMap(RoutingOrders, ({ save }) =>
        Effect.asVoid(save(id, [{ channel: "bale" }, { channel: "sms", wait: 45 }], null))
      )
    )
  )

const makeFlooding = (setUp: SetUp) =>
  makeCustomer("soak flood", "business", setUp, (id) =>
    connectAccounts(id, {
      ...setUp,
      providers: { ...setUp.providers, accounts: [setUp.providers.floodedAccount] }
    })
  )

export interface SoakCustomers {
  readonly ordinary: ReadonlyArray<Customer>
  /** Sends nothing but floods. */
  readonly flooding: Customer
}

export const makeCustomers = (setUp: SetUp): Promise<SoakCustomers> => {
  const fromEnv = ConfigProvider.layer(ConfigProvider.fromEnv({ env: setUp.env }))
  const management = Layer.unwrap(
    Effect.map(configuration, (settings) => Layer.provideMerge(ManagementLive, Infrastructure(settings)))
  ).pipe(Layer.provide(fromEnv))
  const made = Effect.all({
    ordinary: Effect.forEach(Array.from({ length: setUp.count }).keys(), (nth) => makeOrdinary(nth, setUp)),
    flooding: makeFlooding(setUp)
  })
  return Effect.runPromise(Effect.provide(made, management))
}
