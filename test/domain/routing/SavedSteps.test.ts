import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type {
  CustomerConfiguration,
  RoutingStep,
  SendingAccount
} from "../../../src/domain/customer/Customer.ts"
import { resolveMessageRoute } from "../../../src/domain/routing/MessageRoute.ts"
import { resolveRoute } from "../../../src/domain/routing/RouteResolution.ts"
import type { RouteRequest } from "../../../src/domain/routing/RouteRequest.ts"

const account = (id: number, part: Partial<SendingAccount> = {}): SendingAccount => ({
  id,
  channel: "bale",
  provider: "simulator",
  label: "An account",
  isDefault: false,
  active: true,
  shared: false,
  sendsCodes: true,
  sendsTexts: true,
  deduplicatesCodes: false,
  deduplicatesTexts: false,
  reportsDelivery: false,
  needsContact: false,
  ...part
})

const template = (id: number, body: string, active = true) => ({ id, name: "login", body, active })

const configuration = (
  routing: ReadonlyArray<RoutingStep>,
  part: Partial<CustomerConfiguration> = {}
): CustomerConfiguration => ({
  customerId: 1,
  plan: "start",
  webOtpHost: null,
  webOtpOrigins: [],
  appHash: null,
  brand: null,
  locale: "fa",
  limits: {},
  accounts: [account(1), account(2, { channel: "eitaa" })],
  sharedAccounts: [account(9, { channel: "eitaa", shared: true })],
  routing,
  routingTemplates: [
    template(7, "seven {{code}}"),
    template(8, "eight {{code}}", false),
    template(5, "{{x}}")
  ],
  ...part
})

const resolve = (customer: CustomerConfiguration, request: RouteRequest = {}) =>
  Result.match(resolveRoute(request, customer), {
    onSuccess: (route) => route.map(({ account_id, textBody }) => [account_id, textBody ?? null]),
    onFailure: ({ _tag }) => _tag
  })

describe("a saved step", () => {
  it("with a template has its text, on this step only", () => {
    const customer = configuration([{ channel: "bale", template_id: 7 }, { channel: "eitaa" }])
    assert.deepStrictEqual(resolve(customer), [
      [1, "seven {{code}}"],
      [2, null]
    ])
  })

  it("has no text of its own where the request names a template, or channels", () => {
    const customer = configuration([{ channel: "bale", template_id: 7 }])
    assert.deepStrictEqual(resolve(customer, { templateId: 3 }), [[1, null]])
    assert.deepStrictEqual(resolve(customer, { channels: [{ channel: "bale" }] }), [[1, null]])
  })

  it("is refused while its template is switched off, carries no codes, or is gone", () => {
    const tagOf = (template_id: number) => resolve(configuration([{ channel: "bale", template_id }]))
    assert.deepStrictEqual([8, 5, 6].map(tagOf), [
      "template_invalid",
      "template_invalid",
      "template_not_found"
    ])
  })

  it("with the shared sender goes over the platform's account, by the rules of send", () => {
    const steps: ReadonlyArray<RoutingStep> = [{ channel: "eitaa", sender: "shared" }]
    assert.deepStrictEqual(resolve(configuration(steps)), [[9, null]])
    assert.deepStrictEqual(resolve(configuration(steps, { plan: "business" })), "shared_sender_not_allowed")
    assert.deepStrictEqual(resolve(configuration(steps, { sharedAccounts: [] })), "shared_sender_unavailable")
  })
})

describe("an account that de-duplicates one kind", () => {
  const isRepeatable = (part: Partial<SendingAccount>) => {
    const customer = configuration([], { accounts: [account(1, part)] })
    const steps = [{ channel: "bale" }]
    const [code] = Result.getOrThrow(resolveRoute({ channels: steps }, customer))
    const [text] = Result.getOrThrow(resolveMessageRoute(steps, customer))
    return { codes: code.deduplicates === true, texts: text.deduplicates === true }
  }

  it("repeats only sends of that kind", () => {
    assert.deepStrictEqual(isRepeatable({ deduplicatesTexts: true }), { codes: false, texts: true })
    assert.deepStrictEqual(isRepeatable({ deduplicatesCodes: true }), { codes: true, texts: false })
  })
})
