import { Effect } from "effect"
import { MAX_STANDBY } from "../../../domain/account/Standby.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { CHANGED, errorSummary, type FieldErrors } from "../forms/FieldErrors.ts"
import { selectField, versionField } from "../forms/Fields.ts"
import { csrfField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { foreign } from "../parts/Text.ts"
import { type AccountRecord, Accounts } from "../../../services/account/Accounts.ts"

const MAX_CANDIDATES = 100

/** The customer's other accounts of the same channel. */
const candidatesOf = Effect.fnUntraced(function* (view: View, { id, channel }: AccountRecord) {
  const accounts = yield* Accounts
  const { items } = yield* accounts.list(view.actor.customerId, {
    limit: MAX_CANDIDATES,
    after: null,
    channel
  })
  return items.filter((each) => each.id !== id)
})

const inOrder = (view: View, standby: ReadonlyArray<number>, others: ReadonlyArray<AccountRecord>): Html => {
  const { say } = view.locale
  const byId = new Map(others.map((each) => [each.id, each]))
  return standby.length === 0
    ? html`<p class="muted">${say("No account takes over for it.", "هیچ حسابی جای آن را نمی‌گیرد.")}</p>`
    : html`<ol class="standby">
        ${standby.map(
          (id) =>
            html`<li>
              <a href="${CHANNELS_PATH}/${id}">${foreign(byId.get(id)?.label ?? String(id))}</a>
            </li>`
        )}
      </ol>`
}

/** The accounts that were chosen, without the empty places. */
export const chosen = (typed: URLSearchParams): ReadonlyArray<number> =>
  Array.from({ length: MAX_STANDBY }, (_, index) => Number(typed.get(`standby.${index}`) ?? "")).filter(
    (id) => Number.isSafeInteger(id) && id > 0
  )

interface ShownForm {
  readonly errors: FieldErrors
  /** Null: nothing was chosen yet. */
  readonly typed: URLSearchParams | null
}

const standbyForm = (
  view: View,
  { id, version, standby = [] }: AccountRecord,
  others: ReadonlyArray<AccountRecord>,
  { errors, typed }: ShownForm
): Html => {
  const { say, number } = view.locale
  const filled = Math.max(standby.length, typed === null ? 0 : chosen(typed).length)
  const places = Math.min(filled + 2, others.length, MAX_STANDBY)
  const shown = new Map(
    [...errors].map(([name, message]) => [name.startsWith("account_ids") ? "standby.0" : name, message])
  )
  const choices = [
    ["", say("None", "هیچ")] as const,
    ...others.map(({ id: other, label }) => [String(other), label] as const)
  ]
  return html`<form class="fields" method="post" action="${CHANNELS_PATH}/${id}/standby">
    ${csrfField(view.csrf)} ${versionField(version, typed, errors)} ${errorSummary(shown, view.locale)}
    ${
      errors.has(CHANGED) &&
      html`<p class="hint">${say("Saved now:", "اکنون ذخیره است:")}</p>
        ${inOrder(view, standby, others)}`
    }
    ${Array.from({ length: places }, (_, index) =>
      selectField({
        name: `standby.${index}`,
        label: say(`Place ${number(index + 1)}`, `جای ${number(index + 1)}`),
        value: typed?.get(`standby.${index}`) ?? String(standby[index] ?? ""),
        choices,
        errors: shown
      })
    )}
    <div><button class="button">${say("Save", "ذخیره")}</button></div>
  </form>`
}

/** The accounts that take over with codes while this one cannot send. */
export const standbyPanel = Effect.fnUntraced(function* (
  view: View,
  account: AccountRecord,
  shown: ShownForm
) {
  const { say } = view.locale
  const others = yield* candidatesOf(view, account)
  const standby = account.standby ?? []
  if (others.length === 0 && standby.length === 0) return null
  return html`<section class="panel" aria-labelledby="standby-title">
    <div class="panel-head"><h2 id="standby-title">${say("Standby accounts", "حساب‌های پشتیبان")}</h2></div>
    <div class="panel-body fields">
      <p class="hint">
        ${say(
          "They send a code in its place, in this order, while it cools down, is at its rate, or is refused.",
          "تا این حساب در استراحت یا در سقف نرخ است یا پذیرفته نمی‌شود، به همین ترتیب کدها را می‌فرستند."
        )}
      </p>
      ${
        view.actor.scope === "full"
          ? standbyForm(view, account, others, shown)
          : inOrder(view, standby, others)
      }
    </div>
  </section>`
})
