import { Effect, Schema, Struct } from "effect"
import type { HttpServerResponse } from "effect/http"
import { LimitChange } from "../../../domain/customer/Admission.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { HOME_PATH, LEAVE_PATH } from "../ConsolePaths.ts"
import { customerPage, type Refused, TOPPED_UP } from "./CustomerPage.ts"
import { CUSTOMERS_PATH, NEW_CUSTOMER_PATH, newCustomerPage, showCustomers } from "./CustomersPage.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import { type FieldErrors, noFieldErrors } from "../forms/FieldErrors.ts"
import { emptyForm, typedNumber } from "../forms/Forms.ts"
import { seeOther } from "../frame/Answers.ts"
import type { ConsoleError } from "../frame/Refusals.ts"
import { asPlatform, inLogOf, operatorForm, operatorPage, pathId, type View } from "../frame/SignedRoutes.ts"
import { withNotice } from "../parts/Notice.ts"
import {
  changeCustomer,
  createCustomer,
  enterCustomer,
  setLimits,
  topUp
} from "../../../services/customer/CustomerActions.ts"
import { ConsoleSessions } from "../../../services/user/ConsoleSessions.ts"

const CUSTOMER_PATH = `${CUSTOMERS_PATH}/:id` as const

const detailsInput = (fields: URLSearchParams) => ({
  name: fields.get("name")?.trim(),
  plan: fields.get("plan")
})

const submitNewCustomer = onceFormAction(createCustomer, {
  target: creating,
  as: asPlatform,
  input: detailsInput,
  shown: Schema.Int,
  show: ({ id }) => id,
  done: (_, id) => seeOther(withNotice(`${CUSTOMERS_PATH}/${id}`, "created")),
  again: (view, fields, errors) => Effect.succeed(newCustomerPage(view, fields, errors))
})

/** A form of a customer's page: in the operator's name, and in the customer's audit log. */
const faceOf = (id: number, form: Refused["form"]) => ({
  target: creating,
  as: (view: View) => inLogOf(id, view),
  done: () => seeOther(withNotice(`${CUSTOMERS_PATH}/${id}`, "saved")),
  again: (view: View, typed: URLSearchParams, errors: FieldErrors) =>
    customerPage(view, id, { form, typed, errors })
})

const submitDetails = (id: number) =>
  formAction(changeCustomer, { ...faceOf(id, "details"), input: detailsInput })

const limitNames = Struct.keys(LimitChange.fields)

const submitLimits = (id: number) =>
  formAction(setLimits, {
    ...faceOf(id, "limits"),
    input: (fields) => Object.fromEntries(limitNames.map((name) => [name, typedNumber(fields.get(name))]))
  })

const submitTopUp = (id: number) =>
  onceFormAction(topUp, {
    ...faceOf(id, "top-up"),
    input: (fields) => ({ amount: typedNumber(fields.get("amount")) }),
    shown: Schema.Null,
    show: () => null,
    done: () => seeOther(`${CUSTOMERS_PATH}/${id}?${TOPPED_UP}`)
  })

const submitEntry = (id: number) => (view: View, fields: URLSearchParams) =>
  formAction(enterCustomer, {
    target: Effect.succeed(view.session.id),
    as: (visitor) => inLogOf(id, visitor),
    done: () => seeOther(HOME_PATH)
  })(view, fields)

const customerForm = <R>(
  below: string,
  submit: (
    id: number
  ) => (
    view: View,
    fields: URLSearchParams
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, ConsoleError, R>
) =>
  operatorForm(`${CUSTOMER_PATH}${below}`, (view, fields) =>
    Effect.flatMap(pathId, (id) => submit(id)(view, fields))
  )

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
    operatorForm(NEW_CUSTOMER_PATH, submitNewCustomer),
    operatorForm(LEAVE_PATH, leave),
    operatorPage(CUSTOMER_PATH, (view) => Effect.flatMap(pathId, (id) => customerPage(view, id, null))),
    customerForm("", submitDetails),
    customerForm("/limits", submitLimits),
    customerForm("/top-up", submitTopUp),
    customerForm("/enter", submitEntry)
  ]
} as const satisfies ConsolePages
