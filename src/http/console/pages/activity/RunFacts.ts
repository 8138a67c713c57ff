import type { Instant } from "../../../../domain/Instant.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../../parts/Badge.ts"
import { copyButton } from "../../parts/CopyButton.ts"
import { type Fact, facts } from "../../parts/Facts.ts"
import { foreign, ltr, mono } from "../../parts/Text.ts"

/** The customer's own data, as it came; null or an empty object: none. */
const metadataRows = (metadata: string | null): ReadonlyArray<readonly [string, string]> => {
  if (metadata === null) return []
  const parsed: unknown = JSON.parse(metadata)
  return typeof parsed !== "object" || parsed === null
    ? []
    : Object.entries(parsed).map(([key, value]) => [
        key,
        typeof value === "string" ? value : JSON.stringify(value)
      ])
}

/** What a code and a message have in common. */
interface Run {
  readonly id: string
  readonly phone: string
  readonly createdAt: Instant
  /** In rials. */
  readonly held: number
  readonly captured: number
  readonly metadata: string | null
}

interface RunWords {
  readonly status: string
  readonly isLive: boolean
  /** The name of the phone's row. */
  readonly phone: string
  /** Between the id and the time of creation. */
  readonly behindId: ReadonlyArray<Fact>
  readonly end: Fact
  /** Before the metadata. */
  readonly further: ReadonlyArray<Fact>
}

/** The details of a send. */
export const runFacts = (
  { locale }: View,
  { id, phone, createdAt, held, captured, metadata }: Run,
  words: RunWords
): Html => {
  const { say } = locale
  return facts([
    [say("Status", "وضعیت"), stateBadge(words.status, locale)],
    words.isLive ? null : [say("Mode", "حالت"), badge("info", say("Sandbox", "آزمایشی"))],
    [words.phone, ltr(phone)],
    [say("Id", "شناسه"), html`${mono(id)}${copyButton(id, say("Copy the id", "کپی شناسه"), locale)}`],
    ...words.behindId,
    [say("Created", "ایجاد"), locale.time(createdAt)],
    words.end,
    [say("Cost", "هزینه"), locale.rials(captured)],
    held === 0 ? null : [say("Held", "نگه‌داشته"), locale.rials(held)],
    ...words.further,
    ...metadataRows(metadata).map(([key, value]) => [mono(key), foreign(value)] as const)
  ])
}
