import { Effect } from "effect"
import { formatInstant, formatNullableInstant, type Instant } from "../../../domain/Instant.ts"
import { codeChannels } from "../../../domain/routing/Channel.ts"
import {
  effectiveStatus,
  type Verification,
  VerificationStatus
} from "../../../domain/verification/Verification.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { html } from "../frame/Html.ts"
import { raw, type View } from "../frame/SignedRoutes.ts"
import { stateBadge } from "../parts/Badge.ts"
import type { Column } from "../parts/Lists.ts"
import { hops } from "../parts/Runs.ts"
import { costColumn, createdColumn, phoneColumn, sentPages, tried } from "../runs/SentPages.ts"
import { isStatus } from "../runs/SentSearch.ts"
import { VerificationRecords } from "../../../services/verification/VerificationRecords.ts"

const statusIn = isStatus(VerificationStatus.literals)

const columns = (view: View, now: Instant): ReadonlyArray<Column<Verification>> => {
  const { locale } = view
  const { say } = locale
  return [
    phoneColumn(view, "verifications", say("Phone", "شماره")),
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
    costColumn(view),
    createdColumn(view, say("Sent at", "زمان ارسال"))
  ]
}

const { path, list, exportCsv } = sentPages<Verification, VerificationRecords>({
  name: "verifications",
  words: (say) => ({
    title: say("Verifications", "کدهای تأیید"),
    lead: say(
      "One-time codes, the newest first. Open one to see what happened to it.",
      "کدهای یک‌بارمصرف، تازه‌ترین در بالا. هر کدام را باز کنید تا ببینید چه بر سرش آمده است."
    ),
    none: {
      title: say("No code has been sent yet", "هنوز کدی فرستاده نشده است"),
      text: say(
        "Send one with POST /v1/otp/send, or try it here first.",
        "با POST /v1/otp/send یکی بفرستید، یا نخست همین‌جا امتحان کنید."
      )
    }
  }),
  statuses: VerificationStatus.literals,
  channels: codeChannels,
  columns,
  csvColumns: (now) => [
    ["verification_id", ({ id }) => id],
    ["phone", ({ phone }) => phone],
    ["status", (each) => effectiveStatus(each, now)],
    ["created_at", ({ createdAt }) => formatInstant(createdAt)],
    ["verified_at", ({ verifiedAt }) => formatNullableInstant(verifiedAt)],
    ["expires_at", ({ expiresAt }) => formatInstant(expiresAt)]
  ],
  find: ({ actor, query }, search) =>
    Effect.flatMap(VerificationRecords, (records) =>
      records.list(actor.customerId, { ...search, status: statusIn(query.get("status")) })
    )
})

export const verificationsPages = {
  name: "verifications",
  routes: [raw(path, list), raw(`${path}/export.csv`, exportCsv)]
} as const satisfies ConsolePages
