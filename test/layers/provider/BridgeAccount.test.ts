import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { problem } from "../../../src/domain/Problem.ts"
import { textOf } from "../../../src/domain/ProblemTexts.ts"
import type { InvalidSettings } from "../../../src/services/provider/ProviderAdapter.ts"
import { ProviderHttp, type ProviderRequest } from "../../../src/layers/provider/ProviderHttp.ts"
import { bridgeAdapter } from "../../../src/layers/provider/adapters/Bridge.ts"
import { fakeDns } from "../../support/FakeDns.ts"
import { connected, delivery, expectOutcome, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { fakeGateway, SECRET } from "./kit/BridgeGateway.ts"
import { unavailable } from "./kit/ProviderCase.ts"

// To us every name stands for a private address.
fakeDns(() => ["127.0.0.1"])

/** Why settings are refused, for programs. */
const textOfRefused = (connected: Result.Result<unknown, InvalidSettings>): string => {
  const { problems } = Result.getOrThrow(Result.flip(connected))
  return textOf(problem("settings_refused", { provider: null, problems }))
}

describe("bridge: the account", () => {
  const unused: ProviderHttp["Service"] = { call: () => Effect.die("nothing is sent here") }
  const problemOf = (settings: unknown, allowsPrivateAddresses = true) =>
    textOfRefused(bridgeAdapter(unused).connect(settings, { allowsPrivateAddresses }))

  const url = "https://gateway.example.com/send"
  const wrongUrl = "url must be an http or https address of at most 2048 characters"
  const wrongSecret = "secret must be 24 to 64 bytes in base64"
  const base64 = (bytes: number) => Buffer.alloc(bytes, "SECRET").toString("base64")
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["nothing", {}, "url is missing; secret is missing"],
    ["no secret", { url }, "secret is missing"],
    ["another setting", { url, secret: SECRET, token: "SECRET" }, "token is not a setting of this provider"],
    ["an address without a scheme", { url: "SECRET.example.com", secret: SECRET }, wrongUrl],
    ["a relative address", { url: "/SECRET", secret: SECRET }, wrongUrl],
    ["an ftp address", { url: "ftp://SECRET.example.com", secret: SECRET }, wrongUrl],
    ["a javascript address", { url: "javascript:SECRET", secret: SECRET }, wrongUrl],
    ["a user name", { url: "https://SECRET@example.com", secret: SECRET }, wrongUrl],
    ["a password", { url: "https://:SECRET@example.com", secret: SECRET }, wrongUrl],
    ["a fragment", { url: `${url}#SECRET`, secret: SECRET }, wrongUrl],
    ["an empty fragment", { url: `${url}#`, secret: SECRET }, wrongUrl],
    ["an address of 2049 characters", { url: url.padEnd(2049, "x"), secret: SECRET }, wrongUrl],
    ["an address that is no text", { url: 42, secret: SECRET }, "url"],
    [
      "a secret that is not base64",
      { url, secret: "SECRET-SECRET-SECRET-SECRET-SECRET-SECRET" },
      wrongSecret
    ],
    ["a secret with a space", { url, secret: `${base64(32)} ` }, wrongSecret],
    ["a secret without padding", { url, secret: base64(32).replace("=", "") }, wrongSecret],
    ["a secret of 23 bytes", { url, secret: `whsec_${base64(23)}` }, wrongSecret],
    ["a secret of 65 bytes", { url, secret: `whsec_${base64(65)}` }, wrongSecret],
    ["an empty secret", { url, secret: "whsec_" }, wrongSecret],
    ["two mistakes", { url: "SECRET", secret: "SECRET" }, `${wrongUrl}`]
  ]
  it.each(wrong)("is refused with %s, in words that repeat no value", (_, given, message) => {
    const problem = problemOf(given)
    expect(problem).toContain(message)
    expect(problem).not.toContain("SECRET")
    // The first characters of the given secrets.
    expect(problem).not.toContain(base64(24).slice(0, 8))
  })

  const good: ReadonlyArray<readonly [string, unknown]> = [
    ["a secret of 24 bytes", { url, secret: `whsec_${base64(24)}` }],
    ["a secret of 64 bytes", { url, secret: base64(64) }],
    ["an address of 2048 characters", { url: url.padEnd(2048, "x"), secret: SECRET }],
    ["plain http in a private network", { url: "http://10.0.0.7:8090/send", secret: SECRET }]
  ]
  it.each(good)("is connected with %s", (_, given) => {
    expect(connected(bridgeAdapter(unused), given).traits).toEqual({
      sendsCodes: true,
      sendsTexts: true,
      deduplicatesCodes: true,
      deduplicatesTexts: true,
      reportsDelivery: false,
      needsContact: false
    })
  })

  it("is for every channel, and has nothing to ask or read", () => {
    const adapter = bridgeAdapter(unused)
    expect({ name: adapter.name, channels: adapter.channels }).toEqual({
      name: "bridge",
      channels: ["eitaa", "bale", "soroushplus", "rubika", "telegram", "sms", "voice"]
    })
    expect(connected(adapter, { url, secret: SECRET })).toMatchObject({
      check: null,
      deliveryReport: null,
      inbox: null
    })
  })
})

describe("bridge: an account that may not lead into a private network", () => {
  const guarded = { allowsPrivateAddresses: false }
  const refused: ReadonlyArray<readonly [string, string]> = [
    [
      "https://127.0.0.1",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://2130706433",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://0x7f.1",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://017700000001",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://0177.0.0.1",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    ["https://127.1", "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"],
    [
      "https://127.0.0.1.",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://１２７.0.0.1",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://0.0.0.0",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    ["https://[::1]", "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"],
    ["https://[::]", "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"],
    [
      "https://[::ffff:127.0.0.1]",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://[::ffff:8.8.8.8]",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://[64:ff9b::7f00:1]",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://[fe80::1]",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://[fd00::1]",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://10.0.0.1:8443/send",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://172.16.0.1",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://192.168.1.1",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://100.64.0.1",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://169.254.169.254/latest/meta-data",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://localhost",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://LOCALHOST.",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://gateway.localhost",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://printer.local",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://metadata.google.internal",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://intranet/",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://x.lan/",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "https://gateway.home.arpa.",
      "url must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    [
      "http://gateway.example.com",
      "url must begin with https://, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
    ],
    ["http://127.0.0.1", "url must begin with https://, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"]
  ]
  it.effect.each(refused)("is refused at %s", ([url, message]) =>
    Effect.gen(function* () {
      const adapter = bridgeAdapter(yield* ProviderHttp)
      expect(textOfRefused(adapter.connect({ url, secret: SECRET }, guarded))).toBe(message)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    "https://gateway.example.com/send",
    "https://8.8.8.8/send",
    "https://[2606:4700::1111]:8443",
    "https://localhost.example.com",
    "https://gateway.mylocal"
  ])("is connected at %s", (url) =>
    Effect.gen(function* () {
      const adapter = bridgeAdapter(yield* ProviderHttp)
      expect(Result.isSuccess(adapter.connect({ url, secret: SECRET }, guarded))).toBe(true)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([true, false])(
    "reaches the public internet only, and others anything: allowed %s",
    (allowsPrivateAddresses) =>
      Effect.gen(function* () {
        const requests: Array<ProviderRequest> = []
        const recording: ProviderHttp["Service"] = {
          call: (made) => {
            requests.push(made)
            return Effect.succeed({ status: 200, retryAfterMillis: null, json: { status: "accepted" } })
          }
        }
        const settings = { url: "https://gateway.example.com/send", secret: SECRET }
        const account = connected(bridgeAdapter(recording), settings, { allowsPrivateAddresses })
        yield* account.sendCode(delivery("bale"))
        yield* account.sendText(delivery("bale"))
        const reach = allowsPrivateAddresses ? "any" : "public"
        expect(requests.map((made) => made.reach)).toEqual([reach, reach])
      })
  )

  it.effect("does not connect where its name turns out to stand for a private address", () =>
    Effect.gen(function* () {
      const fake = yield* fakeGateway
      const url = `https://gateway.example.com:${new URL(fake.url).port}/send`
      const account = connected(bridgeAdapter(yield* ProviderHttp), { url, secret: SECRET }, guarded)
      expectOutcome(yield* account.sendCode(delivery("bale")), {
        ...unavailable,
        providerError: "not sent: gateway.example.com is not a public address"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
