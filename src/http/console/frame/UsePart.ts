import type { UsedBy } from "../../../domain/Errors.ts"
import type { PageName } from "../Navigation.ts"
import { pageLink } from "../parts/PageLink.ts"
import { html, type Html } from "./Html.ts"
import type { Signed } from "./Layout.ts"
import type { ConsoleError } from "./Refusals.ts"

interface Use {
  readonly what: readonly [english: string, persian: string]
  readonly todo: readonly [english: string, persian: string]
  /** Where it is used, and the words of the link to it. */
  readonly page: PageName
  readonly below?: string
  readonly link: readonly [english: string, persian: string]
}

const uses: Readonly<Record<UsedBy, Use>> = {
  routing: {
    what: ["Not deleted: the saved order uses it.", "حذف نشد: مسیر ذخیره‌شده از آن استفاده می‌کند."],
    todo: [
      "Take it out of the order, save, and delete it then.",
      "آن را از مسیر بردارید، ذخیره کنید و سپس حذفش کنید."
    ],
    page: "routing",
    link: ["Open the order", "باز کردن مسیر"]
  },
  codes: {
    what: ["Not deleted: a code in progress may still use it.", "حذف نشد: شاید کدی در جریان هنوز لازمش دارد."],
    todo: [
      "Codes end within minutes: try again then. Switch it off first, so that no new code uses it.",
      "کدها ظرف چند دقیقه پایان می‌یابند: پس از آن دوباره امتحان کنید. نخست خاموشش کنید تا کد تازه‌ای از آن نرود."
    ],
    page: "verifications",
    below: "?status=queued",
    link: ["Codes in progress", "کدهای در جریان"]
  },
  messages: {
    what: [
      "Not deleted: a message in progress may still use it.",
      "حذف نشد: شاید پیامی در جریان هنوز لازمش دارد."
    ],
    todo: [
      "Cancel that message, or wait until it is sent. Switch the account off first, so that no new one uses it.",
      "آن پیام را لغو کنید یا صبر کنید تا فرستاده شود. نخست حساب را خاموش کنید تا پیام تازه‌ای از آن نرود."
    ],
    page: "messages",
    below: "?status=queued",
    link: ["Messages in progress", "پیام‌های در جریان"]
  }
}

/** What still needs something that was to be deleted, and what to do; null for other errors. */
export const usePart = (view: Signed, error: ConsoleError): Html | null => {
  const { say } = view.locale
  const usedBy = error._tag === "foreign_form" ? undefined : error.usedBy
  if (usedBy === undefined) return null
  const { what, todo, page, below, link } = uses[usedBy]
  return html`<p><strong>${say(...what)}</strong></p>
    <p class="muted">${say(...todo)}</p>
    <p>${pageLink(view, page, say(...link), below)}</p>`
}
