import type { Instant } from "../../../../domain/Instant.ts"
import { metadataFields } from "../../../Metadata.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../../parts/Badge.ts"
import { copyButton } from "../../parts/CopyButton.ts"
import { type Fact, facts } from "../../parts/Facts.ts"
import { foreign, mono, phonePart } from "../../parts/Text.ts"

/** What a code and a message have in common. */
interface Run {
  readonly id: string
  readonly phone: string
  readonly createdAt: Instant
  /** In rials. */
  readonly held: number
  readonly captured: number
  /** The customer's own data as JSON; null: none. */
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
    words.isLive ? null : [say("Mode", "حالت"), badge("info", say("Sandbox", "محیط آزمایشی"))],
    [words.phone, phonePart(phone, locale)],
    [say("Id", "شناسه"), html`${mono(id)}${copyButton(id, say("Copy the id", "کپی شناسه"), locale)}`],
    ...words.behindId,
    [say("Created", "ایجاد"), locale.time(createdAt)],
    words.end,
    [say("Cost", "هزینه"), locale.rials(captured)],
    held === 0 ? null : [say("Held", "نگه‌داشته"), locale.rials(held)],
    ...words.further,
    ...metadataFields(metadata ?? "{}").map(([key, value]) => [mono(key), foreign(value)] as const)
  ])
}
