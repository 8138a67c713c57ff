import { Clock, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiEndpoint } from "effect/http-api"
import { calendars } from "../../domain/Calendar.ts"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { BudgetBody, type BudgetState, budgetState, setBudget } from "../../services/Budgets.ts"
import { RequireJson } from "../RequestGuards.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { Rials, timeQuery } from "./SearchFields.ts"
import { type Hold, type LedgerEntry, LedgerKind, SubjectType, Wallets } from "../../services/Wallets.ts"
import { handlersOf, invalid, listingAt, manageGroup, summary } from "./Endpoints.ts"
import { handler, listed, respondWithResource } from "./Handlers.ts"
import { pageQuery } from "./ManageWire.ts"

const Subject = Schema.Struct({ type: SubjectType, id: Schema.String }).annotate({
  identifier: "ChargedSubject"
})

export const WalletResource = Schema.Struct({
  balance: Rials,
  held: Rials,
  available: Rials,
  currency: Schema.Literal("IRR")
}).annotate({ identifier: "Wallet" })

const HoldResource = Schema.Struct({ subject: Subject, amount: Rials, created_at: Timestamp }).annotate({
  identifier: "WalletHold"
})

const EntryResource = Schema.Struct({
  id: Schema.String,
  kind: LedgerKind,
  amount: Rials.annotateKey({ description: "Negative for money that was spent." }),
  subject: Schema.NullOr(Subject),
  channel: Schema.NullOr(Schema.String).annotateKey({
    description: "The channel that was paid for; null for money that was paid in."
  }),
  balance: Schema.NullOr(Rials).annotateKey({
    description: "The balance after this movement; null in a list of one kind."
  }),
  occurred_at: Timestamp
}).annotate({ identifier: "LedgerEntry" })

const BudgetResource = Schema.Struct({
  amount: Schema.NullOr(Rials).annotateKey({ description: "Of a month; null: no budget is set." }),
  calendar: Schema.NullOr(Schema.Literals(calendars)).annotateKey({
    description: "Whose months it counts; they begin at midnight in Tehran."
  }),
  month: Schema.NullOr(Schema.String).annotateKey({ description: "This month: 2026-11, or 1405-09." }),
  spent: Schema.NullOr(Rials).annotateKey({ description: "What this month was spent so far." }),
  currency: Schema.Literal("IRR")
}).annotate({ identifier: "Budget" })

export const toBudget = (state: BudgetState | null): typeof BudgetResource.Type => ({
  amount: state?.amount ?? null,
  calendar: state?.calendar ?? null,
  month: state?.month ?? null,
  spent: state?.spent ?? null,
  currency: "IRR"
})

export const toWallet = (wallet: {
  readonly balance: number
  readonly held: number
}): typeof WalletResource.Type => ({
  balance: wallet.balance,
  held: wallet.held,
  available: wallet.balance - wallet.held,
  currency: "IRR"
})

const toHold = (hold: Hold): typeof HoldResource.Type => ({
  subject: { type: hold.subjectType, id: hold.subjectId },
  amount: hold.amount,
  created_at: formatInstant(hold.createdAt)
})

const toEntry = (entry: LedgerEntry): typeof EntryResource.Type => ({
  id: entry.id,
  kind: entry.kind,
  amount: entry.amount,
  subject:
    entry.subjectType === null || entry.subjectId === null
      ? null
      : { type: entry.subjectType, id: entry.subjectId },
  channel: entry.channel,
  balance: entry.balanceAfter,
  occurred_at: formatInstant(entry.occurredAt)
})

export class WalletGroup extends manageGroup(
  "wallet",
  "/v1/manage/wallet",
  { title: "Management: wallet" },
  HttpApiEndpoint.get("read", "/", { success: WalletResource }).annotateMerge(summary("Read the wallet")),
  listingAt(
    "holds",
    "/holds",
    HoldResource,
    "List holds with their subjects, the newest first",
    pageQuery("holds")
  ),
  listingAt("ledger", "/ledger", EntryResource, "List movements of money, the newest first", {
    ...pageQuery("ledger"),
    ...timeQuery,
    kind: Schema.optionalKey(LedgerKind)
  }),
  HttpApiEndpoint.get("budget", "/budget", { success: BudgetResource }).annotateMerge(
    summary("Read the monthly budget, and how much of it is spent")
  ),
  HttpApiEndpoint.patch("saveBudget", "/budget", {
    payload: BudgetBody,
    success: BudgetResource,
    error: invalid
  })
    .annotateMerge(summary("Set, change or remove the monthly budget"))
    .middleware(RequireJson)
) {}

const readBudget = Effect.gen(function* () {
  const { actor } = yield* CurrentActor
  const state = yield* budgetState(actor.customerId, yield* Clock.currentTimeMillis)
  return respondWithResource(toBudget(state))
})

const saveBudget = handler(setBudget, { status: 204 })

export const WalletHandlers = handlersOf(WalletGroup, (handlers) =>
  handlers.handleAll({
    read: Effect.fnUntraced(function* () {
      const { actor } = yield* CurrentActor
      return toWallet(yield* (yield* Wallets).balance(actor.customerId))
    }),
    holds: listed(
      "holds",
      (customerId, page) => Wallets.use((wallets) => wallets.holds(customerId, page)),
      toHold
    ),
    ledger: listed(
      "ledger",
      (customerId, page, { kind, from, to }) =>
        Wallets.use((wallets) => wallets.ledger(customerId, { ...page, kind, from, to })),
      toEntry
    ),
    budget: () => readBudget,
    // What is spent is summed up after the transaction of the change.
    saveBudget: (request) =>
      Effect.flatMap(saveBudget(request), (response) =>
        HttpServerResponse.isHttpServerResponse(response) && response.status !== 204
          ? Effect.succeed(response)
          : readBudget
      )
  })
)
