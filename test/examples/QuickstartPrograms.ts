/** The quickstarts of examples/, each started as a program in a folder of its own. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../bench/FreePort.ts"
import { writeClientTypes } from "../../scripts/ClientFiles.ts"
import { root, runProgram, tools } from "../clients/packages/Packed.ts"
import { neutralEnvironment, type Server } from "../contract/Server.ts"
import { djangoPython } from "../support/InstalledPrograms.ts"

const node = process.execPath
const next = join(tools, "next/dist/bin/next")
const quietNext = { NEXT_TELEMETRY_DISABLED: "1" }

/** The page, its style, and the element. */
const loginPage = join(root, "examples/login")

/** What an example needs of a server. */
type Peyk = Pick<Server, "url" | "demo">

/** The client compiled to a place of its own: other tests compile it to its usual one. */
const compileClient = (folder: string) => {
  const to = join(folder, "node_modules/@peyk/client")
  mkdirSync(to, { recursive: true })
  cpSync(join(root, "packages/client/package.json"), join(to, "package.json"))
  writeClientTypes()
  const tsc = join(root, "node_modules/.bin/tsc")
  execFileSync(tsc, ["-p", join(root, "packages/client"), "--outDir", join(to, "dist")])
}

/** A copy of an example, with the packages that it needs. */
export const copyExample = (name: string, ...files: ReadonlyArray<string>): string => {
  const outer = mkdtempSync(join(tmpdir(), "peyk-example-"))
  symlinkSync(tools, join(outer, "node_modules"))
  const folder = join(outer, name)
  cpSync(join(root, "examples", name), folder, { recursive: true })
  cpSync(loginPage, join(folder, "public"), { recursive: true })
  for (const file of files) cpSync(join(root, file), join(folder, file.split("/").at(-1) ?? ""))
  compileClient(folder)
  return folder
}

export interface Quickstart {
  readonly url: string
  /** The path of the login page. */
  readonly page: string
  readonly stop: () => Promise<void>
}

const stopped = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once("exit", resolve))
  child.kill()
  await gone
}

const start = async (
  peyk: Peyk,
  program: string,
  args: ReadonlyArray<string>,
  {
    cwd,
    ready = "Open",
    page = "/",
    env = {}
  }: { cwd: string; ready?: string; page?: string; env?: Readonly<Record<string, string>> },
  port: number
): Promise<Quickstart> => {
  const child = spawn(program, args, {
    cwd,
    env: {
      ...neutralEnvironment(),
      PORT: String(port),
      PEYK_URL: peyk.url,
      PEYK_API_KEY: peyk.demo.live_key,
      ...env
    }
  })
  let printed = ""
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text
        if (printed.includes(ready)) resolve()
      })
    child.once("error", reject)
    child.once("exit", () => reject(new Error(`the example ended: ${printed}`)))
  })
  return { url: `http://127.0.0.1:${port}`, page, stop: () => stopped(child) }
}

const compileNest = (folder: string) =>
  execFileSync(node, [
    join(tools, "typescript/bin/tsc"),
    ...["--module", "nodenext", "--target", "es2022", "--strict", "--skipLibCheck"],
    ...["--experimentalDecorators", "--emitDecoratorMetadata", "--types", "node"],
    ...["--typeRoots", join(root, "node_modules/@types"), join(folder, "main.mts")]
  ])

export const quickstarts = {
  /** `change`: what a developer has changed in it. */
  Express: async (peyk: Peyk, change = (program: string) => program) => {
    const cwd = copyExample("express")
    const program = join(cwd, "server.mjs")
    writeFileSync(program, change(readFileSync(program, "utf8")))
    return start(peyk, node, ["server.mjs"], { cwd }, await freePort())
  },
  "Next.js": async (peyk: Peyk) => {
    const cwd = copyExample("nextjs", "test/examples/frameworks/next.config.mjs")
    await runProgram(node, [next, "build"], { cwd, env: quietNext })
    const port = await freePort()
    const args = [next, "start", "--hostname", "127.0.0.1", "--port", String(port)]
    return start(peyk, node, args, { cwd, ready: "Ready", page: "/login.html", env: quietNext }, port)
  },
  NestJS: async (peyk: Peyk) => {
    const cwd = copyExample("nestjs")
    cpSync(join(cwd, "main.ts"), join(cwd, "main.mts"))
    compileNest(cwd)
    return start(peyk, node, ["main.mjs"], { cwd }, await freePort())
  },
  Django: async (peyk: Peyk) => {
    const cwd = join(root, "test/examples/frameworks")
    const env = {
      PYTHONPATH: [join(root, "clients/python"), join(root, "examples/django")].join(":"),
      PYTHONDONTWRITEBYTECODE: "1",
      LOGIN_PAGE: loginPage
    }
    return start(peyk, djangoPython ?? "", ["django_site.py"], { cwd, env }, await freePort())
  },
  Laravel: async (peyk: Peyk) => {
    const cwd = mkdtempSync(join(tmpdir(), "peyk-laravel-"))
    cpSync(join(root, "test/examples/frameworks/laravel"), cwd, { recursive: true })
    cpSync(loginPage, join(cwd, "public"), { recursive: true })
    const env = { CLIENT: join(root, "clients/php/src"), EXAMPLE: join(root, "examples/laravel/web.php") }
    const port = await freePort()
    return start(
      peyk,
      "php",
      ["-S", `127.0.0.1:${port}`, "-t", "public", "index.php"],
      { cwd, env, ready: "started", page: "/login.html" },
      port
    )
  }
}
