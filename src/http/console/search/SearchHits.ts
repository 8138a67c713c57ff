import { Effect, Result } from "effect"
import { formatTimePosition, idAfter, isIdPosition } from "../../../domain/Paging.ts"
import { parseContactPhone } from "../../../domain/Phone.ts"
import { isUuid } from "../../../domain/Uuid.ts"
import { bareNumber, foldDigits, pasted } from "../../../domain/text/PastedText.ts"
import { pathOf } from "../Navigation.ts"
import type { Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { stateText } from "../parts/Badge.ts"
import { eventAnchor } from "../runs/RunParts.ts"
import { rowId } from "../parts/Lists.ts"
import { phonePath } from "../parts/Phones.ts"
import { refusedFor, refusedPath } from "../phone/RefusedPhones.ts"
import { isolated, isolatedText, ltr, mono, shortId } from "../parts/Text.ts"
import { AuditLog } from "../../../services/activity/AuditLog.ts"
import { RequestLog, RequestRecords } from "../../../services/activity/RequestLog.ts"
import { Accounts } from "../../../services/account/Accounts.ts"
import { Keys } from "../../../services/key/Keys.ts"
import { Tokens } from "../../../services/key/Tokens.ts"
import { MessageRecords } from "../../../services/message/MessageRecords.ts"
import { TemplateRecords } from "../../../services/message/Templates.ts"
import { PhoneRecords } from "../../../services/PhoneRecords.ts"
import { Users } from "../../../services/user/Users.ts"
import { VerificationRecords } from "../../../services/verification/VerificationRecords.ts"
import { Wallets } from "../../../services/Wallets.ts"
import { Webhooks } from "../../../services/webhook/Webhooks.ts"

/** Something that a search found, with its page. */
export interface Hit {
  readonly href: string
  readonly kind: string
  readonly title: Html | string
}

/** What somebody searches for, as it is compared. */
export interface Wanted {
  readonly text: string
  /** In small letters. */
  readonly folded: string
}

const MAX_TEXT = 200
/** Things of one kind that are compared by name. */
const MAX_COMPARED = 100
const MAX_OF_KIND = 5
const LAST_FOUR = /^\d{4}$/
/** The form of a request's id; that of a verification has it too. */
const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/

export const wantedIn = ({ query }: View): Wanted => {
  const text = pasted(query.get("q") ?? "").slice(0, MAX_TEXT)
  return { text, folded: foldDigits(text).toLowerCase() }
}

/** Whether each of the words is somewhere in a text. */
export const hasWords = ({ folded }: Wanted, ...texts: ReadonlyArray<string>): boolean => {
  const all = texts.join(" ").toLowerCase()
  return folded.split(/\s+/).every((word) => all.includes(word))
}

/** What is not there, or is another customer's, is not found. */
const orNone = <A, R>(find: Effect.Effect<A, unknown, R>, toHits: (found: A) => ReadonlyArray<Hit>) =>
  Effect.match(find, { onFailure: (): ReadonlyArray<Hit> => [], onSuccess: toHits })

/** The requests of phones with these last four digits that were refused: the log has no more of a phone. */
const refusalsHit = Effect.fnUntraced(function* (view: View, lastFour: string) {
  const { say } = view.locale
  const { items } = yield* refusedFor(view.actor.customerId, lastFour, 1)
  return items.map((): Hit => ({
    href: refusedPath(lastFour),
    kind: say("Requests", "درخواست‌ها"),
    title: say(`Refused: ••• ${lastFour}`, `ردشده: ${isolatedText(`••• ${lastFour}`)}`)
  }))
})

const phoneHits = Effect.fnUntraced(function* (view: View, { text }: Wanted) {
  const { say } = view.locale
  const phone = parseContactPhone(text)
  if (Result.isSuccess(phone)) {
    return [
      {
        href: phonePath(phone.success),
        kind: say("Phone", "شماره"),
        title: ltr(phone.success)
      }
    ] satisfies ReadonlyArray<Hit>
  }
  const lastFour = bareNumber(text)
  if (!LAST_FOUR.test(lastFour)) return []
  const { list } = yield* PhoneRecords
  const { items } = yield* list(view.actor.customerId, { lastFour, limit: MAX_OF_KIND, after: null })
  const phones = [...new Set(items.map(({ phone: found }) => found))].map((found): Hit => ({
    href: phonePath(found),
    kind: say("Phone", "شماره"),
    title: ltr(found)
  }))
  return [...phones, ...(yield* refusalsHit(view, lastFour))]
})

const isAbout = (type: string, area: "verification" | "message"): boolean => type.startsWith(`${area}.`)

/** An event has its page where it was delivered, or that of what it is about. */
const eventHits = Effect.fnUntraced(function* (view: View, id: string) {
  const { say } = view.locale
  const { findEvent } = yield* Webhooks
  return yield* orNone(findEvent(view.actor.customerId, id), ({ type, subject, endpointId }) => {
    const hit = (href: string): ReadonlyArray<Hit> => [
      { href, kind: say("Event", "رویداد"), title: mono(`${type} ${id.slice(0, 8)}…`) }
    ]
    if (endpointId !== null) return hit(`${pathOf("webhooks")}/${endpointId}/events/${id}`)
    if (isAbout(type, "verification")) return hit(`${pathOf("verifications")}/${subject}#${eventAnchor(id)}`)
    return isAbout(type, "message") ? hit(`${pathOf("messages")}/${subject}#${eventAnchor(id)}`) : []
  })
})

/** The ledger, with the page on which this entry is the first. */
const ledgerHits = Effect.fnUntraced(function* (view: View, id: string) {
  const { say } = view.locale
  const { entryAt } = yield* Wallets
  return yield* orNone(entryAt(view.actor.customerId, id), (at) => [
    {
      href: `${pathOf("wallet")}?cursor=${formatTimePosition({ at, id: idAfter(id) })}#${rowId(id)}`,
      kind: say("Ledger entry", "تراکنش"),
      title: shortId(id)
    }
  ])
})

/** Codes and messages, live and of the sandbox, and what else has a UUID. */
const uuidHits = Effect.fnUntraced(function* (view: View, { folded: id }: Wanted) {
  const { customerId } = view.actor
  const { say } = view.locale
  if (!isUuid(id)) return []
  const [codes, messages, audit, users] = [
    yield* VerificationRecords,
    yield* MessageRecords,
    yield* AuditLog,
    yield* Users
  ]
  const sent = (page: "verifications" | "messages", kind: string) => (): ReadonlyArray<Hit> => [
    { href: `${pathOf(page)}/${id}`, kind, title: shortId(id) }
  ]
  const asCode = sent("verifications", say("Code", "کد"))
  const asMessage = sent("messages", say("Message", "پیام"))
  const found = yield* Effect.all([
    orNone(codes.find(customerId, id, "live"), asCode),
    orNone(codes.find(customerId, id, "test"), asCode),
    orNone(messages.find(customerId, id, "live"), asMessage),
    orNone(messages.find(customerId, id, "test"), asMessage),
    orNone(audit.find(customerId, id), () => [
      { href: `${pathOf("audit")}/${id}`, kind: say("Change", "تغییر"), title: shortId(id) }
    ]),
    view.actor.isOwner
      ? orNone(users.find(customerId, id), ({ name }) => [
          { href: `${pathOf("users")}/${id}`, kind: say("User", "کاربر"), title: isolated(name) }
        ])
      : Effect.succeed([]),
    eventHits(view, id),
    ledgerHits(view, id)
  ])
  return found.flat()
})

const requestHits = Effect.fnUntraced(function* (view: View, { text }: Wanted) {
  if (!REQUEST_ID.test(text) || !/\d/.test(text)) return []
  yield* (yield* RequestLog).flush
  const records = yield* RequestRecords
  const { items } = yield* records.list(view.actor.customerId, { id: text, limit: MAX_OF_KIND, after: null })
  return items.map(({ id, method, route, status }): Hit => ({
    href: `${pathOf("requests")}/${id}`,
    kind: view.locale.say("Request", "درخواست"),
    title: mono(`${method} ${route} ${status}`)
  }))
})

/** A thing with a number and names, of which a customer has few. */
interface Named {
  readonly id: number | string
  readonly kind: string
  readonly title: string
  readonly href: string
  readonly words: ReadonlyArray<string>
}

const everythingNamed = Effect.fnUntraced(function* (view: View) {
  const { customerId } = view.actor
  const { say } = view.locale
  const page = { limit: MAX_COMPARED, after: null }
  const all = yield* Effect.all([
    Effect.map((yield* Accounts).list(customerId, page), ({ items }) =>
      items.map(({ id, label, channel, provider }): Named => ({
        id,
        kind: say("Account", "حساب"),
        title: label,
        href: `${pathOf("channels")}/${id}`,
        words: [label, channel, provider]
      }))
    ),
    Effect.map((yield* TemplateRecords).list(customerId, page), ({ items }) =>
      items.map(({ id, name }): Named => ({
        id,
        kind: say("Template", "قالب"),
        title: name,
        href: `${pathOf("templates")}/${id}`,
        words: [name]
      }))
    ),
    Effect.map((yield* Keys).list(customerId, page), ({ items }) =>
      items.map(({ id, name, prefix, lastFour, mode }): Named => ({
        id,
        kind: say("API key", "کلید API"),
        title: `${name} · ${stateText(mode, view.locale)}`,
        href: `${pathOf("keys")}/${id}`,
        words: [name, prefix, lastFour]
      }))
    ),
    Effect.map((yield* Tokens).list(customerId, page), ({ items }) =>
      items.map(({ id, name, prefix, lastFour }): Named => ({
        id,
        kind: say("Token", "توکن"),
        title: name ?? prefix,
        href: pathOf("tokens"),
        words: [name ?? "", prefix, lastFour]
      }))
    ),
    Effect.map((yield* Webhooks).list(customerId, page), ({ items }) =>
      items.map(({ id, url }): Named => ({
        id,
        kind: say("Webhook", "وب‌هوک"),
        title: isolatedText(url),
        href: `${pathOf("webhooks")}/${id}`,
        words: [url]
      }))
    ),
    // Only owners see users.
    view.actor.isOwner
      ? Effect.map((yield* Users).list(customerId, page), ({ items }) =>
          items.map(({ id, name, email }): Named => ({
            id,
            kind: say("User", "کاربر"),
            title: `${name} · ${isolatedText(email)}`,
            href: `${pathOf("users")}/${id}`,
            words: [name, email]
          }))
        )
      : Effect.succeed([])
  ])
  return all.flat()
})

const namedHits = Effect.fnUntraced(function* (view: View, wanted: Wanted) {
  const { folded } = wanted
  const number = isIdPosition(folded) ? folded : null
  const all = yield* everythingNamed(view)
  const found = all.filter(({ id, words }) => String(id) === number || hasWords(wanted, ...words))
  const byKind = Map.groupBy(found, ({ kind }) => kind)
  return [...byKind.values()].flatMap((some) =>
    some.slice(0, MAX_OF_KIND).map(({ kind, title, href, id }): Hit => ({
      href,
      kind: typeof id === "number" ? `${kind} ${view.locale.number(id)}` : kind,
      title: isolated(title)
    }))
  )
})

/** Whether a hit leads to a page that this visitor has. */
const isServed =
  ({ navigation }: View) =>
  ({ href }: Hit): boolean =>
    navigation.some(({ pages }) =>
      pages.some(({ path }) => href === path || href.startsWith(`${path}/`) || href.startsWith(`${path}?`))
    )

/** What a customer has by this name, number, id or phone; nothing of another customer is found. */
export const findHits = Effect.fnUntraced(function* (view: View, wanted: Wanted) {
  if (wanted.folded === "") return []
  const found = yield* Effect.all([
    phoneHits(view, wanted),
    uuidHits(view, wanted),
    requestHits(view, wanted),
    namedHits(view, wanted)
  ])
  const byAddress = new Map(found.flat().map((hit) => [`${hit.kind} ${hit.href}`, hit]))
  return [...byAddress.values()].filter(isServed(view))
})
