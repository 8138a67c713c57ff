/** An issuer of JWTs of its own, whose keys are served over HTTP. */
import { createServer } from "node:http"
import { randomUUID } from "node:crypto"
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"

export interface IssuerKey {
  readonly kid: string
  readonly algorithm: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

export const makeIssuerKey = async (algorithm: string): Promise<IssuerKey> => {
  const kid = randomUUID()
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" }
  return { kid, algorithm, privateKey, publicJwk }
}

export const signJwt = (
  key: Pick<IssuerKey, "kid" | "algorithm"> & { readonly privateKey: CryptoKey | Uint8Array },
  claims: JWTPayload,
  header: Readonly<Record<string, unknown>> = {}
): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header }).sign(key.privateKey)

/** Serves a key set that can be changed; `stop` makes it unreachable. */
export const serveKeys = async (initial: ReadonlyArray<JWK>) => {
  let keys = initial
  let fetches = 0
  const server = createServer((_request, response) => {
    fetches += 1
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/jwks.json`,
    publish: (next: ReadonlyArray<JWK>) => {
      keys = next
    },
    fetches: () => fetches,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
