import { Effect } from "effect"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { SEARCH_PATH } from "../ConsolePaths.ts"
import { pathOf } from "../Navigation.ts"
import { NO_REFERRER } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import { pageResponse } from "../frame/Responses.ts"
import { raw, type View } from "../frame/SignedRoutes.ts"
import { emptyState, filters } from "../parts/Lists.ts"
import { isolated, isolatedText } from "../parts/Text.ts"
import { mayPerform } from "../../../services/Action.ts"
import { CustomerRecords } from "../../../services/customer/CustomerRecords.ts"
import { findHits, hasWords, type Hit, type Wanted, wantedIn } from "./SearchHits.ts"

type Access = Parameters<typeof mayPerform>[1]

/** What people do, with the words by which they look for it. */
const actions: ReadonlyArray<{
  readonly path: string
  readonly access: Access
  readonly english: string
  readonly persian: string
}> = [
  {
    path: `${pathOf("channels")}/connect`,
    access: "writer",
    english: "Connect an account",
    persian: "اتصال حساب"
  },
  { path: `${pathOf("keys")}/new`, access: "writer", english: "Create an API key", persian: "ساخت کلید API" },
  { path: `${pathOf("tokens")}/new`, access: "owner", english: "Create a token", persian: "ساخت توکن" },
  {
    path: `${pathOf("templates")}/new`,
    access: "writer",
    english: "Create a template",
    persian: "ساخت قالب"
  },
  { path: `${pathOf("webhooks")}/new`, access: "writer", english: "Add a webhook", persian: "افزودن وب‌هوک" },
  { path: `${pathOf("users")}/new`, access: "owner", english: "Invite a user", persian: "دعوت کاربر" },
  {
    path: `${pathOf("routing")}/history`,
    access: "anyone",
    english: "History of the routing",
    persian: "تاریخچهٔ ترتیب ارسال"
  },
  {
    path: `${pathOf("wallet")}/statement`,
    access: "anyone",
    english: "Monthly statement",
    persian: "صورت‌حساب ماه"
  },
  {
    path: `${pathOf("verifications")}?status=failed`,
    access: "anyone",
    english: "Failed codes",
    persian: "کدهای ناموفق"
  },
  {
    path: `${pathOf("requests")}?outcome=refused`,
    access: "anyone",
    english: "Refused requests",
    persian: "درخواست‌های ردشده"
  }
]

const isBelow = (path: string, page: string): boolean =>
  path === page || path.startsWith(`${page}/`) || path.startsWith(`${page}?`)

const actionHits = ({ navigation, actor, locale: { say } }: View, wanted: Wanted): ReadonlyArray<Hit> =>
  actions
    .filter(
      ({ path, access, english, persian }) =>
        mayPerform(actor, access) &&
        navigation.some(({ pages }) => pages.some((page) => isBelow(path, page.path))) &&
        hasWords(wanted, english, persian)
    )
    .map(({ path, english, persian }) => ({
      href: path,
      kind: say("Action", "کار"),
      title: say(english, persian)
    }))

const pageHits = ({ navigation, locale: { say } }: View, wanted: Wanted): ReadonlyArray<Hit> =>
  navigation.flatMap(({ english: group, persian: persianGroup, pages }) =>
    pages
      .filter(({ english, persian, name }) => hasWords(wanted, english, persian, name, group, persianGroup))
      .map(({ path, english, persian }) => ({
        href: path,
        kind: say("Page", "صفحه"),
        title: say(english, persian)
      }))
  )

/** For an operator who has entered no customer: the customers. */
const customerHits = Effect.fnUntraced(function* ({ locale: { say, number } }: View, wanted: Wanted) {
  if (wanted.folded === "") return []
  const all = yield* CustomerRecords.use(({ list }) => list)
  return all
    .filter(({ id, name }) => String(id) === wanted.folded || hasWords(wanted, name))
    .slice(0, 20)
    .map(({ id, name }): Hit => ({
      href: `${pathOf("customers")}/${id}`,
      kind: `${say("Customer", "مشتری")} ${number(id)}`,
      title: isolated(name)
    }))
})

const hitsList = (hits: ReadonlyArray<Hit>): Html =>
  html`<ul class="hits">
    ${hits.map(
      ({ href, kind, title }) =>
        html`<li>
          <a href="${href}" data-hit><span>${title}</span> <span class="muted">${kind}</span></a>
        </li>`
    )}
  </ul>`

/** The page of the search. The palette of the console's script shows the same results. */
const showSearch = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const wanted = wantedIn(view)
  const isPlatform = view.actor.customerId === PLATFORM
  const own = isPlatform ? yield* customerHits(view, wanted) : yield* findHits(view, wanted)
  const hits = [...own, ...actionHits(view, wanted), ...pageHits(view, wanted)]
  return pageResponse(
    view,
    {
      title: say("Search", "جست‌وجو"),
      name: null,
      lead: say(
        "A phone, its last four digits, an id of any kind, a name, a page or an action.",
        "شماره، چهار رقم آخر آن، هر شناسه‌ای، یک نام، صفحه یا کار."
      ),
      content: html`${filters(view, [
          {
            name: "q",
            label: say("Search for", "جست‌وجوی"),
            placeholder: isolatedText(say("0912… / 019c… / routing", "0912… / 019c… / ترتیب ارسال")),
            isWide: true
          }
        ])}
        <section class="panel" id="search-results" aria-label="${say("Results", "نتیجه‌ها")}">
          ${
            hits.length > 0
              ? hitsList(hits)
              : emptyState(
                  say("Nothing found", "چیزی پیدا نشد"),
                  say(
                    "Enter a complete phone or its last four digits, a complete id, or a part of a name.",
                    "شمارهٔ کامل یا چهار رقم آخر آن، شناسهٔ کامل، یا بخشی از یک نام را وارد کنید."
                  )
                )
          }
        </section>`
    },
    { headers: NO_REFERRER }
  )
})

/** Finds everything that has a page. */
export const searchPages = {
  name: null,
  routes: [raw(SEARCH_PATH, showSearch)]
} as const satisfies ConsolePages
