import { html, type Html } from "../frame/Html.ts"
import type { Signed } from "../frame/Layout.ts"
import { type PageName, pathOf } from "../Navigation.ts"

/** A link to a page, or below it; only the words where the page is not served. */
export const pageLink = (
  { navigation }: Pick<Signed, "navigation">,
  name: PageName,
  words: string | Html,
  below = ""
): Html =>
  navigation.some(({ pages }) => pages.some((page) => page.name === name))
    ? html`<a href="${pathOf(name)}${below}">${words}</a>`
    : html`${words}`
