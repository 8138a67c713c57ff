import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Customer, newCustomer } from "../../contract/Operator.ts"
import { neutralEnvironment, runProgram } from "../../contract/Server.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"

let server: SharedServer
let customer: Customer
let folder: string
beforeAll(async () => {
  server = sharedServer()
  customer = await newCustomer(server)
  folder = await mkdtemp(join(tmpdir(), "peyk-input-"))
})
afterAll(() => rm(folder, { recursive: true }))

const write = async (name: string, text: string) => {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

const words = (command: string) => command.split(" ")

const connect = (...settings: ReadonlyArray<string>) => [
  ...words(`account connect --no-check --customer ${customer.id} --channel sms --provider smsir`),
  ...words("--label SMS --json"),
  ...settings
]

const codes = JSON.stringify({ api_key: "k", otp_template_id: 1 })

describe("account connect --settings-file", () => {
  it("reads the settings from a file, which may begin with a byte order mark", async () => {
    for (const [name, text] of [
      ["plain.json", codes],
      ["marked.json", `\uFEFF${codes}\n`]
    ] as const) {
      const { out, err } = await server.run(...connect("--settings-file", await write(name, text)))
      expect(err).toBe("")
      expect(JSON.parse(out)).toMatchObject({ sends: ["codes"] })
    }
  })

  it("reads standard input", async () => {
    const { out, err } = await server.feed(codes, ...connect("--settings-file", "-"))
    expect(err).toBe("")
    expect(JSON.parse(out)).toMatchObject({ sends: ["codes"] })
  })

  it.each([
    ["is no JSON", "api_key=secret-of-mine"],
    ["is no object", '["secret-of-mine"]'],
    ["is empty", ""]
  ])("refuses one that %s, and does not repeat it", async (_, text) => {
    const file = await write("wrong.json", text)
    const { code, out, err } = await server.run(...connect("--settings-file", file))
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain(`--settings-file ${file} is not a JSON object`)
    expect(err).not.toContain("secret-of-mine")
  })

  it("is not given together with --settings", async () => {
    const file = await write("settings.json", codes)
    const { code, err } = await server.run(...connect("--settings", codes, "--settings-file", file))
    expect(code).toBe(1)
    expect(err).toContain("give either --settings or --settings-file")
  })
})

describe("an input without an end is refused by", () => {
  const commands: ReadonlyArray<[string, () => ReadonlyArray<string>]> = [
    ["--settings-file", () => connect("--settings-file", "/dev/zero")],
    [
      "--password-file",
      () => {
        const user = `--customer ${customer.id} --email zero@example.ir --role viewer`
        return words(`user create ${user} --password-file /dev/zero`)
      }
    ],
    ["contacts import --file", () => words("contacts import --account 1 --file /dev/zero")],
    [
      "message batch --file",
      () => words(`message batch --customer ${customer.id} --idempotency-key k --file /dev/zero`)
    ]
  ]
  it.each(commands)("%s", async (_, command) => {
    const { code, out, err } = await server.run(...command())
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(/\/dev\/zero cannot be read: it has more than \d+ KiB/)
  })

  it("standard input", async () => {
    const { code, err } = await server.feed(" ".repeat(70_000), ...connect("--settings-file", "-"))
    expect(code).toBe(1)
    expect(err).toContain("- cannot be read: it has more than 64 KiB")
  })

  it("--env-file", async () => {
    const file = await write("huge.env", `PEYK_NAME=${"x".repeat(70_000)}\n`)
    const { code, out, err } = await runProgram(neutralEnvironment(), [
      "customer",
      "list",
      "--env-file",
      file
    ])
    expect(code).not.toBe(0)
    expect(out).toBe("")
    expect(err).toContain(`--env-file ${file} cannot be read: it has more than 64 KiB`)
  })
})
