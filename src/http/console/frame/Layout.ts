import type { ConsoleSession } from "../../../domain/user/Sessions.ts"
import { LEAVE_PATH, SEARCH_PATH, SIGN_OUT_PATH } from "../ConsolePaths.ts"
import type { NavigationGroup, PageName } from "../Navigation.ts"
import { choices, htmlDocument, icon } from "./Document.ts"
import { documentationLink } from "./DocumentationLink.ts"
import { csrfField } from "../forms/Forms.ts"
import { html, type Html } from "./Html.ts"
import { quoted } from "../parts/Text.ts"
import { notice } from "../parts/Notice.ts"
import { addressWith, type Visit } from "./Visit.ts"

/** The parts of a visit that the layout needs. */
export interface Signed extends Visit {
  readonly session: ConsoleSession
  readonly csrf: string
  /** The pages there are. */
  readonly navigation: ReadonlyArray<NavigationGroup>
}

/** A page as it is shown within the frame. */
export interface Page {
  readonly title: string
  /** The page's entry in the navigation; null: it has none. */
  readonly name: PageName | null
  /** Actions of the page, next to the title. */
  readonly actions?: Html | null
  /** On the title's line: to copy it. */
  readonly beside?: Html
  /** Under the title. */
  readonly lead?: Html | string | null
  readonly content: Html
}

const links = (active: PageName | null, { navigation, locale: { say } }: Signed): ReadonlyArray<Html> =>
  navigation.map(
    ({ english, persian, pages }) =>
      html`<div class="nav-group">
        <p class="nav-title">${say(english, persian)}</p>
        <ul>
          ${pages.map(
            (page) =>
              html`<li>
                <a href="${page.path}" ${page.name === active && html`aria-current="page"`}>
                  ${icon(page.name)}<span>${say(page.english, page.persian)}</span>
                </a>
              </li>`
          )}
        </ul>
      </div>`
  )

const account = ({ session: { user }, csrf, locale: { say } }: Signed): Html =>
  html`<div class="account">
    <p class="account-name">
      <strong>${user.name}</strong>
      ${user.name !== user.email && html`<span dir="ltr" title="${user.email}">${user.email}</span>`}
    </p>
    <form method="post" action="${SIGN_OUT_PATH}">
      ${csrfField(csrf)}<button class="button quiet">
        ${icon("sign-out")}<span>${say("Sign out", "خروج")}</span>
      </button>
    </form>
  </div>`

const nameOf = (id: number, name: string | null, locale: Visit["locale"]): string =>
  name === null ? locale.number(id) : quoted(name, locale)

/** An operator must see that what they do is done in a customer's account. */
const operatorBanner = ({ session: { enteredId, enteredName }, csrf, locale }: Signed): Html | null =>
  enteredId === null
    ? null
    : html`<form class="operator-banner" method="post" action="${LEAVE_PATH}">
        ${csrfField(csrf)}
        <span>
          ${locale.say(
            `You are in the console of ${nameOf(enteredId, enteredName, locale)} as an operator.`,
            `شما به‌عنوان مدیر سامانه در کنسول ${nameOf(enteredId, enteredName, locale)} هستید.`
          )}
        </span>
        <button class="button small">${locale.say("Leave", "خروج از کنسول مشتری")}</button>
      </form>`

/** Whether the whole console shows live sends, or those of the sandbox. */
const modeSwitch = (visit: Signed): Html | null => {
  const { session, mode, locale } = visit
  const { say } = locale
  if (session.user.isOperator === true && session.enteredId === null) return null
  const choice = (name: "live" | "test", label: string) =>
    html`<a
      href="${addressWith(visit, { show: name, mode: null, cursor: null, notice: null })}"
      ${mode === name && html`aria-current="true"`}
      >${label}</a
    >`
  return html`<nav
    class="segments mode-switch ${mode}"
    aria-label="${say("Mode of the console", "حالت کنسول")}"
  >
    ${choice("live", say("Live", "واقعی"))} ${choice("test", say("Sandbox", "آزمایشی"))}
  </nav>`
}

/** A page of its own, and a dialog with the console's script. */
const searchLink = ({ locale: { say } }: Signed): Html =>
  html`<a class="choice search-link" href="${SEARCH_PATH}" data-palette aria-keyshortcuts="Control+K Meta+K">
    ${icon("search")}<span>${say("Search", "جست‌وجو")}</span> <kbd hidden>Ctrl K</kbd>
  </a>`

/** A page of the console for a signed-in user. */
export const layout = (visit: Signed, { title, name, actions, beside, lead, content }: Page): string => {
  const { say } = visit.locale
  const menu = html`<div class="nav-pages">${links(name, visit)}</div>
    ${account(visit)}`
  return htmlDocument(
    visit,
    title,
    html`<body data-who="${visit.session.user.id} ${visit.session.enteredId ?? ""}">
      <a class="skip" href="#main">${say("Skip to content", "رفتن به محتوا")}</a>
      <div class="shell">
        <header class="side">
          <a class="brand" href="/console">${icon("peyk")}<span>${say("Peyk", "پیک")}</span></a>
          <nav class="nav wide-only" aria-label="${say("Main", "اصلی")}">${menu}</nav>
          <details class="nav-drawer">
            <summary>${icon("menu")}<span class="hidden">${say("Menu", "منو")}</span></summary>
            <nav class="nav" aria-label="${say("Menu", "منو")}">${menu}</nav>
          </details>
        </header>
        <main id="main" tabindex="-1">
          ${operatorBanner(visit)}
          <div class="top">
            ${modeSwitch(visit)} ${searchLink(visit)} ${documentationLink(name, visit.locale)}
            ${choices(visit)}
          </div>
          <div class="heading">
            <div>
              ${
                beside === undefined
                  ? html`<h1>${title}</h1>`
                  : html`<div class="title-line">
                      <h1>${title}</h1>
                      ${beside}
                    </div>`
              }
              ${lead != null && html`<p class="lead">${lead}</p>`}
            </div>
            ${actions != null && html`<div class="actions">${actions}</div>`}
          </div>
          ${notice(visit)} ${content}
        </main>
      </div>
    </body>`
  )
}
