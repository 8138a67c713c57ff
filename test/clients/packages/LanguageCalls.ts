/** Calls of the clients for other languages, against a far end that a test controls. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { hasPhp, hasPython } from "../../support/InstalledPrograms.ts"
import { csharpProgram, goProgram, hasGo, hasMono } from "./Compiled.ts"
import { root, runProgram } from "./Packed.ts"

/** A literal that Python and PHP read alike. */
const literal = (value: string | number): string => JSON.stringify(value)

/** Prints what each call returned or raised, one line each. */
const pythonProgram = `
import json, os
from peyk import Peyk, PeykError, verify_webhook
def peyk(url=os.environ["PEYK_URL"], **options):
    known = {"retries": int(os.environ["RETRIES"]), "timeout": float(os.environ["TIMEOUT"])}
    return Peyk(url, **{"api_key": "svc_live_key", "token": "svc_pat_token", **known, **options})
def webhook(secret):
    return verify_webhook(os.environ["PAYLOAD"], json.loads(os.environ["HEADERS"]), secret)
for call in json.loads(os.environ["CALLS"]):
    try:
        print(json.dumps(eval(call), separators=(",", ":")))
    except PeykError as error:
        print(error.code, error.status)
    except ValueError as error:
        print("refused:", error)
    except Exception as error:
        print(type(error).__name__)
`

const phpProgram = `
spl_autoload_register(fn (string $class) => require getenv("SOURCES") . "/" . basename(strtr($class, "\\\\", "/")) . ".php");
set_error_handler(fn (int $level, string $text) => throw new ErrorException($text));
function peyk(mixed ...$options) {
    $known = ["retries" => (int) getenv("RETRIES"), "timeout" => (float) getenv("TIMEOUT")];
    $credentials = ["apiKey" => "svc_live_key", "token" => "svc_pat_token"];
    return new Peyk\\Peyk(...["baseUrl" => getenv("PEYK_URL"), ...$credentials, ...$known, ...$options]);
}
function webhook(string $secret) {
    return Peyk\\Webhooks::verify(getenv("PAYLOAD"), json_decode(getenv("HEADERS"), true), $secret);
}
foreach (json_decode(getenv("CALLS")) as $call) {
    try { echo json_encode(eval("return $call;")), "\\n"; }
    catch (Peyk\\PeykException $error) { echo $error->errorCode, " ", $error->status, "\\n"; }
    catch (InvalidArgumentException $error) { echo "refused: ", $error->getMessage(), "\\n"; }
    catch (Throwable $error) { echo get_class($error), "\\n"; }
}
`

export interface Language {
  readonly name: string
  readonly isInstalled: boolean
  readonly run: (env: Readonly<Record<string, string>>) => Promise<string>
  readonly send: (place: "otp" | "sandbox", key?: string) => string
  readonly status: (id: string) => string
  /** Changes a service key, if it has this version. */
  readonly update: (version: string | number) => string
  /** Whether a version, or a time-out, can be anything; otherwise its type is that of a number. */
  readonly isDynamic: boolean
  readonly revoke: (id?: string) => string
  readonly revokeWith: (apiKey: string, token: string) => string
  readonly at: (url: string) => string
  readonly withTimeout: (seconds: "0" | "-1" | "INF" | "NAN") => string
  readonly webhook: (secret: string) => string
  /** Asks for a channel, if a later attempt than this one does not exist yet. */
  readonly next: (id: string, fromSequence: number, channel: string) => string
  readonly preview: (phone: string, channel: string) => string
  readonly lookup: (phone: string) => string
  /** Sends an account's settings with a value that JSON does not have. */
  readonly connectWithNaN: string
}

/** Fields and filters by their names: in other languages a misspelled one does not compile. */
export interface DynamicLanguage extends Language {
  readonly sendWith: (place: "otp" | "messages", field: string, value: string) => string
  readonly listWith: (place: "otp" | "messages", filter: string, value: string) => string
}

export const python: DynamicLanguage = {
  name: "Python",
  isDynamic: true,
  webhook: (secret) => `webhook(${literal(secret)})`,
  next: (id, fromSequence, channel) =>
    `peyk().otp.next(${literal(id)}, ${fromSequence}, channel=${literal(channel)})`,
  preview: (phone, channel) => `peyk().otp.preview(${literal(phone)}, channels=${literal(channel)})`,
  lookup: (phone) => `peyk().lookup(${literal(phone)})`,
  isInstalled: hasPython(),
  run: (env) =>
    runProgram("python3", ["-c", pythonProgram], {
      cwd: root,
      env: { ...env, PYTHONPATH: join(root, "clients/python"), PYTHONIOENCODING: "utf8" }
    }),
  send: (place, key) =>
    `peyk().${place}.send("09121234567"${key === undefined ? "" : `, idempotency_key=${literal(key)}`})`,
  sendWith: (place, field, value) =>
    `peyk().${place}.send("09121234567", **{${literal(field)}: ${literal(value)}})`,
  listWith: (place, filter, value) => `peyk().${place}.list(**{${literal(filter)}: ${literal(value)}})`,
  status: (id) => `peyk().otp.status(${literal(id)})`,
  update: (version) => `peyk().manage("api-keys.update", id=7, name="a", if_match=${literal(version)})`,
  revoke: (id) => `peyk().manage("api-keys.revoke"${id === undefined ? "" : `, id=${literal(id)}`})`,
  revokeWith: (apiKey, token) =>
    `peyk(api_key=${literal(apiKey)}, token=${literal(token)}).manage("api-keys.revoke", id=7)`,
  at: (url) => `peyk(${literal(url)}).account()`,
  withTimeout: (seconds) => `peyk(timeout=float("${seconds}")).account()`,
  connectWithNaN: 'peyk().manage("accounts.connect", settings={"a": float("nan")})'
}

export const php: DynamicLanguage = {
  name: "PHP",
  isDynamic: true,
  webhook: (secret) => `webhook(${literal(secret)})`,
  next: (id, fromSequence, channel) =>
    `peyk()->otp->next(${literal(id)}, ${fromSequence}, channel: ${literal(channel)})`,
  preview: (phone, channel) => `peyk()->otp->preview(${literal(phone)}, ["channels" => ${literal(channel)}])`,
  lookup: (phone) => `peyk()->lookup(${literal(phone)})`,
  isInstalled: hasPhp(),
  run: (env) =>
    runProgram("php", ["-r", phpProgram], {
      cwd: root,
      env: { ...env, SOURCES: join(root, "clients/php/src") }
    }),
  send: (place, key) =>
    `peyk()->${place}->send("09121234567"${key === undefined ? "" : `, idempotencyKey: ${literal(key)}`})`,
  sendWith: (place, field, value) =>
    `peyk()->${place}->send("09121234567", [${literal(field)} => ${literal(value)}])`,
  listWith: (place, filter, value) => `peyk()->${place}->list([${literal(filter)} => ${literal(value)}])`,
  status: (id) => `peyk()->otp->status(${literal(id)})`,
  update: (version) =>
    `peyk()->manage->call("api-keys.update", ["id" => 7, "name" => "a"], ifMatch: ${literal(version)})`,
  revoke: (id) =>
    `peyk()->manage->call("api-keys.revoke"${id === undefined ? "" : `, ["id" => ${literal(id)}]`})`,
  revokeWith: (apiKey, token) =>
    `peyk(apiKey: ${literal(apiKey)}, token: ${literal(token)})->manage->call("api-keys.revoke", ["id" => 7])`,
  at: (url) => `peyk(baseUrl: ${literal(url)})->account()`,
  withTimeout: (seconds) => `peyk(timeout: ${seconds})->account()`,
  connectWithNaN: 'peyk()->manage->call("accounts.connect", ["settings" => ["a" => NAN]])'
}

/** The calls of a compiled program, which reads them as JSON. */
const compiled = (
  name: string,
  isInstalled: boolean,
  run: (env: Readonly<Record<string, string>>) => Promise<string>
): Language => {
  const call = (...parts: ReadonlyArray<unknown>) => JSON.stringify(parts)
  return {
    name,
    isInstalled,
    isDynamic: false,
    run,
    send: (place, key) => call("send", place, key ?? null),
    status: (id) => call("status", id),
    update: (version) => call("update", version),
    revoke: (id) => call("revoke", id ?? null),
    revokeWith: (apiKey, token) => call("revokeWith", apiKey, token),
    at: (url) => call("at", url),
    withTimeout: (seconds) => call("withTimeout", Number(seconds)),
    webhook: (secret) => call("webhook", secret),
    next: (id, from_sequence, channel) => call("next", id, JSON.stringify({ from_sequence, channel })),
    preview: (phone, channel) => call("preview", phone, channel),
    lookup: (phone) => call("lookup", phone),
    connectWithNaN: call("connectWithNaN")
  }
}

export const go = compiled("Go", hasGo, async (env) => runProgram(await goProgram(), [], { cwd: root, env }))

export const csharp = compiled("C#", hasMono, async (env) =>
  runProgram("mono", await csharpProgram(), { cwd: root, env })
)

export const languages = [python, php, go, csharp].filter(({ isInstalled }) => isInstalled)

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Reply = (response: ServerResponse) => void

export const reply =
  (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, headers).end(text)
  }

export interface Conditions {
  /** Given in turn, the last one for ever. */
  readonly replies?: ReadonlyArray<Reply>
  readonly retries?: number
  readonly timeoutSeconds?: number
  readonly env?: Readonly<Record<string, string>>
}

const startFarEnd = async (replies: ReadonlyArray<Reply>) => {
  const received: Array<Received> = []
  const far = createServer(async (request, response) => {
    const chunks: Array<Buffer> = await request.toArray()
    const { url: path = "", headers } = request
    received.push({ path, headers, body: Buffer.concat(chunks).toString() })
    replies[Math.min(received.length, replies.length) - 1]?.(response)
  })
  await new Promise<void>((resolve) => far.listen(0, "127.0.0.1", resolve))
  const stop = () => {
    far.closeAllConnections()
    far.close()
  }
  return { received, url: `http://127.0.0.1:${(far.address() as AddressInfo).port}`, stop }
}

/** Makes the calls one after the other: the outcome of each, and what the far end received. */
export const makeCalls = async (
  language: Language,
  calls: ReadonlyArray<string>,
  { replies = [reply(200, '{"done":1}')], retries = 1, timeoutSeconds = 20, env = {} }: Conditions = {}
) => {
  const { received, url, stop } = await startFarEnd(replies)
  try {
    const settings = { PEYK_URL: url, RETRIES: String(retries), TIMEOUT: String(timeoutSeconds) }
    const output = await language.run({ ...settings, ...env, CALLS: JSON.stringify(calls) })
    return { outcomes: output.trimEnd().split("\n"), received }
  } finally {
    stop()
  }
}
