import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { defaultEndpoints, ProviderEndpoints } from "../../../src/layers/provider/ProviderEndpoints.ts"
import { passkeySite, PasskeysWebAuthn } from "../../../src/layers/user/PasskeysWebAuthn.ts"
import { Passkeys, type StoredPasskey } from "../../../src/services/user/SecondFactors.ts"

const ORIGIN = "https://peyk.example"
const NAME = "peyk.example"

const at = (publicUrl: string | null) =>
  Layer.provide(PasskeysWebAuthn, Layer.succeed(ProviderEndpoints, { ...defaultEndpoints, publicUrl }))

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest()
const base64url = (data: string | Buffer) => Buffer.from(data).toString("base64url")

const PRESENT_AND_VERIFIED = 0x05
const HAS_KEY = 0x40

/** What a test changes of a right response. */
interface Changes {
  readonly challenge?: string
  readonly origin?: string
  readonly name?: string
  readonly type?: string
  readonly counter?: number
  readonly flags?: number
}

const counterBytes = (counter: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(counter)
  return bytes
}

const headOf = ({ name = NAME, counter = 1, flags = PRESENT_AND_VERIFIED }: Changes) =>
  Buffer.concat([sha256(name), Buffer.from([flags]), counterBytes(counter)])

const clientData = (type: string, challenge: string, { origin = ORIGIN, ...changes }: Changes) =>
  JSON.stringify({
    type: changes.type ?? type,
    challenge: changes.challenge ?? challenge,
    origin,
    crossOrigin: false
  })

/** A public key in COSE, by hand: a map of five, for ES256 on P-256. */
const coseOf = (key: KeyObject) => {
  const { x = "", y = "" } = key.export({ format: "jwk" })
  const coordinate = (text: string) =>
    Buffer.concat([Buffer.from([0x58, 0x20]), Buffer.from(text, "base64url")])
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21])
  return Buffer.concat([head, coordinate(x), Buffer.from([0x22]), coordinate(y)])
}

const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])

/** `{fmt: "none", attStmt: {}, authData}` in CBOR. */
const attestationOf = (authData: Buffer) => {
  const length = Buffer.from([0x59, authData.length >> 8, authData.length & 0xff])
  const none = [text("fmt"), text("none"), text("attStmt"), Buffer.from([0xa0])]
  return Buffer.concat([Buffer.from([0xa3]), ...none, text("authData"), length, authData])
}

/** A device with one passkey. */
const newDevice = () => {
  const id = randomBytes(16)
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const responseOf = (response: Record<string, unknown>) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key",
    clientExtensionResults: {},
    response
  })
  return {
    id: base64url(id),
    created: (challenge: string, changes: Changes = {}) => {
      const head = headOf({ flags: PRESENT_AND_VERIFIED | HAS_KEY, counter: 0, ...changes })
      const authData = Buffer.concat([
        head,
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        coseOf(publicKey)
      ])
      return responseOf({
        clientDataJSON: base64url(clientData("webauthn.create", challenge, changes)),
        attestationObject: base64url(attestationOf(authData)),
        transports: ["internal"]
      })
    },
    signed: (challenge: string, changes: Changes = {}) => {
      const data = clientData("webauthn.get", challenge, changes)
      const head = headOf(changes)
      return responseOf({
        clientDataJSON: base64url(data),
        authenticatorData: base64url(head),
        signature: base64url(sign("sha256", Buffer.concat([head, sha256(data)]), privateKey))
      })
    }
  }
}
type Device = ReturnType<typeof newDevice>

const newChallenge = () => base64url(randomBytes(32))

const isAccepted = (response: unknown, known: ReadonlyArray<StoredPasskey>, challenge: string) =>
  Effect.flatMap(Passkeys, (passkeys) =>
    Effect.map(
      passkeys.signed(typeof response === "string" ? response : JSON.stringify(response), known, challenge),
      Option.isSome
    )
  )

const stored = Effect.fnUntraced(function* (device: Device, counter = 0) {
  const challenge = newChallenge()
  const made = yield* (yield* Passkeys).created(JSON.stringify(device.created(challenge)), challenge)
  const passkey = Option.getOrThrow(made)
  return { ...passkey, counter, name: "device", createdAt: 0, lastUsedAt: null } satisfies StoredPasskey
})

/** Each of these is of another challenge, site or purpose, or of nobody who touched the device. */
const wrong: ReadonlyArray<readonly [string, Changes]> = [
  ["an earlier challenge", { challenge: newChallenge() }],
  ["another site", { origin: "https://peyk.example.net" }],
  ["the site without https", { origin: "http://peyk.example" }],
  ["another port of the site", { origin: "https://peyk.example:8443" }],
  ["the key of another name", { name: "example" }],
  ["another purpose", { type: "payment.get" }],
  ["nobody's touch", { flags: 0 }]
]

describe("a passkey", () => {
  it.effect("is made, and signs a challenge", () =>
    Effect.gen(function* () {
      const device = newDevice()
      const passkey = yield* stored(device)
      assert.strictEqual(passkey.id, device.id)
      assert.deepStrictEqual(passkey.transports, ["internal"])
      const challenge = newChallenge()
      const passkeys = yield* Passkeys
      const response = JSON.stringify(device.signed(challenge, { counter: 7 }))
      const { counter } = Option.getOrThrow(yield* passkeys.signed(response, [passkey], challenge))
      assert.strictEqual(counter, 7)
    }).pipe(Effect.provide(at(ORIGIN)))
  )

  it.effect.each(wrong)("is neither made nor used with %s", ([, changes]) =>
    Effect.gen(function* () {
      const device = newDevice()
      const passkey = yield* stored(device)
      const challenge = newChallenge()
      assert.isFalse(yield* isAccepted(device.signed(challenge, changes), [passkey], challenge))
      const flags = changes.flags === undefined ? {} : { flags: changes.flags | HAS_KEY }
      const response = JSON.stringify(device.created(challenge, { ...changes, ...flags }))
      assert.isTrue(Option.isNone(yield* (yield* Passkeys).created(response, challenge)))
      assert.isTrue(yield* isAccepted(device.signed(challenge), [passkey], challenge))
    }).pipe(Effect.provide(at(ORIGIN)))
  )

  it.effect("is refused where its counter goes back or stays; one that does not count is not", () =>
    Effect.gen(function* () {
      const device = newDevice()
      const challenge = newChallenge()
      const counted = yield* stored(device, 5)
      for (const [counter, expected] of [
        [4, false],
        [5, false],
        [6, true]
      ] as const)
        assert.strictEqual(
          yield* isAccepted(device.signed(challenge, { counter }), [counted], challenge),
          expected
        )
      const uncounted = { ...counted, counter: 0 }
      assert.isTrue(yield* isAccepted(device.signed(challenge, { counter: 0 }), [uncounted], challenge))
    }).pipe(Effect.provide(at(ORIGIN)))
  )

  it.effect("signs in its own user only, and with its own key only", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [newDevice(), newDevice()]
      const [own, other] = [yield* stored(mine), yield* stored(theirs)]
      const challenge = newChallenge()
      assert.isFalse(yield* isAccepted(theirs.signed(challenge), [own], challenge))
      const forged = { ...theirs.signed(challenge), id: own.id, rawId: own.id }
      assert.isFalse(yield* isAccepted(forged, [own], challenge))
      assert.isFalse(yield* isAccepted(mine.signed(challenge), [], challenge))
      assert.isTrue(yield* isAccepted(mine.signed(challenge), [other, own], challenge))
    }).pipe(Effect.provide(at(ORIGIN)))
  )

  it.effect("is no text that is none, however it is wrong", () =>
    Effect.gen(function* () {
      const device = newDevice()
      const passkey = yield* stored(device)
      const challenge = newChallenge()
      const right = device.signed(challenge)
      const made = device.created(challenge)
      const changed = (response: typeof right, part: string, value: unknown) => ({
        ...response,
        response: { ...response.response, [part]: value }
      })
      const junk = [
        "",
        "null",
        "[]",
        "{}",
        "not JSON",
        JSON.stringify(right).padEnd(16_385, " "),
        { ...right, type: "password" },
        { ...right, rawId: 1 },
        changed(right, "signature", ""),
        changed(right, "signature", "%%%"),
        changed(right, "authenticatorData", "AA"),
        changed(right, "clientDataJSON", base64url("{}")),
        changed(made, "attestationObject", "AA"),
        changed(made, "attestationObject", base64url(Buffer.alloc(9000, 0x9f))),
        changed(
          made,
          "transports",
          Array.from({ length: 11 }, () => "usb")
        )
      ].map((each) => (typeof each === "string" ? each : JSON.stringify(each)))
      const passkeys = yield* Passkeys
      for (const each of junk) {
        assert.isFalse(yield* isAccepted(each, [passkey], challenge), each.slice(0, 80))
        assert.isTrue(Option.isNone(yield* passkeys.created(each, challenge)), each.slice(0, 80))
      }
      assert.isTrue(yield* isAccepted(right, [passkey], challenge))
    }).pipe(Effect.provide(at(ORIGIN)))
  )

  it.effect("is offered by https with a name only", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(passkeySite("https://codes.peyk.example:8443/base"), {
        name: "codes.peyk.example",
        origin: "https://codes.peyk.example:8443"
      })
      for (const url of [null, "http://peyk.example", "https://203.0.113.7", "https://[2001:db8::1]"]) {
        assert.isNull(passkeySite(url))
        const device = newDevice()
        const challenge = newChallenge()
        const passkeys = yield* Effect.provide(Passkeys, at(url))
        assert.isFalse(passkeys.isOffered)
        const response = JSON.stringify(device.created(challenge))
        assert.isTrue(Option.isNone(yield* passkeys.created(response, challenge)))
      }
    })
  )
})
