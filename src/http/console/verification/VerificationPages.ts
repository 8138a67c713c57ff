import { Clock, Effect } from "effect"
import { formatInstant, formatNullableInstant, type Instant } from "../../../domain/Instant.ts"
import { codeChannels } from "../../../domain/routing/Channel.ts"
import {
  channelsToAskFor,
  effectiveStatus,
  isTerminal,
  type Verification,
  VerificationStatus,
  wasCalled
} from "../../../domain/verification/Verification.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { formAction } from "../forms/ActionForms.ts"
import { submittedNumber } from "../forms/Forms.ts"
import { html } from "../frame/Html.ts"
import { change, page, raw, type View } from "../frame/SignedRoutes.ts"
import { stateBadge } from "../parts/Badge.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import type { Column } from "../parts/Lists.ts"
import { hops } from "../parts/Runs.ts"
import type { Fact } from "../parts/Panels.ts"
import { channelName, mono, phoneText } from "../parts/Text.ts"
import {
  eventsPart,
  findRun,
  formOfRun,
  requestedId,
  runContent,
  runFacts,
  runForms,
  runPeriods,
  storyPart
} from "../runs/RunParts.ts"
import { codeLanes, requestLanes } from "../runs/RunLanes.ts"
import { chargesPart, readRunRequests, requestsPart } from "../runs/RunLinks.ts"
import { waterfall } from "../runs/Waterfall.ts"
import { costColumn, createdColumn, phoneColumn, sentPages, tried } from "../runs/SentPages.ts"
import { isStatus } from "../runs/SentSearch.ts"
import { type CodeRun, verificationStory } from "./VerificationStory.ts"
import { verificationMoments } from "./VerificationTimeline.ts"
import { Settings } from "../../../services/Settings.ts"
import { RunHistories } from "../../../services/activity/RunHistories.ts"
import { cancelVerification, tryNextChannel } from "../../../services/verification/VerificationActions.ts"
import { VerificationRecords } from "../../../services/verification/VerificationRecords.ts"

const statusIn = isStatus(VerificationStatus.literals)

const columns = (view: View, now: Instant): ReadonlyArray<Column<Verification>> => {
  const { locale } = view
  const { say } = locale
  return [
    phoneColumn(view, "verifications", say("Phone", "شماره")),
    {
      header: say("Status", "وضعیت"),
      card: "state",
      cell: (each) => stateBadge(effectiveStatus(each, now), locale)
    },
    { header: say("Channels", "کانال‌ها"), card: "detail", cell: (each) => hops(tried(each), locale) },
    {
      header: say("Time to verify", "زمان تا تأیید"),
      kind: "number",
      isOptional: true,
      cell: ({ verifiedAt, createdAt }) =>
        verifiedAt === null
          ? html`<span class="muted">–</span>`
          : locale.duration((verifiedAt - createdAt) / 1000)
    },
    costColumn(view),
    createdColumn(view, now)
  ]
}

const { path, list, exportCsv } = sentPages<Verification, VerificationRecords>({
  name: "verifications",
  words: (say) => ({
    title: say("Verifications", "کدهای تأیید"),
    lead: say(
      "One-time codes. Open one to see what happened.",
      "کدهای یک‌بارمصرف. برای دیدن جزئیات، کد را باز کنید."
    ),
    none: {
      title: say("No codes yet", "هنوز کدی ارسال نشده است"),
      text: say(
        "Send one with POST /v1/otp/send, or try it here first.",
        "با POST /v1/otp/send کد بفرستید، یا اول همین‌جا امتحان کنید."
      )
    }
  }),
  statuses: VerificationStatus.literals,
  channels: [...codeChannels, "voice"],
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
    VerificationRecords.use((records) =>
      records.list(actor.customerId, { ...search, status: statusIn(query.get("status")) })
    ),
  count: ({ actor, query }, search) =>
    VerificationRecords.use((records) =>
      records.count(actor.customerId, { ...search, status: statusIn(query.get("status")) })
    )
})

export const verificationsPages = {
  name: "verifications",
  routes: [raw(path, list), raw(`${path}/export.csv`, exportCsv)]
} as const satisfies ConsolePages

const PATH = pathOf("verifications")

const readRun = (view: View) => Effect.flatMap(requestedId, (id) => readCodeRun(view, id))

/** A code with all that is known of it. */
export const readCodeRun = Effect.fnUntraced(function* ({ actor }: View, id: string) {
  const records = yield* VerificationRecords
  const histories = yield* RunHistories
  const { maxWrongCodes } = yield* Settings
  const { found: verification, isLive } = yield* findRun((mode) => records.find(actor.customerId, id, mode))
  const now = yield* Clock.currentTimeMillis
  const { attempts, createdAt, expiresAt, verifiedAt } = verification
  const times = {
    createdAt,
    startsAt: createdAt,
    instants: [verifiedAt, expiresAt, ...attempts.map(({ attempted_at: at }) => at)],
    isActive: !isTerminal(effectiveStatus(verification, now))
  }
  const history = yield* histories.read(actor.customerId, {
    kind: "verification",
    id,
    ...runPeriods(times, now)
  })
  const run: CodeRun = { verification, history, now, maxWrongCodes: isLive ? maxWrongCodes : null }
  return { run, isLive }
})

const buttons = (view: View, { verification, now }: CodeRun, isLive: boolean) => {
  const { say } = view.locale
  const isActive = !isTerminal(effectiveStatus(verification, now))
  if (!isActive || !isLive || view.actor.scope !== "full") return null
  const path = `${PATH}/${verification.id}`
  const sequence = verification.attempts.findLast(wasCalled)?.step
  const seen = sequence === undefined ? {} : { from_sequence: String(sequence + 1) }
  const hasNext = verification.remaining.length > 0 && verification.nextStepAt !== null
  const [next] = hasNext ? verification.remaining : []
  const nextChannel = next === undefined ? undefined : verification.route[next]?.channel
  const others = channelsToAskFor(verification).filter((channel) => channel !== nextChannel)
  return html`${
    hasNext &&
    postButton(view, {
      action: `${path}/next`,
      label: say("Try next channel now", "امتحان کانال بعدی"),
      kind: "primary",
      fields: seen
    })
  }
  ${others.map((channel) =>
    postButton(view, {
      action: `${path}/next`,
      label: say(
        `Try ${channelName(channel, view.locale)} now`,
        `امتحان ${channelName(channel, view.locale)} همین حالا`
      ),
      kind: "quiet",
      fields: { ...seen, channel }
    })
  )}
  ${confirmButton(view, {
    action: `${path}/cancel`,
    label: say("Cancel", "لغو"),
    kind: "danger",
    question: say(
      `The code to ${phoneText(verification.phone, view.locale)} stops working, and no more channels are tried. This cannot be undone.`,
      `کد ${phoneText(verification.phone, view.locale)} از کار می‌افتد و کانال دیگری امتحان نمی‌شود. این کار برگشت ندارد.`
    ),
    confirm: say("Cancel code", "لغو کد"),
    dismiss: say("Keep it", "منصرف شدم")
  })}`
}

/** Why the channels had this order, where it was measured. */
const measuredRows = ({ route }: Verification, { locale }: View) => {
  const { say, number, percent } = locale
  return route.flatMap(({ channel, measured }) => {
    if (measured === undefined) return []
    const { conversion, codes, verified, explored } = measured
    const counts = say(
      `${percent(conversion)} verified when tried first (${number(verified)} of ${number(codes)} codes)`,
      `نرخ تأیید وقتی اول باشد: ${percent(conversion)} (${number(verified)} از ${number(codes)} کد)`
    )
    const note =
      explored === true
        ? say("; tried first this time to measure it", "؛ این بار برای اندازه‌گیری اول امتحان شد")
        : ""
    return [
      [
        say(`Why ${channelName(channel, locale)} is here`, `دلیل جای ${channelName(channel, locale)}`),
        `${counts}${note}`
      ] as const
    ]
  })
}

/** Enough to see that two codes came from the same place. */
const SHOWN_DIGITS = 8

/** Who asked for the code. Only hashes are stored: equal ones are the same network or device. */
const clientRows = ({ history: { client } }: CodeRun, { locale: { say } }: View): ReadonlyArray<Fact> => {
  if (client === null) return []
  const { network, device, trusted } = client
  const hash = (text: string) => mono(text.slice(0, SHOWN_DIGITS))
  return [
    ...(network === undefined ? [] : [[say("Network (hash)", "شبکه (هش)"), hash(network)] as const]),
    ...(device === undefined ? [] : [[say("Device (hash)", "دستگاه (هش)"), hash(device)] as const]),
    ...(trusted === true ? [[say("Client", "کاربر"), say("You vouch for it", "تأییدشدهٔ شما")] as const] : [])
  ]
}

const details = (view: View, run: CodeRun, isLive: boolean) => {
  const { verification, now } = run
  const { locale } = view
  const { say } = locale
  const { expiresAt, verifiedAt } = verification
  return runFacts(view, verification, {
    status: effectiveStatus(verification, now),
    isLive,
    phone: say("Phone", "شماره"),
    behindId: [],
    end:
      verifiedAt === null
        ? [say("Expires", "زمان انقضا"), locale.time(expiresAt)]
        : [say("Verified", "زمان تأیید"), locale.time(verifiedAt)],
    further: [...clientRows(run, view), ...measuredRows(verification, view)]
  })
}

const show = Effect.fnUntraced(function* (view: View) {
  const { locale } = view
  const { say } = locale
  const { run, isLive } = yield* readRun(view)
  const { verification, history } = run
  const requests = yield* readRunRequests(view.actor.customerId, {
    id: verification.id,
    createdAt: verification.createdAt,
    endedAt: verification.verifiedAt
  })
  return {
    title: `${say("Code to", "کد برای")} ${phoneText(verification.phone, locale)}`,
    name: "verifications",
    lead: html`<a href="${PATH}">${say("Verifications", "کدهای تأیید")}</a>`,
    content: runContent(view, {
      isActive: !isTerminal(effectiveStatus(verification, run.now)),
      story: storyPart(view, verificationStory(run, locale), buttons(view, run, isLive)),
      moments: verificationMoments(run, locale),
      chart: waterfall([...requestLanes(requests, locale), ...codeLanes(run, locale)], run.now, locale),
      details: details(view, run, isLive),
      more: html`${requestsPart(view, verification.id, requests)}
      ${eventsPart(view, history.events, `${PATH}/${verification.id}`)} ${chargesPart(view, history)}`
    })
  } as const
})

const forms = runForms(PATH, {
  cancel: formAction(cancelVerification, formOfRun(PATH, "canceled")),
  events: (view) =>
    Effect.map(readRun(view), ({ run: { verification, history } }) => ({
      id: verification.id,
      events: history.events
    }))
})

const tryNext = formAction(tryNextChannel, {
  ...formOfRun(PATH, "next"),
  input: (fields) => ({
    from_sequence: submittedNumber(fields.get("from_sequence")),
    channel: fields.get("channel")
  })
})

export const verificationPages = {
  name: null,
  routes: [page(`${PATH}/:id`, show), change(`${PATH}/:id/next`, tryNext), ...forms]
} as const satisfies ConsolePages
