import { Cause, Data, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import {
  DeliveryReport,
  HIDDEN,
  inWords,
  type PrivateParts,
  ProviderOutcome,
  withoutPrivateParts
} from "../../domain/ProviderOutcome.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { ChangeFeed, endedBy, ofCustomer } from "../postgres/ChangeFeed.ts"
import { cachedLookup, setUpColumns, SetUpFields, SetUpVersions } from "../postgres/SetUpCache.ts"
import { makeLookupBatch } from "../postgres/batching/LoadBatchSql.ts"
import { AccountConnections, AccountUnusable } from "../../services/account/AccountSlots.ts"
import { ContactLinks } from "../../services/account/Contacts.ts"
import {
  AccountProblem,
  type Addressed,
  type BotInbox,
  CallKind,
  ProviderAdapters,
  type ProviderConnection,
  SECRET_SETTINGS
} from "../../services/provider/ProviderAdapter.ts"
import { Providers, type TextDelivery } from "../../services/provider/Providers.ts"
import { logFailure } from "../../services/system/Observability.ts"

const credentialsIn = (settings: unknown): ReadonlyArray<string> =>
  Object.entries(Object(settings)).flatMap(([name, value]) =>
    SECRET_SETTINGS.includes(name) && typeof value === "string" && value !== "" ? [value] : []
  )

const maskingProblems =
  (mask: (words: string) => string) =>
  <A>(effect: Effect.Effect<A, AccountProblem>) =>
    Effect.mapError(
      effect,
      ({ message, isDefinite }) => new AccountProblem({ message: mask(message), isDefinite })
    )

const maskInbox = (inbox: BotInbox, mask: (words: string) => string): BotInbox => {
  const { announceWebhook, poll, reply } = inbox
  const orMasked = maskingProblems(mask)
  return {
    ...inbox,
    announceWebhook: announceWebhook && ((webhook) => orMasked(announceWebhook(webhook))),
    poll: poll && ((cursor, waitMillis) => orMasked(poll(cursor, waitMillis))),
    reply: (chatId, words) => Effect.map(reply(chatId, words), (outcome) => inWords(outcome, mask))
  }
}

const maskReport = (report: DeliveryReport, mask: (words: string) => string): DeliveryReport => {
  switch (report._tag) {
    case "Undelivered":
      return DeliveryReport.Undelivered({ providerError: mask(report.providerError) })
    case "NotKnown":
      return DeliveryReport.NotKnown({ reason: mask(report.reason) })
    case "Delivered":
    case "InProgress":
      return report
  }
}

/** The connection, with the account's credentials masked in its texts: a provider can echo what it received. */
export const maskCredentials = (connection: ProviderConnection, settings: unknown): ProviderConnection => {
  const credentials = credentialsIn(settings)
  const mask = (words: string): string =>
    credentials.reduce((rest, credential) => rest.replaceAll(credential, HIDDEN), words)
  const masked = (outcome: Effect.Effect<ProviderOutcome>) =>
    Effect.map(outcome, (each) => inWords(each, mask))
  const orMasked = maskingProblems(mask)
  const { sendCode, sendText, check, credit, deliveryReport, inbox } = connection
  return {
    ...connection,
    sendCode: (delivery) => masked(sendCode(delivery)),
    sendText: (delivery) => masked(sendText(delivery)),
    check: check && orMasked(Effect.map(check, mask)),
    ...(credit !== undefined && { credit: orMasked(credit) }),
    deliveryReport:
      deliveryReport &&
      ((messageId) => Effect.map(deliveryReport(messageId), (report) => maskReport(report, mask))),
    inbox: inbox && maskInbox(inbox, mask)
  }
}

/** The context of the seal: settings sealed for one account cannot be opened for another owner or provider. */
interface SettingsOwner {
  readonly customerId: number | null
  readonly channel: string
  readonly provider: string
}

const contextOf = ({ customerId, channel, provider }: SettingsOwner): string =>
  `sending_accounts:${customerId ?? "shared"}:${channel}:${provider}`

/** An account's settings as they are stored: encrypted under the master secret. */
export const sealSettings = (
  key: MasterKey["Service"],
  owner: SettingsOwner,
  settings: unknown
): Uint8Array => key.seal("account-settings", contextOf(owner), JSON.stringify(settings))

export const openSettings = (key: MasterKey["Service"], owner: SettingsOwner, sealed: Uint8Array): unknown =>
  JSON.parse(key.open("account-settings", contextOf(owner), sealed))

const AccountRow = Schema.Struct({
  customerId: Schema.NullOr(Schema.Int),
  channel: Schema.String,
  provider: Schema.String,
  sealedSettings: Schema.Uint8Array,
  allowsPrivateAddresses: Schema.Boolean,
  active: Schema.Boolean,
  ...SetUpFields
})

export const AccountConnectionsSql = Layer.effect(
  AccountConnections,
  Effect.gen(function* () {
    const key = yield* MasterKey
    const adapters = yield* ProviderAdapters
    const feed = yield* ChangeFeed
    const versions = yield* SetUpVersions
    const rowOf = yield* makeLookupBatch<number, typeof AccountRow>({
      name: "account_connection",
      key: { name: "account_id", type: "int4", of: (id) => id },
      row: AccountRow,
      statement: (keys) => `
        select r.nth, a.customer_id as "customerId", a.channel, a.provider, a.sealed_settings as "sealedSettings",
          a.allows_private_addresses as "allowsPrivateAddresses", a.disabled_at is null as active,
          ${setUpColumns("a.customer_id")}
        from ${keys} join sending_accounts a on a.id = r.account_id`
    })

    const unusable = (message: string) => Result.fail(new AccountUnusable({ message }))

    const connect = (row: typeof AccountRow.Type): Result.Result<ProviderConnection, AccountUnusable> => {
      const adapter = adapters.get(row.provider)
      if (!row.active) return unusable("the account was switched off")
      if (adapter === undefined) return unusable(`no adapter for provider ${row.provider}`)
      return Result.try(() => openSettings(key, row, row.sealedSettings)).pipe(
        Result.mapError(() => new AccountUnusable({ message: "its settings cannot be opened" })),
        Result.flatMap((settings) =>
          Result.map(adapter.connect(settings, row), (connection) => maskCredentials(connection, settings))
        ),
        Result.mapError(({ message }) => new AccountUnusable({ message }))
      )
    }

    const lookup = (accountId: number) =>
      Effect.map(
        rowOf(accountId),
        Option.match({
          onNone: () => ({ customerId: null, setUpVersion: 0, connection: unusable("the account is gone") }),
          onSome: (row) => {
            const { customerId, setUpVersion } = row
            versions.note(customerId, row)
            return { customerId, setUpVersion, connection: connect(row) }
          }
        })
      )
    const cache = yield* cachedLookup(lookup, { isUpToDate: feed.isUpToDate, isCurrent: versions.isCurrent })
    yield* feed.subscribe(endedBy(cache, { customer: ofCustomer(cache) }))

    return AccountConnections.of({
      of: (accountId) =>
        Effect.flatMap(cache.get(accountId), ({ connection }) => Effect.fromResult(connection))
    })
  })
)

class NotPrepared extends Data.TaggedError("NotPrepared")<{ readonly outcome: ProviderOutcome }> {}

const noContact = new NotPrepared({
  outcome: ProviderOutcome.Rejected({
    cause: "recipient",
    providerError: "no contact: this number is not linked to the account"
  })
})

const unusable = (providerError: string) =>
  ProviderOutcome.Rejected({ cause: "configuration", providerError })

const privateParts = ({ phone, text }: TextDelivery, code: string): PrivateParts => ({
  phone,
  text: Redacted.value(text),
  code
})

/** Another channel can work. */
const unreadable = ProviderOutcome.Unavailable({ providerError: "the account could not be read" })

/** Sends through the customers' connected accounts. */
export const ProvidersByAccount = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const connections = yield* AccountConnections
    const links = yield* ContactLinks

    /** Everything that sending needs; fails with the outcome without it: nothing has left until then. */
    const prepare = Effect.fnUntraced(function* <Delivery extends TextDelivery>(delivery: Delivery) {
      const { account_id: accountId } = delivery.step
      if (accountId === null) return yield* Effect.die("a live step names its account")
      const connection = yield* connections.of(accountId)
      const { needsContact } = connection.traits
      const chatId = needsContact ? yield* links.chatOf(accountId, delivery.phone) : null
      if (needsContact && chatId === null) return yield* noContact
      return { connection, accountId, addressed: { ...delivery, chatId } }
    })

    const ready = <Delivery extends TextDelivery>(delivery: Delivery) =>
      prepare(delivery).pipe(
        Effect.catchTag("AccountUnusable", ({ message }) => new NotPrepared({ outcome: unusable(message) })),
        Effect.catchCauseIf(
          (cause) => Cause.hasDies(cause) && !Cause.hasInterrupts(cause),
          (cause) =>
            Effect.andThen(
              logFailure("an account could not be read", cause),
              new NotPrepared({ outcome: unreadable })
            )
        )
      )

    const dropLostContact = (accountId: number, chatId: string | null, outcome: ProviderOutcome) =>
      chatId !== null && outcome._tag === "Rejected" && outcome.isContactLost === true
        ? Effect.ignoreCause(links.unlinkChat(accountId, chatId), { log: "Warn" })
        : Effect.void

    /** A provider's text is stored and logged without the parts of the send that it may repeat. */
    const sendWith =
      <Delivery extends TextDelivery>(
        codeOf: (delivery: Delivery) => string,
        send: (
          connection: ProviderConnection,
          delivery: Addressed<Delivery>
        ) => Effect.Effect<ProviderOutcome>
      ) =>
      (delivery: Delivery): Effect.Effect<ProviderOutcome> =>
        ready(delivery).pipe(
          Effect.flatMap(({ connection, accountId, addressed }) =>
            Effect.tap(send(connection, addressed), (outcome) =>
              dropLostContact(accountId, addressed.chatId, outcome)
            )
          ),
          Effect.map((outcome) =>
            inWords(outcome, (words) => withoutPrivateParts(words, privateParts(delivery, codeOf(delivery))))
          ),
          Effect.catchTag("NotPrepared", ({ outcome }) => Effect.succeed(outcome))
        )

    return Providers.of({
      sendCode: sendWith(
        ({ code }) => Redacted.value(code),
        (connection, delivery) => Effect.provideService(connection.sendCode(delivery), CallKind, "code")
      ),
      sendText: sendWith(
        () => "",
        (connection, delivery) => Effect.provideService(connection.sendText(delivery), CallKind, "text")
      )
    })
  })
)
