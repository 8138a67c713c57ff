/** Clients that the generators of others make for Python, each against a server. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { sharedServer } from "../../contract/SharedServer.ts"
import { hasProgram } from "../../support/InstalledPrograms.ts"
import { hasTools, root, runProgram, tools } from "./Packed.ts"

const document = join(root, "openapi.json")
const newFolder = () => mkdtemp(join(tmpdir(), "peyk-generated-"))

/** Runs a program with the generated package; what it printed, line by line. */
const runPython = async (python: string, folder: string, program: string) => {
  const { url, demo } = sharedServer()
  const env = { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1", PEYK_URL: url, TEST_KEY: demo.test_key }
  return (await runProgram(python, ["-c", program], { cwd: folder, env })).trim().split("\n")
}

const expected = ["queued", "ok", "invalid_phone"]

const withPythonClient = `
import os
from peyk_generated import AuthenticatedClient
from peyk_generated.api.sandbox import sandbox_send, sandbox_verify
from peyk_generated.models import OtpVerifyRequest, SandboxOtpSendRequest
client = AuthenticatedClient(os.environ["PEYK_URL"], token=os.environ["TEST_KEY"], prefix="", auth_header_name="X-API-Key")
sent = sandbox_send.sync(client=client, body=SandboxOtpSendRequest(phone="09121234567"))
print(sent.status)
print(sandbox_verify.sync(client=client, body=OtpVerifyRequest(sent.verification_id, "123456")).reason)
print(sandbox_send.sync(client=client, body=SandboxOtpSendRequest(phone="1")).error.code)
`

const withOpenApiGenerator = `
import json, os
import openapi_client as generated
configuration = generated.Configuration(host=os.environ["PEYK_URL"], api_key={"X-API-Key": os.environ["TEST_KEY"]})
sandbox = generated.SandboxApi(generated.ApiClient(configuration))
sent = sandbox.sandbox_send(generated.SandboxOtpSendRequest(phone="09121234567"))
print(sent.status)
print(sandbox.sandbox_verify(generated.OtpVerifyRequest(verification_id=sent.verification_id, code="123456")).reason)
try:
    sandbox.sandbox_send(generated.SandboxOtpSendRequest(phone="1"))
except generated.ApiException as error:
    print(json.loads(error.body)["error"]["code"])
`

/** `.ci/run` installs it where the machine reaches PyPI. */
const pythonClient = join(root, "build/python/bin/openapi-python-client")

/** The one that has what the generated client imports. */
const python = ["python3", "/usr/bin/python3"].find((program) =>
  hasProgram(program, "-c", "import six, dateutil, urllib3, certifi")
)

describe("a client that a generator made for Python", () => {
  it.runIf(hasProgram(pythonClient, "--version"))(
    "sends and verifies a code: openapi-python-client",
    async () => {
      const folder = await newFolder()
      const configuration = join(folder, "configuration.json")
      const own = { package_name_override: "peyk_generated", post_hooks: [] }
      await writeFile(configuration, JSON.stringify(own))
      const options = ["--config", configuration, "--output-path", folder, "--overwrite", "--fail-on-warning"]
      await runProgram(pythonClient, ["generate", "--path", document, ...options], { cwd: folder })
      const program = join(root, "build/python/bin/python")
      expect(await runPython(program, folder, withPythonClient)).toEqual(expected)
    }
  )

  it.runIf(hasTools && python !== undefined && hasProgram("java", "-version"))(
    "sends and verifies a code: OpenAPI Generator, from the document as OpenAPI 3.0",
    async () => {
      const folder = await newFolder()
      const { Converter } = createRequire(join(tools, "x.js"))("@apiture/openapi-down-convert")
      const converted = new Converter(JSON.parse(await readFile(document, "utf8")), {}).convert()
      await writeFile(join(folder, "openapi.json"), JSON.stringify(converted))
      const generator = ["-jar", join(tools, "openapi-generator-4/bin/openapi-generator.jar"), "generate"]
      // its version for OpenAPI 3.0 does not know the lists of 3.1
      const options = ["-g", "python", "-i", "openapi.json", "-o", folder, "--skip-validate-spec"]
      const parts =
        "models,apis,supportingFiles,modelDocs=false,apiDocs=false,modelTests=false,apiTests=false"
      // half the time of a program that runs once goes into compiling it
      const args = ["-XX:TieredStopAtLevel=1", ...generator, ...options, `--global-property=${parts}`]
      await runProgram("java", args, { cwd: folder })
      expect(await runPython(python ?? "", folder, withOpenApiGenerator)).toEqual(expected)
    }
  )
})
