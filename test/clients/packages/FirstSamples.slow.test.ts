/** The first sample of each client's page, run as it is written: a right code, a wrong one, and too many codes. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { cp, mkdtemp, mkdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { newPhone, otp } from "../../contract/Client.ts"
import { codeOf } from "../../contract/Operator.ts"
import { sharedServer } from "../../contract/SharedServer.ts"
import { hasPhp, hasPython } from "../../support/InstalledPrograms.ts"
import { compileCSharp, compileGo, hasGo, hasMono } from "./Compiled.ts"
import { root } from "./Packed.ts"

const sampleOf = (page: string, language: string): string =>
  new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(readFileSync(join(root, page), "utf8"))?.[1] ?? ""

const AUTOLOAD = `<?php
spl_autoload_register(fn ($class) => require "${join(root, "clients/php/src")}/" . basename(strtr($class, "\\\\", "/")) . ".php");
`

interface Sample {
  readonly name: string
  readonly isInstalled: boolean
  /** The page's text, for this phone: the folder it runs in, and what runs it. */
  readonly prepare: (phone: string) => Promise<readonly [folder: string, program: string, ...args: string[]]>
}

const forPhone = (text: string, phone: string) => text.replace("09121234567", phone)

/** An empty folder with the client, as its page installs it, and the sample for this phone. */
const folderWith = async (file: string, text: string) => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-sample-"))
  await cp(join(root, "clients/python/peyk"), join(folder, "peyk"), { recursive: true })
  await mkdir(join(folder, "vendor"))
  await writeFile(join(folder, "vendor/autoload.php"), AUTOLOAD)
  await writeFile(join(folder, file), text)
  return folder
}

const samples: ReadonlyArray<Sample> = [
  {
    name: "Python",
    isInstalled: hasPython(),
    prepare: async (phone) => {
      const text = sampleOf("clients/python/README.md", "python")
      return [await folderWith("sample.py", forPhone(text, phone)), "python3", "sample.py"]
    }
  },
  {
    name: "PHP",
    isInstalled: hasPhp(),
    prepare: async (phone) => {
      const text = sampleOf("clients/php/README.md", "php")
      return [await folderWith("sample.php", forPhone(text, phone)), "php", "sample.php"]
    }
  },
  {
    name: "Go",
    isInstalled: hasGo,
    prepare: async (phone) => [root, await compileGo(forPhone(sampleOf("clients/go/README.md", "go"), phone))]
  },
  {
    name: "C#",
    isInstalled: hasMono,
    prepare: async (phone) => [
      root,
      "mono",
      ...(await compileCSharp(forPhone(sampleOf("clients/csharp/README.md", "csharp"), phone)))
    ]
  }
]

describe.each(samples)("the first sample of the client for $name", ({ isInstalled, prepare }) => {
  const server = sharedServer()
  // compiling takes longer than a test may, the first time
  beforeAll(() => (isInstalled ? prepare("09121234567") : undefined))
  const local = (phone: string) => phone.replace("+98", "0")

  /** Runs it, and enters what `codeFor` returns when it asks. */
  const run = async (phone: string, codeFor: () => Promise<string>) => {
    const [cwd, program, ...args] = await prepare(local(phone))
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, PEYK_URL: server.url, PEYK_API_KEY: server.demo.live_key }
    })
    let printed = ""
    const heard = async (chunk: Buffer) => {
      printed += String(chunk)
      if (printed.endsWith("Code: ")) child.stdin.end(`${await codeFor()}\n`)
    }
    child.stdout.on("data", heard)
    child.stderr.on("data", heard)
    await new Promise((resolve) => child.once("close", resolve))
    return printed
  }

  it.runIf(isInstalled)("verifies a right code, and says why a wrong one is refused", async () => {
    const phone = newPhone()
    expect((await run(phone, () => codeOf(server, phone))).trim()).toBe("Code: verified")
    expect((await run(newPhone(), async () => "000000")).trim()).toBe("Code: invalid_code")
  })

  it.runIf(isInstalled)("says so where the phone got too many codes", async () => {
    const phone = newPhone()
    for (let sends = 0; sends < 5; sends++)
      await otp(server, server.demo.live_key).sent({ phone, channels: "sms" })
    expect((await run(phone, async () => "000000")).trim()).toBe(
      "This phone got too many codes. Try again later."
    )
  })
})
