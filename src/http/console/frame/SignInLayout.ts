import { choices } from "./Document.ts"
import { html, type Html } from "./Html.ts"
import type { Visit } from "./Visit.ts"
import { htmlDocument, icon } from "./Document.ts"

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
