import { Clock, Context, Effect, Latch, Layer } from "effect"
import { type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import {
  BUDGET_WINDOW_MILLIS,
  CODES_PER_GRANT,
  FREE_CODES,
  MAX_CODES_PER_GRANT,
  ownBudget
} from "../../domain/guard/CodeBudget.ts"
import { isAround, nameIn, type Segment, WHOLE } from "../../domain/guard/Segments.ts"
import { fnv1a } from "../../domain/text/Fingerprints.ts"
import { BoundedMap } from "../concurrency/Collections.ts"
import { type BudgetRequest, type Grant, GuardStore } from "./GuardStore.ts"

/** A power of two. */
const SIZE = 262_144
/** A index has a hash, and the minute of its end with the number of codes taken. */
const FIELDS = 2
const TAKEN_BITS = 2
const TAKEN = 2 ** TAKEN_BITS - 1

const hashOf = (customerId: number, { kind, key }: Segment): number => {
  const hash = fnv1a(key, fnv1a(kind, customerId))
  const spread = Math.imul(hash ^ (hash >>> 15), 0x85_eb_ca_6b)
  return spread ^ (spread >>> 13)
}

/** The index of a segment; -1: another segment has it. */
type Index = number

/**
 * Counts the free codes of segments for an hour. Most segments never see more, so they get no string and no object: with a
 * map of them, a send's budgets cost several microseconds. A segment whose index is taken is counted elsewhere.
 */
export class FreeCodes {
  readonly #entries = new Int32Array(SIZE * FIELDS)
  readonly #start: Instant

  constructor(now: Instant) {
    this.#start = now
  }

  /** A segment that has used its free codes does not get them again, unless another takes its index in a later hour. */
  find(customerId: number, segment: Segment, now: Instant): Index {
    const hash = hashOf(customerId, segment)
    const at = (hash & (SIZE - 1)) * FIELDS
    const minute = Math.floor((now - this.#start) / MINUTE_MILLIS)
    const isOver = (this.#entries[at + 1] ?? 0) >> TAKEN_BITS <= minute
    const isOwn = this.#entries[at] === hash
    if (!isOver) return isOwn ? at : -1
    const isSpent = isOwn && this.#taken(at) >= FREE_CODES
    const end = minute + BUDGET_WINDOW_MILLIS / MINUTE_MILLIS
    this.#entries[at] = hash
    this.#entries[at + 1] = (end << TAKEN_BITS) | (isSpent ? FREE_CODES : 0)
    return at
  }

  hasLeft(index: Index): boolean {
    return index >= 0 && this.#taken(index) < FREE_CODES
  }

  take(index: Index): void {
    this.#set(index, this.#taken(index) + 1)
  }

  giveBack(index: Index): void {
    this.#set(index, Math.max(0, this.#taken(index) - 1))
  }

  /** None is left. */
  spend(index: Index): void {
    if (index >= 0) this.#set(index, FREE_CODES)
  }

  #taken(index: Index): number {
    return (this.#entries[index + 1] ?? 0) & TAKEN
  }

  #set(index: Index, taken: number): void {
    this.#entries[index + 1] = ((this.#entries[index + 1] ?? 0) & ~TAKEN) | taken
  }
}

/** One statement for each grant would cost as much as half a send. */
const GATHERED_MILLIS = 100

interface GrantRequest {
  readonly request: BudgetRequest
  readonly receive: (grant: Grant | undefined) => void
}

/** Requests grants of budgets from the store: those of the next milliseconds together, in the background. */
export class GatheredGrants extends Context.Service<
  GatheredGrants,
  {
    /** @param receive called once; with undefined if the store does not respond */
    readonly request: (request: BudgetRequest, receive: (grant: Grant | undefined) => void) => void
    /** Requests what has gathered now, because a code waits for it. */
    readonly flush: () => void
  }
>()("peyk/services/guard/CodeBudgets/GatheredGrants") {
  static readonly layer = Layer.effect(
    GatheredGrants,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      let gathered = new Map<string, GrantRequest>()

      const flush = () => {
        if (gathered.size === 0) return
        const requests = [...gathered.values()]
        gathered = new Map()
        const granted = Effect.catchCause(store.grant(requests.map(({ request }) => request)), () =>
          Effect.succeed<ReadonlyArray<Grant>>([])
        )
        runFork(Effect.map(granted, (grants) => requests.forEach(({ receive }, nth) => receive(grants[nth]))))
      }

      return GatheredGrants.of({
        request: (request, receive) => {
          const name = nameIn(request.customerId, request.segment)
          if (gathered.has(name)) flush()
          gathered.set(name, { request, receive })
          if (gathered.size === 1) runFork(Effect.delay(Effect.sync(flush), GATHERED_MILLIS))
        },
        flush
      })
    })
  )
}

/** The codes that this process may still let pass in one segment. */
interface Allowance {
  left: number
  /** Codes that are out, of all processes, as the store last said. */
  used: number
  /** The first codes, before the store hears of the segment: the first request includes them. */
  uncounted: number
  perGrant: number
  grantedAt: Instant
  until: Instant
  /** Open when the store has answered. */
  pending: Latch.Latch | null
  /** The budget was used up; requested again then. */
  emptyUntil: Instant
  /** When the store's budget starts again. */
  endsAt: Instant
  /** Of a /56 or /48: the /64s that took from it last. */
  networks: ReadonlyArray<string>
}

const MAX_SEGMENTS = 50_000
const REQUESTED_AGAIN_MILLIS = 5000
const KEPT_NETWORKS = 8
/** From so many unverified codes on, those of a /56 or /48 have much in common. A mobile operator's are verified. */
const COMMON_AROUND = 12
/** A grant that lasts less than this was too small. */
const BUSY_MILLIS = 1000

export interface BudgetUse {
  readonly customerId: number
  /** That of the customer as a whole comes first. */
  readonly segments: ReadonlyArray<Segment>
  /** The customer's own budget; 0: none, null: by its usual traffic. */
  readonly budget: number | null
}

/** A code of each segment was taken, or of none. */
interface Taken {
  /** The segments whose budget is used up. */
  readonly empty: ReadonlyArray<Segment>
  /** It has a part in common with so many others that it takes from the customer's budget for such codes. */
  readonly isCommon: boolean
}

/** A segment of a code, with what this process may still let pass in it. */
interface Holding {
  readonly segment: Segment
  readonly index: Index
  /** Null: free codes are left. */
  readonly allowance: Allowance | null
}

/**
 * Counts the codes that are out, by segment. A process is granted a few codes at a time by the store, so the sum of all
 * processes stays within the budget, and a send asks nobody. Most segments see so few codes that the store never
 * hears of them: a process lets the first three pass. So each further process can exceed a budget by three.
 */
export class CodeBudgets extends Context.Service<
  CodeBudgets,
  {
    /** Takes a code of each segment, or of none if a budget is used up. Only then the store's answer is awaited. */
    readonly take: (use: BudgetUse, now: Instant) => Effect.Effect<Taken>
    /** Takes a code of each segment if this process has one of each at hand. */
    readonly takeAtHand: (use: BudgetUse, now: Instant) => Taken
    /** When one of these budgets is certain to have codes again. */
    readonly renewedAt: (customerId: number, segments: ReadonlyArray<Segment>, now: Instant) => Instant
    /** The codes of a segment that are out, as far as this process knows. */
    readonly used: (customerId: number, segment: Segment) => number
    /** The /64s that took from one of these /56 or /48 last. */
    readonly networksAround: (customerId: number, around: ReadonlyArray<Segment>) => ReadonlyArray<string>
    /** Whether more codes of a segment are out than the first ones. */
    readonly isBusy: (customerId: number, segment: Segment) => boolean
    /** Gives back a code that was taken and then not sent. */
    readonly giveBack: (use: BudgetUse, now: Instant) => void
    /** Forgets what was granted: the segments' budgets have changed. */
    readonly forget: (use: BudgetUse, now: Instant) => void
  }
>()("peyk/services/guard/CodeBudgets") {
  static readonly layer = Layer.effect(
    CodeBudgets,
    Effect.gen(function* () {
      const grants = yield* GatheredGrants
      const allowances = new BoundedMap<string, Allowance>(MAX_SEGMENTS)
      const startsAt = yield* Clock.currentTimeMillis
      let counts: FreeCodes | null = null
      /** They take two megabytes, which a process that sends no code under the guard does not need. */
      const freeCodes = () => (counts ??= new FreeCodes(startsAt))

      const make = (free: number, now: Instant): Allowance => ({
        left: free,
        used: 0,
        uncounted: free,
        perGrant: CODES_PER_GRANT,
        grantedAt: Number.NEGATIVE_INFINITY,
        until: now + BUDGET_WINDOW_MILLIS,
        pending: null,
        emptyUntil: 0,
        endsAt: now + BUDGET_WINDOW_MILLIS,
        networks: []
      })

      const find = (customerId: number, segment: Segment, index: Index, now: Instant): Allowance => {
        const name = nameIn(customerId, segment)
        const known = allowances.get(name)
        if (known !== undefined && known.until > now) return known
        // The store has heard of this segment. Else an attack would get the free codes again each hour.
        const isCounted = index >= 0 || (known !== undefined && known.uncounted === 0)
        const made = make(isCounted ? 0 : FREE_CODES, now)
        allowances.set(name, made)
        return made
      }

      /** In the background; without a response, codes pass. */
      const requestGrant = (
        { customerId, budget }: BudgetUse,
        segment: Segment,
        own: Allowance,
        now: Instant
      ) => {
        const pending = Latch.makeUnsafe(false)
        own.pending = pending
        if (now - own.grantedAt < BUSY_MILLIS) own.perGrant = Math.min(own.perGrant * 2, MAX_CODES_PER_GRANT)
        own.grantedAt = now
        const { perGrant, uncounted } = own
        own.uncounted = 0
        const requested = perGrant + uncounted
        const request = { customerId, segment, codes: requested, budget: ownBudget(segment, budget), now }
        grants.request(request, (grant) => {
          const { codes, used, endsAt } = grant ?? { codes: requested, used: own.used, endsAt: own.endsAt }
          own.used = used
          own.endsAt = endsAt
          own.left += Math.max(0, codes - uncounted)
          own.pending = null
          if (codes < requested) own.emptyUntil = Math.min(now + REQUESTED_AGAIN_MILLIS, endsAt)
          pending.openUnsafe()
        })
      }

      const counted = ({ segments, budget }: BudgetUse) =>
        budget === 0 ? segments.filter(({ kind }) => kind !== "customer") : segments

      /** With the last one, the store hears of the segment. */
      const takeFree = (use: BudgetUse, segment: Segment, index: Index, now: Instant) => {
        freeCodes().take(index)
        if (freeCodes().hasLeft(index)) return
        const allowance = find(use.customerId, segment, index, now)
        allowance.uncounted = FREE_CODES
        requestGrant(use, segment, allowance, now)
      }

      const holdingOf = ({ customerId }: BudgetUse, segment: Segment, now: Instant): Holding => {
        const index = freeCodes().find(customerId, segment, now)
        const allowance = freeCodes().hasLeft(index) ? null : find(customerId, segment, index, now)
        return { segment, index, allowance }
      }

      const isCommonPart = ({ segment, allowance }: Holding): boolean =>
        allowance?.uncounted === 0 && (!isAround(segment) || allowance.used >= COMMON_AROUND)

      /** Remembers the /64 of a code in the /56 and the /48 around it. */
      const noteNetwork = (holdings: ReadonlyArray<Holding>) => {
        const key = holdings.find(({ segment }) => segment.kind === "network" && !isAround(segment))?.segment
          .key
        if (key === undefined) return
        for (const { segment, allowance } of holdings) {
          if (allowance === null || !isAround(segment) || allowance.networks.includes(key)) continue
          allowance.networks = [...allowance.networks.slice(1 - KEPT_NETWORKS), key]
        }
      }

      /**
       * A code that is not among the first of its network, device or range takes from a budget of its own kind: so the few
       * addresses of an attack are refused before others are. A budget that the customer has set is for all codes.
       */
      const holdingsOf = (use: BudgetUse, now: Instant) => {
        const [whole, ...others] = counted(use)
        const parts = others.map((segment) => holdingOf(use, segment, now))
        if (whole === undefined) return { holdings: parts, isCommon: false }
        const isCommon = whole === WHOLE.all && use.budget === null && parts.some(isCommonPart)
        return { holdings: [holdingOf(use, isCommon ? WHOLE.common : whole, now), ...parts], isCommon }
      }

      const takeNow = (use: BudgetUse, now: Instant): Taken => {
        const { holdings, isCommon } = holdingsOf(use, now)
        noteNetwork(holdings)
        const empty = holdings.filter(({ allowance }) => allowance !== null && allowance.left <= 0)
        for (const { segment, index, allowance } of holdings) {
          if (allowance === null) {
            if (empty.length === 0) takeFree(use, segment, index, now)
            continue
          }
          if (empty.length === 0) allowance.left -= 1
          const isLow = allowance.left <= (allowance.uncounted > 0 ? 0 : 1)
          if (isLow && allowance.pending === null && allowance.emptyUntil <= now) {
            requestGrant(use, segment, allowance, now)
          }
        }
        return { empty: empty.map(({ segment }) => segment), isCommon }
      }

      /** Others may have taken what the store granted, so grants are requested until one is less than was requested. */
      const take = (use: BudgetUse, now: Instant): Effect.Effect<Taken> =>
        Effect.suspend(() => {
          const taken = takeNow(use, now)
          const waits = taken.empty.flatMap((segment) => {
            const pending = allowances.get(nameIn(use.customerId, segment))?.pending ?? null
            return pending === null ? [] : [pending.await]
          })
          if (waits.length === 0) return Effect.succeed(taken)
          grants.flush()
          return Effect.andThen(Effect.all(waits, { discard: true }), take(use, now))
        })

      return CodeBudgets.of({
        take,
        takeAtHand: takeNow,
        renewedAt: (customerId, segments, now) =>
          Math.max(
            ...segments.map(
              (segment) => allowances.get(nameIn(customerId, segment))?.endsAt ?? now + BUDGET_WINDOW_MILLIS
            )
          ),
        used: (customerId, segment) => allowances.get(nameIn(customerId, segment))?.used ?? 0,
        networksAround: (customerId, around) => [
          ...new Set(around.flatMap((segment) => allowances.get(nameIn(customerId, segment))?.networks ?? []))
        ],
        isBusy: (customerId, segment) =>
          segment.kind !== "customer" && allowances.get(nameIn(customerId, segment))?.uncounted === 0,
        giveBack: (use, now) => {
          for (const segment of counted(use)) {
            const index = freeCodes().find(use.customerId, segment, now)
            if (freeCodes().hasLeft(index)) freeCodes().giveBack(index)
            const known = allowances.get(nameIn(use.customerId, segment))
            if (known !== undefined) known.left += 1
          }
        },
        forget: (use, now) => {
          for (const segment of use.segments) {
            freeCodes().spend(freeCodes().find(use.customerId, segment, now))
            const known = allowances.get(nameIn(use.customerId, segment))
            if (known !== undefined) Object.assign(known, { left: 0, uncounted: 0, emptyUntil: 0 })
          }
        }
      })
    })
  )
}
