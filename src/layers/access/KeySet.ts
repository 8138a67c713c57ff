import { Clock, Effect, Option, Semaphore } from "effect"
import { type CompactJWSHeaderParameters, createLocalJWKSet, type CryptoKey, type JWK } from "jose"
import { Unauthenticated } from "../../domain/Errors.ts"

/** Keys as their owner publishes them. */
export interface PublishedKeys {
  readonly keys: ReadonlyArray<JWK>
}

interface KeySetOptions<R> {
  /** None if they cannot be read; then the last ones stay. */
  readonly read: Effect.Effect<Option.Option<PublishedKeys>, never, R>
  /** Older keys are read again. */
  readonly maxAgeMillis: number
  /** An unknown key causes a read at most this often. */
  readonly pauseMillis: number
}

interface Loaded {
  readonly ids: ReadonlySet<string>
  readonly resolve: ReturnType<typeof createLocalJWKSet>
}

const load = ({ keys }: PublishedKeys): Option.Option<Loaded> => {
  try {
    const ids = new Set(keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])))
    return Option.some({ ids, resolve: createLocalJWKSet({ keys: [...keys] }) })
  } catch {
    return Option.none()
  }
}

export type KeyOf = (header: CompactJWSHeaderParameters) => Effect.Effect<CryptoKey, Unauthenticated>

/** The keys of an issuer, cached in this process: no token causes more reads than others. */
export const makeKeySet = Effect.fnUntraced(function* <R>({
  read,
  maxAgeMillis,
  pauseMillis
}: KeySetOptions<R>) {
  const services = yield* Effect.context<R>()
  const reading = yield* Semaphore.make(1)
  let current: Loaded | null = null
  let loadedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let missedAt = Number.NEGATIVE_INFINITY

  const reload = Effect.gen(function* () {
    const published = Option.flatMap(yield* read, load)
    triedAt = yield* Clock.currentTimeMillis
    if (Option.isNone(published)) return
    current = published.value
    loadedAt = triedAt
  })

  /** Whether it is time to read, for a token that names this key. It is noted, so that one token reads for all. */
  const isDue = (id: string | undefined, now: number): boolean => {
    if (now - loadedAt >= maxAgeMillis) return now - triedAt >= pauseMillis
    if (id === undefined || current?.ids.has(id) === true || now - missedAt < pauseMillis) return false
    missedAt = now
    return true
  }

  const refresh = (id: string | undefined) =>
    reading.withPermit(
      Effect.flatMap(Clock.currentTimeMillis, (now) => (isDue(id, now) ? reload : Effect.void))
    )

  /** Most tokens find a fresh key and do not wait. */
  const needsRefresh = (id: string | undefined, now: number): boolean =>
    now - loadedAt >= maxAgeMillis || (id !== undefined && current?.ids.has(id) !== true)

  const keyOf: KeyOf = Effect.fnUntraced(function* (header) {
    const now = yield* Clock.currentTimeMillis
    if (needsRefresh(header.kid, now)) yield* Effect.provideContext(refresh(header.kid), services)
    const keys = current
    if (keys === null) return yield* new Unauthenticated()
    return yield* Effect.tryPromise({ try: () => keys.resolve(header), catch: () => new Unauthenticated() })
  })
  return keyOf
})
