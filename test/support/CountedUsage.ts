import { formatInstant } from "../../src/domain/Instant.ts"
import type { Message } from "../../src/domain/message/Message.ts"
import { type CodeUsage, noCodes, type UsageGrouping } from "../../src/domain/money/Usage.ts"
import type { Verification } from "../../src/domain/verification/Verification.ts"

type Sent = Verification | Message

const priceAt = ({ route }: Sent, step: number) => route[step]?.price ?? 0

/** The part of a record's charge that belongs to its attempt. */
const costOf = (record: Sent, index: number): number => {
  const sent = record.attempts.filter(({ status }) => status === "sent")
  const attempt = record.attempts[index]
  if (attempt?.status !== "sent") return 0
  if ("strategy" in record && record.strategy === "broadcast") return priceAt(record, attempt.step)
  const charged = sent.find(({ step }) => priceAt(record, step) === record.captured)
  return charged === attempt ? record.captured : 0
}

const median = (values: ReadonlyArray<number>): number | null => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

/** The numbers of records that are all of one group, or, with a channel, what of them concerns it. */
const usageOf = (records: ReadonlyArray<Sent>, channel: string | null): CodeUsage => {
  const usage = { ...noCodes, errors: {} as Record<string, number> }
  const seconds: Array<number> = []
  for (const record of records) {
    const channelAt = (step: number): string | undefined => record.route[step]?.channel
    const isOf = (step: number) => channel === null || channelAt(step) === channel
    const own = record.attempts.filter(({ step }) => isOf(step))
    if (channel !== null && own.length === 0) continue
    usage.accepted++
    record.attempts.forEach((attempt, index) => {
      if (!isOf(attempt.step)) return
      if (attempt.status === "sent") usage.sent++
      if (attempt.status === "failed") usage.failed++
      if (attempt.error_code !== null) {
        usage.errors[attempt.error_code] = (usage.errors[attempt.error_code] ?? 0) + 1
      }
      if (attempt.delivery?.status === "delivered") usage.delivered++
      if (attempt.delivery?.status === "undelivered") usage.undelivered++
      usage.cost += costOf(record, index)
    })
    const verifiedAt = "verifiedAt" in record ? record.verifiedAt : null
    if (verifiedAt !== null && isOf(record.attempts.at(-1)?.step ?? -1)) {
      usage.verified++
      seconds.push((verifiedAt - record.createdAt) / 1000)
    }
  }
  return { ...usage, medianSeconds: median(seconds) }
}

/** The expected report on these records, counted one by one. */
export const countedUsage = (
  codes: ReadonlyArray<Verification>,
  messages: ReadonlyArray<Message>,
  grouping: UsageGrouping
) => {
  const dayOf = ({ createdAt }: Sent) => (grouping.byDay ? formatInstant(createdAt).slice(0, 10) : null)
  const days = [...new Set([...codes, ...messages].map(dayOf))].toSorted()
  const channels = grouping.byChannel ? ["bale", "eitaa", "sms"] : [null]
  return days
    .flatMap((day) =>
      channels.map((channel) => {
        const ofDay = <R extends Sent>(records: ReadonlyArray<R>) =>
          records.filter((each) => dayOf(each) === day)
        const { verified: _, medianSeconds: __, ...sends } = usageOf(ofDay(messages), channel)
        return { day, channel, codes: usageOf(ofDay(codes), channel), messages: sends }
      })
    )
    .filter((group) => group.codes.accepted + group.messages.accepted > 0)
}
