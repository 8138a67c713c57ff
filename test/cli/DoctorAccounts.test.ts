import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { accountFindings } from "../../src/cli/server/DoctorAccounts.ts"
import { defaultEndpoints, ProviderEndpoints } from "../../src/layers/provider/ProviderEndpoints.ts"
import { timestamp } from "../../src/layers/postgres/SqlRows.ts"
import { Accounts } from "../../src/services/account/Accounts.ts"
import { fakeFarazsms, FARAZSMS_KEY } from "../support/fakes/FakeFarazsms.ts"
import { fakeIppanel, IPPANEL_KEY, IPPANEL_LINE, IPPANEL_PATTERN } from "../support/fakes/FakeIppanel.ts"
import { fakeKavenegar, KAVENEGAR_KEY, kavenegarAnswer } from "../support/fakes/FakeKavenegar.ts"
import { fakeMelipayamak, MELIPAYAMAK_USER } from "../support/fakes/FakeMelipayamak.ts"
import { fakeSmsir, SMSIR_KEY, smsirAnswer } from "../support/fakes/FakeSmsir.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../support/TestGraph.ts"

const SECRET = "a-wrong-secret"

/** Accounts, by what is wrong with them. */
const accounts: ReadonlyArray<readonly [label: string, provider: string, settings: object]> = [
  ["wrong key", "smsir", { api_key: SECRET, otp_template_id: 1 }],
  ["wrong line", "smsir", { api_key: SMSIR_KEY, line_number: 1234, otp_template_id: 1 }],
  ["nothing to send with", "smsir", { api_key: SMSIR_KEY }],
  ["no template", "kavenegar", { api_key: KAVENEGAR_KEY }],
  ["wrong pattern", "ippanel", { api_key: IPPANEL_KEY, from_number: IPPANEL_LINE, otp_pattern: "other" }],
  [
    "wrong variable",
    "ippanel",
    { api_key: IPPANEL_KEY, from_number: IPPANEL_LINE, otp_pattern: IPPANEL_PATTERN, otp_parameter: "pin" }
  ],
  ["wrong password", "melipayamak", { username: MELIPAYAMAK_USER, password: SECRET, otp_body_id: 1 }],
  ["unknown pattern", "farazsms", { api_key: FARAZSMS_KEY, otp_pattern: "other" }],
  ["down", "ghasedak", { api_key: SECRET, otp_template: "code" }]
]

/** A customer, whose accounts are the only ones that are switched on. */
const makeOnlyCustomer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.orDie(sql`update sending_accounts set disabled_at = ${timestamp(0)}`)
  return yield* makeCustomer([])
})

const withFarEnds = Effect.gen(function* () {
  const [kavenegar, smsir] = [yield* fakeKavenegar(), yield* fakeSmsir()]
  const endpoints = {
    ...defaultEndpoints,
    kavenegarUrl: `${kavenegar.url}/v1`,
    smsirUrl: `${smsir.url}/v1`,
    ippanelUrl: `${(yield* fakeIppanel()).url}/v1`,
    melipayamakUrl: `${(yield* fakeMelipayamak()).url}/api`,
    farazsmsUrl: (yield* fakeFarazsms()).url,
    // Nobody listens there.
    ghasedakUrl: "http://127.0.0.1:1"
  }
  return { kavenegar, smsir, endpoints: Layer.succeed(ProviderEndpoints, endpoints) }
})

const connectSms = Effect.fnUntraced(function* (
  customerId: number,
  [label, provider, settings]: (typeof accounts)[number]
) {
  const account = { channel: "sms" as const, provider, label, settings, isDefault: false }
  return (yield* Effect.orDie((yield* Accounts).connect(customerId, account))).id
})

/** What is said about each account, by its label. */
const found = Effect.map(
  accountFindings,
  (all) => new Map(all.map((each) => [/“(.*)”/.exec(each.finding)?.[1] ?? "", each]))
)

layer(TestDatabase, { excludeTestServices: true })("the doctor", (it) => {
  it.effect("names what is wrong with each account in the provider's words, and what to do about it", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* withFarEnds
      yield* Effect.gen(function* () {
        const customerId = yield* makeOnlyCustomer
        for (const account of accounts) yield* connectSms(customerId, account)
        const findings = yield* found
        const said = (label: string) => {
          const { ok, finding = "", advice = "" } = findings.get(label) ?? {}
          return `${ok === true ? "ok" : "wrong"}: ${finding.replace(/^.*”[^:]*: /, "")} → ${advice}`
        }
        assert.match(
          said("wrong key"),
          /^wrong: refused: 10 کلید .* → compare its settings .* PATCH \/v1\/manage/
        )
        assert.match(said("wrong line"), /^wrong: refused: line 1234 is not one of the account's: 3000773/)
        assert.match(
          said("nothing to send with"),
          /^wrong: works: .*; it can send nothing: .*otp_template_id/
        )
        assert.match(
          said("no template"),
          /^ok: works: credit 1500000; it sends no codes without otp_template → $/
        )
        assert.match(said("wrong pattern"), /^wrong: refused: pattern other: 400-1 /)
        assert.match(said("wrong variable"), /^wrong: refused: pattern pattern1code has no variable pin/)
        assert.match(said("wrong password"), /^wrong: refused: 0 .* → compare its settings/)
        assert.match(said("unknown pattern"), /^wrong: refused: pattern other: Not found/)
        assert.match(
          said("down"),
          /^wrong: the provider could not be asked: .* → without an answer, check the network/
        )
        assert.notInclude(JSON.stringify([...findings.values()]), SECRET)
      }).pipe(Effect.provide(Layer.provideMerge(testProcess(Layer.empty), endpoints)))
    })
  )

  it.effect("names accounts without credit, and those whose sends fail", () =>
    Effect.gen(function* () {
      const { kavenegar, smsir, endpoints } = yield* withFarEnds
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeOnlyCustomer
        const settings = { api_key: KAVENEGAR_KEY, otp_template: "code" }
        yield* connectSms(customerId, ["empty", "kavenegar", settings])
        const failing = yield* connectSms(customerId, [
          "failing",
          "smsir",
          { api_key: SMSIR_KEY, otp_template_id: 1 }
        ])
        yield* sql`update account_pace set failures = 5, cooling_until = ${timestamp(60_000)}
          where account_id = ${failing}`
        const info = kavenegarAnswer(200, "", { remaincredit: 0 })
        kavenegar.script(info, info)
        smsir.script(smsirAnswer(1, "", 7), smsirAnswer(1, "", 7))
        const findings = yield* found
        const { finding: empty = "", advice: onEmpty } = findings.get("empty") ?? {}
        assert.match(empty, /works: credit 0; no credit is left$/)
        assert.strictEqual(onEmpty, "buy credit at the provider")
        const { ok, finding: cooling = "", advice = "" } = findings.get("failing") ?? {}
        assert.isFalse(ok)
        assert.match(
          cooling,
          /works: credit 7; 5 sends in a row failed, so its codes or its messages wait until 1970-01-01T00:01:00/
        )
        assert.match(advice, /peyk verification show/)
      }).pipe(Effect.provide(Layer.provideMerge(testProcess(Layer.empty), endpoints)))
    })
  )
})
