import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type SendKind, verdictOf } from "../../domain/account/Pace.ts"
import type { RouteAccount } from "../../domain/routing/RouteAccount.ts"
import {
  AccountSlots,
  type SendResult,
  type Slot,
  type SlotRequest,
  type StartRequest
} from "../../services/account/AccountSlots.ts"
import { Settings } from "../../services/Settings.ts"
import { errorOf, makeNoteError } from "./AccountFailuresSql.ts"
import { cooldownSql } from "./CooldownSql.ts"
import { conditionOf, isCooling, isPaced, makePacedAccounts, type PacedAccount } from "./PacedAccounts.ts"
import { type SlotRow, slotSql, startSql } from "./SlotSql.ts"
import { warnOfFailure } from "../../services/metrics/LoggedCause.ts"

/** Sends that wait for the same account do not come back at the same instant. */
const SPREADS = 20
const SPREAD_MILLIS = 100

const isFree = (account: PacedAccount | undefined, { kind, now }: SlotRequest): boolean =>
  account !== undefined && !isPaced(account) && !isCooling(account, kind, now)

const atOnce = (now: number): Slot => ({ _tag: "Taken", index: 0, at: now, hasStart: true, blocked: [] })

type PacedAccounts = Effect.Success<typeof makePacedAccounts>

const makeTake = Effect.fnUntraced(function* (accounts: PacedAccounts) {
  const reserve = slotSql(yield* SqlClient.SqlClient, yield* Settings)
  let waiting = 0
  const spread = (at: number) => at + (waiting++ % SPREADS) * SPREAD_MILLIS

  const toSlot = ({ index, at, blocked, reasons }: typeof SlotRow.Type, now: number): Slot =>
    index === null
      ? { _tag: "FreeAt", at: spread(at), blocked, reasons }
      : { _tag: "Taken", index, at, hasStart: at <= now, blocked, reasons }

  const take = Effect.fnUntraced(function* (request: SlotRequest) {
    const asked = yield* Effect.forEach(request.accounts, accounts.get)
    if (isFree(asked[0], request)) return atOnce(request.now)
    const [row] = yield* reserve(asked, request)
    return row === undefined ? yield* Effect.die("no slot and no time for one") : toSlot(row, request.now)
  })

  /** The usual case: the account has no pace, and has not failed lately. */
  const isFreeAsKnown = (request: SlotRequest) => {
    const [first] = request.accounts
    return first !== undefined && isFree(accounts.recall(first), request)
  }

  return (request: SlotRequest) =>
    isFreeAsKnown(request) ? Effect.succeed(atOnce(request.now)) : take(request)
})

const makeStart = Effect.fnUntraced(function* (accounts: PacedAccounts) {
  const noteStart = startSql(yield* SqlClient.SqlClient)

  const start = Effect.fnUntraced(function* (routeAccount: RouteAccount, request: StartRequest) {
    const [row] = yield* noteStart(yield* accounts.get(routeAccount), request)
    if (row === undefined || row.hasStart) return { hasStart: true, at: request.now }
    return { hasStart: false, at: Math.max(row.nextStartAt ?? request.now, request.now + 1) }
  })

  return (account: RouteAccount, request: StartRequest) =>
    accounts.recall(account)?.gapMillis === 0
      ? Effect.succeed({ hasStart: true, at: request.now })
      : start(account, request)
})

const makeReport = Effect.fnUntraced(function* (accounts: PacedAccounts) {
  const settings = yield* Settings
  const noteResult = cooldownSql(yield* SqlClient.SqlClient, settings)
  const noteError = yield* makeNoteError
  const verdictIn = ({ outcome }: SendResult) => verdictOf(outcome, settings.cooldownMaxMillis)

  const note = Effect.fnUntraced(function* (routeAccount: RouteAccount, result: SendResult) {
    const { kind, now } = result
    const account = yield* accounts.get(routeAccount)
    const verdict = verdictIn(result)
    const error = errorOf(result.outcome, now)
    if (error !== null) yield* noteError(account.id, error)
    if (verdict._tag === "Works" && !conditionOf(account, kind).isUnwell) return
    yield* Effect.orDie(noteResult({ account, kind, verdict, now }))
    yield* accounts.invalidate(account.id)
  })

  const isWellAsKnown = (routeAccount: RouteAccount, kind: SendKind) => {
    const account = accounts.recall(routeAccount)
    return account !== undefined && !conditionOf(account, kind).isUnwell
  }

  return (account: RouteAccount, result: SendResult) =>
    verdictIn(result)._tag === "Works" &&
    errorOf(result.outcome, result.now) === null &&
    isWellAsKnown(account, result.kind)
      ? Effect.void
      : Effect.catchCause(note(account, result), (cause) =>
          warnOfFailure("the condition of an account was not noted", cause)
        )
})

export const AccountSlotsSql = Layer.effect(
  AccountSlots,
  Effect.gen(function* () {
    const accounts = yield* makePacedAccounts
    return AccountSlots.of({
      take: yield* makeTake(accounts),
      start: yield* makeStart(accounts),
      isCooling: (account, kind, now) =>
        Effect.map(accounts.get(account), (found) => isCooling(found, kind, now)),
      report: yield* makeReport(accounts)
    })
  })
)
