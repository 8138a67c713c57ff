import {
  type ActivityFigures,
  type ActivitySums,
  secondsWithin
} from "../../../../../domain/activity/Activity.ts"
import type { View } from "../../../frame/SignedRoutes.ts"

export const allCodes = ({ kind, channel }: ActivityFigures) => kind === "code" && channel === null
export const allMessages = ({ kind, channel }: ActivityFigures) => kind === "message" && channel === null
export const anyChannel = ({ channel }: ActivityFigures) => channel !== null

export const share = (part: number, whole: number, { locale }: View): string =>
  whole === 0 ? "–" : locale.percent(part / whole)

export const time = (sums: ActivitySums, portion: number, { locale }: View): string => {
  const seconds = secondsWithin(sums, portion)
  return seconds === null ? "–" : locale.duration(seconds)
}
