import type { ShownAlarm } from "../../../../domain/guard/Alarm.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { badge } from "../../parts/Badge.ts"
import { confirmButton } from "../../parts/Confirm.ts"
import { table } from "../../parts/lists/Table.ts"
import { GUARD_PATH, mayChange } from "./GuardForms.ts"
import { actionWords, reasonWords, segmentWords } from "./GuardWords.ts"

const clearButton = (view: View, id: ShownAlarm["id"]): Html => {
  const { say } = view.locale
  return confirmButton(view, {
    action: `${GUARD_PATH}/alarms/${id}/clear`,
    label: say("Clear", "پایان"),
    isSmall: true,
    question: say(
      "For a false alarm: the guard forgets what it has counted of this segment.",
      "برای هشدار نادرست: نگهبان آنچه از این بخش شمرده فراموش می‌کند."
    ),
    confirm: say("Clear the alarm", "پایان هشدار")
  })
}

export const alarmTable = (alarms: ReadonlyArray<ShownAlarm>, view: View): Html => {
  const { locale } = view
  const { say, number, time } = locale
  return table(
    say("Alarms", "هشدارها"),
    [
      {
        header: say("Segment", "بخش"),
        kind: "title",
        cell: (alarm: ShownAlarm) => segmentWords(alarm, locale)
      },
      { header: say("Why", "چرا"), cell: (alarm) => reasonWords(alarm, locale) },
      { header: say("Action", "اقدام"), cell: (alarm) => actionWords(alarm, locale) },
      {
        header: say("Verified", "تأییدشده"),
        kind: "number",
        cell: ({ codes, verified }) =>
          say(`${number(verified)} of ${number(codes)}`, `${number(verified)} از ${number(codes)}`)
      },
      { header: say("Since", "از"), cell: ({ startedAt }) => time(startedAt) },
      {
        header: say("Until", "تا"),
        cell: ({ until, clearedAt }) =>
          clearedAt === null ? html`${time(until)} ${badge("warn", say("Open", "باز"))}` : time(clearedAt)
      },
      {
        header: say("Actions", "کارها"),
        kind: "actions",
        cell: ({ id, clearedAt }) => clearedAt === null && mayChange(view) && clearButton(view, id)
      }
    ],
    alarms
  )
}
