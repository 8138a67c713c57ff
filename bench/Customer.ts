import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../", import.meta.url))

/**
 * Peyk's customer, who may send as much as the machine can; gives back the key. Codes go over one channel unless a request
 * says otherwise, as with the references: fallback is measured by itself.
 */
export const makeCustomer = async (env: NodeJS.ProcessEnv): Promise<string> => {
  const peyk = async (...args: ReadonlyArray<string>) => {
    const command = [join(root, "bin/peyk.js"), ...args, "--json"]
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, ...env }
    })
    return JSON.parse(stdout)
  }
  const mine = ["--customer", "1"]
  await peyk("customer", "create", "--name", "bench", "--plan", "start")
  await peyk("wallet", "top-up", ...mine, "--amount", "900000000000")
  const simulator = ["--provider", "simulator", "--default"]
  await peyk("account", "connect", ...mine, "--channel", "bale", "--label", "bale", ...simulator)
  await peyk("account", "connect", ...mine, "--channel", "sms", "--label", "sms", ...simulator)
  await peyk("routing", "set", ...mine, "--steps", '[{"channel":"bale"}]')
  const { secret } = await peyk("key", "create", ...mine, "--mode", "live")
  return secret
}
