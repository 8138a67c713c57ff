import { Clock, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import { isTimePosition } from "../../domain/Paging.ts"
import type { ShownAlarm } from "../../domain/guard/Alarm.ts"
import { effectiveStatus, type Verification } from "../../domain/verification/Verification.ts"
import {
  actionText,
  type AlarmSubject,
  clearButton,
  readSubject,
  reasonText,
  subjectText,
  verifiedText
} from "./GuardAlarms.ts"
import { fieldOf, GUARD_PATH, mayChange } from "./GuardForms.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import type { View } from "./frame/SignedRoutes.ts"
import { badge, stateBadge } from "./parts/Badge.ts"
import { confirmButton } from "./parts/Confirm.ts"
import { emptyState, pager, pageRequest, table } from "./parts/Lists.ts"
import { facts, pageLink } from "./parts/Panels.ts"
import { hops } from "./parts/Runs.ts"
import { isolated, ltr } from "./parts/Text.ts"
import { phoneColumn, tried } from "./runs/SentPages.ts"
import { GuardRecords } from "../../services/guard/GuardRecords.ts"
import { VerificationRecords } from "../../services/verification/VerificationRecords.ts"

const SHOWN_SAME = 10
/** The codes that raised an alarm were sent before it. */
const BEFORE_MILLIS = HOUR_MILLIS

/** When the codes of an alarm were sent: from an hour before it, until it was over. */
const timeOf = ({ startedAt, until, clearedAt }: ShownAlarm, now: Instant) => ({
  from: startedAt - BEFORE_MILLIS,
  to: Math.min(clearedAt ?? until, now) + 1
})

/** The next step of somebody who sees this alarm, in a sentence. */
const adviceFor = ({ kind, reason, enforced }: ShownAlarm, { locale: { say } }: View): string => {
  if (reason === "outage") {
    return say(
      "Look at the account of this channel. Nothing is refused until the channel works again.",
      "حساب این کانال را بررسی کنید. تا کانال دوباره کار کند، چیزی رد نمی‌شود."
    )
  }
  if (reason === "bombed") {
    return say(
      "Nothing to do: sends to this phone go on ten minutes after the others stop. Clear the alarm if a user of yours is waiting.",
      "لازم نیست کاری بکنید: ده دقیقه بعد از توقف بقیه، ارسال به این شماره ادامه می‌یابد. اگر کاربر شما منتظر است، هشدار را ببندید."
    )
  }
  if (kind === "customer") {
    return say(
      "Check that codes arrive: compare the conversion of your channels. If you only have more new users than usual, raise the limit of unverified codes.",
      "بررسی کنید که کدها می‌رسند: نرخ تأیید کانال‌ها را مقایسه کنید. اگر فقط کاربر تازهٔ بیشتری دارید، سقف کد تأییدنشده را بالا ببرید."
    )
  }
  if (kind === "prefix") {
    return say(
      "If you have no users with such numbers, deny the range. If these are your users, clear the alarm.",
      "اگر کاربری با این شماره‌ها ندارید، بازه را ممنوع کنید. اگر کاربران شما هستند، هشدار را ببندید."
    )
  }
  return enforced
    ? say(
        "Look at the codes. If they are of your users, clear the alarm and put their network on the allow list.",
        "کدها را ببینید. اگر از کاربران شماست، هشدار را ببندید و شبکه‌شان را در فهرست مجاز بگذارید."
      )
    : say(
        "Look at the codes. If they are not of your users, enforcing stops such codes; if they are, clear the alarm.",
        "کدها را ببینید. اگر از کاربران شما نیست، حالت «مسدودسازی» جلوی آن‌ها را می‌گیرد؛ اگر هست، هشدار را ببندید."
      )
}

const denyButton = (view: View, alarm: ShownAlarm): Html | null => {
  const { say } = view.locale
  if (alarm.kind !== "prefix" || !mayChange(view)) return null
  const range = `\u2066${alarm.key}••••\u2069`
  return confirmButton(view, {
    action: `${GUARD_PATH}/deny/add`,
    label: say("Deny this range", "ممنوع کردن این بازه"),
    fields: { [fieldOf("deny", "type")]: "prefix", [fieldOf("deny", "value")]: alarm.key },
    question: say(
      `Codes to all numbers that begin like ${range} are refused from now on, in every mode.`,
      `از این پس کد به همهٔ شماره‌هایی که مثل ${range} شروع می‌شوند رد می‌شود، در هر حالتی.`
    ),
    confirm: say("Deny range", "ممنوع کردن بازه")
  })
}

const summary = (alarm: ShownAlarm, subject: AlarmSubject, view: View): Html => {
  const { locale } = view
  const { say } = locale
  const isOpen = alarm.clearedAt === null
  return html`<section class="story ${isOpen && "warn"}" aria-label="${say("Summary", "خلاصه")}">
    <h2>${say("Summary", "خلاصه")}</h2>
    <p class="first">
      ${reasonText(alarm, locale)}: ${verifiedText(alarm, locale)} ${say("verified", "تأیید شد")}.
    </p>
    ${
      alarm.kind === "network" &&
      !subject.isNamed &&
      html`<p>
        ${say(
          "Peyk keeps a network only as a keyed hash. A file of the operator can give networks names.",
          "پیک از شبکه فقط یک هش کلیددار نگه می‌دارد. مدیر سامانه می‌تواند با یک فایل برای شبکه‌ها نام بگذارد."
        )}
      </p>`
    }
    <p class="todo"><strong>${say("What to do:", "چه باید کرد:")}</strong> ${adviceFor(alarm, view)}</p>
    <div class="actions">
      ${isOpen && mayChange(view) && clearButton(view, alarm, subject, false)} ${denyButton(view, alarm)}
      ${alarm.reason === "outage" && pageLink(view, "channels", say("Channels", "کانال‌ها"))}
      ${alarm.kind === "customer" && pageLink(view, "insights", say("Insights", "تحلیل"))}
    </div>
  </section>`
}

const factsPart = (alarm: ShownAlarm, subject: AlarmSubject, { locale }: View): Html => {
  const { say, time, number } = locale
  const { clearedAt, until, startedAt, level } = alarm
  return html`<section class="panel" aria-labelledby="alarm-title">
    <div class="panel-head">
      <h2 id="alarm-title">${say("Alarm", "هشدار")}</h2>
      ${clearedAt === null ? badge("warn", say("Open", "باز")) : badge("plain", say("Over", "تمام شد"))}
    </div>
    <div class="panel-body">
      ${facts([
        [say("About", "دربارهٔ"), subject.isNamed ? isolated(subject.name) : subject.name],
        subject.detail === null ? null : [say("Identifier", "شناسه"), ltr(subject.detail)],
        subject.note === null ? null : [say("Operator", "اپراتور"), subject.note],
        [say("Reason", "دلیل"), reasonText(alarm, locale)],
        [say("Action", "اقدام"), actionText(alarm, locale)],
        level === 0 ? null : [say("Level", "سطح"), number(level)],
        [say("Started", "شروع"), time(startedAt)],
        clearedAt === null ? [say("Until", "تا"), time(until)] : [say("Ended", "پایان"), time(clearedAt)]
      ])}
    </div>
  </section>`
}

const samePart = (alarms: ReadonlyArray<ShownAlarm>, current: ShownAlarm, view: View): Html | null => {
  const { locale } = view
  const { say, time } = locale
  const others = alarms.filter(({ id }) => id !== current.id)
  if (others.length === 0) return null
  const title = say("Other alarms of the same", "هشدارهای دیگر همین مورد")
  return html`<div class="panel">
    <div class="panel-head"><h2>${title}</h2></div>
    ${table(
      title,
      [
        {
          header: say("Started", "شروع"),
          kind: "title",
          cell: ({ id, startedAt }: ShownAlarm) =>
            html`<a class="row-link" href="${GUARD_PATH}/alarms/${id}">${time(startedAt)}</a>`
        },
        {
          header: say("Verified", "تأیید شد"),
          kind: "number",
          card: "state",
          cell: (alarm) => verifiedText(alarm, locale)
        }
      ],
      others,
      { isCompact: true }
    )}
  </div>`
}

const codesPart = Effect.fnUntraced(function* (alarm: ShownAlarm, view: View, now: Instant) {
  const { locale } = view
  const { say } = locale
  const request = yield* pageRequest(view, isTimePosition)
  const { items, next, searchedTo } = yield* (yield* VerificationRecords).list(view.actor.customerId, {
    ...timeOf(alarm, now),
    segment: alarm,
    ...request
  })
  const title = say("Codes of this alarm", "کدهای این هشدار")
  const rows = table(
    title,
    [
      phoneColumn(view, "verifications", say("Phone", "شماره")),
      {
        header: say("Status", "وضعیت"),
        card: "state",
        cell: (each: Verification) => stateBadge(effectiveStatus(each, now), locale)
      },
      { header: say("Channels", "کانال‌ها"), card: "detail", cell: (each) => hops(tried(each), locale) },
      {
        header: say("Created", "زمان ایجاد"),
        kind: "number",
        card: "time",
        cell: ({ createdAt }) => locale.ago(createdAt, now)
      }
    ],
    items,
    { isCompact: true }
  )
  const none = emptyState(
    say("No codes found", "کدی پیدا نشد"),
    say(
      "Codes that were refused are not stored, and old ones are erased.",
      "کدهای ردشده نگه داشته نمی‌شوند و کدهای قدیمی پاک می‌شوند."
    )
  )
  return html`<div class="panel" id="codes">
    <div class="panel-head">
      <h2>${title}</h2>
      <span class="muted"
        >${say("From an hour before it until its end", "از یک ساعت پیش از آن تا پایانش")}</span
      >
    </div>
    ${items.length === 0 ? none : rows} ${pager(view, next, searchedTo)}
  </div>`
})

/** One alarm of the guard, its codes, and what to do. */
export const showAlarm = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const { alarm_id: id = "" } = yield* HttpRouter.params
  const { customerId } = view.actor
  const guard = yield* GuardRecords
  const alarm = yield* guard.alarm(customerId, id)
  const subject = yield* readSubject(alarm, view.locale)
  const now = yield* Clock.currentTimeMillis
  return {
    title: subjectText(subject, view.locale),
    name: "guard",
    lead: html`<a href="${GUARD_PATH}">${say("Guard", "نگهبان")}</a> / ${say("Alarm", "هشدار")}`,
    content: html`${summary(alarm, subject, view)}
      <div class="columns">
        <div class="stack">${yield* codesPart(alarm, view, now)}</div>
        <div class="stack">
          ${factsPart(alarm, subject, view)}
          ${samePart(yield* guard.sameAlarms(customerId, alarm, SHOWN_SAME), alarm, view)}
        </div>
      </div>`
  } satisfies Page
})
