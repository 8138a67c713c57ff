import { Clock, Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { Instant } from "../../domain/Instant.ts"
import { isUuidPosition } from "../../domain/Paging.ts"
import { type GuardDay, type GuardTotals, totalsOf } from "../../domain/guard/Alarm.ts"
import type { GuardList } from "../../domain/guard/GuardSettings.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { showAlarm } from "./GuardAlarmPage.ts"
import { alarmTable, type NamedGroup, readSubject } from "./GuardAlarms.ts"
import { empty, entryPanel, fieldOf, GUARD_PATH, settingsForm, type ShownForm } from "./GuardForms.ts"
import { daysChart, type GuardFigures, modeInForce, modeStory } from "./GuardStory.ts"
import { creating, formAction } from "./forms/ActionForms.ts"
import { submittedNumber } from "./forms/Forms.ts"
import { seeOther } from "./frame/Responses.ts"
import { html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { change, page, type View } from "./frame/SignedRoutes.ts"
import { emptyState, pager, pageRequest } from "./parts/Lists.ts"
import { withNotice } from "./parts/Notice.ts"
import { tiles } from "./parts/Panels.ts"
import {
  addGuardEntry,
  changeGuard,
  clearAlarm,
  removeGuardEntry
} from "../../services/guard/GuardActions.ts"
import { GuardRecords, type SavedGuard } from "../../services/guard/GuardRecords.ts"

/** Messengers have their price; an SMS has one if the customer said so. */
const savedRials = ({ smsPrice }: SavedGuard, totals: GuardTotals, { locale }: View) => {
  const { say, rials } = locale
  const saved = totals.flaggedCharges + totals.flaggedSms * (smsPrice ?? 0)
  return smsPrice === null
    ? say(`${rials(saved)} on messengers`, `${rials(saved)} در پیام‌رسان‌ها`)
    : rials(saved)
}

const guardTiles = (saved: SavedGuard, days: ReadonlyArray<GuardDay>, view: View) => {
  const { say, number } = view.locale
  const totals = totalsOf(days)
  return tiles([
    {
      label: say("Refused in 30 days", "ردشده در ۳۰ روز"),
      value: number(totals.refused),
      note: say(`and ${number(totals.denied)} by the deny list`, `و ${number(totals.denied)} با فهرست ممنوع`)
    },
    {
      label: say("Would be refused", "در حالت مسدودسازی رد می‌شد"),
      value: number(totals.flagged),
      note: say(
        `${number(totals.flaggedVerified)} of them verified`,
        `${number(totals.flaggedVerified)} تا تأیید شد`
      )
    },
    {
      label: say("Would be saved", "صرفه‌جویی ممکن"),
      value: say(`${number(totals.flaggedSms)} SMS`, `${number(totals.flaggedSms)} پیامک`),
      note: savedRials(saved, totals, view)
    },
    {
      label: say("Codes evaluated", "کدهای بررسی‌شده"),
      value: number(totals.codes),
      note: say("in 30 days", "در ۳۰ روز")
    }
  ])
}

/** Which form of the page was refused, with what was typed. */
interface Refused extends ShownForm {
  readonly form: "settings" | GuardList
}

const alarmsPanel = Effect.fnUntraced(function* (view: View, now: Instant) {
  const { locale } = view
  const { say } = locale
  const request = yield* pageRequest(view, isUuidPosition)
  const { items, next } = yield* (yield* GuardRecords).alarmGroups(view.actor.customerId, request)
  const named = yield* Effect.forEach(items, (group) =>
    Effect.map(readSubject(group.newest, locale), (subject): NamedGroup => [group, subject])
  )
  const none = emptyState(
    say("No alarms yet", "هنوز هشداری نیست"),
    say(
      "Send client.ip with each code so that the guard can tell attackers from your users.",
      "با هر کد client.ip را بفرستید تا نگهبان مهاجم را از کاربران شما تشخیص دهد."
    )
  )
  return html`<div class="panel" id="alarms">
    <div class="panel-head">
      <h2>${say("Alarms", "هشدارها")}</h2>
      ${items.length > 0 && html`<span class="muted">${say("Open one to see its codes", "برای دیدن کدها، هشدار را باز کنید")}</span>`}
    </div>
    ${items.length === 0 ? none : alarmTable(named, view, now)} ${pager(view, next)}
  </div>`
})

const showGuard = (view: View, refused: Refused | null = null) =>
  Effect.gen(function* () {
    const { say } = view.locale
    const guard = yield* GuardRecords
    const { customerId } = view.actor
    const now = yield* Clock.currentTimeMillis
    const saved = yield* guard.settings(customerId)
    const days = yield* guard.days(customerId)
    const { openAlarms } = yield* guard.state(customerId)
    const figures: GuardFigures = {
      mode: yield* modeInForce(saved),
      saved,
      days,
      now,
      open: openAlarms.length
    }
    const shown = (form: Refused["form"]): ShownForm => (refused?.form === form ? refused : empty)
    return {
      title: say("Guard", "نگهبان"),
      name: "guard",
      lead: say(
        "Stops scripts that drain your wallet, flood phones or guess codes.",
        "جلوی اسکریپت‌هایی را می‌گیرد که کیف پول را خالی می‌کنند، شماره‌ها را بمباران می‌کنند یا کد را حدس می‌زنند."
      ),
      content: html`<div class="columns">
          <div class="stack">${modeStory(figures, view)} ${guardTiles(saved, days, view)}</div>
          <div class="stack">${settingsForm(saved, shown("settings"), view)}</div>
        </div>
        ${daysChart(figures, view)} ${yield* alarmsPanel(view, now)}
        <div class="columns halves">
          ${entryPanel("allow", yield* guard.entries(customerId, "allow"), view, shown("allow"))}
          ${entryPanel("deny", yield* guard.entries(customerId, "deny"), view, shown("deny"))}
        </div>`
    } satisfies Page
  })

const submitSettings = formAction(changeGuard, {
  target: creating,
  input: (fields) => ({
    mode: fields.get("mode"),
    unverified_hour: submittedNumber(fields.get("unverified_hour")),
    sms_price: submittedNumber(fields.get("sms_price"))
  }),
  done: () => seeOther(withNotice(GUARD_PATH, "saved")),
  again: (view, submitted, errors) => showGuard(view, { form: "settings", errors, submitted })
})

/** The button of the summary: the other settings stay. */
const submitMode = formAction(changeGuard, {
  target: creating,
  input: (fields) => ({ mode: fields.get("mode") }),
  done: () => seeOther(withNotice(GUARD_PATH, "saved"))
})

const submitEntry = (list: GuardList) =>
  formAction(addGuardEntry, {
    target: Effect.succeed(list),
    input: (fields) => ({
      type: fields.get(fieldOf(list, "type")),
      value: fields.get(fieldOf(list, "value"))?.trim()
    }),
    done: () => seeOther(withNotice(GUARD_PATH, "saved")),
    again: (view, submitted, errors) => showGuard(view, { form: list, errors, submitted })
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
    change(`${GUARD_PATH}/mode`, submitMode),
    page(`${GUARD_PATH}/alarms/:alarm_id`, showAlarm),
    change(`${GUARD_PATH}/alarms/:alarm_id/clear`, submitClearing)
  ]
} as const satisfies ConsolePages
