import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { adviceOf } from "../../../../domain/guard/Alarm.ts"
import type { GuardList } from "../../../../domain/guard/GuardSettings.ts"
import { GuardRecords } from "../../../../services/guard/GuardRecords.ts"
import {
  addGuardEntry,
  changeGuard,
  clearAlarm,
  removeGuardEntry
} from "../../../../services/guard/GuardActions.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { seeOther } from "../../frame/Answers.ts"
import { html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import { creating, formAction } from "../../frame/forms/ActionForms.ts"
import { change, page, type View } from "../../frame/SignedRoutes.ts"
import { typedNumber } from "../../frame/forms/TypedBody.ts"
import { emptyState } from "../../parts/lists/EmptyState.ts"
import { withNotice } from "../../parts/Notice.ts"
import { alarmTable } from "./AlarmTable.ts"
import { entryPanel, fieldOf, GUARD_PATH, settingsForm, type ShownForm, untouched } from "./GuardForms.ts"
import { guardTiles } from "./GuardTiles.ts"

const SHOWN_ALARMS = 20

/** Which form of the page was refused, with what was typed. */
interface Refused extends ShownForm {
  readonly form: "settings" | GuardList
}

const showGuard = (view: View, refused: Refused | null = null) =>
  Effect.gen(function* () {
    const { say } = view.locale
    const guard = yield* GuardRecords
    const { customerId } = view.actor
    const saved = yield* guard.settings(customerId)
    const days = yield* guard.days(customerId)
    const { items } = yield* guard.alarms(customerId, { limit: SHOWN_ALARMS, after: null })
    const shown = (form: Refused["form"]): ShownForm => (refused?.form === form ? refused : untouched)
    const made: Page = {
      title: say("Guard", "نگهبان"),
      name: "guard",
      lead: say(
        "Stops scripts that waste your wallet, flood phones or guess codes.",
        "اسکریپت‌هایی را که کیف پول را هدر می‌دهند، تلفن‌ها را بمباران می‌کنند یا کد حدس می‌زنند متوقف می‌کند."
      ),
      content: html`${guardTiles(saved, adviceOf(days), days, view)}
        <section class="panel">
          <h2 class="panel-body">${say("Alarms", "هشدارها")}</h2>
          ${
            items.length > 0
              ? alarmTable(items, view)
              : emptyState(
                  say("No alarm yet", "هنوز هشداری نیست"),
                  say(
                    "Send client.ip with each code, so that the guard can tell an attacker from your users.",
                    "با هر کد client.ip را بفرستید تا نگهبان مهاجم را از کاربران شما بازشناسد."
                  ),
                  null
                )
          }
        </section>
        ${settingsForm(saved, shown("settings"), view)}
        ${entryPanel("allow", yield* guard.entries(customerId, "allow"), view, shown("allow"))}
        ${entryPanel("deny", yield* guard.entries(customerId, "deny"), view, shown("deny"))}`
    }
    return made
  })

const submitSettings = formAction(changeGuard, {
  target: creating,
  input: (fields) => ({
    mode: fields.get("mode"),
    unverified_hour: typedNumber(fields.get("unverified_hour")),
    sms_price: typedNumber(fields.get("sms_price"))
  }),
  done: () => seeOther(withNotice(GUARD_PATH, "saved")),
  again: (view, typed, errors) => showGuard(view, { form: "settings", errors, typed })
})

const submitEntry = (list: GuardList) =>
  formAction(addGuardEntry, {
    target: Effect.succeed(list),
    input: (fields) => ({
      type: fields.get(fieldOf(list, "type")),
      value: fields.get(fieldOf(list, "value"))?.trim()
    }),
    done: () => seeOther(withNotice(GUARD_PATH, "saved")),
    again: (view, typed, errors) => showGuard(view, { form: list, errors, typed })
  })

const submitRemoval = (list: GuardList) =>
  formAction(removeGuardEntry, {
    target: Effect.succeed(list),
    input: (fields) => ({ type: fields.get("type"), value: fields.get("value") }),
    done: () => seeOther(withNotice(GUARD_PATH, "deleted"))
  })

const submitClearing = formAction(clearAlarm, {
  target: Effect.map(HttpRouter.params, ({ alarm_id = "" }) => alarm_id),
  done: () => seeOther(withNotice(GUARD_PATH, "saved"))
})

/** Protection against pumping, bombing and guessing. */
export const guardPages = {
  name: "guard",
  routes: [
    page(GUARD_PATH, (view) => showGuard(view)),
    change(GUARD_PATH, submitSettings),
    change(`${GUARD_PATH}/allow/add`, submitEntry("allow")),
    change(`${GUARD_PATH}/deny/add`, submitEntry("deny")),
    change(`${GUARD_PATH}/allow/remove`, submitRemoval("allow")),
    change(`${GUARD_PATH}/deny/remove`, submitRemoval("deny")),
    change(`${GUARD_PATH}/alarms/:alarm_id/clear`, submitClearing)
  ]
} as const satisfies ConsolePages
