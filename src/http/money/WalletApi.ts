import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { ManageAuth } from "../wire/ManageAuth.ts"
import { invalid, pageOf, pageQuery, summary } from "../wire/ManageWire.ts"
import { Rials, timeQuery } from "../wire/SearchFields.ts"
import { NoUndeclaredInput } from "../wire/UndeclaredInput.ts"
import { type Hold, type LedgerEntry, LedgerKind, SubjectType } from "../../services/money/Wallets.ts"

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
  occurred_at: Timestamp
}).annotate({ identifier: "LedgerEntry" })

export const toWallet = (wallet: {
  readonly balance: number
  readonly held: number
}): typeof WalletResource.Type => ({
  balance: wallet.balance,
  held: wallet.held,
  available: wallet.balance - wallet.held,
  currency: "IRR"
})

export const toHold = (hold: Hold): typeof HoldResource.Type => ({
  subject: { type: hold.subjectType, id: hold.subjectId },
  amount: hold.amount,
  created_at: formatInstant(hold.createdAt)
})

export const toEntry = (entry: LedgerEntry): typeof EntryResource.Type => ({
  id: entry.id,
  kind: entry.kind,
  amount: entry.amount,
  subject:
    entry.subjectType === null || entry.subjectId === null
      ? null
      : { type: entry.subjectType, id: entry.subjectId },
  occurred_at: formatInstant(entry.occurredAt)
})

export class WalletGroup extends HttpApiGroup.make("wallet")
  .add(
    HttpApiEndpoint.get("read", "/", { success: WalletResource }).annotateMerge(summary("Read the wallet")),
    HttpApiEndpoint.get("holds", "/holds", {
      query: pageQuery("holds"),
      success: pageOf(HoldResource),
      error: invalid
    }).annotateMerge(summary("List holds with their subjects, the newest first")),
    HttpApiEndpoint.get("ledger", "/ledger", {
      query: { ...pageQuery("ledger"), ...timeQuery, kind: Schema.optionalKey(LedgerKind) },
      success: pageOf(EntryResource),
      error: invalid
    }).annotateMerge(summary("List movements of money, the newest first"))
  )
  .prefix("/v1/manage/wallet")
  .middleware(NoUndeclaredInput)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: wallet" })) {}
