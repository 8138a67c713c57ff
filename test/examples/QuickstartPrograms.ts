/** The quickstarts of examples/, each started as a program in a folder of its own. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root, tools } from "../clients/packages/Packed.ts"
import { freePort, neutralEnvironment, type Server } from "../contract/Server.ts"

const node = process.execPath

/** The client compiled to a place of its own: other tests compile it to its usual one. */
const compileClient = (folder: string) => {
  const to = join(folder, "node_modules/@peyk/client")
  mkdirSync(to, { recursive: true })
  cpSync(join(root, "packages/client/package.json"), join(to, "package.json"))
  const tsc = join(root, "node_modules/.bin/tsc")
  execFileSync(tsc, ["-p", join(root, "packages/client"), "--outDir", join(to, "dist")])
}

/** A copy of an example, with the packages that it needs. */
export const copyExample = (name: string, ...files: ReadonlyArray<string>): string => {
  const outer = mkdtempSync(join(tmpdir(), "peyk-example-"))
  symlinkSync(tools, join(outer, "node_modules"))
  const folder = join(outer, name)
  cpSync(join(root, "examples", name), folder, { recursive: true })
  for (const file of ["examples/login/login.html", ...files])
    cpSync(join(root, file), join(folder, file.split("/").at(-1) ?? ""))
  compileClient(folder)
  return folder
}

export interface Quickstart {
  readonly url: string
  readonly stop: () => Promise<void>
}

const stopped = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once("exit", resolve))
  child.kill()
  await gone
}

const start = async (
  server: Server,
  program: string,
  args: ReadonlyArray<string>,
  { cwd, ready = "Open", env = {} }: { cwd: string; ready?: string; env?: Readonly<Record<string, string>> },
  port: number
): Promise<Quickstart> => {
  const child = spawn(program, args, {
    cwd,
    env: {
      ...neutralEnvironment(),
      PORT: String(port),
      PEYK_URL: server.url,
      PEYK_API_KEY: server.demo.live_key,
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
  return { url: `http://127.0.0.1:${port}`, stop: () => stopped(child) }
}

const compileNest = (folder: string) =>
  execFileSync(node, [
    join(tools, "typescript/bin/tsc"),
    ...["--module", "nodenext", "--target", "es2022", "--strict", "--skipLibCheck"],
    ...["--experimentalDecorators", "--emitDecoratorMetadata", "--types", "node"],
    ...["--typeRoots", join(root, "node_modules/@types"), join(folder, "main.mts")]
  ])

export const quickstarts = {
  Express: async (server: Server) => {
    const cwd = copyExample("express")
    return start(server, node, ["server.mjs"], { cwd }, await freePort())
  },
  "Next.js": async (server: Server) => {
    const cwd = copyExample("nextjs", "test/examples/frameworks/nextjs.mjs")
    return start(server, node, ["nextjs.mjs"], { cwd }, await freePort())
  },
  NestJS: async (server: Server) => {
    const cwd = copyExample("nestjs")
    cpSync(join(cwd, "main.ts"), join(cwd, "main.mts"))
    compileNest(cwd)
    return start(server, node, ["main.mjs"], { cwd }, await freePort())
  },
  Django: async (server: Server) => {
    const cwd = join(root, "test/examples/frameworks")
    const env = { PYTHONPATH: [join(root, "clients/python"), join(root, "examples/django")].join(":") }
    return start(
      server,
      "python3",
      ["django.py"],
      { cwd, env: { ...env, PYTHONDONTWRITEBYTECODE: "1" } },
      await freePort()
    )
  },
  Laravel: async (server: Server) => {
    const port = await freePort()
    const file = join(root, "test/examples/frameworks/laravel.php")
    const env = { SOURCES: join(root, "clients/php/src"), EXAMPLE: join(root, "examples/laravel/web.php") }
    return start(server, "php", ["-S", `127.0.0.1:${port}`, file], { cwd: root, env, ready: "started" }, port)
  }
}
