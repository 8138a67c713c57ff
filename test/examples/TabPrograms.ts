/** Runs a tab of a document in its language, as a reader would who has set up a client. */
import { spawn } from "node:child_process"
import { createServer, type IncomingMessage } from "node:http"
import { stripTypeScriptTypes } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { Readable, Writable } from "node:stream"
import * as readline from "node:readline/promises"
import { createClient, isPeykError } from "../../packages/client/src/index.ts"
import { root } from "../clients/packages/Packed.ts"
import { neutralEnvironment } from "../contract/Server.ts"
import { hasPhp, hasPython } from "../support/InstalledPrograms.ts"

/** What a program asked of the server. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

export interface Recorder {
  readonly url: string
  /** The requests since the last time. */
  readonly asked: () => ReadonlyArray<Asked>
  readonly close: () => void
}

const HOP = new Set(["host", "connection", "content-length", "transfer-encoding", "keep-alive", "expect"])

const forward = async (to: string, request: IncomingMessage, body: Buffer) =>
  fetch(`${to}${request.url}`, {
    method: request.method ?? "GET",
    headers: Object.entries(request.headers).flatMap(([name, value]): ReadonlyArray<[string, string]> =>
      HOP.has(name) || value === undefined ? [] : [[name, String(value)]]
    ) as Array<[string, string]>,
    ...(body.length > 0 ? { body: new Uint8Array(body) } : {})
  })

/** Passes requests on to a server, and writes down what they ask. */
export const recordTo = (to: string): Promise<Recorder> =>
  new Promise((resolve) => {
    let asked: Array<Asked> = []
    const server = createServer(async (request, response) => {
      const body = await buffer(request)
      const text = body.toString("utf8")
      const path = decodeURIComponent((request.url ?? "").replaceAll("+", " "))
      asked.push({ method: request.method ?? "", path, body: text === "" ? null : JSON.parse(text) })
      const reply = await forward(to, request, body)
      response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" })
      response.end(Buffer.from(await reply.arrayBuffer()))
    })
    server.listen(0, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        asked: () => {
          const all = asked
          asked = []
          return all
        },
        close: () => server.close()
      })
    )
  })

/** What a reader has: the address, credentials, the ids of earlier output, and a user who enters a code. */
export interface Reader {
  readonly url: string
  readonly key: string
  readonly token: string
  readonly ids: Readonly<Record<string, string | number>>
  readonly enterCode: () => Promise<string>
}

/** Runs a program to its end; it may ask for the code. */
const run = async (program: string, args: ReadonlyArray<string>, reader: Reader) => {
  const { url, key, token, ids } = reader
  const named = Object.entries(ids).map(([name, value]) => [name.toUpperCase(), String(value)])
  const env = { PEYK: url, KEY: key, TEST_KEY: key, PEYK_TOKEN: token, PEYK_URL: url, PEYK_API_KEY: key }
  const child = spawn(program, [...args], {
    env: {
      ...neutralEnvironment(),
      ...env,
      ...Object.fromEntries(named),
      PYTHONPATH: join(root, "clients/python")
    }
  })
  let printed = ""
  const heard = (chunk: Buffer) => {
    printed += String(chunk)
    if (printed.endsWith("Code: ")) void reader.enterCode().then((code) => child.stdin.end(`${code}\n`))
  }
  child.stdout.on("data", heard)
  child.stderr.on("data", heard)
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve))
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${printed}`)
}

const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => {}).constructor

const runTypeScript = async (code: string, { url, key, token, ids, enterCode }: Reader) => {
  const script = stripTypeScriptTypes(code).replaceAll(
    /^import (\{[^}]*\}) from "([^"]+)"$/gm,
    (_, names: string, from: string) => `const ${names} = modules["${from}"]`
  )
  const values = {
    ...(script.includes("createClient(") ? {} : { peyk: createClient({ baseUrl: url, apiKey: key, token }) }),
    ...(script.includes("const code =") ? {} : { code: "" }),
    ...Object.fromEntries(Object.entries(ids).filter(([name]) => !script.includes(`const { ${name} }`))),
    modules: { "@peyk/client": { createClient, isPeykError }, "node:readline/promises": readline },
    process: {
      env: { PEYK: url, PEYK_TOKEN: token, PEYK_URL: url, PEYK_API_KEY: key },
      stdin: Readable.from(
        (async function* () {
          yield `${await enterCode()}\n`
        })()
      ),
      stdout: new Writable({ write: (_chunk, _encoding, done) => done() })
    }
  }
  const own = Object.entries(values).filter(([name]) => name !== "code" || !script.includes("const code ="))
  await new AsyncFunction(...own.map(([name]) => name), script)(...own.map(([, value]) => value))
}

const phpValue = (value: string | number) => JSON.stringify(value)

const PHP_LOADER = `spl_autoload_register(fn ($class) => require '${join(root, "clients/php/src")}/' . basename(strtr($class, '\\\\', '/')) . '.php');`

export interface Language {
  readonly label: string
  readonly isInstalled: boolean
  readonly run: (code: string, reader: Reader) => Promise<void>
}

export const languages: ReadonlyArray<Language> = [
  {
    label: "curl",
    isInstalled: true,
    run: (code, reader) => run("bash", ["-c", `set -e -u -o pipefail\n${code}`], reader)
  },
  { label: "TypeScript", isInstalled: true, run: runTypeScript },
  {
    label: "Python",
    isInstalled: hasPython(),
    run: (code, reader) => {
      const given = Object.entries(reader.ids).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
      const setUp = `import os\nfrom peyk import Peyk\npeyk = Peyk(os.environ["PEYK_URL"], api_key=os.environ["KEY"], token=os.environ["PEYK_TOKEN"])`
      return run("python3", ["-c", [setUp, ...given, code].join("\n")], reader)
    }
  },
  {
    label: "PHP",
    isInstalled: hasPhp(),
    run: (code, reader) => {
      const given = Object.entries(reader.ids).map(([name, value]) => `$${name} = ${phpValue(value)};`)
      const setUp =
        "$peyk = new Peyk\\Peyk(getenv('PEYK_URL'), apiKey: getenv('KEY'), token: getenv('PEYK_TOKEN'));"
      const own = code.replace(/^<\?php\n/, "").replace("require 'vendor/autoload.php';\n", "")
      return run("php", ["-r", [PHP_LOADER, setUp, ...given, own].join("\n")], reader)
    }
  }
]
