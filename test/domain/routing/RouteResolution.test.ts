import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import type { CustomerConfiguration, SendingAccount } from "../../../src/domain/customer/Customer.ts"
import { resolveRoute } from "../../../src/domain/routing/RouteResolution.ts"
import type { RouteStep } from "../../../src/domain/routing/Route.ts"
import type { StepRequest } from "../../../src/domain/routing/RouteRequest.ts"
import { errorsOf, outcomeOf, type RouteCase, routeCase, serves, stepsOf } from "./RouteCases.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(2_000) } }

/** Runs `check` on each step of the route, when there is one. */
const eachStep = (
  routeCase: RouteCase,
  check: (step: RouteStep, asked: StepRequest, configuration: CustomerConfiguration) => void
): void => {
  const { request, configuration } = routeCase
  const route = Result.getOrElse(resolveRoute(request, configuration), () => [])
  for (const [index, asked] of stepsOf(routeCase).slice(0, route.length).entries()) {
    const step = route[index]
    if (step !== undefined) check(step, asked, configuration)
  }
}

const accountOf = (step: RouteStep, { accounts, sharedAccounts }: CustomerConfiguration): SendingAccount => {
  const account = [...accounts, ...sharedAccounts].find(({ id }) => id === step.account_id)
  assert.isDefined(account)
  return account
}

describe("a resolved route", () => {
  it.prop(
    "has exactly the channels that were asked for, in their order",
    [routeCase],
    ([example]) => {
      const { request, configuration } = example
      const route = Result.getOrUndefined(resolveRoute(request, configuration))
      if (route === undefined) return
      assert.deepStrictEqual(
        route.map(({ channel }) => channel as string),
        stepsOf(example).map(({ channel }) => channel)
      )
    },
    runs
  )

  it.prop(
    "never has a channel twice",
    [routeCase],
    ([{ request, configuration }]) => {
      const route = Result.getOrElse(resolveRoute(request, configuration), () => [])
      assert.strictEqual(new Set(route.map(({ channel }) => channel)).size, route.length)
    },
    runs
  )

  it.prop(
    "sends only from active accounts of the step's own channel and provider",
    [routeCase],
    ([example]) =>
      eachStep(example, (step, asked, configuration) => {
        const account = accountOf(step, configuration)
        assert.isTrue(account.active)
        assert.isTrue(serves(account, asked))
      }),
    runs
  )

  it.prop(
    "sends only from accounts whose settings have what a code needs, whether they send texts or not",
    [routeCase, Schema.Boolean],
    ([example, sendsTexts]) => {
      const accounts = example.configuration.accounts.map((account) => ({ ...account, sendsTexts }))
      const changed = { ...example, configuration: { ...example.configuration, accounts } }
      eachStep(changed, (step, _, configuration) => assert.isTrue(accountOf(step, configuration).sendsCodes))
      assert.strictEqual(outcomeOf(changed), outcomeOf(example))
    },
    runs
  )

  it.prop(
    "sends from a shared account when it was asked to and the plan is start, else from the customer's own",
    [routeCase],
    ([example]) =>
      eachStep(example, (step, asked, configuration) => {
        const isShared = asked.sender === "shared"
        assert.strictEqual(accountOf(step, configuration).shared, isShared)
        if (isShared) assert.strictEqual(configuration.plan, "start")
      }),
    runs
  )

  it.prop(
    "sends from the account that was named, else from the only active one of the channel, else from its default",
    [routeCase],
    ([example]) =>
      eachStep(example, (step, asked, configuration) => {
        if (asked.sender === "shared") return
        const candidates = configuration.accounts.filter(
          (account) => account.active && serves(account, asked)
        )
        const byDefault =
          candidates.length === 1 ? candidates[0] : candidates.find(({ isDefault }) => isDefault)
        assert.strictEqual(step.account_id, asked.account_id ?? byDefault?.id)
      }),
    runs
  )

  it.prop(
    "waits as the request's channel object says, else the request, else the saved step, else 60 seconds",
    [routeCase],
    ([example]) => {
      const { channels, channelTimeout } = example.request
      const isSaved = channels === undefined
      eachStep(example, (step, { wait }) => {
        const [own, saved] = isSaved ? [undefined, wait] : [wait, undefined]
        assert.strictEqual(step.wait, own ?? channelTimeout ?? saved ?? 60)
      })
    },
    runs
  )

  it.prop(
    "describes the account that sends, and no id of a shared one",
    [routeCase],
    ([example]) =>
      eachStep(example, (step, { channel }, configuration) => {
        const { id, label, provider, shared } = accountOf(step, configuration)
        assert.deepStrictEqual(step.descriptor, {
          type: channel === "sms" ? "sms" : "messenger",
          provider: channel === "sms" ? provider : channel,
          credential_id: shared ? null : id,
          label: shared ? `Shared (${channel})` : label
        })
      }),
    runs
  )

  it.prop(
    "does not depend on the saved routing order when the request names channels",
    [routeCase],
    ([{ request, configuration }]) => {
      if (request.channels === undefined) return
      assert.deepStrictEqual(
        resolveRoute(request, configuration),
        resolveRoute(request, { ...configuration, routing: null })
      )
    },
    runs
  )
})

describe("a request for a route", () => {
  it.prop(
    "is refused exactly when the condition of an error holds, and with such an error",
    [routeCase],
    ([example]) => {
      const errors = errorsOf(example)
      assert.include(errors.size === 0 ? ["resolved"] : [...errors], outcomeOf(example))
    },
    { arbitrary: { runs: propertyRuns(5_000) } }
  )

  it.effect("meets every error and success among the generated requests", () =>
    Effect.gen(function* () {
      const examples = yield* Arbitrary.sampleEffect(routeCase, { count: 5_000, seed: 1 })
      const times = Map.groupBy(examples.map(outcomeOf), (outcome) => outcome)
      assert.deepStrictEqual([...times.keys()].sort(), [
        "channel_account_mismatch",
        "channel_account_not_found",
        "channel_ambiguous",
        "channel_unavailable",
        "duplicate_channel",
        "fallback_order_required",
        "invalid_channel",
        "no_credentials",
        "resolved",
        "shared_sender_not_allowed",
        "shared_sender_unavailable",
        "sms_message_config_missing"
      ])
      const resolved = examples.filter((example) => outcomeOf(example) === "resolved")
      assert.isAbove(resolved.filter((example) => stepsOf(example).length > 1).length, 100)
      assert.isAbove(resolved.filter(({ request }) => request.channels === undefined).length, 100)
      assert.isAbove(resolved.filter((example) => stepsOf(example).some(({ sender }) => sender)).length, 20)
    })
  )
})
