// @effect-diagnostics globalDate:off
/** The clients for other languages, where the machine has the language. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { beforeAll, describe, expect, it } from "vitest"
import { newPhone } from "../../contract/Client.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"
import { hasPhp, hasPython } from "../../support/InstalledPrograms.ts"
import { csharpProgram, goProgram, hasGo, hasMono } from "./Compiled.ts"
import { csharp, go, makeCalls } from "./LanguageCalls.ts"
import { root, runProgram } from "./Packed.ts"

const python = `
import json, os, time, urllib.request
from peyk import Peyk, PeykError, WebhookVerificationError, verify_webhook
url = os.environ["PEYK_URL"]
live = Peyk(url, api_key=os.environ["LIVE_KEY"], token=os.environ["TOKEN"])
phone = os.environ["PHONE"]
sent = live.otp.send(phone, channels=["bale", "sms"])
with urllib.request.urlopen(url + "/simulator/messages?phone=%2B98" + phone[1:]) as reply:
    code = next(each["code"] for each in json.load(reply)["data"] if each["code"])
print(live.otp.verify(sent["verification_id"], code)["reason"])
print(live.otp.status(sent["verification_id"])["status"])
print(Peyk(url, api_key=os.environ["TEST_KEY"]).sandbox.send(phone)["status"])
message = live.messages.send(phone, message="سلام", channels=["bale"], metadata={"order": "7"})
print([each["message_id"] == message["message_id"] for each in live.messages.all(to=phone, limit=1)])
key = live.manage("api-keys.create", name="made by Python", mode="live")
live.manage("api-keys.update", id=key["id"], name="renamed", if_match='"%d"' % key["version"])
print(live.manage("api-keys.read", id=key["id"])["name"], live.manage("api-keys.revoke", id=key["id"]))
try:
    live.otp.send("1")
except PeykError as error:
    print(error.code, error.status, bool(error.request_id))
try:
    Peyk("http://127.0.0.1:9", retries=0).otp.status("v")
except PeykError as error:
    print(error.code)
headers = json.loads(os.environ["HEADERS"])
print(verify_webhook(os.environ["PAYLOAD"], headers, os.environ["SECRET"])["type"])
try:
    verify_webhook(os.environ["PAYLOAD"] + " ", headers, os.environ["SECRET"])
except WebhookVerificationError:
    print("refused")
`

const php = `
spl_autoload_register(fn (string $class) => require getenv("SOURCES") . "/" . basename(strtr($class, "\\\\", "/")) . ".php");
use Peyk\\Peyk; use Peyk\\PeykException; use Peyk\\Webhooks; use Peyk\\WebhookVerificationException;
$url = getenv("PEYK_URL"); $phone = getenv("PHONE");
$live = new Peyk($url, apiKey: getenv("LIVE_KEY"), token: getenv("TOKEN"));
$sent = $live->otp->send($phone, ["channels" => ["bale", "sms"]]);
$shown = json_decode(file_get_contents($url . "/simulator/messages?phone=%2B98" . substr($phone, 1)), true);
$code = current(array_filter(array_column($shown["data"], "code")));
echo $live->otp->verify($sent["verification_id"], $code)["reason"], "\\n";
echo $live->otp->status($sent["verification_id"])["status"], "\\n";
echo (new Peyk($url, apiKey: getenv("TEST_KEY")))->sandbox->send($phone)["status"], "\\n";
$message = $live->messages->send($phone, ["message" => "سلام", "channels" => ["bale"], "metadata" => ["order" => "7"]]);
foreach ($live->messages->all(["to" => $phone, "limit" => 1]) as $each)
    echo $each["message_id"] === $message["message_id"] ? "[True]" : "[False]", "\\n";
$key = $live->manage->call("api-keys.create", ["name" => "made by PHP", "mode" => "live"]);
$change = ["id" => $key["id"], "name" => "renamed"];
$live->manage->call("api-keys.update", $change, ifMatch: '"' . $key["version"] . '"');
echo $live->manage->call("api-keys.read", ["id" => $key["id"]])["name"], " ";
echo $live->manage->call("api-keys.revoke", ["id" => $key["id"]]) ?? "None", "\\n";
try { $live->otp->send("1"); } catch (PeykException $error) {
    echo $error->errorCode, " ", $error->status, " ", $error->requestId ? "True" : "False", "\\n";
}
try { (new Peyk("http://127.0.0.1:9", retries: 0))->otp->status("v"); } catch (PeykException $error) {
    echo $error->errorCode, "\\n";
}
$headers = json_decode(getenv("HEADERS"), true);
echo Webhooks::verify(getenv("PAYLOAD"), $headers, getenv("SECRET"))["type"], "\\n";
try { Webhooks::verify(getenv("PAYLOAD") . " ", $headers, getenv("SECRET")); } catch (WebhookVerificationException) {
    echo "refused\\n";
}
`

const pythonRepeats = `
import json, os
from peyk import Peyk, PeykError
peyk = Peyk(os.environ["PEYK_URL"], token="svc_pat_token", retries=1)
for operation, fields in json.loads(os.environ["CALLS"]):
    try:
        peyk.manage(operation, **fields)
    except PeykError as error:
        print(error.code)
`

const phpRepeats = `
spl_autoload_register(fn (string $class) => require getenv("SOURCES") . "/" . basename(strtr($class, "\\\\", "/")) . ".php");
$peyk = new Peyk\\Peyk(getenv("PEYK_URL"), token: "svc_pat_token", retries: 1);
foreach (json_decode(getenv("CALLS"), true) as [$operation, $fields]) {
    $ifMatch = $fields["if_match"] ?? null;
    unset($fields["if_match"]);
    try { $peyk->manage->call($operation, $fields, ifMatch: $ifMatch); }
    catch (Peyk\\PeykException $error) { echo $error->errorCode, "\\n"; }
}
`

/** A replacement can be repeated; a change with If-Match and a removal cannot. */
const uncertainChanges = JSON.stringify([
  ["routing.save", { steps: [] }],
  ["routing.save", { steps: [], if_match: '"3"' }],
  ["templates.remove", { id: 7 }]
])

const pythonMarked = `
import json, os
from peyk import verify_webhook
print(verify_webhook(os.environ["PAYLOAD"].encode(), json.loads(os.environ["HEADERS"]), os.environ["SECRET"])["type"])
`

const phpMarked = `
spl_autoload_register(fn (string $class) => require getenv("SOURCES") . "/" . basename(strtr($class, "\\\\", "/")) . ".php");
echo Peyk\\Webhooks::verify(getenv("PAYLOAD"), json_decode(getenv("HEADERS"), true), getenv("SECRET"))["type"], "\\n";
`

const expected = [
  "ok",
  "verified",
  "queued",
  "[True]",
  "renamed None",
  "invalid_phone 422 True",
  "connection_failed",
  "webhook.test",
  "refused"
]

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const payload = JSON.stringify({ type: "webhook.test", data: {} })

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

const signedRequest = (PAYLOAD: string): Record<string, string> => {
  const seconds = Math.floor((performance.timeOrigin + performance.now()) / 1000)
  const HEADERS = JSON.stringify({
    "Webhook-Id": "msg_1",
    "Webhook-Timestamp": String(seconds),
    "Webhook-Signature": new Webhook(secret).sign("msg_1", new Date(seconds * 1000), PAYLOAD)
  })
  return { HEADERS, PAYLOAD, SECRET: secret }
}

const environment = (phone: string): Record<string, string> => {
  const { live_key: LIVE_KEY, test_key: TEST_KEY, token: TOKEN } = server.demo
  return { PEYK_URL: server.url, PHONE: phone, LIVE_KEY, TEST_KEY, TOKEN, ...signedRequest(payload) }
}

const pythonEnv = { PYTHONPATH: join(root, "clients/python") }
const phpEnv = { SOURCES: join(root, "clients/php/src") }

/** A far end that never responds: it notes each request, and hangs up. */
const startSilentEnd = async () => {
  const requests: Array<string> = []
  const far = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.destroy()
  })
  await new Promise<void>((resolve) => far.listen(0, "127.0.0.1", resolve))
  const { port } = far.address() as AddressInfo
  return { requests, url: `http://127.0.0.1:${port}`, stop: () => far.close() }
}

const requestsAfterUncertainty = async (program: string, args: ReadonlyArray<string>, env: object) => {
  const { requests, url, stop } = await startSilentEnd()
  try {
    const all = { ...env, PEYK_URL: url, CALLS: uncertainChanges }
    const output = await runProgram(program, args, { cwd: root, env: all })
    expect(output.trim().split("\n")).toEqual(Array(3).fill("connection_failed"))
    return requests
  } finally {
    stop()
  }
}

const expectedRequests = [
  "PUT /v1/manage/routing",
  "PUT /v1/manage/routing",
  "PUT /v1/manage/routing",
  "DELETE /v1/manage/templates/7"
]

const compiled = [
  { name: "Go", isInstalled: hasGo, language: go, program: async () => [await goProgram()] },
  {
    name: "C#",
    isInstalled: hasMono,
    language: csharp,
    program: async () => ["mono", ...(await csharpProgram())]
  }
].filter(({ isInstalled }) => isInstalled)

describe.each(compiled)("the client for $name", ({ name, language, program }) => {
  // compiling takes longer than a test may
  beforeAll(program)

  const run = async (env: Readonly<Record<string, string>>) => {
    const [first = "", ...args] = await program()
    return (await runProgram(first, args, { cwd: root, env })).trim().split("\n")
  }

  it("does what a backend needs", async () => {
    const env = environment(newPhone().replace("+98", "0"))
    expect(await run({ ...env, PROGRAM: "backend" }), name).toEqual(expected)
  })

  it("repeats only a change that can be made twice", async () => {
    const changes = (JSON.parse(uncertainChanges) as ReadonlyArray<[string, { if_match?: unknown }]>).map(
      ([operation, { if_match: version, ...fields }]) => [
        operation,
        { ...fields, ...(version === undefined ? {} : { if_match: 3 }) }
      ]
    )
    const calls = changes.map(([operation, fields]) =>
      JSON.stringify(["manage", operation, JSON.stringify(fields)])
    )
    const hangUp = (response: { readonly destroy: () => unknown }) => void response.destroy()
    const { outcomes, received } = await makeCalls(language, calls, { replies: [hangUp] })
    expect(outcomes).toEqual(calls.map(() => "connection_failed 0"))
    expect(received.map(({ path }) => path)).toEqual(expectedRequests.map((each) => each.split(" ")[1]))
  })

  it("reads an event that begins with a byte order mark", async () => {
    expect(await run({ ...signedRequest(`\uFEFF${payload}`), PROGRAM: "webhook" })).toEqual(["webhook.test"])
  })
})

describe("the client for another language", () => {
  it.runIf(hasPython())("does in Python what a backend needs", async () => {
    const env = { ...environment(newPhone().replace("+98", "0")), ...pythonEnv }
    const output = await runProgram("python3", ["-c", python], { cwd: root, env })
    expect(output.trim().split("\n")).toEqual(expected)
  })

  it.runIf(hasPhp())("does in PHP what a backend needs", async () => {
    const env = { ...environment(newPhone().replace("+98", "0")), ...phpEnv }
    const output = await runProgram("php", ["-r", php], { cwd: root, env })
    expect(output.trim().split("\n")).toEqual(expected)
  })

  it.runIf(hasPython())("repeats in Python only a change that can be made twice", async () => {
    expect(await requestsAfterUncertainty("python3", ["-c", pythonRepeats], pythonEnv)).toEqual(
      expectedRequests
    )
  })

  it.runIf(hasPhp())("repeats in PHP only a change that can be made twice", async () => {
    expect(await requestsAfterUncertainty("php", ["-r", phpRepeats], phpEnv)).toEqual(expectedRequests)
  })

  it.runIf(hasPython())("reads in Python an event that begins with a byte order mark", async () => {
    const env = { ...signedRequest(`\uFEFF${payload}`), ...pythonEnv }
    expect(await runProgram("python3", ["-c", pythonMarked], { cwd: root, env })).toBe("webhook.test\n")
  })

  it.runIf(hasPhp())("reads in PHP an event that begins with a byte order mark", async () => {
    const env = { ...signedRequest(`\uFEFF${payload}`), ...phpEnv }
    expect(await runProgram("php", ["-r", phpMarked], { cwd: root, env })).toBe("webhook.test\n")
  })
})
