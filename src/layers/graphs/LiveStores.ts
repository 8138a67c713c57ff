import { Cause, type Context, Effect, Layer, Option } from "effect"
import { NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { mergePages } from "../../domain/LoggedRequest.ts"
import { BEGINNING, isErasing, type RetentionPass, type RetentionTask } from "../../domain/Retention.ts"
import { BotInboxStore } from "../../services/account/BotInboxes.ts"
import { ActivitySums } from "../../services/activity/ActivityReports.ts"
import { CodeSumsStore } from "../../services/activity/Insights.ts"
import { RequestRecords, RequestStore } from "../../services/activity/RequestLog.ts"
import { CustomerRows, type CustomerRowsShape, together } from "../../services/customer/CustomerRows.ts"
import { ChannelResults } from "../../services/customer/SetUpConcerns.ts"
import { GuardStore } from "../../services/guard/GuardStore.ts"
import { ManagementWrites } from "../../services/ManagementWrites.ts"
import { RetentionStore } from "../../services/Retention.ts"
import { RouteRecordStore } from "../../services/routing/RouteRecords.ts"
import { warnOfFailure } from "../../services/system/Observability.ts"
import { TimerStore } from "../../services/timer/TimerStore.ts"
import { Wallets } from "../../services/Wallets.ts"
import { BotInboxStoreSql } from "../account/BotInboxStoreSql.ts"
import { ActivitySumsSql } from "../activity/ActivitySumsSql.ts"
import { CodeSumsSql } from "../activity/CodeSumsSql.ts"
import { RequestRecordsSql, RequestStoreSql } from "../activity/RequestRecordsSql.ts"
import { CustomerMovesSql } from "../customer/CustomerMovesSql.ts"
import { ChannelResultsSql } from "../customer/ChannelResultsSql.ts"
import { GuardStoreSql } from "../guard/GuardStoreSql.ts"
import { WalletsSql } from "../money/WalletsSql.ts"
import { alone, SetUpIsApart } from "../postgres/SetUpPlace.ts"
import { tablesInCells } from "../postgres/CellSchema.ts"
import { Cells, STORE_CELL } from "../postgres/CellsSql.ts"
import { ChangeFeed, endedBy } from "../postgres/ChangeFeed.ts"
import { ManagementWritesSql } from "../postgres/ManagementWritesSql.ts"
import { RetentionStoreSql } from "../retention/RetentionStoreSql.ts"
import { RouteRecordsSql } from "../routing/RouteRecordsSql.ts"
import { timersOfAll } from "../timer/TimersOfAll.ts"
import { TimerStoreSql } from "../timer/TimerStoreSql.ts"

/**
 * The stores as the services need them. A store that has its customers' rows apart gets a front: what is about one
 * customer is done where that one's rows are, and what is about all customers once for each part.
 */
const overRows =
  <Self, Store>(port: Context.Key<Self, Store>, over: (store: Store, rows: CustomerRowsShape) => Store) =>
  <E, R>(layer: Layer.Layer<Self, E, R>) =>
    Layer.effect(
      port,
      Effect.gen(function* () {
        const store = yield* port
        const rows = yield* CustomerRows
        return rows === together ? store : over(store, rows)
      })
    ).pipe(Layer.provide(layer))

/** Its statements are about customers' rows alone. */
export const TimerStoreLive = overRows(TimerStore, (store, rows) =>
  timersOfAll(
    {
      claim: (request) => alone(store.claim(request)),
      claimFairly: (request) => alone(store.claimFairly(request)),
      parkedKinds: (kinds) => alone(store.parkedKinds(kinds)),
      nextClaimAt: (kinds, withParked) => alone(store.nextClaimAt(kinds, withParked)),
      renew: (timers, until) => alone(store.renew(timers, until)),
      release: (timer, dueAt) => alone(store.release(timer, dueAt)),
      remove: (timer) => alone(store.remove(timer))
    },
    rows
  )
)(TimerStoreSql)

/** Changes are made where the rows of the customer are that they are about. */
export const ManagementWritesLive = overRows(ManagementWrites, (writes, { within, following }) => ({
  ...writes,
  write: (request, change) => within(request.actor.customerId, following(writes.write(request, change)))
}))(ManagementWritesSql)

export const WalletsLive = overRows(Wallets, (wallets, { within, inEach }) => ({
  ...wallets,
  balance: (customerId) => within(customerId, wallets.balance(customerId)),
  topUp: (customerId, amount) => within(customerId, wallets.topUp(customerId, amount)),
  // A customer that is being moved has rows in two places: those where it is count.
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
export const GuardStoreLive = overRows(GuardStore, (store, { within }) => ({
  ...store,
  dueCodes: (request) => alone(store.dueCodes(request)),
  nextSentAt: (customerId, from) => alone(store.nextSentAt(customerId, from)),
  timeToVerify: (customerId, now) => alone(store.timeToVerify(customerId, now)),
  wake: (customerId, at) => within(customerId, store.wake(customerId, at)),
  raise: (customerId, alarm, enforced) => within(customerId, store.raise(customerId, alarm, enforced)),
  bombed: (customerId, phone, until, now) => within(customerId, store.bombed(customerId, phone, until, now))
}))(GuardStoreSql)

export const RouteRecordsLive = overRows(RouteRecordStore, (store, { within }) => ({
  ...store,
  tries: (request) => within(request.customerId, store.tries(request))
}))(RouteRecordsSql)

export const ChannelResultsLive = overRows(ChannelResults, (store, { within }) => ({
  read: (customerId, span) => within(customerId, store.read(customerId, span))
}))(ChannelResultsSql)

export const ActivitySumsLive = overRows(ActivitySums, (sums, { within }) => ({
  ...sums,
  unfinished: (customerId, span, now) => within(customerId, sums.unfinished(customerId, span, now)),
  read: (customerId, span) => within(customerId, sums.read(customerId, span)),
  usable: (customerId, span, now) => within(customerId, sums.usable(customerId, span, now)),
  sumUp: (customerId, span, now) => within(customerId, sums.sumUp(customerId, span, now)),
  count: (customerId, span, now) => within(customerId, sums.count(customerId, span, now)),
  sendsSince: (customerId, from, atMost) => within(customerId, sums.sendsSince(customerId, from, atMost))
}))(ActivitySumsSql)

export const CodeSumsLive = overRows(CodeSumsStore, (store, { within }) => ({
  totals: (filter, kinds, span) => within(filter.customerId, store.totals(filter, kinds, span)),
  buckets: (filter, begins, to) => within(filter.customerId, store.buckets(filter, begins, to)),
  hours: (filter, span, timeZone) => within(filter.customerId, store.hours(filter, span, timeZone))
}))(CodeSumsSql)

export const BotInboxStoreLive = overRows(BotInboxStore, (store, { inEach }) => ({
  ...store,
  wakeAll: (now) => Effect.asVoid(inEach(store.wakeAll(now)))
}))(BotInboxStoreSql)

export const RequestStoreLive = overRows(RequestStore, (store, { split }) => ({
  add: (blocks) =>
    Effect.asVoid(
      split(
        blocks,
        ({ customerId }) => customerId,
        (own) => alone(store.add(own))
      )
    )
}))(RequestStoreSql)

export const RequestRecordsLive = overRows(RequestRecords, (records, { inEach }) => ({
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
const retentionOver = (
  store: RetentionStore["Service"],
  { ids, inCell, inEach }: typeof Cells.Service,
  areApart: boolean
) => {
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
  return RetentionStore.of({
    ...store,
    runBatch: (pass) => (inCellsToo.includes(tableOf(pass.task)) ? runBatch(pass) : store.runBatch(pass)),
    unfinishedSince: (task) => Effect.map(inEach(store.unfinishedSince(task)), earliest)
  })
}

export const RetentionStoreLive = Layer.effect(
  RetentionStore,
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const cells = yield* Cells
    return cells.isOne ? store : retentionOver(store, cells, yield* SetUpIsApart)
  })
).pipe(Layer.provide(RetentionStoreSql))

/** Moves customers; a move erases what retention has passed in the former cell. */
export const CustomerMovesLive = Layer.provide(CustomerMovesSql, RetentionStoreSql)

/** A customer that was moved is looked up again at once. */
export const MoveNews = Layer.effectDiscard(
  Effect.gen(function* () {
    const { isOne, forget } = yield* Cells
    const { subscribe } = yield* ChangeFeed
    if (isOne) return
    yield* subscribe(endedBy({ invalidateAll: forget(null) }, { customer: forget }))
  })
)
