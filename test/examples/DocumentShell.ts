/** A folder and a server for the commands of a document: what its reader would have. */
import { DateTime, Effect, Exit, Scope } from "effect"
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePorts } from "../../bench/FreePort.ts"
import { codeOf } from "../contract/Operator.ts"
import { neutralEnvironment, type Server, startServer } from "../contract/Server.ts"
import { fakeSmsir, SMSIR_KEY } from "../support/fakes/FakeSmsir.ts"
import { programFile } from "../support/Programs.ts"
import { npxScript, openCommandSocket } from "./CommandSocket.ts"
import type { Shell } from "./ShellExamples.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const node = join(root, "node_modules", ".bin", "node")

/** `npm run fakes` listens on so many ports in a row. */
const FAKES_PORTS = 20
/** The text that a reader types for a placeholder. */
const SECRET = `whsec_${Buffer.alloc(32, "good").toString("base64")}`
const PASSWORD = "correct horse battery"
/** The demo customer has six accounts; docs/command-line.md connects three before it imports contacts. */
const CONNECTED_LAST = "9"
const CONTACTS = "phone,chat_id\n09121234567,1001\n"

/** Stands for a program of the reader's: the project's own one, in the project's place. */
const writeProgram = async (folder: string, name: string, script: string) => {
  const file = join(folder, name)
  await writeFile(file, `#!/usr/bin/env bash\n${script}\n`)
  await chmod(file, 0o755)
}

const socketIn = (programs: string) => join(programs, "commands.sock")

/**
 * `npx peyk` without the search for the package, and without a process where it does not serve; npm as if it were
 * started in the project; curl to the test's port.
 */
const writePrograms = async (folder: string) => {
  await writeProgram(folder, "npx", npxScript(socketIn(folder), `${node} ${programFile("peyk")}`))
  await writeProgram(
    folder,
    "npm",
    `[ "$*" = "run fakes" ] && set -- run fakes -- "$FREE_PORTS"\ncd ${root} && PATH="$REAL_PATH" exec npm "$@"`
  )
  await writeProgram(
    folder,
    "curl",
    `PATH="$REAL_PATH" exec curl --connect-to "127.0.0.1:8080:127.0.0.1:$SERVER_PORT" $CURL_FAILS "$@"`
  )
}

const tomorrow = Effect.map(DateTime.now, (now) => DateTime.formatIsoDateUtc(DateTime.add(now, { days: 1 })))

const postTo = async (server: Server, path: string, body: object) => {
  const reply = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: {
      "x-api-key": server.demo.live_key,
      "idempotency-key": "first",
      "content-type": "application/json"
    },
    body: JSON.stringify(body)
  })
  return (await reply.json()) as Readonly<Record<string, string>>
}

/** Sends a code and a message first, and creates a webhook, so that examples have ids to read. */
const sendFirst = async (server: Server) => {
  const code = await postTo(server, "/v1/otp/send", { phone: "09120000000" })
  const CODE = await codeOf(server, "+989120000000")
  const message = { to: "09120000000", message: "first", channels: "bale" }
  const { message_id } = await postTo(server, "/v1/messages/send", message)
  const webhook = ["--url", "https://example.com/first", "--events", "message.sent"]
  const { id } = (await server.cli("webhook", "create", "--customer", "1", ...webhook)) as {
    readonly id: number
  }
  return {
    CODE,
    VERIFICATION_ID: code["verification_id"] ?? "",
    MESSAGE_ID: message_id ?? "",
    WEBHOOK_ID: String(id)
  }
}

/** A server with what examples read. */
export interface DocumentServer {
  readonly server: Server
  readonly smsirUrl: string
  /** What was sent first. */
  readonly first: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

/** The documents of a server send more to one phone than a customer may. */
const UNLIMITED = ["PHONE_HOUR", "PHONE_DAY", "PLATFORM_PHONE_DAY", "MESSAGE_PHONE_HOUR", "MESSAGE_PHONE_DAY"]

export const openDocumentServer = async (): Promise<DocumentServer> => {
  const scope = Scope.makeUnsafe()
  const smsir = await Effect.runPromise(fakeSmsir().pipe(Scope.provide(scope)))
  const smsirUrl = `${smsir.url}/v1`
  const limits = Object.fromEntries(UNLIMITED.map((name) => [`PEYK_LIMIT_${name}`, "0"]))
  const server = await startServer({ env: { ...limits, PEYK_SMSIR_URL: smsirUrl } })
  return {
    server,
    smsirUrl,
    first: await sendFirst(server),
    stop: async () => {
      await server.stop()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

export interface DocumentShell {
  readonly shell: (mayFail: boolean) => Shell
  /** With what a reader puts in for `…`. */
  readonly fill: (script: string) => string
  readonly input: string
  /** Keeps what later examples need of what one has printed. */
  readonly keep: (script: string, printed: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** `program`: a file that the document shows. */
export const openDocumentShell = async (
  { server, smsirUrl, first }: DocumentServer,
  program: { readonly code: string; readonly file: string } | undefined
): Promise<DocumentShell> => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-docs-"))
  const programs = join(folder, "bin")
  await mkdir(programs)
  await writePrograms(programs)
  await symlink(server.dataDir, join(folder, "data"))
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  await writeFile(join(folder, "contacts.csv"), CONTACTS)
  if (program !== undefined) await writeFile(join(folder, program.file), program.code)

  const path = `${join(root, "node_modules", ".bin")}${delimiter}${neutralEnvironment()["PATH"] ?? ""}`
  const variables: Record<string, string> = {
    PEYK: "http://127.0.0.1:8080",
    KEY: server.demo.live_key,
    TEST_KEY: server.demo.test_key,
    PEYK_TOKEN: server.demo.token,
    TOMORROW: await Effect.runPromise(tomorrow),
    ...first
  }
  const ownPort = String(await freePorts(FAKES_PORTS))
  const commands = await openCommandSocket(socketIn(programs))
  // as for a reader, files are those of the folder
  const before = process.cwd()
  process.chdir(folder)
  const shell = (mayFail: boolean): Shell => ({
    cwd: folder,
    env: {
      ...neutralEnvironment(),
      PATH: `${programs}${delimiter}${path}`,
      REAL_PATH: path,
      SERVER_PORT: String(server.port),
      FREE_PORTS: ownPort,
      CURL_FAILS: mayFail ? "" : "--fail-with-body",
      PEYK_DATA_DIR: server.dataDir,
      PEYK_PORT: ownPort,
      PEYK_SMSIR_URL: smsirUrl,
      ...variables
    }
  })
  return {
    shell,
    fill: (script) =>
      script
        .replaceAll("svc_live_…", server.demo.live_key)
        .replaceAll("svc_pat_…", server.demo.token)
        .replaceAll("whsec_…", SECRET)
        .replace(/^([A-Z_]+)=…/gm, (_, name: string) => `${name}='${variables[name] ?? ""}'`)
        .replaceAll(/\bPORT=\d+/g, "PORT=0")
        .replaceAll("YOUR_TEMPLATE_ID", "123456")
        .replaceAll("YOUR_LINE_NUMBER", "30007732000000")
        .replaceAll("ACCOUNT_ID", CONNECTED_LAST)
        .replaceAll(/…|YOUR_(?:API_KEY|TOKEN)/g, SMSIR_KEY),
    input: `${PASSWORD}\n`,
    keep: async (script, printed) => {
      const made = /peyk (template|webhook) create/.exec(script)?.[1]
      const id = /^id +(\d+)/m.exec(printed)?.[1]
      if (made !== undefined && id !== undefined) variables[`${made.toUpperCase()}_ID`] = id
      for (const [, kind = "", value = ""] of printed.matchAll(
        /"(verification|message|webhook)_id":"?([\w-]+)/g
      )) {
        variables[`${kind.toUpperCase()}_ID`] = value
        // Only a simulated phone shows it.
        if (kind === "verification" && !printed.includes('"provider":"smsir"'))
          variables["CODE"] = await codeOf(server, "+989121234567")
      }
    },
    stop: async () => {
      process.chdir(before)
      commands.close()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
