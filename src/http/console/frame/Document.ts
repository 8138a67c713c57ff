import { assetPath, CONSOLE_HEADERS } from "../ConsoleAssets.ts"
import { html, type Html } from "./Html.ts"
import { addressWith, type Visit } from "./Visit.ts"

/** For a page whose address or content lets somebody in: no other request may name it. */
export const NO_REFERRER = { "referrer-policy": "no-referrer" }

/** Pages show a customer's data, and sometimes a secret. */
export const PAGE_HEADERS = { ...CONSOLE_HEADERS, "cache-control": "no-store" }

/** A drawing of the console's sprite; the words next to it say the same. */
export const icon = (name: string): Html =>
  html`<svg class="icon" aria-hidden="true" focusable="false">
    <use href="${assetPath("icons.svg")}#${name}"></use>
  </svg>`

/** Links that change the language and the theme of the page one is on. */
export const choices = (visit: Visit): Html => {
  const { language, say } = visit.locale
  const other = language === "fa" ? "en" : "fa"
  const theme = (name: "light" | "dark", label: string) =>
    html`<a class="choice to-${name}" href="${addressWith(visit, { theme: name })}" title="${label}">
      ${icon(name === "dark" ? "moon" : "sun")}<span class="hidden">${label}</span>
    </a>`
  return html`<div class="choices">
    <a class="choice" href="${addressWith(visit, { lang: other })}" lang="${other}" hreflang="${other}">
      ${other === "fa" ? "فارسی" : "English"}
    </a>
    ${theme("dark", say("Dark theme", "حالت تیره"))} ${theme("light", say("Light theme", "حالت روشن"))}
  </div>`
}

/** A whole HTML document. */
export const htmlDocument = (visit: Visit, title: string, body: Html): string => {
  const { locale, theme } = visit
  return `<!doctype html>\n${html`<html
    lang="${locale.language}"
    dir="${locale.direction}"
    data-theme="${theme ?? "system"}"
    data-address="${addressWith(visit, {})}"
  >
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title} · ${locale.say("Peyk", "پیک")}</title>
      <link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml" />
      <link rel="stylesheet" href="${assetPath("console.css")}" />
      <script type="module" src="${assetPath("console.js")}"></script>
    </head>
    ${body}
  </html>`}`
}

/** A page for visitors who are not signed in: one card in the middle. */
export const signInDocument = (visit: Visit, title: string, card: Html): string =>
  htmlDocument(
    visit,
    title,
    html`<body class="plain">
      <main class="card-page">
        <div class="card-brand">${icon("peyk")}<span>${visit.locale.say("Peyk", "پیک")}</span></div>
        <div class="card">
          <h1>${title}</h1>
          ${card}
        </div>
        ${choices(visit)}
      </main>
    </body>`
  )
