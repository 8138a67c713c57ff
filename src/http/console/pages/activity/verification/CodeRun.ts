import type { Instant } from "../../../../../domain/Instant.ts"
import type { Verification } from "../../../../../domain/verification/Verification.ts"
import type { RunHistory } from "../../../../../services/activity/RunHistories.ts"
import type { Locale } from "../../../frame/Locale.ts"
import { channelName } from "../../../parts/Text.ts"

export interface CodeRun {
  readonly verification: Verification
  readonly history: RunHistory
  readonly now: Instant
  /** Wrong codes that lock it; null: none do. */
  readonly maxWrongCodes: number | null
}

export const stepName = ({ route }: Pick<Verification, "route">, step: number, locale: Locale): string =>
  channelName((route[step] ?? route[0]).channel, locale)
