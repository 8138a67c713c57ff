import { ERASED_PHONE } from "../../../domain/Phone.ts"
import { pathOf } from "../Navigation.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { phonePart } from "./Text.ts"

/** The page of all that is known of a phone. */
export const phonePath = (phone: string): string => `${pathOf("phones")}/${phone}`

const hasPage = (phone: string): boolean => phone !== ERASED_PHONE

/** A phone that leads to its page. */
export const phoneLink = (phone: string, { locale }: Pick<View, "locale">): Html =>
  hasPage(phone)
    ? html`<a href="${phonePath(phone)}">${phonePart(phone, locale)}</a>`
    : html`${phonePart(phone, locale)}`

/** Next to a phone that leads elsewhere. */
export const phoneMark = (phone: string, { locale: { say } }: Pick<View, "locale">): Html | null =>
  hasPage(phone)
    ? html`<a
        class="phone-mark"
        href="${phonePath(phone)}"
        title="${say("All of this phone", "همهٔ این شماره")}"
        >${icon("phones")}<span class="hidden">${say("All of this phone", "همهٔ این شماره")}</span></a
      >`
    : null
