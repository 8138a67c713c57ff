import { Clock, Effect, Result } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../domain/Errors.ts"
import { isTimePosition, type Page } from "../../../domain/Paging.ts"
import { parseContactPhone, type Phone } from "../../../domain/Phone.ts"
import type { GuardList } from "../../../domain/guard/GuardSettings.ts"
import { bareNumber } from "../../../domain/text/PastedText.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { creating, formAction } from "../forms/ActionForms.ts"
import { NO_REFERRER } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import { pageResponse, seeOther } from "../frame/Responses.ts"
import { change, raw, type View } from "../frame/SignedRoutes.ts"
import { addressWith } from "../frame/Visit.ts"
import { stateBadge } from "../parts/Badge.ts"
import {
  type Column,
  emptyState,
  filters,
  noResults,
  pager,
  pageRequest,
  searchedText,
  searchProblems,
  table
} from "../parts/Lists.ts"
import { withNotice } from "../parts/Notice.ts"
import { phonePath } from "../parts/Phones.ts"
import { isolatedText, phoneNumber } from "../parts/Text.ts"
import { phoneContent } from "./PhonePage.ts"
import { refusedFor, refusedPath } from "./RefusedPhones.ts"
import { addGuardEntry, removeGuardEntry } from "../../../services/guard/GuardActions.ts"
import { erasePhone } from "../../../services/PhoneErasures.ts"
import { type FoundPhone, PhoneRecords } from "../../../services/PhoneRecords.ts"

const PATH = pathOf("phones")

const LAST_FOUR = /^\d{4}$/

/** What the search field of the page holds. */
type Wanted =
  | { readonly phone: Phone }
  | { readonly lastFour: string | undefined }
  | { readonly problem: string }

const wantedIn = ({ query, locale }: View): Wanted => {
  const text = query.get("q") ?? ""
  const digits = bareNumber(text)
  if (digits === "") return { lastFour: undefined }
  if (LAST_FOUR.test(digits)) return { lastFour: digits }
  return Result.match(parseContactPhone(text), {
    onSuccess: (phone): Wanted => ({ phone }),
    onFailure: () => ({
      problem: locale.say(
        "Enter a phone number, or its last four digits.",
        "شمارهٔ موبایل یا چهار رقم آخر آن را وارد کنید."
      )
    })
  })
}

const columnsOf = (view: View, now: number): ReadonlyArray<Column<FoundPhone>> => {
  const { locale } = view
  const { say } = locale
  return [
    {
      header: say("Phone", "شماره"),
      kind: "title",
      cell: ({ phone }) => html`<a class="row-link" href="${phonePath(phone)}">${phoneNumber(phone)}</a>`
    },
    {
      header: say("Last send", "آخرین ارسال"),
      card: "detail",
      cell: ({ kind }) => (kind === "message" ? say("Message", "پیام") : say("Code", "کد"))
    },
    { header: say("Status", "وضعیت"), card: "state", cell: ({ status }) => stateBadge(status, locale) },
    {
      header: say("Time", "زمان"),
      kind: "number",
      card: "time",
      cell: ({ createdAt }) => locale.ago(createdAt, now)
    }
  ]
}

const emptyList = (view: View, { next, searchedTo }: Page<FoundPhone>, wanted: Wanted): Html => {
  const { say } = view.locale
  if (next !== null && searchedTo !== undefined)
    return emptyState(
      say("No results so far", "تا اینجا چیزی پیدا نشد"),
      searchedText(searchedTo, view.locale),
      { href: addressWith(view, { cursor: next }), label: say("Search older", "جست‌وجوی قدیمی‌ترها") }
    )
  if ("problem" in wanted) return noResults(view.locale)
  return "lastFour" in wanted && wanted.lastFour !== undefined
    ? emptyState(
        say("No phones", "شماره‌ای نیست"),
        say(
          `Nothing was sent to a phone that ends in ${wanted.lastFour}.`,
          `به شماره‌ای که به ${isolatedText(wanted.lastFour)} ختم شود چیزی ارسال نشده است.`
        )
      )
    : emptyState(
        say("No phones yet", "هنوز شماره‌ای نیست"),
        say(
          "Phones that you send codes or messages to appear here.",
          "شماره‌هایی که به آن‌ها کد یا پیام می‌فرستید اینجا دیده می‌شوند."
        )
      )
}

const MAX_REFUSALS = 20

const refusedLine = Effect.fnUntraced(function* ({ actor, locale }: View, lastFour: string | undefined) {
  if (lastFour === undefined) return null
  const { items, next } = yield* refusedFor(actor.customerId, lastFour, MAX_REFUSALS)
  if (items.length === 0) return null
  const { say, number } = locale
  const count = `${number(items.length)}${next === null ? "" : "+"}`
  return html`<p class="list-note">
    <a href="${refusedPath(lastFour)}"
      >${say(
        `Refused requests for phones that end in ${lastFour}: ${count}`,
        `درخواست‌های ردشده برای شماره‌هایی که به ${isolatedText(lastFour)} ختم می‌شوند: ${count}`
      )}</a
    >
  </p>`
})

const showPhones = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const wanted = wantedIn(view)
  if ("phone" in wanted) return seeOther(phonePath(wanted.phone))
  const request = yield* pageRequest(view, isTimePosition)
  const found: Page<FoundPhone> =
    "problem" in wanted
      ? { items: [], next: null }
      : yield* (yield* PhoneRecords).list(view.actor.customerId, { ...request, lastFour: wanted.lastFour })
  const { items, next, searchedTo } = found
  const title = say("Phones", "شماره‌ها")
  return pageResponse(view, {
    title,
    name: "phones",
    lead: say(
      "Everything about one phone: codes, messages and refused requests.",
      "همه چیز دربارهٔ یک شماره: کدها، پیام‌ها و درخواست‌های ردشده."
    ),
    content: html`${filters(view, [
        {
          name: "q",
          label: say("Phone, or its last four digits", "شماره یا چهار رقم آخر آن"),
          placeholder: "0912… / 4567",
          isLtr: true,
          isWide: true
        }
      ])}
      ${searchProblems("problem" in wanted ? [wanted.problem] : [])}
      ${yield* refusedLine(view, "lastFour" in wanted ? wanted.lastFour : undefined)}
      <section class="panel" id="phones">
        ${
          items.length === 0
            ? emptyList(view, found, wanted)
            : table(title, columnsOf(view, yield* Clock.currentTimeMillis), items, { isCompact: true })
        }
        ${pager(view, next, searchedTo)}
      </section>`
  })
})

/** The phone in the address, however it is written. */
const phoneInPath = Effect.flatMap(HttpRouter.params, ({ phone = "" }) =>
  Effect.mapError(Effect.fromResult(parseContactPhone(phone)), () => new NotFound())
)

/** No other site learns the phone from the address of the page. */
const showPhone = Effect.fnUntraced(function* (view: View) {
  const phone = yield* phoneInPath
  const address = phonePath(phone)
  if (view.path !== address) return seeOther(addressWith({ path: address, query: view.query }, {}))
  return pageResponse(view, yield* phoneContent(view, phone), { headers: NO_REFERRER })
})

const submitted = (fields: URLSearchParams) => ({ type: "phone", value: fields.get("phone") })

const addTo = (list: GuardList) =>
  formAction(addGuardEntry, {
    target: Effect.succeed(list),
    input: submitted,
    done: (view) => seeOther(withNotice(view.path, "saved"))
  })

const removeFrom = (list: GuardList) =>
  formAction(removeGuardEntry, {
    target: Effect.succeed(list),
    input: submitted,
    done: (view) => seeOther(withNotice(view.path, "deleted"))
  })

const erase = formAction(erasePhone, {
  target: creating,
  input: (fields) => ({ phone: fields.get("phone") }),
  done: () => seeOther(withNotice(PATH, "erased"))
})

/** All that is known of one phone. */
export const phonePages = {
  name: "phones",
  routes: [
    raw(PATH, showPhones),
    raw(`${PATH}/:phone`, showPhone),
    change(`${PATH}/:phone/deny/add`, addTo("deny")),
    change(`${PATH}/:phone/deny/remove`, removeFrom("deny")),
    change(`${PATH}/:phone/allow/add`, addTo("allow")),
    change(`${PATH}/:phone/allow/remove`, removeFrom("allow")),
    change(`${PATH}/:phone/erase`, erase)
  ]
} as const satisfies ConsolePages
