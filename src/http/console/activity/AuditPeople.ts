import { Effect } from "effect"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import type { Member } from "../../../domain/user/User.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import type { Filter } from "../parts/Lists.ts"
import { type AuditActor, AuditLog, type AuditRecord } from "../../../services/activity/AuditLog.ts"
import { Operators } from "../../../services/user/Operators.ts"
import { Users } from "../../../services/user/Users.ts"
import { actorText } from "./AuditSentences.ts"

/** Who can change something. */
const kinds = [
  ["user", "User", "کاربر"],
  ["token", "Token", "توکن"],
  ["session", "External sign-in", "ورود با سرویس دیگر"],
  ["operator", "Operator", "مدیر سامانه"]
] as const

export const actorKey = ({ kind, id }: Pick<AuditActor, "kind" | "id">): string => `${kind}:${id}`

export const kindText = (kind: string, { say }: Locale): string => {
  const words = kinds.find(([each]) => each === kind)
  return words === undefined ? kind : say(words[1], words[2])
}

export const actorChoice = (actor: AuditActor, locale: Locale): readonly [string, string] => {
  const { kind, name } = actor
  const text = actorText(actor, locale)
  return [actorKey(actor), kind === "user" || text !== name ? text : `${text} (${kindText(kind, locale)})`]
}

/** The kind that a filter names. */
export const kindIn = (by: string | null): string | undefined => kinds.find(([kind]) => kind === by)?.[0]

export const kindFilter = ({ say }: Locale): Filter => ({
  name: "by",
  label: say("Changed by", "تغییردهنده"),
  any: say("Anyone", "همه"),
  choices: kinds.map(([kind, english, persian]) => [kind, say(english, persian)] as const)
})

/** Enough for all users of nearly every customer. */
const MAX_USERS = 200

/**
 * The people who may be in the log of a customer, or of all (null), as far as the viewer may see them. It keeps no
 * address, and many are called by nothing else.
 */
export const peopleOf = (
  customerId: number | null,
  { actor: { isOwner } }: View
): Effect.Effect<ReadonlyArray<Member>, never, Operators | Users> => {
  if (customerId === null) return Operators.use(({ list }) => list)
  return isOwner
    ? Effect.map(
        Users.use((users) => users.list(customerId, { limit: MAX_USERS, after: null })),
        ({ items }) => items
      )
    : Effect.succeed([])
}

const isOfPerson = ({ subjectType }: AuditRecord): boolean =>
  subjectType === "user" || subjectType === "operator"

/** A person who had no name gets their address. */
export const withPerson =
  (people: ReadonlyArray<Member>) =>
  (record: AuditRecord): AuditRecord => {
    const { subjectName, subjectId } = record
    if (!isOfPerson(record) || (subjectName !== null && subjectName !== "")) return record
    return { ...record, subjectName: people.find(({ id }) => id === subjectId)?.email ?? null }
  }

/** Of one customer: who has changed something there. Of all: who has changed the installation, and every operator. */
export const actorsOf = Effect.fnUntraced(function* (
  customerId: number | null,
  people: ReadonlyArray<Member>
) {
  const log = yield* AuditLog
  if (customerId !== null) return yield* log.actors(customerId)
  const found = yield* log.actors(PLATFORM)
  const others = people.filter(({ id }) => !found.some((each) => each.kind === "operator" && each.id === id))
  return [...found, ...others.map(({ id, name }): AuditActor => ({ kind: "operator", id, name }))]
})
