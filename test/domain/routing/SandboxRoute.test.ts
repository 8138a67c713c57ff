import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { codeChannels } from "../../../src/domain/routing/Channel.ts"
import { validitySeconds } from "../../../src/domain/verification/CodeRules.ts"
import { resolveSandboxRoute } from "../../../src/domain/routing/RouteResolution.ts"
import type { StepRequest } from "../../../src/domain/routing/RouteRequest.ts"
import { routeCase } from "./RouteCases.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

type Connected = Parameters<typeof resolveSandboxRoute>[1]

const nothing: Connected = { accounts: [], sharedAccounts: [] }

const gatewaysOf = ({ accounts, sharedAccounts }: Connected) =>
  [...accounts, ...sharedAccounts].filter(({ provider }) => provider === "telegram_gateway")

const descriptorFor = (...channels: ReadonlyArray<StepRequest>) =>
  Result.getOrThrow(resolveSandboxRoute({ channels }, nothing))[0].descriptor

const refusal = (channels: ReadonlyArray<StepRequest>, connected: Connected): string | undefined =>
  Result.match(resolveSandboxRoute({ channels }, connected), {
    onFailure: ({ _tag }): string => _tag,
    onSuccess: () => undefined
  })

const namesOf = (channels: ReadonlyArray<StepRequest>) =>
  channels.map(({ channel, provider }): StepRequest => ({ channel, provider }))

describe("a sandbox route", () => {
  it.prop(
    "depends on nothing but the names in the request, and on whether there is an account of telegram's gateway",
    [routeCase],
    ([
      {
        request: { channels },
        configuration
      }
    ]) => {
      if (channels === undefined) return
      const gateways = gatewaysOf(configuration)
      assert.deepStrictEqual(
        resolveSandboxRoute({ channels }, configuration),
        resolveSandboxRoute({ channels: namesOf(channels) }, { accounts: [], sharedAccounts: gateways })
      )
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it.prop(
    "has a step for each channel, in order and without an account, and codes are valid for as long as 45 s each need",
    [routeCase],
    ([
      {
        request: { channels },
        configuration
      }
    ]) => {
      if (channels === undefined) return
      const route = Result.getOrUndefined(resolveSandboxRoute({ channels }, configuration))
      if (route === undefined) return
      assert.deepStrictEqual(
        route.map(({ channel }) => channel as string),
        channels.map(({ channel }) => channel)
      )
      assert.isTrue(route.every(({ account_id }) => account_id === null))
      assert.isTrue(route.every(({ descriptor }) => descriptor.credential_id === null))
      assert.strictEqual(validitySeconds(route), Math.max(300, 45 * (route.length - 1) + 120))
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it.prop(
    "is refused exactly when a name is unknown or a channel appears twice",
    [routeCase],
    ([
      {
        request: { channels },
        configuration
      }
    ]) => {
      if (channels === undefined) return
      const telegram = gatewaysOf(configuration).length > 0 ? ["telegram"] : []
      const isUnknown = channels.some(
        ({ channel, provider }) =>
          !["eitaa", "bale", "soroushplus", "rubika", "sms", ...telegram].includes(channel) ||
          provider === "nosuch"
      )
      const isRepeated = new Set(channels.map(({ channel }) => channel)).size < channels.length
      const expected = [
        ...(isUnknown ? ["invalid_channel"] : []),
        ...(isRepeated ? ["duplicate_channel"] : [])
      ]
      const refused = refusal(channels, configuration)
      if (expected.length === 0) assert.isUndefined(refused)
      else assert.include(expected, refused)
    },
    { arbitrary: { runs: propertyRuns(1_000) } }
  )

  it("is described as sandbox when the request names no channel", () => {
    const [step, ...others] = Result.getOrThrow(resolveSandboxRoute({}, nothing))
    assert.deepStrictEqual(step.descriptor, {
      type: "messenger",
      provider: "sandbox",
      credential_id: null,
      label: "Sandbox (sandbox)"
    })
    assert.deepStrictEqual(others, [])
  })

  it.each(codeChannels.filter((channel) => channel !== "sms"))(
    "is described as %s by its name",
    (channel) => {
      assert.deepStrictEqual(descriptorFor({ channel }, { channel: "sms" }), {
        type: "messenger",
        provider: channel,
        credential_id: null,
        label: `Sandbox (${channel})`
      })
    }
  )

  it.each([
    ["smsir when none is given", undefined, "smsir"],
    ["the given one", "simulator", "simulator"]
  ])("of sms has as its provider %s", (_, given, provider) => {
    assert.deepStrictEqual(descriptorFor({ channel: "sms", provider: given }), {
      type: "sms",
      provider,
      credential_id: null,
      label: `Sandbox (${provider})`
    })
  })
})
