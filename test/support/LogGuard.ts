// @effect-diagnostics processEnv:off
import * as fs from "node:fs"
import * as path from "node:path"
import type { UserConsoleLog } from "vitest"
import type { Reporter } from "vitest/node"
import { SAFIR_KEY } from "./fakes/FakeBaleSafir.ts"
import { BOT_TOKENS } from "./fakes/FakeBotApi.ts"
import { EITAA_TOKEN } from "./fakes/FakeEitaa.ts"
import { FARAZSMS_KEY } from "./fakes/FakeFarazsms.ts"
import { GHASEDAK_KEY } from "./fakes/FakeGhasedak.ts"
import { IPPANEL_KEY } from "./fakes/FakeIppanel.ts"
import { KAVENEGAR_KEY } from "./fakes/FakeKavenegar.ts"
import { MELIPAYAMAK_PASSWORD } from "./fakes/FakeMelipayamak.ts"
import { RUBIKA_TOKEN } from "./fakes/FakeRubika.ts"
import { GATEWAY_TOKEN } from "./fakes/FakeTelegramGateway.ts"
import { SMSIR_KEY } from "./fakes/FakeSmsir.ts"

/** Where the whole run's log lines are gathered: those of tests themselves, and of every server that they start. */
const DIRECTORY = "PEYK_TEST_LOGS"

/** For a process that a test has started: keeps what it logs. */
export const gatherLog = (source: string, chunk: string | Uint8Array): void => {
  const directory = process.env[DIRECTORY]
  if (directory !== undefined) fs.appendFileSync(path.join(directory, `${source}.log`), chunk)
}

/** Keeps what tests log in their own processes. */
export class LogGatherer implements Reporter {
  onUserConsoleLog({ content }: UserConsoleLog): void {
    gatherLog("tests", content)
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const credentials = [
  SMSIR_KEY,
  KAVENEGAR_KEY,
  IPPANEL_KEY,
  MELIPAYAMAK_PASSWORD,
  GHASEDAK_KEY,
  FARAZSMS_KEY,
  GATEWAY_TOKEN,
  SAFIR_KEY,
  EITAA_TOKEN,
  RUBIKA_TOKEN,
  ...Object.values(BOT_TOKENS)
]

/** Ids and digests are random: some hold eleven digits that look like a phone. */
const ID = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})\b/gi

const PHONE = /(?<!\d)(?:\+98|0098|98|0)9\d{9}(?!\d)/

const leaks: Readonly<Record<string, RegExp>> = {
  "a service key or token": /svc_(?:live|test|pat)_[\w-]{43}/,
  "a webhook secret": /whsec_[A-Za-z0-9+/]{32,}/,
  "a provider's credential": new RegExp(credentials.map(escaped).join("|")),
  "a code": /"code":\s*"\d{4,10}"|کد تأیید [^:\n]{1,40}: [\d۰-۹]/
}

/** The lines of a log that hold what no log may. */
export const leaksIn = (log: string): ReadonlyArray<string> =>
  log
    .split("\n")
    .flatMap((line) =>
      [
        ...(PHONE.test(line.replace(ID, "")) ? ["a full phone number"] : []),
        ...Object.entries(leaks).flatMap(([name, pattern]) => (pattern.test(line) ? [name] : []))
      ].map((name) => `${name}: ${line.slice(0, 500)}`)
    )

/** Begins to gather; the returned function ends the run as failed if anything leaked. */
export const guardLogs = (directory: string): (() => void) => {
  fs.mkdirSync(directory, { recursive: true })
  process.env[DIRECTORY] = directory
  return () => {
    const files = fs.readdirSync(directory).map((file) => path.join(directory, file))
    const found = files.flatMap((file) => leaksIn(fs.readFileSync(file, "utf8")))
    const bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0)
    if (found.length === 0) return console.log(`No secret in ${bytes} bytes of logs of the whole run.`)
    process.exitCode = 1
    console.error(`Secrets in the logs of the run:\n${found.slice(0, 20).join("\n")}`)
  }
}
