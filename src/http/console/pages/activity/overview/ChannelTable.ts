import {
  type ActivityFigures,
  type ActivitySlot,
  channelsOf,
  sumOf
} from "../../../../../domain/activity/Activity.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { table } from "../../../parts/lists/Table.ts"
import { channelName } from "../../../parts/Text.ts"
import { share, time } from "./Figures.ts"

const over = (wanted: string) => (figures: ActivityFigures) => figures.channel === wanted
const codesOver = (wanted: string) => (figures: ActivityFigures) =>
  figures.channel === wanted && figures.kind === "code"

export const channelTable = (view: View, slots: ReadonlyArray<ActivitySlot>): Html => {
  const { say, number, rials } = view.locale
  const rows = channelsOf(slots).map((channel) => ({
    channel,
    all: sumOf(slots, over(channel)),
    codes: sumOf(slots, codesOver(channel))
  }))
  type Row = (typeof rows)[number]
  const column = (header: string, cell: (row: Row) => string) => ({ header, kind: "number" as const, cell })
  const caption = say("By channel", "به تفکیک کانال")
  return html`<section class="panel">
    <div class="panel-head"><h2>${caption}</h2></div>
    ${table<Row>(
      caption,
      [
        {
          header: say("Channel", "کانال"),
          kind: "title",
          cell: ({ channel }) => channelName(channel, view.locale)
        },
        column(say("Attempts", "تلاش‌ها"), ({ all }) => number(all.sent + all.failed)),
        column(say("Accepted", "پذیرفته"), ({ all }) => share(all.sent, all.sent + all.failed, view)),
        column(say("Codes verified", "کدهای تأییدشده"), ({ codes }) =>
          share(codes.verified, codes.accepted, view)
        ),
        column(say("Time to verify", "زمان تا تأیید"), ({ codes }) => time(codes, 0.5, view)),
        column(say("95 %", "۹۵٪"), ({ codes }) => time(codes, 0.95, view)),
        column(say("Cost", "هزینه"), ({ all }) => (all.cost === 0 ? "–" : rials(all.cost)))
      ],
      rows
    )}
  </section>`
}
