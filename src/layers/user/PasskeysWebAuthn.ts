import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { Effect, Layer, Option, Schema } from "effect"
import { ipFamily } from "../../domain/Networks.ts"
import { ProviderEndpoints } from "../provider/ProviderEndpoints.ts"
import { type NewPasskey, Passkeys, type StoredPasskey } from "../../services/user/SecondFactors.ts"

/** Loaded for the first passkey: the package takes as long to load as the rest of the console. */
const webAuthn = Effect.promise(() => import("@simplewebauthn/server"))

/** The name of a site whose browsers have passkeys, and its origin; null: it has none. */
export const passkeySite = (
  publicUrl: string | null
): { readonly name: string; readonly origin: string } | null => {
  if (publicUrl === null) return null
  const { protocol, hostname, origin } = new URL(publicUrl)
  const isName = ipFamily(hostname.replaceAll(/[[\]]/g, "")) === null
  return protocol === "https:" && isName ? { name: hostname, origin } : null
}

/** Much longer than any, and checked before it is parsed. */
const MAX_RESPONSE_LENGTH = 16_384

const Text = Schema.String.check(Schema.isMaxLength(MAX_RESPONSE_LENGTH))
const OptionalText = Schema.optionalKey(Schema.NullOr(Text))

/** The parts of a browser's response that are used. */
const responseWith = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.fromJsonString(
    Schema.Struct({
      id: Text,
      rawId: Text,
      type: Schema.Literal("public-key"),
      clientExtensionResults: Schema.Record(Schema.String, Schema.Unknown),
      response: Schema.Struct({ clientDataJSON: Text, ...fields })
    })
  )
const Created = responseWith({
  attestationObject: Text,
  transports: Schema.optionalKey(Schema.Array(Text).check(Schema.isMaxLength(10)))
})
const Signed = responseWith({ authenticatorData: Text, signature: Text, userHandle: OptionalText })

const decodeWith = <S extends Schema.Decoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (response: string) =>
    response.length > MAX_RESPONSE_LENGTH ? Option.none<S["Type"]>() : decode(response)
}
const decodeCreated = decodeWith(Created)
const decodeSigned = decodeWith(Signed)

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))

/** A response that is not what it should be is refused with an exception, which says nothing that a person can use. */
const orNone = <A>(verified: () => Promise<Option.Option<A>>) =>
  Effect.orElseSucceed(Effect.tryPromise({ try: verified, catch: () => "refused" as const }), () =>
    Option.none<A>()
  )

const descriptorOf = ({ id, transports }: StoredPasskey) => ({ id, transports: [...transports] })

const off = Passkeys.of({
  isOffered: false,
  creationOptions: () => Effect.die("passkeys are not offered"),
  created: () => Effect.succeed(Option.none()),
  requestOptions: () => Effect.die("passkeys are not offered"),
  signed: () => Effect.succeed(Option.none())
})

const makePasskeys = ({ name, origin }: { readonly name: string; readonly origin: string }) =>
  Passkeys.of({
    isOffered: true,

    creationOptions: Effect.fnUntraced(function* (owner, known, challenge) {
      const { generateRegistrationOptions } = yield* webAuthn
      const options = yield* Effect.promise(() =>
        generateRegistrationOptions({
          rpName: "Peyk",
          rpID: name,
          userID: bytesOf(owner.id),
          userName: owner.email,
          userDisplayName: owner.name,
          challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
          excludeCredentials: known.map(descriptorOf),
          authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" }
        })
      )
      return JSON.stringify(options)
    }),

    created: Effect.fnUntraced(function* (response, challenge) {
      const given = decodeCreated(response)
      if (Option.isNone(given)) return Option.none()
      const { verifyRegistrationResponse } = yield* webAuthn
      return yield* orNone(async (): Promise<Option.Option<NewPasskey>> => {
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          response: given.value as unknown as RegistrationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: name,
          requireUserVerification: false
        })
        if (!verified) return Option.none()
        const { id, publicKey, counter, transports = [] } = registrationInfo.credential
        return Option.some({ id, publicKey, counter, transports })
      })
    }),

    requestOptions: Effect.fnUntraced(function* (known, challenge) {
      const { generateAuthenticationOptions } = yield* webAuthn
      const options = yield* Effect.promise(() =>
        generateAuthenticationOptions({
          rpID: name,
          challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
          allowCredentials: known.map(descriptorOf),
          userVerification: "preferred"
        })
      )
      return JSON.stringify(options)
    }),

    signed: Effect.fnUntraced(function* (response, known, challenge) {
      const given = decodeSigned(response)
      const passkey = Option.isNone(given) ? undefined : known.find(({ id }) => id === given.value.id)
      if (Option.isNone(given) || passkey === undefined) return Option.none()
      const { verifyAuthenticationResponse } = yield* webAuthn
      return yield* orNone(async () => {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: given.value as unknown as AuthenticationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: name,
          credential: {
            id: passkey.id,
            publicKey: new Uint8Array(passkey.publicKey),
            counter: passkey.counter,
            transports: [...passkey.transports]
          },
          requireUserVerification: false
        })
        return verified ? Option.some({ passkey, counter: authenticationInfo.newCounter }) : Option.none()
      })
    })
  })

export const PasskeysWebAuthn = Layer.effect(
  Passkeys,
  Effect.map(ProviderEndpoints, ({ publicUrl }) => {
    const site = passkeySite(publicUrl)
    return site === null ? off : makePasskeys(site)
  })
)
