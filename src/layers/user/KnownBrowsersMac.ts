import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { timingSafeEqual } from "node:crypto"
import type { Instant } from "../../domain/Instant.ts"
import {
  type BrowserEntry,
  formatEntries,
  isAlive,
  readEntries,
  secondsOf,
  signedText
} from "../../domain/user/Sessions.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { KnownBrowsers } from "../../services/user/ConsoleSignIns.ts"

const ID_BYTES = 16

export const KnownBrowsersMac = Layer.effect(
  KnownBrowsers,
  Effect.gen(function* () {
    const key = yield* MasterKey
    const random = yield* SecureRandom.SecureRandom

    const macOf = (entry: Omit<BrowserEntry, "mac">, email: string) =>
      Buffer.from(key.mac("known-browser", signedText(entry, email)))

    const isOf = (email: string, now: Instant) => (entry: BrowserEntry) =>
      isAlive(entry, now) && timingSafeEqual(macOf(entry, email), Buffer.from(entry.mac, "base64url"))

    return KnownBrowsers.of({
      find: (cookie, email, now) => readEntries(cookie).find(isOf(email, now)) ?? null,

      remember: Effect.fnUntraced(function* (cookie, { email, epoch }, now) {
        const before = readEntries(cookie ?? "")
        const own = before.find(isOf(email, now))
        // the same browser keeps its number of tries
        const id =
          own?.epoch === epoch
            ? own.id
            : Buffer.from(yield* random.randomBytes(ID_BYTES)).toString("base64url")
        const entry = { id, epoch, sinceSeconds: secondsOf(now) }
        const signed = { ...entry, mac: macOf(entry, email).toString("base64url") }
        return formatEntries([signed, ...before.filter((each) => each !== own)])
      })
    })
  })
)
