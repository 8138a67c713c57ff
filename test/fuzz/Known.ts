/** Ids and values that the server knows: what it answered is what later requests name. */
import type { Random } from "../../bench/soak/Random.ts"

const MOST = 200

/** The fuzzer uses only those that it created itself: otherwise it would revoke its own. */
const CREDENTIALS = new Set(["api-keys", "tokens", "users"])

const ID_NAMES: Readonly<Record<string, string>> = {
  accounts: "credential_id",
  verifications: "verification_id",
  messages: "message_id"
}

/** `/v1/manage/api-keys/7/rotate` → `api-keys` */
const resourceOf = (target: string): string => {
  const parts = target.split(/[?#]/)[0]?.split("/").slice(2) ?? []
  return (parts[0] === "manage" ? parts[1] : parts[0]) ?? ""
}

export const makeKnown = () => {
  const values = new Map<string, Array<unknown>>()
  const learn = (name: string, value: unknown) => {
    const known = values.get(name) ?? []
    values.set(name, known)
    if (known.includes(value)) return
    known.push(value)
    if (known.length > MOST) known.shift()
  }
  const isId = (value: unknown) => typeof value === "string" || typeof value === "number"
  const learnFrom = (method: string, target: string, value: unknown): void => {
    if (Array.isArray(value)) return value.forEach((each) => learnFrom(method, target, each))
    if (typeof value !== "object" || value === null) return
    const resource = resourceOf(target)
    const mayLearnId = method === "POST" || !CREDENTIALS.has(resource)
    for (const [key, each] of Object.entries(value)) {
      if (key === "id" && isId(each)) {
        if (mayLearnId) learn(`${resource}.id`, each)
      } else if (/(?:_id|^next_cursor|^refresh_token)$/.test(key) && isId(each)) learn(key, each)
      else learnFrom(method, target, each)
    }
  }
  return {
    learn,
    learnFrom,
    /** A value of a name, or undefined while none is known. */
    pick: (random: Random, name: string): unknown => {
      const known = values.get(name) ?? []
      return known.length === 0 ? undefined : random.pick(known)
    },
    idOf: (random: Random, template: string): unknown => {
      const resource = resourceOf(template)
      const known = values.get(ID_NAMES[resource] ?? `${resource}.id`) ?? []
      return known.length === 0 ? undefined : random.pick(known)
    }
  }
}

export type Known = ReturnType<typeof makeKnown>
