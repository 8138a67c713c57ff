import { FRESH_IN_SHELL } from "../../../../../domain/text/ShellCommands.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Visit } from "../../../frame/Visit.ts"
import { codeBlock } from "../../../parts/CodeBlock.ts"
import { bodyOf, type TestRequest } from "./TestRequest.ts"

const KEY = "YOUR_API_KEY"

const pathOf = ({ mode, kind }: TestRequest): string => {
  const resource = kind === "message" ? "messages" : "otp"
  return mode === "live" ? `/v1/${resource}/send` : `/v1/sandbox/${resource}/send`
}

const json = (value: unknown, indent: string): string =>
  JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`)

/** A JSON text between single quotes of a shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curl = (url: string, body: unknown): string =>
  [
    `curl -X POST ${url}`,
    `-H "X-API-Key: ${KEY}"`,
    `-H "Idempotency-Key: ${FRESH_IN_SHELL}"`,
    `-H "Content-Type: application/json"`,
    `-d ${shellQuoted(json(body, ""))}`
  ].join(" \\\n  ")

const typeScript = (baseUrl: string, { mode, kind }: TestRequest, body: unknown): string => {
  const resource = kind === "message" ? "messages" : "otp"
  const call = mode === "live" ? `${resource}.send` : `sandbox.${resource}.send`
  return `import { createClient } from "@peyk/client"

const peyk = createClient({ baseUrl: "${baseUrl}", apiKey: "${KEY}" })

const sent = await peyk.${call}(${json(body, "")})`
}

/** JSON of these bodies is Python, too: they have no booleans and no null. */
const python = (url: string, body: unknown): string => `import uuid, requests

sent = requests.post(
    "${url}",
    headers={"X-API-Key": "${KEY}", "Idempotency-Key": str(uuid.uuid4())},
    json=${json(body, "    ")},
)`

const php = (url: string, body: unknown): string => `<?php
$curl = curl_init("${url}");
curl_setopt_array($curl, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        "X-API-Key: ${KEY}",
        "Idempotency-Key: " . bin2hex(random_bytes(16)),
        "Content-Type: application/json",
    ],
    CURLOPT_POSTFIELDS => <<<'JSON'
${json(body, "")}
JSON,
]);
$sent = json_decode(curl_exec($curl), true);`

/** The same request, for programs. */
export const snippets = (view: Visit, request: TestRequest): Html => {
  const { say } = view.locale
  const { baseUrl } = view
  const url = `${baseUrl}${pathOf(request)}`
  const body = bodyOf(request)
  const all = [
    ["curl", curl(url, body)],
    ["TypeScript", typeScript(baseUrl, request, body)],
    ["Python", python(url, body)],
    ["PHP", php(url, body)]
  ] as const
  return html`<section class="panel" id="snippets" aria-labelledby="snippets-title">
    <div class="panel-head">
      <h2 id="snippets-title">${say("The same by the API", "همین درخواست با API")}</h2>
    </div>
    <div class="panel-body stack-tight">
      <p class="muted">
        ${say("Use your own key in place of", "کلید خود را جای این بگذارید:")}
        <bdi dir="ltr" class="mono">${KEY}</bdi>.
        <a href="/console/keys">${say("API keys", "کلیدهای API")}</a>
      </p>
      ${all.map(
        ([name, code], index) =>
          html`<details name="snippet" ${index === 0 && html`open`}>
            <summary class="more-summary">${name}</summary>
            ${codeBlock(name, code, view.locale)}
          </details>`
      )}
    </div>
  </section>`
}
