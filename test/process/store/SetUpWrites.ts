/** Writes to a customer's set-up, each with what has to follow from it at once. */
import { newPhone, ok, otp, type Reply, type Sent } from "../../contract/Client.ts"
import type { Manager } from "../../contract/ManagedSetUp.ts"
import { manager } from "../../contract/ManagedSetUp.ts"
import { newToken } from "../../contract/Manager.ts"
import type { Running } from "../../contract/Server.ts"

/** Makes a write over one process, asks another, and returns the answer that shows the write, or one that does not. */
export type Round = (processes: {
  readonly written: Running
  readonly asked: Running
}) => Promise<{ readonly kind: string; readonly expected: unknown; readonly seen: unknown }>

interface Subject {
  readonly token: string
  readonly customerId: string
  /** The key that sends. */
  readonly secret: string
}

const at = (server: Running, { token }: Subject): Manager => manager(server, token)

const channelOf = (reply: Reply) =>
  reply.status === 200 ? ok<Sent>(reply).current_attempt_channel.credential_id : reply.text

const flip = () => {
  let isOn = false
  return () => (isOn = !isOn)
}

/** Rounds over the management API. The accounts are one of bale, and two of sms that both are named in requests. */
export const apiRounds = (
  subject: Subject,
  accounts: { readonly bale: number; readonly sms: number; readonly otherSms: number }
): ReadonlyArray<Round> => {
  const { secret } = subject
  const restricted = flip()
  const disabled = flip()
  const refusing = flip()
  const reordered = flip()
  const other = flip()

  const statusOf = async (server: Running, key: string, channels: unknown = "bale") =>
    (await otp(server, key).send({ channels })).status

  return [
    async ({ written, asked }) => {
      const { credential_id } = await at(written, subject).newAccount("eitaa")
      const seen = channelOf(
        await otp(asked, secret).send({ channels: [{ channel: "eitaa", account_id: credential_id }] })
      )
      return { kind: "account connected", expected: credential_id, seen }
    },
    async ({ written, asked }) => {
      const isOff = disabled()
      ok(await at(written, subject).patch(`/accounts/${accounts.otherSms}`, { active: !isOff }))
      const channels = [{ channel: "sms", account_id: accounts.otherSms }]
      const seen = (await otp(asked, secret).send({ channels })).status === 200
      return { kind: "account switched", expected: !isOff, seen }
    },
    async ({ written, asked }) => {
      const id = other() ? accounts.otherSms : accounts.sms
      ok(await at(written, subject).patch(`/accounts/${accounts.otherSms}`, { active: true }))
      ok(await at(written, subject).patch(`/accounts/${id}`, { default: true }))
      return {
        kind: "default account",
        expected: id,
        seen: channelOf(await otp(asked, secret).send({ channels: "sms" }))
      }
    },
    async ({ written, asked }) => {
      const refuses = refusing()
      const settings = refuses ? { outcome: "rejected" } : {}
      ok(await at(written, subject).patch(`/accounts/${accounts.bale}`, { settings }))
      const reply = await otp(asked, secret).send({ channels: "bale" })
      const seen = reply.status === 200 ? ok<Sent>(reply).status : reply.text
      return { kind: "account settings", expected: refuses ? "failed" : "queued", seen }
    },
    async ({ written, asked }) => {
      const id = reordered() ? accounts.bale : accounts.sms
      const steps = id === accounts.bale ? [{ channel: "bale" }] : [{ channel: "sms", account_id: id }]
      ok(await at(written, subject).put("/routing", { steps }))
      return { kind: "routing", expected: id, seen: channelOf(await otp(asked, secret).send()) }
    },
    async ({ written, asked }) => {
      const { id } = await at(written, subject).newTemplate("Your code: {{code}}")
      const reply = await otp(asked, secret).send({ channels: "bale", template_id: id })
      return { kind: "template created", expected: 200, seen: reply.status }
    },
    async ({ written, asked }) => {
      const { secret: made } = await at(written, subject).newKey()
      return { kind: "key created", expected: 200, seen: await statusOf(asked, made) }
    },
    async ({ written, asked }) => {
      const { id, secret: made } = await at(written, subject).newKey()
      const { verification_id } = await otp(asked, made).sent({ channels: "bale" })
      await at(written, subject).delete(`/api-keys/${id}`)
      const api = otp(asked, made)
      const replies = [
        await api.read(verification_id),
        await api.verify(verification_id, "000000"),
        await api.send({ channels: "bale" }),
        await api.send({ channels: [{ channel: "sms", account_id: 1 }] }),
        await api.postSend({ phone: "no phone" }),
        await api.postSend({}),
        await api.post("/send", {})
      ]
      return {
        kind: "key revoked",
        expected: replies.map(() => 401),
        seen: replies.map(({ status }) => status)
      }
    },
    async ({ written, asked }) => {
      const { id, secret: made } = await at(written, subject).newKey()
      const { verification_id } = await otp(asked, made).sent({ channels: "bale" })
      const isRestricted = restricted()
      const allowed_ips = isRestricted ? ["10.9.8.0/24"] : ["127.0.0.0/8"]
      ok(await at(written, subject).patch(`/api-keys/${id}`, { allowed_ips }))
      const first = await otp(asked, made).read(verification_id)
      ok(await at(written, subject).patch(`/api-keys/${id}`, { allowed_ips: null }))
      const second = await otp(asked, made).read(verification_id)
      return {
        kind: "allowed networks",
        expected: [isRestricted ? 403 : 200, 200],
        seen: [first.status, second.status]
      }
    },
    async ({ written, asked }) => {
      const { id, secret: made } = await at(written, subject).newKey()
      const { verification_id } = await otp(asked, made).sent({ channels: "bale" })
      const api = otp(asked, made)
      ok(await at(written, subject).patch(`/api-keys/${id}`, { rate_limit_per_minute: 1 }))
      const limited = [await api.read(verification_id), await api.read(verification_id)]
      const lastIsRefused = limited.at(-1)?.status === 429
      ok(await at(written, subject).patch(`/api-keys/${id}`, { rate_limit_per_minute: null }))
      const raised = await api.read(verification_id)
      return { kind: "key limit", expected: [true, 200], seen: [lastIsRefused, raised.status] }
    },
    async ({ written, asked }) => {
      const { id, secret: made } = await newToken(written, `apikey ${subject.token}`, "read_only")
      const mine = manager(asked, made)
      const before = await mine.get("/me")
      await at(written, subject).delete(`/tokens/${id}`)
      return {
        kind: "token revoked",
        expected: [200, 401],
        seen: [before.status, (await mine.get("/me")).status]
      }
    }
  ]
}

/** Rounds over the command line, against the store of the processes that are asked. */
export const commandRounds = ({ customerId, secret }: Subject): ReadonlyArray<Round> => {
  const customer = ["--customer", customerId]
  return [
    async ({ written, asked }) => {
      const made = (await written.cli(
        "account",
        "connect",
        ...customer,
        "--channel",
        "rubika",
        "--provider",
        "simulator",
        "--label",
        "By command"
      )) as { readonly credential_id: number }
      const channels = [{ channel: "rubika", account_id: made.credential_id }]
      const seen = channelOf(await otp(asked, secret).send({ channels }))
      return { kind: "command: account connect", expected: made.credential_id, seen }
    },
    async ({ written, asked }) => {
      const phone = newPhone()
      const send = async () => (await otp(asked, secret).send({ phone, channels: "bale" })).status
      await written.cli("customer", "limits", ...customer, "--set", "phone_hour=1")
      const limited = [await send(), await send()]
      await written.cli("customer", "limits", ...customer, "--set", "phone_hour=0")
      return {
        kind: "command: customer limits",
        expected: [200, 429, 200],
        seen: [...limited, await send()]
      }
    },
    async ({ written, asked }) => {
      const plan = async (name: string) => written.cli("customer", "update", ...customer, "--plan", name)
      const send = async () => (await otp(asked, secret).send({ channels: "sms" })).status
      await written.cli("customer", "limits", ...customer, "--set", "monthly_quota=1")
      await plan("free")
      const seen = [await send(), await send()]
      await plan("business")
      return { kind: "command: plan", expected: [true, 200], seen: [seen.includes(429), await send()] }
    },
    async ({ written, asked }) => {
      const made = (await written.cli("customer", "create", "--name", "Poor", "--plan", "business")) as {
        readonly id: number
      }
      const owner = ["--customer", String(made.id)]
      const key = (await written.cli("key", "create", ...owner, "--mode", "live")) as {
        readonly id: number
        readonly secret: string
      }
      await written.cli(
        "account",
        "connect",
        ...owner,
        "--channel",
        "bale",
        "--provider",
        "simulator",
        "--label",
        "b"
      )
      const send = async () => (await otp(asked, key.secret).send({ channels: "bale" })).status
      const poor = await send()
      await written.cli("wallet", "top-up", ...owner, "--amount", "100000")
      const rich = await send()
      await written.cli("key", "revoke", "--key", String(key.id))
      return {
        kind: "command: wallet top-up, key revoke",
        expected: [402, 200, 401],
        seen: [poor, rich, await send()]
      }
    }
  ]
}
