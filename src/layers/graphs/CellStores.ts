import { Cause, type Context, Effect, Layer, Option } from "effect"
import { NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { mergePages } from "../../domain/LoggedRequest.ts"
import { BEGINNING, isErasing, type RetentionPass, type RetentionTask } from "../../domain/Retention.ts"
import { BotInboxStore } from "../../services/account/BotInboxes.ts"
import { ActivitySums } from "../../services/activity/ActivityReports.ts"
import { CodeSumsStore } from "../../services/activity/Insights.ts"
import { RequestRecords, RequestStore } from "../../services/activity/RequestLog.ts"
import { Cells, STORE_CELL } from "../../services/customer/Cells.ts"
import { ChannelResults } from "../../services/customer/SetUpConcerns.ts"
import { GuardStore } from "../../services/guard/GuardStore.ts"
import { ManagementWrites } from "../../services/ManagementWrites.ts"
import { RetentionStore } from "../../services/Retention.ts"
import { RouteRecordStore } from "../../services/routing/RouteRecords.ts"
import { warnOfFailure } from "../../services/system/Observability.ts"
import { TimerHandlers } from "../../services/timer/TimerRunner.ts"
import { TimerStore } from "../../services/timer/TimerStore.ts"
import { VerificationStore } from "../../services/verification/VerificationStore.ts"
import { Wallets } from "../../services/Wallets.ts"
import { BotInboxStoreSql } from "../account/BotInboxStoreSql.ts"
import { ActivitySumsSql } from "../activity/ActivitySumsSql.ts"
import { CodeSumsSql } from "../activity/CodeSumsSql.ts"
import { RequestRecordsSql, RequestStoreSql } from "../activity/RequestRecordsSql.ts"
import { CustomerMovesSql } from "../customer/CustomerMovesSql.ts"
import { ChannelResultsSql } from "../customer/ChannelResultsSql.ts"
import { GuardStoreSql } from "../guard/GuardStoreSql.ts"
import { WalletsSql } from "../money/WalletsSql.ts"
import { alone } from "../postgres/CellNodes.ts"
import { tablesInCells } from "../postgres/CellSchema.ts"
import { CellsAreApart } from "../postgres/CellsSql.ts"
import { ChangeFeed, endedBy } from "../postgres/ChangeFeed.ts"
import { ManagementWritesSql } from "../postgres/ManagementWritesSql.ts"
import { RetentionStoreSql } from "../retention/RetentionStoreSql.ts"
import { RouteRecordsSql } from "../routing/RouteRecordsSql.ts"
import { overCells } from "../timer/TimerCells.ts"
import { TimerStoreSql } from "../timer/TimerStoreSql.ts"

/**
 * The stores in front of a store of several cells: what is about one customer is done in its cell, and what is about all
 * customers in one cell after the other. In a store of one cell they are the stores themselves.
 */

type CellsService = (typeof Cells)["Service"]

const inCells =
  <Self, Store>(
    port: Context.Key<Self, Store>,
    over: (store: Store, cells: CellsService, areApart: boolean) => Store
  ) =>
  <E, R>(layer: Layer.Layer<Self, E, R>) =>
    Layer.effect(
      port,
      Effect.gen(function* () {
        const store = yield* port
        const cells = yield* Cells
        return cells.isOne ? store : over(store, cells, yield* CellsAreApart)
      })
    ).pipe(Layer.provide(layer))

/** Its statements are about the timers of a cell alone. */
export const TimerStoreLive = inCells(TimerStore, (store, cells) =>
  overCells(
    {
      claim: (request) => alone(store.claim(request)),
      claimFairly: (request) => alone(store.claimFairly(request)),
      nextClaimAt: (kinds, withParked) => alone(store.nextClaimAt(kinds, withParked)),
      renew: (timers, until) => alone(store.renew(timers, until)),
      release: (timer, dueAt) => alone(store.release(timer, dueAt)),
      remove: (timer) => alone(store.remove(timer))
    },
    cells
  )
)(TimerStoreSql)

/** Timers are run where their customers are. */
export const timersInCells = inCells(
  TimerHandlers,
  (handlers, { within }) =>
    new Map(
      [...handlers].map(
        ([kind, handle]) => [kind, (timer) => within(timer.customerId, handle(timer))] as const
      )
    )
)

/** Changes are made where the rows of the customer are that they are about. */
export const ManagementWritesLive = inCells(ManagementWrites, (writes, { within, following }) => ({
  ...writes,
  write: (request, change) => within(request.actor.customerId, following(writes.write(request, change)))
}))(ManagementWritesSql)

export const WalletsLive = inCells(Wallets, (wallets, { within, inEach }) => ({
  ...wallets,
  balance: (customerId) => within(customerId, wallets.balance(customerId)),
  topUp: (customerId, amount) => within(customerId, wallets.topUp(customerId, amount)),
  // A customer on its way to another cell has rows in both: those of its own cell count.
  differences: Effect.flatMap(inEach(wallets.differences), (found) =>
    Effect.map(
      Effect.forEach([...new Set(found.flat().map(({ customerId }) => customerId))], (customerId) =>
        Effect.map(within(customerId, wallets.differences), (own) =>
          own.filter((difference) => difference.customerId === customerId)
        )
      ),
      (own) => own.flat()
    )
  )
}))(WalletsSql)

/** Services that work in the background, for a customer whose request or timer may have ended. */
export const GuardStoreLive = inCells(GuardStore, (store, { within }) => ({
  ...store,
  wake: (customerId, at) => within(customerId, store.wake(customerId, at)),
  raise: (customerId, alarm, enforced) => within(customerId, store.raise(customerId, alarm, enforced)),
  bombed: (customerId, phone, until, now) => within(customerId, store.bombed(customerId, phone, until, now))
}))(GuardStoreSql)

export const RouteRecordsLive = inCells(RouteRecordStore, (store, { within }) => ({
  ...store,
  tries: (request) => within(request.customerId, store.tries(request))
}))(RouteRecordsSql)

export const ChannelResultsLive = inCells(ChannelResults, (store, { within }) => ({
  read: (customerId, span) => within(customerId, store.read(customerId, span))
}))(ChannelResultsSql)

export const ActivitySumsLive = inCells(ActivitySums, (sums, { within }) => ({
  ...sums,
  unfinished: (customerId, span, now) => within(customerId, sums.unfinished(customerId, span, now)),
  read: (customerId, span) => within(customerId, sums.read(customerId, span)),
  usable: (customerId, span, now) => within(customerId, sums.usable(customerId, span, now)),
  sumUp: (customerId, span, now) => within(customerId, sums.sumUp(customerId, span, now)),
  count: (customerId, span, now) => within(customerId, sums.count(customerId, span, now)),
  sendsSince: (customerId, from, atMost) => within(customerId, sums.sendsSince(customerId, from, atMost))
}))(ActivitySumsSql)

export const CodeSumsLive = inCells(CodeSumsStore, (store, { within }) => ({
  totals: (filter, kinds, span) => within(filter.customerId, store.totals(filter, kinds, span)),
  buckets: (filter, begins, to) => within(filter.customerId, store.buckets(filter, begins, to)),
  hours: (filter, span, timeZone) => within(filter.customerId, store.hours(filter, span, timeZone))
}))(CodeSumsSql)

/** The codes whose delivery providers report: the reports say which customer's they are. */
export const codesInCells = inCells(VerificationStore, (store, { within }) => ({
  ...store,
  load: (customerId, id) => within(customerId, store.load(customerId, id)),
  commit: (before, transition, now, timer) =>
    within(before.customerId, store.commit(before, transition, now, timer))
}))

export const BotInboxStoreLive = inCells(BotInboxStore, (store, { inEach }) => ({
  ...store,
  wakeAll: (now) => Effect.asVoid(inEach(store.wakeAll(now)))
}))(BotInboxStoreSql)

export const RequestStoreLive = inCells(RequestStore, (store, { split }) => ({
  add: (blocks) =>
    Effect.asVoid(
      split(
        blocks,
        ({ customerId }) => customerId,
        (own) => alone(store.add(own))
      )
    )
}))(RequestStoreSql)

export const RequestRecordsLive = inCells(RequestRecords, (records, { inEach }) => ({
  list: (customerId, search) =>
    customerId === null
      ? Effect.map(inEach(records.list(null, search)), (pages) => mergePages(pages, search))
      : records.list(customerId, search),
  find: (customerId, id) =>
    customerId === null
      ? Effect.flatMap(inEach(Effect.option(records.find(null, id))), (found) => {
          const [first] = found.flatMap(Option.toArray)
          return first === undefined ? Effect.fail(new NotFound()) : Effect.succeed(first)
        })
      : records.find(customerId, id),
  refusals: records.refusals
}))(RequestRecordsSql)

/** The table whose rows a task of retention works on. */
const tableOf = (task: RetentionTask): string => {
  if (task === "verification_phones") return "verifications"
  return task === "message_phones" ? "messages" : task
}

const earliest = (instants: ReadonlyArray<Instant | null>): Instant | null =>
  instants.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null)

/**
 * Each task works in one cell after the other. Rows of a cell that cannot be reached are deleted by a later round. Erasing
 * waits for the cell: it does not look again at rows that it has passed.
 */
export const RetentionStoreLive = inCells(RetentionStore, (store, { ids, inCell, inEach }, areApart) => {
  const inCellsToo = tablesInCells(areApart)
  const runBatch = Effect.fnUntraced(function* (pass: RetentionPass) {
    const all = yield* ids
    const current = all.find((id) => id >= (pass.position.cell ?? STORE_CELL))
    if (current === undefined) return { gone: 0, next: null }
    const following = all.find((id) => id > current)
    const onwards = following === undefined ? null : { ...BEGINNING, cell: following }
    const batch = inCell(current, store.runBatch(pass))
    const { gone, next } = yield* isErasing(pass.task)
      ? batch
      : Effect.catchCauseIf(
          batch,
          (cause) => !Cause.hasInterrupts(cause),
          (cause) =>
            Effect.as(warnOfFailure(`retention leaves out cell ${current}`, cause), { gone: 0, next: null })
        )
    return { gone, next: next === null ? onwards : { ...next, cell: current } }
  })
  return {
    ...store,
    runBatch: (pass) => (inCellsToo.includes(tableOf(pass.task)) ? runBatch(pass) : store.runBatch(pass)),
    unfinishedSince: (task) => Effect.map(inEach(store.unfinishedSince(task)), earliest)
  }
})(RetentionStoreSql)

/** Moves customers; a move erases what retention has passed in the former cell. */
export const CustomerMovesLive = Layer.provide(CustomerMovesSql, RetentionStoreSql)

/** A customer that was moved is looked up again at once. */
export const CellNews = Layer.effectDiscard(
  Effect.gen(function* () {
    const { isOne, forget } = yield* Cells
    const { subscribe } = yield* ChangeFeed
    if (isOne) return
    yield* subscribe(endedBy({ invalidateAll: forget(null) }, { customer: forget }))
  })
)
