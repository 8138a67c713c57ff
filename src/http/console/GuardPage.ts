import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import {
  type Advice,
  adviceOf,
  type GuardDay,
  type GuardTotals,
  type ShownAlarm,
  totalsOf
} from "../../domain/guard/Alarm.ts"
import type { GuardList } from "../../domain/guard/GuardSettings.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import {
  actionText,
  entryPanel,
  fieldOf,
  GUARD_PATH,
  mayChange,
  modeText,
  reasonText,
  segmentText,
  settingsForm,
  type ShownForm,
  empty
} from "./GuardForms.ts"
import { creating, formAction } from "./forms/ActionForms.ts"
import { submittedNumber } from "./forms/Forms.ts"
import { seeOther } from "./frame/Responses.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { change, page, type View } from "./frame/SignedRoutes.ts"
import { badge } from "./parts/Badge.ts"
import { confirmButton } from "./parts/Confirm.ts"
import { emptyState, table } from "./parts/Lists.ts"
import { withNotice } from "./parts/Notice.ts"
import { tiles } from "./parts/Panels.ts"
import {
  addGuardEntry,
  changeGuard,
  clearAlarm,
  removeGuardEntry
} from "../../services/guard/GuardActions.ts"
import { GuardRecords, type SavedGuard } from "../../services/guard/GuardRecords.ts"

const clearButton = (view: View, id: ShownAlarm["id"]): Html => {
  const { say } = view.locale
  return confirmButton(view, {
    action: `${GUARD_PATH}/alarms/${id}/clear`,
    label: say("Clear", "بستن"),
    isSmall: true,
    question: say(
      "For a false alarm: the guard resets its counts for this segment.",
      "برای هشدار اشتباه: نگهبان شمارش این بخش را از صفر شروع می‌کند."
    ),
    confirm: say("Clear alarm", "بستن هشدار")
  })
}

const alarmTable = (alarms: ReadonlyArray<ShownAlarm>, view: View): Html => {
  const { locale } = view
  const { say, number, time } = locale
  return table(
    say("Alarms", "هشدارها"),
    [
      {
        header: say("Segment", "بخش"),
        kind: "title",
        cell: (alarm: ShownAlarm) => segmentText(alarm, locale)
      },
      { header: say("Reason", "دلیل"), cell: (alarm) => reasonText(alarm, locale) },
      { header: say("Action", "اقدام"), cell: (alarm) => actionText(alarm, locale) },
      {
        header: say("Verified", "تأیید شد"),
        kind: "number",
        cell: ({ codes, verified }) =>
          say(`${number(verified)} of ${number(codes)}`, `${number(verified)} از ${number(codes)}`)
      },
      { header: say("Started", "شروع"), cell: ({ startedAt }) => time(startedAt) },
      {
        header: say("Ends", "پایان"),
        cell: ({ until, clearedAt }) =>
          clearedAt === null ? html`${time(until)} ${badge("warn", say("Open", "باز"))}` : time(clearedAt)
      },
      {
        header: say("Actions", "عملیات"),
        kind: "actions",
        cell: ({ id, clearedAt }) => clearedAt === null && mayChange(view) && clearButton(view, id)
      }
    ],
    alarms
  )
}

/** Messengers have their price; an SMS has one if the customer said so. */
const savedRials = ({ smsPrice }: SavedGuard, totals: GuardTotals, { locale }: View) => {
  const { say, number } = locale
  const rials = totals.flaggedCharges + totals.flaggedSms * (smsPrice ?? 0)
  return smsPrice === null
    ? say(`${number(rials)} rials on messengers`, `${number(rials)} ریال در پیام‌رسان‌ها`)
    : say(`${number(rials)} rials`, `${number(rials)} ریال`)
}

const guardTiles = (saved: SavedGuard, advice: Advice, days: ReadonlyArray<GuardDay>, view: View) => {
  const { say, number } = view.locale
  const totals = totalsOf(days)
  const isEnforcing = saved.mode === "enforcing"
  return tiles([
    {
      label: say("Mode", "حالت"),
      value: modeText(saved.mode, view.locale),
      ...(isEnforcing ? { tone: "good" as const } : {}),
      note: advice.isAdvised
        ? say("Enforcing is recommended", "حالت «مسدودسازی» توصیه می‌شود")
        : say(
            `${number(advice.cleanDays)} ${advice.cleanDays === 1 ? "day" : "days"} without a false refusal (${number(advice.cleanVerified)} verified ${advice.cleanVerified === 1 ? "code" : "codes"})`,
            `${number(advice.cleanDays)} روز بدون رد اشتباه (${number(advice.cleanVerified)} کد تأییدشده)`
          )
    },
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
    { label: say("Codes evaluated", "کدهای بررسی‌شده"), value: number(totals.codes) }
  ])
}

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
    const shown = (form: Refused["form"]): ShownForm => (refused?.form === form ? refused : empty)
    return {
      title: say("Guard", "نگهبان"),
      name: "guard",
      lead: say(
        "Stops scripts that drain your wallet, flood phones or guess codes.",
        "جلوی اسکریپت‌هایی را می‌گیرد که کیف پول را خالی می‌کنند، شماره‌ها را بمباران می‌کنند یا کد را حدس می‌زنند."
      ),
      content: html`${guardTiles(saved, adviceOf(days), days, view)}
        <section class="panel">
          <h2 class="panel-body">${say("Alarms", "هشدارها")}</h2>
          ${
            items.length > 0
              ? alarmTable(items, view)
              : emptyState(
                  say("No alarms yet", "هنوز هشداری نیست"),
                  say(
                    "Send client.ip with each code so that the guard can tell attackers from your users.",
                    "با هر کد client.ip را بفرستید تا نگهبان مهاجم را از کاربران شما تشخیص دهد."
                  ),
                  null
                )
          }
        </section>
        ${settingsForm(saved, shown("settings"), view)}
        ${entryPanel("allow", yield* guard.entries(customerId, "allow"), view, shown("allow"))}
        ${entryPanel("deny", yield* guard.entries(customerId, "deny"), view, shown("deny"))}`
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
    change(`${GUARD_PATH}/alarms/:alarm_id/clear`, submitClearing)
  ]
} as const satisfies ConsolePages
