import { type ActivitySlot, sumOf } from "../../../../../domain/activity/Activity.ts"
import type { AccountSummary } from "../../../../../services/activity/AccountSummaries.ts"
import type { Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { type Tile, tiles } from "../../../parts/Tiles.ts"
import { allCodes, allMessages, anyChannel, share, time } from "./Figures.ts"

const moneyTiles = ({ wallet, quota }: AccountSummary, { locale }: View): ReadonlyArray<Tile> => {
  const { say, number, rials } = locale
  return [
    ...(wallet === null
      ? []
      : [
          {
            label: say("Wallet", "کیف پول"),
            value: rials(wallet.balance - wallet.held),
            note: say(`${rials(wallet.held)} held`, `${rials(wallet.held)} نگه‌داشته`)
          }
        ]),
    ...(quota === null
      ? []
      : [
          {
            label: say("This month", "این ماه"),
            value: number(quota.used),
            note: say(`of ${number(quota.limit)} sends`, `از ${number(quota.limit)} ارسال`)
          }
        ])
  ]
}

export const figureTiles = (
  view: View,
  slots: ReadonlyArray<ActivitySlot>,
  summary: AccountSummary
): Html => {
  const { say, number, rials } = view.locale
  const codes = sumOf(slots, allCodes)
  const messages = sumOf(slots, allMessages)
  return tiles([
    {
      label: say("Codes", "کدها"),
      value: number(codes.accepted),
      note: say(`${number(codes.verified)} verified`, `${number(codes.verified)} تأییدشده`),
      href: pathOf("verifications")
    },
    {
      label: say("Conversion", "نرخ تأیید"),
      value: share(codes.verified, codes.accepted, view),
      note: say("of codes were verified", "از کدها تأیید شد")
    },
    {
      label: say("Time to verify", "زمان تا تأیید"),
      value: time(codes, 0.5, view),
      ...(codes.verified > 0 && {
        note: say(
          `half of them; 95 % in ${time(codes, 0.95, view)}`,
          `نیمی از آن‌ها؛ ۹۵٪ در ${time(codes, 0.95, view)}`
        )
      })
    },
    {
      label: say("Messages", "پیام‌ها"),
      value: number(messages.accepted),
      href: pathOf("messages")
    },
    {
      label: say("Cost", "هزینه"),
      value: rials(sumOf(slots, anyChannel).cost),
      note: say("of this period", "در این بازه")
    },
    ...moneyTiles(summary, view)
  ])
}
