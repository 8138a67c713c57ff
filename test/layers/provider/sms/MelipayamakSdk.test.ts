import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { melipayamakAdapter } from "../../../../src/layers/provider/adapters/Melipayamak.ts"
import { CODE, connected, delivery, ProviderHttpTest, TEXT } from "../kit/AdapterTest.ts"
import { checkOf } from "../kit/CheckOf.ts"
import { hasTools, loadTool, turnHttps } from "./SdkTools.ts"
import {
  fakeMelipayamak,
  MELIPAYAMAK_BODY_ID,
  MELIPAYAMAK_LINE,
  MELIPAYAMAK_PASSWORD,
  MELIPAYAMAK_USER
} from "../../../support/fakes/FakeMelipayamak.ts"

interface Sms {
  readonly send: (to: string, from: string, text: string) => Promise<unknown>
  readonly sendByBaseNumber: (text: string, to: string, bodyId: number) => Promise<unknown>
  readonly isDelivered: (recId: string) => Promise<unknown>
  readonly getCredit: () => Promise<unknown>
  readonly getNumbers: () => Promise<unknown>
}
type Sdk = new (username: string, password: string) => { readonly sms: () => Sms }

const settings = {
  username: MELIPAYAMAK_USER,
  password: MELIPAYAMAK_PASSWORD,
  from: MELIPAYAMAK_LINE,
  otp_body_id: MELIPAYAMAK_BODY_ID
}

/** The vendor's own client, whose fixed address leads to the fake. */
const setUp = Effect.fnUntraced(function* (password: string = MELIPAYAMAK_PASSWORD) {
  const fake = yield* fakeMelipayamak()
  yield* turnHttps("rest.payamak-panel.com", fake.url)
  const Melipayamak: Sdk = loadTool("melipayamak")
  const sdk = new Melipayamak(MELIPAYAMAK_USER, password).sms()
  const account = connected(melipayamakAdapter(yield* ProviderHttp, `${fake.url}/api`), settings)
  return { fake, sdk, account }
})

const fieldsOf = (body = "") => Object.fromEntries(new URLSearchParams(body))

/** The two last requests have the same method, path, type and fields. */
const expectSame = ({ received }: Effect.Success<ReturnType<typeof setUp>>["fake"]) => {
  const [theirs, ours] = received.slice(-2).map(({ method, path, headers, body }) => ({
    method,
    path,
    type: headers["content-type"]?.toLowerCase(),
    fields: fieldsOf(body)
  }))
  expect(ours).toEqual(theirs)
}

const ok = { RetStatus: 1, StrRetStatus: "Ok" }

describe.runIf(hasTools)("Melipayamak's own SDK takes the fake for Melipayamak", () => {
  it.effect("when it sends a code, and we send the same", () =>
    Effect.gen(function* () {
      const { fake, sdk, account } = yield* setUp()
      const sent = yield* Effect.promise(() => sdk.sendByBaseNumber(CODE, "09123456789", MELIPAYAMAK_BODY_ID))
      expect(sent).toMatchObject({ ...ok, Value: expect.stringMatching(/^\d{15,}$/) })
      yield* account.sendCode(delivery("sms"))
      expectSame(fake)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it sends a text, and we send the same", () =>
    Effect.gen(function* () {
      const { fake, sdk, account } = yield* setUp()
      const sent = yield* Effect.promise(() => sdk.send("09123456789", MELIPAYAMAK_LINE, TEXT))
      expect(sent).toMatchObject({ ...ok, Value: expect.stringMatching(/^\d{15,}$/) })
      yield* account.sendText(delivery("sms"))
      expectSame(fake)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it asks for a report and the credit, and we ask the same", () =>
    Effect.gen(function* () {
      const { fake, sdk, account } = yield* setUp()
      expect(yield* Effect.promise(() => sdk.isDelivered("42"))).toMatchObject(ok)
      yield* account.deliveryReport?.("42") ?? Effect.die("no reports")
      expectSame(fake)
      expect(yield* Effect.promise(() => sdk.getCredit())).toMatchObject({ ...ok, Value: "1204.5" })
      yield* account.credit ?? Effect.die("no credit")
      expectSame(fake)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it asks for the lines, and the check asks the same", () =>
    Effect.gen(function* () {
      const { fake, sdk, account } = yield* setUp()
      const lines = yield* Effect.promise(() => sdk.getNumbers())
      expect(lines).toMatchObject({ MyBase: ok, Data: [{ Number: MELIPAYAMAK_LINE }, {}] })
      yield* checkOf(account)
      const [asked, , ours] = fake.received
      expect([ours?.path, fieldsOf(ours?.body)]).toEqual([asked?.path, fieldsOf(asked?.body)])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when its password is wrong", () =>
    Effect.gen(function* () {
      const { sdk } = yield* setUp("wrong")
      expect(yield* Effect.promise(() => sdk.getCredit())).toMatchObject({ Value: "0", RetStatus: 0 })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
