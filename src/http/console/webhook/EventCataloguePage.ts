import { Effect } from "effect"
import { eventCatalogue, type CataloguedEvent } from "../../manage/EventCatalogue.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { codeBlock } from "../parts/Code.ts"
import { pageLink } from "../parts/Panels.ts"
import { isolatedText, mono } from "../parts/Text.ts"
import { groupOf, groupText, WEBHOOKS_PATH } from "./WebhooksPage.ts"

/** The token is in the developer's shell: pages show none. */
const commandAt = (baseUrl: string): string =>
  `npx peyk webhook listen --forward http://localhost:3000 --url ${baseUrl} --token $PEYK_TOKEN`

export const CATALOGUE_PATH = `${WEBHOOKS_PATH}/events` as const

const entry = ({ type, when: [english, persian], sample }: CataloguedEvent, locale: Locale): Html =>
  html`<details class="panel-details" id="${type}">
    <summary class="panel-head">
      <div class="event-line">
        <h3>${mono(type)}</h3>
        <span class="muted">${locale.say(english, persian)}</span>
      </div>
    </summary>
    <div class="panel-body">
      ${codeBlock(locale.say("Sample of the request body", "نمونهٔ بدنهٔ درخواست"), JSON.stringify(JSON.parse(sample), null, 2), locale)}
    </div>
  </details>`

const groupPart = (group: string, events: ReadonlyArray<CataloguedEvent>, locale: Locale): Html =>
  html`<section aria-labelledby="group-${group}">
    <h2 class="section-title" id="group-${group}">${groupText(group, locale)}</h2>
    <div class="panel">${events.map((event) => entry(event, locale))}</div>
  </section>`

/** Every event that Peyk posts, with a sample. */
export const showCatalogue = (view: View) => {
  const { locale } = view
  const { say } = locale
  const page: Page = {
    title: say("Event catalogue", "فهرست رویدادها"),
    name: "webhooks",
    lead: html`<a href="${WEBHOOKS_PATH}">${say("Webhooks", "وب‌هوک‌ها")}</a> /
      ${say(
        "Every event that Peyk sends, with a sample of its body.",
        "همهٔ رویدادهایی که پیک می‌فرستد، با نمونهٔ بدنهٔ هر کدام."
      )}`,
    content: html`<section class="panel panel-body stack-tight" aria-labelledby="listen-title">
        <h2 id="listen-title">${say("On your own machine", "روی کامپیوتر خودتان")}</h2>
        <p>
          ${say(
            "While you develop, this command forwards the events of the sandbox to your program:",
            "هنگام برنامه‌نویسی، این فرمان رویدادهای محیط آزمایشی را به برنامهٔ شما می‌رساند:"
          )}
        </p>
        ${codeBlock(say("Command", "فرمان"), commandAt(view.baseUrl), locale)}
        <p class="hint">
          ${say("First set PEYK_TOKEN to one of your tokens: read only is enough.", `اول ${isolatedText("PEYK_TOKEN")} را برابر یکی از توکن‌های خود قرار دهید؛ توکن فقط‌خواندنی کافی است.`)}
          ${pageLink(view, "tokens", say("Tokens", "توکن‌ها"))}
        </p>
      </section>
      ${[...Map.groupBy(eventCatalogue, ({ type }) => groupOf(type))].map(([group, events]) =>
        groupPart(group, events, locale)
      )}`
  }
  return Effect.succeed(page)
}
