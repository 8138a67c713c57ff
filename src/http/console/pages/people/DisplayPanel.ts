import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { addressWith } from "../../frame/Visit.ts"
import { facts } from "../../parts/Facts.ts"
import { ltr } from "../../parts/Text.ts"

export const displayPanel = (view: View): Html => {
  const { language, say, zone } = view.locale
  const choice = (changes: Record<string, string>, label: string, isChosen: boolean, lang?: string) =>
    html`<a
      class="button small"
      href="${addressWith(view, { ...changes, notice: null })}"
      ${lang !== undefined && html`lang="${lang}"`}
      ${isChosen && html`aria-current="true"`}
      >${label}</a
    >`
  return html`<section class="panel" aria-labelledby="view-title">
    <div class="panel-head"><h2 id="view-title">${say("Display", "نمایش")}</h2></div>
    <div class="panel-body">
      ${facts([
        [
          say("Language", "زبان"),
          html`<span class="badges">
            ${choice({ lang: "fa" }, "فارسی", language === "fa", "fa")}
            ${choice({ lang: "en" }, "English", language === "en", "en")}
          </span>`
        ],
        [
          say("Theme", "پوسته"),
          html`<span class="badges">
            ${choice({ theme: "light" }, say("Light", "روشن"), view.theme === "light")}
            ${choice({ theme: "dark" }, say("Dark", "تیره"), view.theme === "dark")}
          </span>`
        ],
        [say("Time zone", "منطقهٔ زمانی"), ltr(zone)]
      ])}
    </div>
  </section>`
}
