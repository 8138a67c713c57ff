import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Message } from "../../src/domain/message/Message.ts"
import type { MessageTransition } from "../../src/domain/message/MessageLanes.ts"
import type { RouteAccount } from "../../src/domain/routing/Route.ts"
import { AccountConnectionsSql } from "../../src/layers/provider/ConnectedAccounts.ts"
import { AccountSlotsSql } from "../../src/layers/account/AccountSlotsSql.ts"
import { MasterKey } from "../../src/layers/crypto/Crypto.ts"
import { ApiKeysSql } from "../../src/layers/key/ApiKeysSql.ts"
import { CustomersSql } from "../../src/layers/customer/CustomersSql.ts"
import { liveStore } from "../../src/layers/graphs/VerificationGraph.ts"
import { MessageStoreSql } from "../../src/layers/message/MessageStoreSql.ts"
import { WebhookStoreSql } from "../../src/layers/webhook/WebhookStoreSql.ts"
import { ChangeFeed } from "../../src/layers/postgres/ChangeFeed.ts"
import { SetUpIsApart } from "../../src/layers/postgres/SetUpPlace.ts"
import { SetUpVersions } from "../../src/layers/postgres/SetUpCache.ts"
import { BatchSql, MessageBatchSql } from "../../src/layers/postgres/Pools.ts"
import { AccountConnections, AccountSlots } from "../../src/services/account/AccountSlots.ts"
import { ApiKeys } from "../../src/services/key/Keys.ts"
import { Customers } from "../../src/services/customer/Customers.ts"
import { type MessageAcceptance, MessageStore } from "../../src/services/message/MessageStore.ts"
import { ProviderAdapters } from "../../src/services/provider/ProviderAdapter.ts"
import { defaultSettings, Settings } from "../../src/services/Settings.ts"
import { SubjectIds } from "../../src/services/Subjects.ts"
import { Workers } from "../../src/services/concurrency/Workers.ts"
import { Timers } from "../../src/services/timer/Timers.ts"
import { type Acceptance, VerificationStore } from "../../src/services/verification/VerificationStore.ts"
import { WebhookStore } from "../../src/services/webhook/WebhookStore.ts"
import type { Judgement } from "../../src/domain/Webhook.ts"
import * as Subjects from "./GoldenSubjects.ts"
import { type RecordedAnswer, type RecordedStatement, recordingSql } from "./RecordedSql.ts"

type Stores =
  | VerificationStore
  | MessageStore
  | WebhookStore
  | ApiKeys
  | Customers
  | AccountSlots
  | AccountConnections
  | SqlClient.SqlClient

/** A statement that a reader can open, and how it comes about. */
interface GoldenStatement {
  readonly name: string
  /** The head comment of its file. */
  readonly about: string
  /** Whether the connections of batches make it, which are set up differently. */
  readonly isBatched: boolean
  readonly run: Effect.Effect<unknown, unknown, Stores>
  /** Answers to the statements before it; it is the one after them. */
  readonly after?: ReadonlyArray<RecordedAnswer>
}

const Quiet = Layer.mergeAll(
  Layer.mock(ChangeFeed)({ isUpToDate: () => true, subscribe: () => Effect.void }),
  Layer.mock(Timers)({
    wakeAt: () => {},
    wakeFor: () => {},
    initialLease: () => Subjects.acceptance.lease,
    isLeased: () => true,
    releaseForRetry: () => Effect.failCause
  }),
  Layer.provide(Workers.layer, Layer.succeed(Settings, defaultSettings)),
  Layer.succeed(ProviderAdapters, new Map()),
  Layer.succeed(Settings, defaultSettings),
  MasterKey.layer(Redacted.make(new Uint8Array(32).fill(7))),
  SetUpVersions.layer
)

const StoresSql = Layer.mergeAll(
  liveStore,
  MessageStoreSql("live"),
  WebhookStoreSql,
  ApiKeysSql,
  CustomersSql,
  AccountSlotsSql,
  AccountConnectionsSql
).pipe(Layer.provide(SubjectIds.layer), Layer.provide(Quiet), Layer.provide(NodeCrypto.layer))

const accept = (acceptance: Acceptance) => VerificationStore.use((store) => store.accept(acceptance))

const withQuota: Acceptance = {
  ...Subjects.acceptance,
  admission: { ...Subjects.admission, monthlyQuota: 100 }
}

const withExtras: Acceptance = {
  ...Subjects.acceptance,
  verification: { ...Subjects.verification, metadata: "{}", textLocale: "en" },
  client: { device: "hash" }
}

const guarded: Acceptance = { ...Subjects.acceptance, guardFlag: "refuse" }

/** Transitions of as many verifications, recorded at once. */
const commit = (...names: ReadonlyArray<keyof typeof Subjects.transitions>) =>
  VerificationStore.use((store) =>
    Effect.forEach(
      names,
      (name, index) => {
        const id = Subjects.verification.id.slice(0, -1) + index
        const transition = Subjects.transitions[name]
        return store.commit(
          { ...Subjects.verification, id },
          { ...transition, next: { ...transition.next, id } },
          Subjects.NOW,
          name === "released" ? { ...Subjects.timer, subject: id } : null
        )
      },
      { concurrency: "unbounded" }
    )
  )

const commitLeased = ({ before, transition }: typeof Subjects.requested.next) =>
  VerificationStore.use((store) => store.commitLeased(before, transition, Subjects.acceptance.lease))

const acceptMessage = (acceptance: MessageAcceptance) => MessageStore.use((store) => store.accept(acceptance))

const commitMessage = (before: Message, transition: MessageTransition) =>
  MessageStore.use((store) => store.commit(Subjects.messageTimer, before, transition, Subjects.NOW))

const recordTry = (judgement: Judgement) =>
  WebhookStore.use((store) =>
    store.record(
      Subjects.webhookTimer,
      Subjects.dueDelivery,
      judgement,
      { at: 0, signature: null, body: null },
      Subjects.NOW
    )
  )

const request = {
  customerId: Subjects.CUSTOMER,
  id: Subjects.verification.id,
  setUpVersion: 7
}

const [ownAccount] = Subjects.verification.route
const account: RouteAccount = ownAccount

export const goldenStatements: ReadonlyArray<GoldenStatement> = [
  {
    name: "accept",
    about: `Accepts the codes of many requests, while nobody is refused: it looks only at the customers' set-up, counts
and writes. Where the counts show that a limit is exceeded, raise_race() undoes all of it, and accept_look follows.`,
    isBatched: true,
    run: accept(Subjects.acceptance)
  },
  {
    name: "accept_extras",
    about: `Like accept, for a batch in which some requests have metadata, a language or a client.`,
    isBatched: true,
    run: accept(withExtras)
  },
  {
    name: "accept_guarded",
    about: `Like accept, for a batch in which the guard marked some codes: in an attack, most batches.`,
    isBatched: true,
    run: accept(guarded)
  },
  {
    name: "accept_look",
    about: `After a refusal: what was counted before the requests, without locks. The domain's admitInOrder decides by it who
is admitted, and accept_after_look stores those.`,
    isBatched: true,
    run: accept(withQuota),
    after: ["race"]
  },
  {
    name: "accept_after_look",
    about: `Like accept, for requests that a look has admitted. It also takes over keys that have lapsed.`,
    isBatched: true,
    run: accept(Subjects.acceptance),
    after: ["race", [Subjects.unusedLimits], [Subjects.stripe]]
  },
  {
    name: "accept_lock",
    about: `If others were faster after a look: locks what was counted, phones first, until the transaction ends.`,
    isBatched: true,
    run: accept(withQuota),
    after: ["race", "race"]
  },
  {
    name: "read",
    about: `Reads the verifications of many requests (GET /v1/otp/{id}, replays of sends), if their keys' set-up is current.`,
    isBatched: true,
    run: VerificationStore.use((store) => store.read(request))
  },
  {
    name: "read_due",
    about: `Reads the verifications of many due timers that are still leased by this process, with their sealed codes.`,
    isBatched: true,
    run: VerificationStore.use((store) => store.loadLeased(Subjects.timer))
  },
  {
    name: "check",
    about: `Compares entered codes: the right one verifies, a wrong one is counted, one wrong code too many locks. Whatever
ends gives back its held money, loses its timer and is announced. modelOfCompare, of the tests, does the same in memory.`,
    isBatched: true,
    run: VerificationStore.use((store) =>
      store.compareCode({
        ...request,
        codeHash: Subjects.acceptance.codeHash,
        maxWrongCodes: 5,
        now: Subjects.NOW
      })
    )
  },
  {
    name: "record_sent",
    about: `Records first attempts that providers accepted: the new state, the next timer, the request for a delivery report,
the captured money and its ledger entry, the events and their deliveries to webhooks.`,
    isBatched: true,
    run: commit("sent")
  },
  {
    name: "record_expired",
    about: `Records verifications that expired: their timers are removed, and held money is released.`,
    isBatched: true,
    run: commit("expired")
  },
  {
    name: "record_all",
    about: `Records transitions of all kinds in one batch: the statement with all of its optional parts. A released step is
recorded only while its lease lasts.`,
    isBatched: true,
    run: commit("sent", "expired", "released")
  },
  {
    name: "next",
    about: `Ends the wait for the next channel (POST /v1/otp/{id}/next): leases the verification's timer, unless another
process has it, and returns the sealed code.`,
    isBatched: false,
    run: commitLeased(Subjects.requested.next)
  },
  {
    name: "next_requested",
    about: `Like next, for a channel that is named: it goes first, and what it costs above the present hold is held. Nothing is
written where the wallet's part does not cover that, or another process has the timer.`,
    isBatched: false,
    run: commitLeased(Subjects.requested.channel)
  },
  {
    name: "key",
    about: `Looks up API keys by the hashes of their secrets, with the versions of their customers' set-ups.`,
    isBatched: true,
    run: ApiKeys.use((keys) => keys.authenticate(Redacted.make(`svc_live_${"a".repeat(43)}`)))
  },
  {
    name: "customer",
    about: `Looks up the set-ups of customers: plan, limits, sending accounts, saved order and its templates.`,
    isBatched: true,
    run: Customers.use((customers) => customers.configuration(Subjects.CUSTOMER))
  },
  {
    name: "account_pace",
    about: `Looks up how sending accounts are paced and whether they are cooling down.`,
    isBatched: true,
    run: AccountSlots.use((slots) => slots.isCooling(account, "code", Subjects.NOW))
  },
  {
    name: "account_connection",
    about: `Looks up the sealed settings of sending accounts.`,
    isBatched: true,
    run: AccountConnections.use((connections) => connections.of(1))
  },
  {
    name: "message_accept",
    about: `Accepts the messages of many requests, while nobody is refused, as accept accepts codes. Each has a timer for
each of its lanes, and its first event.`,
    isBatched: true,
    run: acceptMessage(Subjects.messageAcceptance)
  },
  {
    name: "message_read",
    about: `Reads the messages of many requests, if their keys' set-up is current.`,
    isBatched: true,
    run: MessageStore.use((store) => store.read(request))
  },
  {
    name: "message_read_due",
    about: `Reads the messages of many due timers that are still leased by this process.`,
    isBatched: true,
    run: MessageStore.use((store) => store.loadLeased(Subjects.messageTimer))
  },
  {
    name: "message_begin",
    about: `Records that providers are about to be called for messages, each while its timer's lease lasts.`,
    isBatched: true,
    run: commitMessage(Subjects.message, Subjects.begun)
  },
  {
    name: "message_record",
    about: `Records the outcomes of calls for messages: state, timer, delivery report, money, events.`,
    isBatched: true,
    run: commitMessage(Subjects.begun.next, Subjects.messageSent)
  },
  {
    name: "message_cancel",
    about: `Records that messages were canceled: the timers of all their lanes are removed, and held money is released.`,
    isBatched: true,
    run: commitMessage(Subjects.message, Subjects.messageCanceled)
  },
  {
    name: "webhook_read_due",
    about: `Reads the deliveries of many due timers that are still leased by this process, with the current fields of what
their events are about.`,
    isBatched: true,
    run: WebhookStore.use((store) => store.loadLeased(Subjects.webhookTimer, Subjects.NOW))
  },
  {
    name: "webhook_record",
    about: `Records the outcomes of many tries: each delivery, its timer, and since when its endpoint fails.`,
    isBatched: true,
    run: recordTry(Subjects.delivered)
  },
  {
    name: "webhook_put_back",
    about: `Releases the timers of deliveries whose endpoints are too slow to wait for.`,
    isBatched: true,
    run: WebhookStore.use((store) => store.putBack(Subjects.webhookTimer, Subjects.NOW))
  }
]

/** What one run makes, where cells are on other nodes or in one place, given answers to its first statements. */
const recordRun = ({ run }: GoldenStatement, areApart: boolean, answers: ReadonlyArray<RecordedAnswer>) =>
  Effect.gen(function* () {
    const recording = recordingSql(answers)
    const Client = Layer.effect(SqlClient.SqlClient, recording.client)
    const Batches = Layer.merge(
      Layer.effect(BatchSql, SqlClient.SqlClient),
      Layer.effect(MessageBatchSql, SqlClient.SqlClient)
    )
    const stores = StoresSql.pipe(
      Layer.provideMerge(Batches),
      Layer.provideMerge(Client),
      Layer.provideMerge(Layer.succeed(SetUpIsApart, areApart))
    )
    // It has no store to go on with: only what it asked for counts.
    yield* Effect.exit(run.pipe(Effect.provide(stores)))
    return recording.statements
  })

/** The statement, as the store's own code makes it. */
export const recordStatement = (statement: GoldenStatement): Effect.Effect<RecordedStatement> =>
  Effect.gen(function* () {
    const { after = [], name } = statement
    const made = (yield* recordRun(statement, false, after))[after.length]
    return made ?? (yield* Effect.die(`${name}: no statement was made`))
  })

/** Those that are others where cells are on other nodes, with answers to the first of them. */
const APART: Readonly<Record<string, ReadonlyArray<RecordedAnswer>>> = {
  accept: [[Subjects.platformCount]],
  accept_extras: [[Subjects.platformCount]],
  accept_look: [[Subjects.platformCount], "race"],
  check: [[], [Subjects.comparedApart]],
  record_all: [],
  read: [],
  read_due: [],
  message_accept: [],
  message_read: [],
  message_read_due: [],
  message_record: [],
  webhook_read_due: [],
  webhook_record: []
}

export const apartStatements = goldenStatements.filter(({ name }) => name in APART)

/** The statements that take its place where cells are on other nodes, in their order; each of them once. */
export const recordApart = (statement: GoldenStatement): Effect.Effect<ReadonlyArray<RecordedStatement>> =>
  Effect.map(recordRun(statement, true, APART[statement.name] ?? []), (made) => [
    // A batch that fails, as these do, is run again.
    ...new Map(made.map((each) => [each.text, each])).values()
  ])
