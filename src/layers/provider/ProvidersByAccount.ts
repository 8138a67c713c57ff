import { Cause, Data, Effect, Layer, Redacted } from "effect"
import {
  inWords,
  type PrivateParts,
  ProviderOutcome,
  withoutPrivateParts
} from "../../domain/provider/ProviderOutcome.ts"
import { AccountConnections } from "../../services/account/AccountSlots.ts"
import { ContactLinks } from "../../services/account/Contacts.ts"
import { logFailure } from "../../services/system/LoggedCause.ts"
import { type Addressed, CallKind, type ProviderConnection } from "../../services/provider/ProviderAdapter.ts"
import { Providers, type TextDelivery } from "../../services/provider/Providers.ts"

class NotPrepared extends Data.TaggedError("NotPrepared")<{ readonly outcome: ProviderOutcome }> {}

const noContact = new NotPrepared({
  outcome: ProviderOutcome.Rejected({
    blame: "recipient",
    providerError: "no contact: this number is not linked to the account"
  })
})

const unusable = (providerError: string) =>
  ProviderOutcome.Rejected({ blame: "configuration", providerError })

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
