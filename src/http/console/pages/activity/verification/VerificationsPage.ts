import { Clock, Effect } from "effect"
import type { Instant } from "../../../../../domain/Instant.ts"
import { formatInstant } from "../../../../../domain/Instant.ts"
import { codeChannels } from "../../../../../domain/routing/Channel.ts"
import {
  effectiveStatus,
  type Verification,
  VerificationStatus
} from "../../../../../domain/verification/Verification.ts"
import {
  VerificationRecords,
  type VerificationSearch
} from "../../../../../services/resources/activity/VerificationRecords.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { allRows, csvFile } from "../../../frame/CsvFile.ts"
import { html } from "../../../frame/Html.ts"
import { raw, type View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { stateBadge } from "../../../parts/Badge.ts"
import { hops } from "../../../parts/Hops.ts"
import type { Column } from "../../../parts/lists/Table.ts"
import { ltr, shortId } from "../../../parts/Text.ts"
import { codeAttemptState } from "../AttemptStates.ts"
import { isStatus, readSearch, searchFilters, type SentSearch, sentPage } from "../SentSearch.ts"
import { sentList } from "../SentList.ts"

const PATH = pathOf("verifications")
const statuses = VerificationStatus.literals
const statusIn = isStatus(statuses)

const searchOf = (
  { query }: View,
  { mode, phone, channel, metadata, from, to }: SentSearch
): VerificationSearch => ({
  mode,
  phone,
  metadata,
  status: statusIn(query.get("status")),
  channel,
  from,
  to
})

const tried = ({ attempts, route }: Verification) =>
  attempts.map((attempt) => ({
    channel: (route[attempt.step] ?? route[0]).channel,
    state: codeAttemptState(attempt)
  }))

const columns = ({ locale }: View, now: Instant): ReadonlyArray<Column<Verification>> => {
  const { say } = locale
  return [
    {
      header: say("Phone", "شماره"),
      kind: "title",
      cell: ({ id, phone }) =>
        html`<a class="row-link" href="${PATH}/${id}">${ltr(phone)}</a
          ><span class="sub">${shortId(id)}</span>`
    },
    {
      header: say("Status", "وضعیت"),
      cell: (each) => stateBadge(effectiveStatus(each, now), locale)
    },
    { header: say("Channels tried", "کانال‌ها"), cell: (each) => hops(tried(each), locale) },
    {
      header: say("Time to verify", "زمان تا تأیید"),
      kind: "number",
      cell: ({ verifiedAt, createdAt }) =>
        verifiedAt === null
          ? html`<span class="muted">–</span>`
          : locale.duration((verifiedAt - createdAt) / 1000)
    },
    {
      header: say("Cost", "هزینه"),
      kind: "number",
      cell: ({ captured }) => (captured === 0 ? html`<span class="muted">–</span>` : locale.rials(captured))
    },
    { header: say("Sent at", "زمان ارسال"), kind: "number", cell: ({ createdAt }) => locale.time(createdAt) }
  ]
}

const list = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const records = yield* VerificationRecords
  const search = yield* readSearch(view)
  if (search.id !== null) return seeOther(`${PATH}/${search.id}`)
  const request = yield* sentPage(view)
  const { items, next } =
    search.problems.length > 0
      ? { items: [], next: null }
      : yield* records.list(view.actor.customerId, { ...request, ...searchOf(view, search) })
  const now = yield* Clock.currentTimeMillis
  return answerPage(view, {
    title: say("Verifications", "کدهای تأیید"),
    name: "verifications",
    lead: say(
      "One-time codes, the newest first. Open one to see what happened to it.",
      "کدهای یک‌بارمصرف، تازه‌ترین در بالا. هر کدام را باز کنید تا ببینید چه بر سرش آمده است."
    ),
    content: html`${searchFilters(view, statuses, codeChannels)}
    ${sentList(view, {
      caption: say("Verifications", "کدهای تأیید"),
      columns: columns(view, now),
      items,
      next,
      problems: search.problems,
      path: PATH,
      none: {
        title: say("No code has been sent yet", "هنوز کدی فرستاده نشده است"),
        text: say(
          "Send one with POST /v1/otp/send, or try it here first.",
          "با POST /v1/otp/send یکی بفرستید، یا نخست همین‌جا امتحان کنید."
        )
      }
    })}`
  })
})

const time = (at: Instant | null): string | null => (at === null ? null : formatInstant(at))

const exportCsv = Effect.fnUntraced(function* (view: View) {
  const records = yield* VerificationRecords
  const search = yield* readSearch(view)
  const now = yield* Clock.currentTimeMillis
  const conditions = searchOf(view, search)
  const rows = allRows<Verification>((page) =>
    search.problems.length > 0
      ? Effect.succeed({ items: [], next: null })
      : records.list(view.actor.customerId, { ...page, ...conditions })
  )
  return csvFile<Verification>(
    "verifications.csv",
    [
      ["verification_id", ({ id }) => id],
      ["phone", ({ phone }) => phone],
      ["status", (each) => effectiveStatus(each, now)],
      ["created_at", ({ createdAt }) => time(createdAt)],
      ["verified_at", ({ verifiedAt }) => time(verifiedAt)],
      ["expires_at", ({ expiresAt }) => time(expiresAt)],
      [
        "channels",
        (each) =>
          tried(each)
            .map(({ channel }) => channel)
            .join(" ")
      ],
      [
        "attempts",
        (each) =>
          tried(each)
            .map(({ state }) => state)
            .join(" ")
      ],
      ["error_code", ({ attempts }) => attempts.at(-1)?.error_code ?? null],
      ["cost_rials", ({ captured }) => captured],
      ["metadata", ({ metadata }) => metadata]
    ],
    rows
  )
})

export const verificationsPages = {
  name: "verifications",
  routes: [raw(PATH, list), raw(`${PATH}/export.csv`, exportCsv)]
} as const satisfies ConsolePages
