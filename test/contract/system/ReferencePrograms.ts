/** Runs examples of the reference, all of a language in one process; what failed, with its error. */
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "../../../packages/client/src/index.ts"
import { root, runProgram } from "../../clients/packages/Packed.ts"
import { hasPhp, hasPython } from "../../support/InstalledPrograms.ts"
import type { Server } from "../Server.ts"
import type { Credentials } from "./ExampleResources.ts"
import type { FilledExample } from "./ReferenceReader.ts"

type Failures = ReadonlyArray<readonly [id: string, error: string]>

type Run = (
  server: Pick<Server, "url">,
  credentials: Credentials,
  examples: ReadonlyArray<FilledExample>
) => Promise<Failures>

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const inBash: Run = async ({ url }, { live_key, test_key, token }, examples) => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-reference-"))
  const script = examples.map(({ id, code, variables }) => {
    const own = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`)
    return `( set -e -u; ${own.join("; ")}\n${code}\n) > answer 2>&1 || { echo ${quoted(id)}; tr '\\n' ' ' < answer; echo; }`
  })
  await writeFile(
    join(folder, "examples.sh"),
    `curl() { command curl --fail-with-body "$@"; }\n${script.join("\n")}\n`
  )
  const env = { PEYK: url, KEY: live_key, TEST_KEY: test_key, TOKEN: token }
  const lines = (await runProgram("bash", ["examples.sh"], { cwd: folder, env })).trim().split("\n")
  return lines.flatMap((line, index) =>
    index % 2 === 0 && line !== "" ? [[line, lines[index + 1] ?? ""] as const] : []
  )
}

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...parts: ReadonlyArray<string>
) => (...values: ReadonlyArray<unknown>) => Promise<void>

/** Ids of earlier responses, as variables with the names that the fields have. */
const lowerCased = (variables: FilledExample["variables"]) =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]))

const compile = async (examples: ReadonlyArray<FilledExample>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "peyk-reference-"))
  const source = `import { createClient } from "${root}packages/client/src/index.ts"
const peyk = createClient({ baseUrl: "" })
declare const verification_id: string, message_id: string
export const examples = [${examples.map(({ shown }) => `async () => { ${shown} }`).join(",\n")}]\n`
  await writeFile(join(folder, "examples.ts"), source)
  const options = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext"]
  const own = ["--lib", "es2023,dom,dom.asynciterable", "--allowImportingTsExtensions", "examples.ts"]
  await runProgram(join(root, "node_modules/.bin/tsc"), [...options, ...own], { cwd: folder })
}

const inTypeScript: Run = async ({ url: baseUrl }, { live_key, test_key, token }, examples) => {
  await compile(examples)
  const clients = {
    live: createClient({ baseUrl, apiKey: live_key, token }),
    test: createClient({ baseUrl, apiKey: test_key })
  }
  const failures: Array<readonly [string, string]> = []
  for (const { id, code, mode, variables } of examples) {
    const own = lowerCased(variables)
    const run = new AsyncFunction("peyk", ...Object.keys(own), code)
    await run(clients[mode], ...Object.values(own)).catch((error: unknown) =>
      failures.push([id, String(error)])
    )
  }
  return failures
}

const PYTHON = `
import json, os
from peyk import Peyk
url, failures = os.environ["PEYK"], []
clients = {"live": Peyk(url, api_key=os.environ["KEY"], token=os.environ["TOKEN"]), "test": Peyk(url, api_key=os.environ["TEST_KEY"])}
for each in json.load(open("examples.json", encoding="utf-8")):
    try:
        exec(each["code"], {"peyk": clients[each["mode"]], **{name.lower(): value for name, value in each["variables"].items()}})
    except Exception as error:
        failures.append([each["id"], repr(error)])
print(json.dumps(failures))
`

const PHP = `<?php
spl_autoload_register(fn (string $class) => require getenv("SOURCES") . "/" . basename(strtr($class, "\\\\", "/")) . ".php");
$url = getenv("PEYK");
$clients = ["live" => new Peyk\\Peyk($url, getenv("KEY"), getenv("TOKEN")), "test" => new Peyk\\Peyk($url, getenv("TEST_KEY"))];
$failures = [];
foreach (json_decode(file_get_contents("examples.json"), true) as $each) {
    $peyk = $clients[$each["mode"]];
    extract(array_change_key_case($each["variables"]));
    try { eval($each["code"]); } catch (Throwable $error) { $failures[] = [$each["id"], (string) $error]; }
}
echo json_encode($failures);
`

/** The examples in a file, and a program that runs each. */
const inProcess =
  (program: string, file: string, source: string, env: Readonly<Record<string, string>>): Run =>
  async ({ url }, { live_key, test_key, token }, examples) => {
    const folder = await mkdtemp(join(tmpdir(), "peyk-reference-"))
    await writeFile(join(folder, "examples.json"), JSON.stringify(examples))
    await writeFile(join(folder, file), source)
    const own = { PEYK: url, KEY: live_key, TEST_KEY: test_key, TOKEN: token, ...env }
    return JSON.parse(await runProgram(program, [file], { cwd: folder, env: own })) as Failures
  }

export const languages: Readonly<Record<string, { readonly isHere: boolean; readonly run: Run }>> = {
  curl: { isHere: true, run: inBash },
  TypeScript: { isHere: true, run: inTypeScript },
  Python: {
    isHere: hasPython(),
    run: inProcess("python3", "examples.py", PYTHON, { PYTHONPATH: join(root, "clients/python") })
  },
  PHP: {
    isHere: hasPhp(),
    run: inProcess("php", "examples.php", PHP, { SOURCES: join(root, "clients/php/src") })
  }
}
