import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, globSync } from "node:fs"
import { cp, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { serverOptions } from "../../../bin/server-options.js"
import {
  makeDataDir,
  neutralEnvironment,
  runCommand,
  runProgram,
  type Server,
  startServer
} from "../../contract/Server.ts"
import { copyStoreTemplate } from "../../contract/StoreTemplate.ts"
import { discard, isRunning, postmasterPid } from "../store/Postgres.ts"

/** Empty, until `peyk demo` makes a store in it. */
let dataDir: string
let env: Record<string, string>
/** With a store. */
let storeDir: string
let storeEnv: Record<string, string>
beforeAll(async () => {
  dataDir = await makeDataDir()
  env = { ...neutralEnvironment(), PEYK_DATA_DIR: dataDir, PEYK_PORT: String(await freePort()) }
  storeDir = await makeDataDir()
  await copyStoreTemplate(storeDir)
  storeEnv = { ...env, PEYK_DATA_DIR: storeDir }
})
afterAll(async () => {
  await discard(dataDir)
  await discard(storeDir)
})

/** The file that users run. */
const file = "bin/peyk.js"
const run = (...args: ReadonlyArray<string>) => runProgram(env, args, { file })
/** The same without a process, where the words that it prints are what matters. */
const runHere = (...args: ReadonlyArray<string>) => runCommand(env, args)

describe("peyk demo", () => {
  // Twice, because the second finds what the first has made.
  it.each(["on an empty store", "again"])(
    "shows a fallback and a verification, nothing else, and no wait that is over: %s",
    async () => {
      const { code, out, err } = await run("demo")
      expect({ code, err }, out).toEqual({ code: 0, err: "" })
      expect(out).toMatch(/Send a code to[^]*rubika: failed[^]*bale: sent[^]*The verification is verified/)
      expect(out).not.toContain("in 0 s")
      expect(out).toMatch(/rubika: failed → next \(failed\)\n.*bale: sent/)
      expect(out).toMatch(/\[bale\].*[۰-۹]{6}/)
      expect(out).toMatch(/verified=false, reason=invalid_code/)
      expect(out).toMatch(/verified=true, reason=ok/)
      expect(out).toMatch(/The verification is verified/)
      // what the reference's forms take
      expect(out).toMatch(
        /Try the API in a browser.*\n +http:\/\/\S+\/docs\/api\/sandbox\n +svc_test_[\w-]{43}\n/
      )
      expect(out).not.toMatch(/svc_live_/)
    },
    60_000
  )

  it("leaves no PostgreSQL behind", async () => {
    expect(await postmasterPid(dataDir)).toBeUndefined()
  })
})

describe("a command", () => {
  let customer: string
  beforeAll(async () => {
    const words = ["customer", "create", "--name", "A", "--plan", "free", "--json"]
    const { out } = await runCommand(storeEnv, words)
    customer = String(JSON.parse(out).id)
  })
  const addUser = (password: string) => {
    const user = ["--customer", customer, "--email", "sara@example.ir", "--role", "owner"]
    const words = ["user", "create", ...user, "--password-file", "-", "--json"]
    return runProgram(storeEnv, words, { file, input: `${password}\n` })
  }

  it("that fails says why on standard error alone, and ends with exit code 1", async () => {
    const { code, out, err } = await addUser("short")
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/password/)
  })

  it("reads its standard input, and ends with exit code 0", async () => {
    const { code, out, err } = await addUser("correct horse battery")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(JSON.parse(out)).toMatchObject({ email: "sara@example.ir" })
  })
})

describe("peyk openapi", () => {
  it("prints an OpenAPI 3.1 document", async () => {
    const { code, out, err } = await run("openapi")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(JSON.parse(out)).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d+$/),
      paths: { "/v1/otp/send": expect.any(Object) }
    })
  })
})

const linuxOnly = process.platform === "linux"

/** Ends the program as a shell would: its exit code, and its standard error. */
const inShell = (script: string) => {
  const { status, stderr } = spawnSync("bash", ["-c", script], { env, encoding: "utf8" })
  return { code: status, err: stderr }
}

describe.runIf(linuxOnly)("output", () => {
  const program = `"${process.execPath}" ${file} openapi`

  it("that cannot be written is an error, with exit code 1", () => {
    const { code, err } = inShell(`${program} > /dev/full`)
    expect(err).toMatch(/^the output could not be written: ENOSPC/)
    expect(code).toBe(1)
  })

  it("that the reader does not want is no error", () => {
    expect(inShell(`${program} | head -c 1 > /dev/null; exit "\${PIPESTATUS[0]}"`)).toEqual({
      code: 0,
      err: ""
    })
  })
})

describe("--help", () => {
  const commands = ["serve", "migrate", "openapi", "doctor", "demo"]
  const groups = {
    customer: ["create", "list"],
    key: ["create", "list", "revoke"],
    account: ["connect", "list", "disable", "enable"],
    routing: ["set", "show"],
    template: ["create", "list"]
  }

  it("of the program names every command", async () => {
    const { code, out, err } = await run("--help")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    for (const name of [...commands, ...Object.keys(groups)])
      expect(out).toMatch(new RegExp(`^ +${name} `, "m"))
  })

  it.each(Object.entries(groups))("of %s names its subcommands", async (group, subcommands) => {
    const { code, out } = await runHere(group, "--help")
    expect(code).toBe(0)
    for (const name of subcommands) expect(out).toMatch(new RegExp(`^ +${name} `, "m"))
  })

  it.each(["serve", "key create"])("of %s says how to use it, and does nothing", async (command) => {
    const { code, out, err } = await runHere(...command.split(" "), "--help")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain(`peyk ${command}`)
  })
})

/** A server with a store of its own, stopped by a signal: its exit code, and whether PostgreSQL went with it. */
const stopWith = async (start: () => Promise<Server>, signal: "SIGTERM" | "SIGINT") => {
  const server = await start()
  try {
    const pid = await postmasterPid(server.dataDir)
    expect(pid).toBeDefined()
    const code = await server.terminate(signal)
    expect(await fetch(server.url).catch(() => "nobody listens")).toBe("nobody listens")
    expect(isRunning(pid ?? 0)).toBe(false)
    return code
  } finally {
    await server.kill()
    await discard(server.dataDir)
  }
}

describe.each(["SIGTERM", "SIGINT"] as const)("on %s", (signal) => {
  it("serve ends with exit code 0, and PostgreSQL with it", async () => {
    expect(await stopWith(() => startServer(), signal)).toBe(0)
  }, 60_000)
})

const ownVersion = 26

/** The first other Node on the path, if it is older than the one that the program needs. */
const olderNodes = (neutralEnvironment()["PATH"] ?? "")
  .split(delimiter)
  .filter((directory) => !directory.includes("node_modules"))
  .map((directory) => join(directory, "node"))
  .filter((file) => existsSync(file))
  .slice(0, 1)
  .filter(
    (file) =>
      Number.parseInt(execFileSync(file, ["-p", "process.versions.node"], { encoding: "utf8" }), 10) <
      ownVersion
  )

describe("bin/peyk.js", () => {
  it("prints its version", async () => {
    const { code, out } = await run("--version")
    expect(code).toBe(0)
    expect(out).toMatch(/\d+\.\d+\.\d+/)
  })

  it.each(olderNodes)(
    "goes over to the project's Node when it is run by an older one",
    async (older) => {
      // Its exit code says more than which Node it runs on: no server works on this store's timers.
      const { out } = await runProgram(storeEnv, ["doctor", "--json"], { executable: older, file })
      const [node] = (JSON.parse(out) as { readonly checks: ReadonlyArray<object> }).checks
      expect(node).toEqual({
        check: "node",
        ok: true,
        finding: expect.stringMatching(/^v(2[6-9]|[3-9]\d)\./)
      })
    },
    60_000
  )

  // As npm installs it next to the package `node` of an older version, whose program is then .bin/node.
  const install = async (
    older: string,
    packages: ReadonlyArray<string>,
    main = "console.log(process.version)",
    ...words: ReadonlyArray<string>
  ) => startInstalled([older], packages, main, words)

  /** The first word is Node's program, those after it its options. */
  const startInstalled = async (
    [node, ...options]: readonly [string, ...ReadonlyArray<string>],
    packages: ReadonlyArray<string>,
    main: string,
    words: ReadonlyArray<string>,
    more: Readonly<Record<string, string>> = {}
  ) => {
    const modules = join(await mkdtemp(join(tmpdir(), "peyk-project-")), "node_modules")
    for (const folder of [".bin", "peyk/bin", "peyk/dist"])
      await mkdir(join(modules, folder), { recursive: true })
    await symlink(node, join(modules, ".bin/node"))
    for (const name of ["peyk.js", "server-options.js"])
      await cp(`bin/${name}`, join(modules, "peyk/bin", name))
    await writeFile(join(modules, "peyk/package.json"), '{"type":"module"}')
    await writeFile(join(modules, "peyk/dist/main.js"), main)
    for (const name of packages) await symlink(resolve("node_modules", name), join(modules, name))
    // Without the cache of the process that runs the tests.
    const { NODE_COMPILE_CACHE: _, ...given } = neutralEnvironment()
    return spawnSync(node, [...options, join(modules, "peyk/bin/peyk.js"), ...words], {
      encoding: "utf8",
      env: { ...given, NODE_OPTIONS: "", ...more }
    })
  }

  const ownNodes = globSync("node-*", { cwd: "node_modules" })

  it.each(olderNodes)("keeps what was compiled, also run by an older Node", async (older) => {
    const main = 'import { getCompileCacheDir } from "node:module"; console.log(getCompileCacheDir())'
    const { stdout } = await install(older, ownNodes, main)
    expect(stdout).toMatch(/\/peyk\/node_modules\/\.cache\/peyk\//)
  })

  it.each([process.execPath, ...olderNodes])(
    "says that it starts before it loads what takes long: %s",
    async (node) => {
      const main = 'console.log("loaded", process.argv.slice(2).join(" "))'
      const serve = await install(node, ownNodes, main, "--env-file", "/dev/null", "serve")
      expect(serve.stdout).toBe("Starting Peyk …\nloaded --env-file /dev/null serve\n")
      for (const words of [["serve", "--help"], ["doctor"], ["--version"]]) {
        const { stdout } = await install(node, ownNodes, main, ...words)
        expect(stdout).toBe(`loaded ${words.join(" ")}\n`)
      }
    },
    60_000
  )

  const printsOptions = 'console.log(process.pid, process.execArgv.join(" "))'
  const larger = "--max-semi-space-size=64"

  it("serves with a larger young generation, in the process that was started", async () => {
    const { pid, stdout } = await startInstalled([process.execPath], ownNodes, printsOptions, ["serve"])
    expect(stdout).toBe(`Starting Peyk …\n${pid} ${larger}\n`)
  })

  it.each(olderNodes)("serves with a larger young generation, run by an older Node", async (older) => {
    const { stdout } = await startInstalled([older], ownNodes, printsOptions, ["serve"])
    expect(stdout).toMatch(new RegExp(` ${larger}\n$`))
  })

  it("keeps Node's other options when it serves", async () => {
    const node = [process.execPath, "--stack-size=900"] as const
    const { pid, stdout } = await startInstalled(node, ownNodes, printsOptions, ["serve"])
    expect(stdout).toBe(`Starting Peyk …\n${pid} ${larger} --stack-size=900\n`)
  })

  it("serves with Node's usual young generation where it may not start a program", async () => {
    const node = [process.execPath, "--permission", "--allow-fs-read=*"] as const
    const { stdout, stderr } = await startInstalled(node, ownNodes, printsOptions, ["serve"])
    expect(stdout).toMatch(/^Starting Peyk …\n\d+ --permission --allow-fs-read=\*\n$/)
    expect(stderr).not.toMatch(/execve|Error/)
  })

  it("serves with V8's young generation where memory is scarce", () => {
    expect(serverOptions(2 ** 30 - 1, [])).toEqual([])
    expect(serverOptions(2 ** 30, [])).toEqual([larger])
  })

  it("serves with V8's young generation where somebody has limited its heap, and needs none for a command", async () => {
    const chosen = "--max-semi-space-size=16"
    const started = async (words: ReadonlyArray<string>, options: ReadonlyArray<string>, all = "") => {
      const node = [process.execPath, ...options] as const
      const { stdout } = await startInstalled(node, ownNodes, printsOptions, words, { NODE_OPTIONS: all })
      return /^\d+ (.*)$/m.exec(stdout)?.[1]
    }
    expect(await started(["serve"], [chosen])).toBe(chosen)
    for (const limit of [chosen, "--max_old_space_size=512", "--max-heap-size=512"])
      expect(await started(["serve"], [], limit)).toBe("")
    expect(await started(["doctor"], [])).toBe("")
    expect(await started(["serve", "--help"], [])).toBe("")
  })

  it.each(olderNodes)("starts its own Node where the project has another one", async (older) => {
    const { stdout, stderr } = await install(older, ownNodes)
    expect(stderr).toBe("")
    expect(stdout).toMatch(/^v(2[6-9]|[3-9]\d)\./)
  })

  it.each(olderNodes)("says which Node it needs where the project has only another one", async (older) => {
    const { status, stderr } = await install(older, [])
    expect(stderr).toMatch(/^Peyk needs Node 26 or newer; this is v/)
    expect(status).toBe(1)
  })

  it.each(olderNodes)(
    "hands exit codes on, run by an older Node",
    async (older) => {
      const { code, out, err } = await runProgram(storeEnv, ["key", "revoke", "--key", "987654"], {
        executable: older,
        file
      })
      expect({ code, out }).toEqual({ code: 1, out: "" })
      expect(err).toContain("no key 987654")
    },
    60_000
  )

  it.each(olderNodes)(
    "hands signals on, run by an older Node",
    async (older) => {
      expect(
        await stopWith(() => startServer({ executable: older, command: [file, "serve"] }), "SIGTERM")
      ).toBe(0)
    },
    60_000
  )
})
