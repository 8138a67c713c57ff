/** Goes through deploy/docker/Dockerfile without Docker: what it copies and runs, in a folder for each stage. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Running, runProgram, startProcess } from "../../contract/Server.ts"
import { type ExternalPostgres, startExternal } from "../../process/store/Postgres.ts"
import { root } from "./Packed.ts"

/** One line of each instruction. */
const instructions = (text: string) =>
  text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [keyword = "", ...words] = line.trim().split(/\s+/)
      return { keyword, words, rest: line.trim().slice(keyword.length).trim() }
    })

/** By .dockerignore, of which the last line that names a file or its folder counts. */
const isInContext = (file: string): boolean =>
  readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .reduce((isIncluded, line) => {
      const path = line.replace(/^!/, "")
      return path === "*" || file === path || file.startsWith(`${path}/`) ? line.startsWith("!") : isIncluded
    }, true)

const contextFiles = () =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8"
  })
    .split("\0")
    .filter((file) => file !== "" && isInContext(file) && existsSync(join(root, file)))

/** Packages of Debian are not installed, and Node is not stripped; those of npm are the installed ones. */
const isOfTheBase = (command: string) => /^(apt-get|rm -rf \/var|strip) /.test(command)
const LOCKED = /^npm (?:--prefix (?<folder>\S+) )?ci /

class Stage {
  readonly folder: string
  #directory = "/"

  constructor(folder: string) {
    this.folder = folder
  }

  at(path: string): string {
    return join(this.folder, resolve(this.#directory, path))
  }

  enter(path: string): void {
    this.#directory = resolve(this.#directory, path)
    mkdirSync(this.at("."), { recursive: true })
  }

  run(line: string): void {
    for (const command of line.split("&&").map((part) => part.trim())) {
      const locked = LOCKED.exec(command)
      if (locked !== null) {
        const folder = locked.groups?.["folder"] ?? "."
        symlinkSync(join(root, folder, "node_modules"), this.at(join(folder, "node_modules")))
        // it is good only if its stamp is that of the files that are copied
        cpSync(join(root, "build/site"), this.at("build/site"), { recursive: true })
        cpSync(join(root, "build/site.stamp"), this.at("build/site.stamp"))
      } else if (!isOfTheBase(command)) {
        const here = command.replaceAll(/(?<=\s)\/(?=clone|opt)/g, `${this.folder}/`)
        execFileSync("sh", ["-euc", here], { cwd: this.at("."), stdio: ["ignore", "ignore", "inherit"] })
      }
    }
  }

  copy(words: ReadonlyArray<string>, stages: ReadonlyMap<string, Stage>): void {
    const [first = "", ...others] = words
    const from = first.startsWith("--from=") ? stages.get(first.slice("--from=".length)) : undefined
    const paths = from === undefined ? words : others
    const target = paths.at(-1) ?? ""
    for (const source of paths.slice(0, -1)) {
      // the base image has Node
      if (source === "/usr/local/bin/node") continue
      if (from !== undefined) cpSync(from.at(source), this.at(target), { recursive: true })
      else this.#copyFromContext(source, target)
    }
  }

  #copyFromContext(source: string, target: string): void {
    const isFolder = statSync(join(root, source)).isDirectory()
    const files = contextFiles().filter(
      (file) => source === "." || file === source || file.startsWith(`${source}/`)
    )
    expect(files, `COPY ${source}`).not.toEqual([])
    for (const file of files) {
      const to = this.at(
        join(target, isFolder ? file.slice(source === "." ? 0 : source.length) : basename(file))
      )
      mkdirSync(dirname(to), { recursive: true })
      cpSync(join(root, file), to)
    }
  }
}

let image: Stage
let command: ReadonlyArray<string>
let postgres: ExternalPostgres
let server: Running

/** Makes what the last stage has. */
const buildImage = async () => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-image-"))
  const stages = new Map<string, Stage>()
  let stage = new Stage(folder)
  for (const { keyword, words, rest } of instructions(
    readFileSync(join(root, "deploy/docker/Dockerfile"), "utf8")
  )) {
    if (keyword === "FROM") {
      const name = words[1] === "AS" ? (words[2] ?? "") : "image"
      stage = new Stage(join(folder, name))
      stages.set(name, stage)
    } else if (keyword === "WORKDIR") stage.enter(words[0] ?? "")
    else if (keyword === "COPY") stage.copy(words, stages)
    else if (keyword === "RUN") stage.run(rest)
    else if (keyword === "CMD") command = JSON.parse(rest)
  }
  image = stage
}

beforeAll(async () => {
  await buildImage()
  postgres = await startExternal()
  const [node, file = "", ...words] = command
  expect(node).toBe("node")
  server = await startProcess({
    env: { DATABASE_URL: await postgres.newDatabase(), PEYK_SECRET: Buffer.alloc(32, 7).toString("base64") },
    command: [image.at(file), ...words]
  })
}, 240_000)
afterAll(async () => {
  await server?.stop()
  await postgres?.discard()
})

describe("the image", () => {
  it("has the published program, and neither its source nor its tools", () => {
    const files = globSync("**/*", { cwd: image.at("."), withFileTypes: false })
    const folders = new Set(files.map((file) => file.split("/")[0]))
    expect(folders).not.toContain("src")
    expect(folders).not.toContain("scripts")
    expect(globSync("node_modules/*", { cwd: image.at(".") })).toEqual(["node_modules/uplot"])
    expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([])
    expect(files).toContain("dist/main.js")
  })

  it("serves the API, the console with its charts, and the documentation", async () => {
    const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status
    for (const path of ["/readyz", "/openapi.json", "/docs", "/docs/api", "/console/sign-in"])
      expect(await statusOf(path), path).toBe(200)
    const page = await (await fetch(`${server.url}/console/sign-in`)).text()
    const [, script = ""] = /src="(\/console\/[^"]+\.js)"/.exec(page) ?? []
    expect(await statusOf(script), script).toBe(200)
  })

  it("creates the first customer and sends a code with its key", async () => {
    const run = async (...args: ReadonlyArray<string>) => {
      const { out, err } = await runProgram(server.env, [...args, "--json"], {
        file: image.at("bin/peyk.js")
      })
      expect(err).toBe("")
      return JSON.parse(out)
    }
    const { id } = await run("customer", "create", "--name", "A", "--plan", "business")
    const key = await run("key", "create", "--customer", String(id), "--mode", "test", "--name", "backend")
    const reply = await fetch(`${server.url}/v1/sandbox/otp/send`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key.secret, "idempotency-key": "one" },
      body: JSON.stringify({ phone: "09121234567" })
    })
    expect(reply.status).toBe(200)
  })
})
