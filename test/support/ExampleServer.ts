// @effect-diagnostics processEnv:off
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** How the servers of one language are started; each of them says on which port it listens. */
interface Language {
  readonly command: string
  readonly file: string
  readonly flags: ReadonlyArray<string>
  readonly listening: RegExp
}

const languages = {
  js: { command: process.execPath, file: "example.mjs", flags: [], listening: /^listening on (\d+)$/ },
  python: { command: "python3", file: "example.py", flags: [], listening: /^listening on (\d+)$/ },
  php: {
    command: "php",
    file: "example.php",
    flags: ["-S", "127.0.0.1:0"],
    listening: /Development Server \(http:\/\/127\.0\.0\.1:(\d+)\) started$/
  }
} as const satisfies Record<string, Language>
export type LanguageName = keyof typeof languages

/** The languages that this machine has. */
export const installedLanguages: ReadonlyArray<LanguageName> = (["js", "python", "php"] as const).filter(
  (name) => spawnSync(languages[name].command, ["--version"]).status === 0
)

/** The first server of the document in the language, after this heading if one is named. */
const exampleOf = (document: string, language: LanguageName, heading = ""): string => {
  const text = fs.readFileSync(new URL(`../../docs/${document}`, import.meta.url), "utf8")
  const section = text.slice(text.indexOf(heading))
  const [, code] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section) ?? []
  if (code === undefined) throw new Error(`docs/${document} shows no server`)
  return code
}

export interface ExampleServer {
  readonly url: string
  /** Its whole output, a line each. */
  readonly stop: Effect.Effect<ReadonlyArray<string>>
}

interface Example {
  readonly document: string
  readonly language: LanguageName
  readonly heading: string | undefined
  readonly env: Readonly<Record<string, string>>
}

const start = async (
  { document, language: name, heading, env }: Example,
  directory: string
): Promise<ExampleServer> => {
  const language: Language = languages[name]
  const file = path.join(directory, language.file)
  fs.writeFileSync(file, exampleOf(document, name, heading))
  const modules = fileURLToPath(new URL("../../node_modules", import.meta.url))
  fs.symlinkSync(modules, path.join(directory, "node_modules"))
  const child = spawn(language.command, [...language.flags, file], {
    env: { ...env, PATH: process.env["PATH"], TMPDIR: directory, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const printed: Array<string> = []
  const complaints: Array<string> = []
  const closed = once(child, "close")
  const listens = Promise.withResolvers<string | undefined>()
  const read = (kept: Array<string>) => (line: string) => {
    const port = language.listening.exec(line)?.[1]
    if (port === undefined) kept.push(line)
    else listens.resolve(port)
  }
  createInterface({ input: child.stdout }).on("line", read(printed))
  createInterface({ input: child.stderr }).on("line", read(complaints))
  const port = await Promise.race([listens.promise, closed.then(() => undefined)])
  if (port === undefined) throw new Error(`the example did not start: ${complaints.join("\n")}`)
  const stop = Effect.promise(async () => {
    child.kill()
    await closed
    return printed
  })
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** The server that a document shows, as a process of its own. */
export const exampleServer = Effect.fnUntraced(function* (
  document: string,
  env: Readonly<Record<string, string>>,
  language: LanguageName = "js",
  heading?: string
) {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "peyk-example-"))),
    (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
  )
  return yield* Effect.acquireRelease(
    Effect.promise(() => start({ document, language, heading, env }, directory)),
    ({ stop }) => stop
  )
})
