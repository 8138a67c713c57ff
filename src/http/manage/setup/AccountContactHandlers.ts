import { Effect } from "effect"
import { NotFound } from "../../../domain/Errors.ts"
import { formatInstant } from "../../../domain/Instant.ts"
import { parseContactPhone } from "../../../domain/Phone.ts"
import { contactsEntry } from "../../../services/resources/accounts/AccountWrites.ts"
import { Contacts } from "../../../services/resources/accounts/Contacts.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import { makeWrite, nestedPageRequest, toNestedWirePage } from "../wire/ManageWire.ts"
import { type OfAccount, toLinks } from "../wire/SetUpWire.ts"
import type { ContactsBody } from "./AccountsApi.ts"

type PageQuery = Parameters<typeof nestedPageRequest>[2]

/** The handlers of the phones that an account's bot reaches. */
export const makeContactHandlers = Effect.gen(function* () {
  const contacts = yield* Contacts
  const write = yield* makeWrite

  return {
    contacts: Effect.fnUntraced(function* ({ params, query }: OfAccount & { readonly query: PageQuery }) {
      const { actor } = yield* CurrentActor
      return yield* nestedPageRequest("contacts", params.id, query).pipe(
        Effect.flatMap((part) => contacts.list(actor.customerId, params.id, part)),
        Effect.map((page) =>
          toNestedWirePage("contacts", params.id, page, ({ phone, chatId, linkedAt }) => ({
            phone,
            chat_id: chatId,
            linked_at: formatInstant(linkedAt)
          }))
        ),
        orEnvelope
      )
    }),

    importContacts: ({ params, payload }: OfAccount & { readonly payload: typeof ContactsBody.Type }) =>
      write(
        { operation: "contacts.import", status: 200 },
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const links = yield* Effect.fromResult(toLinks(payload))
          const imported = yield* contacts.link(actor.customerId, params.id, links)
          return {
            body: { imported },
            audit: contactsEntry("import", params.id, { imported })
          }
        })
      ).pipe(orEnvelope),

    removeContact: ({ params }: { readonly params: { readonly id: number; readonly phone: string } }) =>
      write(
        { operation: "contacts.remove", status: 204 },
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const phone = yield* Effect.mapError(
            Effect.fromResult(parseContactPhone(params.phone)),
            () => new NotFound()
          )
          const isRemoved = yield* contacts
            .remove(actor.customerId, params.id, phone)
            .pipe(Effect.catchTag("conflict", () => Effect.succeed(false)))
          if (!isRemoved) return yield* new NotFound()
          return { body: null, audit: contactsEntry("remove", params.id) }
        })
      ).pipe(orEnvelope)
  }
})
