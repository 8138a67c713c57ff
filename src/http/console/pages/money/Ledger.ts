import { type LedgerEntry, type LedgerKind, LedgerKind as Kinds } from "../../../../services/money/Wallets.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { badge } from "../../parts/Badge.ts"
import { choiceProblems, type Filter } from "../../parts/lists/Filters.ts"
import { table } from "../../parts/lists/Table.ts"
import { readTimes, timeFilters } from "../../parts/lists/TimeFilters.ts"
import { ltr } from "../../parts/Text.ts"
import { subjectLink } from "./Holds.ts"

const kindWords = (kind: LedgerKind, { say }: View["locale"]): string =>
  kind === "top_up" ? say("Top-up", "افزایش موجودی") : say("Send", "ارسال")

const signed = (amount: number, { rials }: View["locale"]): Html =>
  html`<span class="nowrap">${ltr(amount > 0 ? "+" : amount < 0 ? "−" : "")}${rials(Math.abs(amount))}</span>`

export const ledgerTable = (entries: ReadonlyArray<LedgerEntry>, view: View): Html => {
  const { locale } = view
  const { say, time } = locale
  return table(
    say("Ledger", "دفتر کل"),
    [
      { header: say("Time", "زمان"), kind: "title", cell: ({ occurredAt }: LedgerEntry) => time(occurredAt) },
      {
        header: say("Kind", "نوع"),
        cell: ({ kind }) => badge(kind === "top_up" ? "good" : "plain", kindWords(kind, locale))
      },
      { header: say("For", "بابت"), cell: (entry) => subjectLink(entry, view) },
      { header: say("Amount", "مبلغ"), kind: "number", cell: ({ amount }) => signed(amount, locale) }
    ],
    entries
  )
}

export const ledgerFilters = ({ locale }: View): ReadonlyArray<Filter> => [
  {
    name: "kind",
    label: locale.say("Kind", "نوع"),
    any: locale.say("All", "همه"),
    choices: Kinds.literals.map((kind) => [kind, kindWords(kind, locale)] as const)
  },
  ...timeFilters(locale)
]

export const ledgerSearch = (view: View) => {
  const { from, to, problems } = readTimes(view)
  const kind = Kinds.literals.find((each) => each === view.query.get("kind"))
  return { search: { kind, from, to }, problems: [...choiceProblems(view, ledgerFilters(view)), ...problems] }
}
