import type { Mark, Whole } from "../../../domain/guard/Mark.ts"
import { type ClientTraces, isAround, NO_TRACES, WHOLE } from "../../../domain/guard/Segments.ts"
import type { AskedCode, Verdict } from "../../../domain/guard/Verdict.ts"
import type { Client, HashedClient } from "../../../domain/people/Client.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { Route } from "../../../domain/routing/Route.ts"
import type { CustomerSetUp } from "../../customer/Customers.ts"
import type { BudgetUse } from "../CodeBudgets.ts"

export interface GuardRequest {
  readonly customer: CustomerSetUp
  readonly phone: Phone
  readonly client: Client | undefined
  readonly hashed: HashedClient | null
  readonly route: Route
}

/** A code that may be sent. */
export interface Admitted {
  /** The route of the code; its SMS steps are left out if the guard refuses SMS only. */
  readonly route: Route
  /** The mark to store with the code. */
  readonly mark: Mark | null
  /** How many customers may send to the phone within ten minutes; 0: they are not counted. */
  readonly callersLimit: number
  /** What it took from budgets; null: nothing. */
  readonly taken: BudgetUse | null
}

export const tracesOf = ({ hashed }: GuardRequest): ClientTraces =>
  hashed === null ? NO_TRACES : { network: hashed.network ?? null, device: hashed.device ?? null }

export type Judged = Extract<Verdict, { readonly _tag: "Judged" }>

/** The budgets that a code takes from. */
export const useOf = ({ customer }: GuardRequest, { counted }: Judged): BudgetUse => ({
  customerId: customer.customerId,
  segments: counted,
  budget: customer.guard.unverifiedHour
})

/** The same code, if the /56 and the /48 around its network do not count. */
export const withoutAround = (use: BudgetUse): BudgetUse => ({
  ...use,
  segments: use.segments.filter((segment) => !isAround(segment))
})

/** The same code, if it takes from another budget of the customer than that for all codes. */
export const useAs = (whole: Whole, use: BudgetUse): BudgetUse => {
  const { segments } = whole === "known" || whole === "vouched" ? withoutAround(use) : use
  return { ...use, segments: segments.map((segment) => (segment === WHOLE.all ? WHOLE[whole] : segment)) }
}

export const askedCode = ({ phone, client }: GuardRequest, traces: ClientTraces): AskedCode => ({
  phone,
  ip: client?.ip ?? null,
  isTrusted: client?.trusted === true,
  traces
})
