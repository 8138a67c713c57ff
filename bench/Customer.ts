import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Store } from "./Store.ts"

/** Where Peyk finds its store. */
export const storeEnv = (directory: string, databaseUrl: string | null): NodeJS.ProcessEnv =>
  databaseUrl === null
    ? { PEYK_DATA_DIR: directory }
    : {
        DATABASE_URL: databaseUrl,
        PEYK_SIMULATOR: "true",
        PEYK_SECRET: Buffer.alloc(32, "bench").toString("base64")
      }

const root = fileURLToPath(new URL("../", import.meta.url))

/**
 * Peyk's first customer, who may send as much as the machine can; gives back the key. Codes go over one channel unless a
 * request says otherwise, as with the references: fallback is measured by itself.
 */
export const makeCustomer = async (store: NodeJS.ProcessEnv): Promise<string> => {
  const env = { ...store, PEYK_ALLOW_PRIVATE_ADDRESSES: "true" }
  const peyk = async (...args: ReadonlyArray<string>) => {
    const command = [join(root, "bin/peyk.js"), ...args, "--json"]
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, ...env }
    })
    return JSON.parse(stdout)
  }
  const mine = ["--customer", "1"]
  // A command joins a store of one's own as it is; only a server migrates it.
  if (store["DATABASE_URL"] !== undefined) await peyk("migrate")
  await peyk("customer", "create", "--name", "bench", "--plan", "start")
  await peyk("wallet", "top-up", ...mine, "--amount", "900000000000")
  // Nobody verifies the codes of a send's measurement. With its budget used up, the guard would be in an attack.
  await peyk("guard", "set", ...mine, "--unverified-hour", "0")
  const simulator = ["--provider", "simulator", "--default"]
  await peyk("account", "connect", ...mine, "--channel", "bale", "--label", "bale", ...simulator)
  await peyk("account", "connect", ...mine, "--channel", "sms", "--label", "sms", ...simulator)
  await peyk("routing", "set", ...mine, "--steps", '[{"channel":"bale"}]')
  const address = ["--url", "http://127.0.0.1/", "--events", "verification.attempt_sent"]
  await peyk("webhook", "create", ...mine, ...address)
  const { secret } = await peyk("key", "create", ...mine, "--mode", "live")
  return secret
}

const accountColumns = `channel, provider, label, sealed_settings, is_default, created_at, sends_codes, sends_texts,
  deduplicates, deduplicates_texts, reports_delivery, needs_contact, allows_private_addresses`

const SECRET_LENGTH = 43
const secretOf = (id: number) => `svc_live_${String(id).padStart(SECRET_LENGTH, "0")}`

/** More customers like the first; gives back the keys of them all. */
export const multiplyCustomer = async (store: Store, first: string, count: number) => {
  const others = `select id from customers where id > 1`
  await store.run("peyk", [
    // Only its own measurement connects it.
    "update webhook_endpoints set disabled_at = now()",
    `insert into customers (name, plan, created_at)
      select c.name, c.plan, c.created_at from customers c, generate_series(2, ${count}) where c.id = 1`,
    `insert into sending_accounts (customer_id, ${accountColumns})
      select o.id, ${accountColumns} from sending_accounts a, (${others}) o where a.customer_id = 1`,
    `insert into routing_orders (customer_id, steps, updated_at)
      select o.id, steps, updated_at from routing_orders r, (${others}) o where r.customer_id = 1`,
    `insert into guard_settings (customer_id, mode, unverified_hour, sms_price, updated_at)
      select o.id, mode, unverified_hour, sms_price, updated_at from guard_settings g, (${others}) o
      where g.customer_id = 1`,
    `insert into wallets (customer_id, stripe, balance, held)
      select o.id, stripe, balance, 0 from wallets w, (${others}) o where w.customer_id = 1`,
    `insert into api_keys (customer_id, name, mode, prefix, last_four, secret_hash, created_at)
      select o.id, k.name, k.mode, k.prefix, k.last_four,
        sha256(('svc_live_' || lpad(o.id::text, ${SECRET_LENGTH}, '0'))::bytea), k.created_at
      from api_keys k, (${others}) o where k.customer_id = 1`
  ])
  return [first, ...Array.from({ length: count - 1 }, (_, n) => secretOf(n + 2))]
}
