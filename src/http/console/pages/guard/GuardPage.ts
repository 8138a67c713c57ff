import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { adviceOf } from "../../../../domain/guard/GuardReport.ts"
import type { GuardList } from "../../../../domain/guard/GuardSettings.ts"
import { GuardRecords } from "../../../../services/resources/activity/GuardRecords.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import { EntryBody, GuardChangeBody } from "../../../manage/guard/GuardApi.ts"
import { toWireChange } from "../../../manage/guard/GuardSchemas.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { seeOther } from "../../frame/Answers.ts"
import { html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import { showAgain } from "../../frame/forms/ShownAgain.ts"
import { change, page, type View } from "../../frame/SignedRoutes.ts"
import { decodeInput } from "../../../errors/SchemaErrors.ts"
import { typedNumber } from "../../frame/forms/TypedBody.ts"
import { writeAs } from "../../frame/forms/Writes.ts"
import { emptyState } from "../../parts/lists/EmptyState.ts"
import { withNotice } from "../../parts/Notice.ts"
import { alarmTable } from "./AlarmTable.ts"
import { GUARD_PATH, type ShownForm, untouched } from "./GuardForms.ts"
import { entryPanel, fieldOf } from "./EntryLists.ts"
import { settingsForm } from "./GuardSettingsForm.ts"
import { guardTiles } from "./GuardTiles.ts"

const entry = auditEntriesOf("guard")

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

/** The version of the settings that the form was made from; 0: none were saved yet. */
const versionOf = (fields: URLSearchParams): number | null => {
  const version = fields.get("version")
  return version !== null && /^\d{1,9}$/.test(version) ? Number(version) : null
}

const saveSettings = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    const body = yield* decodeInput(GuardChangeBody, {
      mode: fields.get("mode"),
      unverified_hour: typedNumber(fields.get("unverified_hour")),
      sms_price: typedNumber(fields.get("sms_price"))
    })
    const guard = yield* GuardRecords
    const settings = {
      ...(body.mode === undefined ? {} : { mode: body.mode }),
      unverifiedHour: body.unverified_hour ?? null,
      smsPrice: body.sms_price ?? null
    }
    const { customerId } = view.actor
    yield* writeAs(
      view,
      "guard.update",
      Effect.map(guard.save(customerId, settings, versionOf(fields)), (result) => ({
        result,
        audit: entry("save", customerId, toWireChange(settings))
      }))
    )
    return seeOther(withNotice(GUARD_PATH, "saved"))
  }).pipe(
    Effect.catch(showAgain(view, (errors) => showGuard(view, { form: "settings", errors, typed: fields })))
  )

const addEntry = (list: GuardList) => (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    const added = yield* decodeInput(EntryBody, {
      type: fields.get(fieldOf(list, "type")),
      value: fields.get(fieldOf(list, "value"))?.trim()
    })
    const guard = yield* GuardRecords
    const { customerId } = view.actor
    yield* writeAs(
      view,
      "guard.add",
      Effect.map(guard.add(customerId, list, added), (result) => ({
        result,
        audit: entry("add", customerId, { list, type: added.type })
      }))
    )
    return seeOther(withNotice(GUARD_PATH, "saved"))
  }).pipe(Effect.catch(showAgain(view, (errors) => showGuard(view, { form: list, errors, typed: fields }))))

const removeEntry = (list: GuardList) => (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    const removed = yield* decodeInput(EntryBody, { type: fields.get("type"), value: fields.get("value") })
    const guard = yield* GuardRecords
    const { customerId } = view.actor
    yield* writeAs(
      view,
      "guard.remove",
      Effect.map(guard.remove(customerId, list, removed), (result) => ({
        result,
        audit: entry("remove", customerId, { list, type: removed.type })
      }))
    )
    return seeOther(withNotice(GUARD_PATH, "deleted"))
  })

const clearAlarm = Effect.fnUntraced(function* (view: View) {
  const { alarm_id: id = "" } = yield* HttpRouter.params
  const guard = yield* GuardRecords
  yield* writeAs(
    view,
    "guard.clear",
    Effect.map(guard.clear(view.actor.customerId, id), (result) => ({
      result,
      audit: entry("clear", result.id, { reason: result.reason })
    }))
  )
  return seeOther(withNotice(GUARD_PATH, "saved"))
})

/** Protection against pumping, bombing and guessing. */
export const guardPages = {
  name: "guard",
  routes: [
    page(GUARD_PATH, (view) => showGuard(view)),
    change(GUARD_PATH, saveSettings),
    change(`${GUARD_PATH}/allow/add`, addEntry("allow")),
    change(`${GUARD_PATH}/deny/add`, addEntry("deny")),
    change(`${GUARD_PATH}/allow/remove`, removeEntry("allow")),
    change(`${GUARD_PATH}/deny/remove`, removeEntry("deny")),
    change(`${GUARD_PATH}/alarms/:alarm_id/clear`, clearAlarm)
  ]
} as const satisfies ConsolePages
