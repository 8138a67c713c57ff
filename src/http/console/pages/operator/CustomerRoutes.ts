import { Effect, Schema, Struct } from "effect"
import { LimitOverrides } from "../../../../domain/people/Admission.ts"
import { Plan } from "../../../../domain/people/Customer.ts"
import { ConsoleSessions } from "../../../../services/access/ConsoleSessions.ts"
import { CustomerRecords } from "../../../../services/resources/CustomerRecords.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import { Wallets } from "../../../../services/resources/Wallets.ts"
import { Name } from "../../../../domain/Fields.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { HOME_PATH, LEAVE_PATH } from "../../ConsolePaths.ts"
import { emptyForm } from "../../frame/forms/Forms.ts"
import { seeOther } from "../../frame/Answers.ts"
import { pathId } from "../../frame/PathIds.ts"
import type { ConsoleError } from "../../frame/Refusals.ts"
import { showAgain } from "../../frame/forms/ShownAgain.ts"
import { inLogOf, operatorForm, operatorPage, type View } from "../../frame/SignedRoutes.ts"
import { decodeInput } from "../../../errors/SchemaErrors.ts"
import { typedNumber } from "../../frame/forms/TypedBody.ts"
import { writeAs, writeOnce } from "../../frame/forms/Writes.ts"
import { noFieldErrors } from "../../parts/fields/FieldErrors.ts"
import { withNotice } from "../../parts/Notice.ts"
import { customerPage, LimitsForm, type Refused, TOPPED_UP, TopUpForm } from "./CustomerPage.ts"
import { CUSTOMERS_PATH, NEW_CUSTOMER_PATH, newCustomerPage, showCustomers } from "./CustomersPage.ts"

const CUSTOMER_PATH = `${CUSTOMERS_PATH}/:id` as const

const entry = auditEntriesOf("customer")
const walletEntry = auditEntriesOf("customer", "wallet")

const DetailsForm = Schema.Struct({ name: Name, plan: Plan })

const typedDetails = (fields: URLSearchParams) => ({
  name: fields.get("name")?.trim(),
  plan: fields.get("plan")
})

/** The platform's log has it: the customer's own begins with what is done in their account. */
const createCustomer = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    const customers = yield* CustomerRecords
    const { name, plan } = yield* decodeInput(DetailsForm, typedDetails(fields))
    const id = yield* writeOnce(
      view,
      "customer.create",
      Schema.Int,
      Effect.map(customers.create(name, plan), (customer) => ({
        result: customer.id,
        audit: entry("create", customer.id, { name, plan })
      }))
    )
    return seeOther(withNotice(`${CUSTOMERS_PATH}/${id}`, "created"))
  }).pipe(Effect.catch(showAgain(view, (errors) => Effect.succeed(newCustomerPage(view, fields, errors)))))

/** A form of a customer's page. If its fields are refused, the page is shown again with them. */
const customerForm = <E extends ConsoleError, R>(
  below: string,
  form: Refused["form"],
  save: (view: View, id: number, fields: URLSearchParams) => Effect.Effect<unknown, E, R>,
  done: (id: number) => string = (id) => withNotice(`${CUSTOMERS_PATH}/${id}`, "saved")
) =>
  operatorForm(`${CUSTOMER_PATH}${below}`, (view, typed) =>
    Effect.flatMap(pathId, (id) =>
      Effect.as(save(view, id, typed), seeOther(done(id))).pipe(
        Effect.catch((error: ConsoleError) =>
          showAgain(view, (errors) => customerPage(view, id, { form, typed, errors }))(error)
        )
      )
    )
  )

const saveDetails = Effect.fnUntraced(function* (view: View, id: number, fields: URLSearchParams) {
  const customers = yield* CustomerRecords
  const change = yield* decodeInput(DetailsForm, typedDetails(fields))
  yield* writeAs(
    inLogOf(id, view),
    "customer.update",
    Effect.map(customers.update(id, change), (result) => ({ result, audit: entry("update", id, change) }))
  )
})

const saveLimits = Effect.fnUntraced(function* (view: View, id: number, fields: URLSearchParams) {
  const customers = yield* CustomerRecords
  const names = Struct.keys(LimitOverrides.fields)
  const typed = Object.fromEntries(names.map((name) => [name, typedNumber(fields.get(name))]))
  const change = yield* decodeInput(LimitsForm, typed)
  yield* writeAs(
    inLogOf(id, view),
    "customer.set_limits",
    Effect.map(customers.changeLimits(id, change), (result) => ({
      result,
      audit: entry("set_limits", id, change)
    }))
  )
})

const topUp = Effect.fnUntraced(function* (view: View, id: number, fields: URLSearchParams) {
  const wallets = yield* Wallets
  const { amount } = yield* decodeInput(TopUpForm, { amount: typedNumber(fields.get("amount")) })
  yield* writeOnce(
    inLogOf(id, view),
    "wallet.top_up",
    Schema.Null,
    Effect.as(wallets.topUp(id, amount), { result: null, audit: walletEntry("top_up", id, { amount }) })
  )
})

const enter = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  yield* (yield* CustomerRecords).find(id)
  const sessions = yield* ConsoleSessions
  yield* writeAs(
    inLogOf(id, view),
    "customer.enter",
    Effect.as(sessions.enter(view.session.id, id), { result: null, audit: entry("enter", id) })
  )
  return seeOther(HOME_PATH)
})

const leave = (view: View) =>
  Effect.flatMap(ConsoleSessions, (sessions) =>
    Effect.as(sessions.enter(view.session.id, null), seeOther(CUSTOMERS_PATH))
  )

/** All customers, for those who run the installation. */
export const customerPages = {
  name: "customers",
  routes: [
    operatorPage(CUSTOMERS_PATH, showCustomers),
    operatorPage(NEW_CUSTOMER_PATH, (view) =>
      Effect.succeed(newCustomerPage(view, emptyForm(), noFieldErrors))
    ),
    operatorForm(NEW_CUSTOMER_PATH, createCustomer),
    operatorForm(LEAVE_PATH, leave),
    operatorPage(CUSTOMER_PATH, (view) => Effect.flatMap(pathId, (id) => customerPage(view, id, null))),
    customerForm("", "details", saveDetails),
    customerForm("/limits", "limits", saveLimits),
    customerForm("/top-up", "top-up", topUp, (id) => `${CUSTOMERS_PATH}/${id}?${TOPPED_UP}`),
    operatorForm(`${CUSTOMER_PATH}/enter`, enter)
  ]
} as const satisfies ConsolePages
