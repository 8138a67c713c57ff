/** A server for the fuzzer: nothing outside of this machine, no limits, and something of everything. */
import { type Server, startServer } from "../contract/Server.ts"
import { makeKnown } from "./Known.ts"
import type { Credentials } from "./ValidRequests.ts"

const PROVIDER_URLS = ["SMSIR", "BALE_SAFIR", "BALE_BOT", "EITAA", "SOROUSHPLUS", "RUBIKA", "TELEGRAM"]
const LIMITS = [
  "PHONE_HOUR",
  "PHONE_DAY",
  "PLATFORM_PHONE_DAY",
  "MESSAGE_PHONE_HOUR",
  "MESSAGE_PHONE_DAY",
  "MANAGE_MINUTE"
]
const MESSENGERS = ["eitaa", "bale", "soroushplus", "rubika"]
const PASSWORD = "correct horse battery staple"
const EMAIL = "fuzz@example.com"

const env = {
  ...Object.fromEntries(PROVIDER_URLS.map((name) => [`PEYK_${name}_URL`, "http://127.0.0.1:9"])),
  ...Object.fromEntries(LIMITS.map((name) => [`PEYK_LIMIT_${name}`, "0"])),
  PEYK_BODY_TIMEOUT_MS: "100",
  PEYK_ALLOW_PRIVATE_ADDRESSES: "true",
  PEYK_PROVIDER_TIMEOUT_MS: "2000"
}

const isAdmitted = async ({ url, demo }: Server, { liveKey, testKey, token }: Credentials) => {
  const asks = [
    ["/v1/manage/me", { authorization: `apikey ${token}` }],
    ["/v1/otp/01890a5d-ac96-774b-bcce-b302099a8057", { "x-api-key": liveKey }],
    ["/v1/sandbox/otp/01890a5d-ac96-774b-bcce-b302099a8057", { "x-api-key": testKey }]
  ] as const
  const answers = await Promise.all(asks.map(([path, headers]) => fetch(`${url}${path}`, { headers })))
  return demo !== undefined && answers.every(({ status }) => status !== 401 && status !== 403)
}

export const startFuzzedServer = async () => {
  const server = await startServer({ env })
  const customer = String(server.demo.customer_id)
  const { demo, cli } = server
  const credentials = {
    liveKey: demo.live_key,
    testKey: demo.test_key,
    token: demo.token,
    email: EMAIL,
    password: PASSWORD
  }
  const known = makeKnown()

  /** Requests that revoke the fuzzer's own keys are valid ones. */
  const renew = async () => {
    if (await isAdmitted(server, credentials)) return
    const secretOf = async (...args: ReadonlyArray<string>) =>
      ((await cli(...args, "--customer", customer)) as { readonly secret: string }).secret
    credentials.liveKey = await secretOf("key", "create", "--mode", "live")
    credentials.testKey = await secretOf("key", "create", "--mode", "test")
    credentials.token = await secretOf("token", "create", "--scope", "full")
  }

  for (const channel of MESSENGERS) {
    const label = ["--label", `Shared ${channel}`, "--provider", "simulator", "--channel", channel]
    await cli("account", "connect", "--shared", ...label)
  }
  await cli("wallet", "top-up", "--customer", customer, "--amount", "1000000000000")
  await fetch(`${server.url}/v1/manage/users`, {
    method: "POST",
    headers: { authorization: `apikey ${demo.token}`, "content-type": "application/json" },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD, name: "Fuzz", role: "admin", scope: "full" })
  })
  return { server, credentials, known, renew }
}
