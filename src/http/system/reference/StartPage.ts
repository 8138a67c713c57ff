/** The first page: the address, credentials, how to set up a client, what all operations share, and their list. */
import { html, type Html } from "../../console/frame/Html.ts"
import {
  type ApiDocument,
  type ErrorEntry,
  type Group,
  type Header,
  parametersOf,
  resolve
} from "./ApiDocument.ts"
import { callsOf } from "./Calls.ts"
import { errorBody } from "./ExampleBodies.ts"
import { prose } from "./Prose.ts"
import { ERRORS, pathTo, sectionsOf, shortName, START, type ReferencePage } from "./Frame.ts"
import { asJson } from "./Literals.ts"
import { codeBlock, languageBlocks } from "./OperationPart.ts"

const BASE_URL = "http://127.0.0.1:8080"

/** What the examples of all pages take for granted. A test runs it, and finds its lines in the quickstarts. */
export const setUp: Readonly<Record<string, string>> = {
  curl: [
    `export PEYK=${BASE_URL}`,
    "export KEY=svc_live_…       # a live key: sends and verifies",
    "export TEST_KEY=svc_test_…  # a test key: the sandbox",
    "export TOKEN=svc_pat_…      # a personal access token: manages the account"
  ].join("\n"),
  TypeScript: `import { createClient } from "@peyk/client"

const peyk = createClient({
  baseUrl: process.env.PEYK_URL,
  apiKey: process.env.PEYK_API_KEY, // a live key; for peyk.sandbox, a test key
  token: process.env.PEYK_TOKEN // only for peyk.manage
})`,
  Python: `import os
from peyk import Peyk

peyk = Peyk(
    os.environ["PEYK_URL"],
    api_key=os.environ["PEYK_API_KEY"],  # a live key; for peyk.sandbox, a test key
    token=os.environ.get("PEYK_TOKEN"),  # only for peyk.manage
)`,
  PHP: `require 'vendor/autoload.php';

$peyk = new Peyk\\Peyk(
    getenv('PEYK_URL'),
    apiKey: getenv('PEYK_API_KEY'), // a live key; for $peyk->sandbox, a test key
    token: getenv('PEYK_TOKEN') ?: null, // only for $peyk->manage
);`
}

const credential = (name: string, form: string, header: string, use: Html | string): Html =>
  html`<tr>
    <th scope="row">${name}<br /><code>${form}</code></th>
    <td>${prose(header)}</td>
    <td>${use}</td>
  </tr>`

const authentication = html`<section id="authentication">
  <h2><a href="#authentication">Authentication</a></h2>
  <p>Each request has one credential in a header. Keep it on your server, never in an app or a page.</p>
  <table>
    <thead>
      <tr>
        <th scope="col">Credential</th>
        <th scope="col">Header</th>
        <th scope="col">For</th>
      </tr>
    </thead>
    <tbody>
      ${credential("Live key", "svc_live_…", "`X-API-Key: $KEY`", "sending and verifying")}
      ${credential(
        "Test key",
        "svc_test_…",
        "`X-API-Key: $TEST_KEY`",
        html`the <a href="${pathTo("sandbox")}">sandbox</a>: nothing is sent or charged, and the code is
          <code>123456</code>`
      )}
      ${credential(
        "Personal access token",
        "svc_pat_…",
        "`Authorization: Bearer $TOKEN`",
        "programs that manage the account, at /v1/manage"
      )}
      ${credential(
        "Session",
        "eyJ…",
        "`Authorization: Bearer …`",
        html`people who <a href="${pathTo("sign-in")}">sign in</a>, at /v1/manage`
      )}
    </tbody>
  </table>
  <p>
    You create keys and tokens in the <a href="/console/keys">console</a>, or with
    <code>npx peyk key create</code>. <code>npx peyk demo</code> prints a test key that you can paste into
    <a href="${pathTo("sandbox", "sandbox.send")}">Try it</a>.
  </p>
</section>`

const baseUrl = html`<section id="base-url">
  <h2><a href="#base-url">Base URL</a></h2>
  <p>
    The address of your installation: the one that you read this page from. All examples call it
    <code>$PEYK</code>.
  </p>
  ${codeBlock("Base URL", BASE_URL, "Shell")}
</section>`

const client = html`<section id="client">
  <h2><a href="#client">Set up a client</a></h2>
  <p>
    All examples use what is set up here: <code>$PEYK</code>, <code>$KEY</code>, <code>$TEST_KEY</code> and
    <code>$TOKEN</code> in curl, <code>peyk</code> in the other languages. Other names, such as
    <code>$VERIFICATION_ID</code> and <code>verification_id</code>, are ids of earlier responses.
    <a href="/docs/clients/">How to install the clients</a>.
  </p>
  ${languageBlocks(setUp)}
</section>`

const firstCall = (document: ApiDocument, groups: ReadonlyArray<Group>): Html | null => {
  const all = groups.flatMap(({ slug, operations }) => operations.map((each) => ({ slug, ...each })))
  const send = all.find(({ operation }) => operation.operationId === "otp.send")
  const body = Object.values(send?.operation.requestBody?.content["application/json"]?.examples ?? {})[0]
  if (send === undefined || body === undefined) return null
  const needsKey = parametersOf(document, send.operation).some(({ required }) => required === true)
  const value = body.value as Readonly<Record<string, unknown>>
  return html`<section id="first-call">
    <h2><a href="#first-call">Send the first code</a></h2>
    <p>
      Then <a href="${pathTo(send.slug, "otp.verify")}">verify</a> what the user enters. Without a provider,
      the <a href="/simulator">simulator</a> shows what a phone would get.
    </p>
    ${languageBlocks(callsOf({ ...send, parts: [], body: value, needsKey }))}
  </section>`
}

const requests = html`<section id="requests">
  <h2><a href="#requests">Requests</a></h2>
  <ul class="plain">
    <li>Bodies are JSON: <code>Content-Type: application/json</code>.</li>
    <li>
      <b>Repeat safely.</b> With an <code>Idempotency-Key</code>, a repeated request returns the first
      response for 24 hours and does nothing again. Take a new key for each new request. The clients do this
      for you.
    </li>
    <li>
      <b>Phones</b> are Iranian mobile numbers: <code>09121234567</code>, <code>+989121234567</code> or
      <code>989121234567</code>, also in Persian digits. Responses have <code>+989121234567</code>.
    </li>
    <li>
      <b>Times</b> are ISO 8601. In a request without an offset it is Tehran time; responses are in UTC.
    </li>
    <li>
      <b>Lists</b> have <code>data</code> and <code>next_cursor</code>. Send it as <code>cursor</code> for the
      next page; null: there is none. <code>limit</code> is 1 to 100, 20 by default.
    </li>
    <li>
      <b>Unknown fields</b> are ignored, but at <code>/v1/manage</code> they are a
      <a href="${pathTo(ERRORS, "validation_error")}"><code>validation_error</code></a
      >. Responses can get new fields at any time.
    </li>
  </ul>
</section>`

const headersTable = (document: ApiDocument): Html => {
  const headers = Object.entries(document.components["headers"] ?? {}) as ReadonlyArray<
    readonly [string, Header]
  >
  return html`<section id="headers">
    <h2><a href="#headers">Response headers</a></h2>
    <ul class="fields">
      ${headers.map(
        ([name, header]) =>
          html`<li>
            <p class="field"><code>${name}</code></p>
            <p>${prose(resolve<Header>(document, header).description)}</p>
          </li>`
      )}
    </ul>
  </section>`
}

const errors = (document: ApiDocument): Html => {
  const codes = Object.entries(document["x-error-codes"])
  const sample = document["x-error-codes"]["invalid_phone"] as ErrorEntry
  return html`<section id="errors">
    <h2><a href="#errors">Errors</a></h2>
    <p>
      Every error has this form. Programs read <code>code</code>; <code>message</code> is for you, and
      <code>request_id</code> finds the request in the logs. <a href="${pathTo(ERRORS)}">All codes</a>, and
      what to do about each:
    </p>
    ${codeBlock(html`<b class="bad">${sample.status}</b> Error`, asJson(errorBody({ code: "invalid_phone", ...sample })), "JSON")}
    <details class="more">
      <summary>${codes.length} codes</summary>
      <ul class="codes">
        ${codes.map(
          ([code, { status }]) =>
            html`<li>
              <a id="${code}" data-full href="${pathTo(ERRORS, code)}"
                ><code>${code}</code> <small>${status}</small></a
              >
            </li>`
        )}
      </ul>
    </details>
  </section>`
}

const operationList = (groups: ReadonlyArray<Group>): Html =>
  html`<section id="operations">
    <h2><a href="#operations">All operations</a></h2>
    ${sectionsOf(groups).map(
      ({ title, groups: own }) =>
        html`<h3>${title}</h3>
          ${own.map(
            (group) =>
              html`<details class="group" ${title === "Send and verify" && html`open`}>
                <summary>
                  <b>${shortName(group)}</b> <span>${group.operations.length}</span>
                  <small>${group.tag.description}</small>
                </summary>
                <ul>
                  ${group.operations.map(
                    ({ method, path, operation, isWebhook }) =>
                      html`<li>
                        <a
                          id="${operation.operationId}"
                          data-full
                          href="${pathTo(group.slug, operation.operationId)}"
                        >
                          <span>${operation.summary ?? operation.operationId}</span>
                          <small
                            ><b class="method ${method}">${method.toUpperCase()}</b>
                            <code>${isWebhook ? "event" : path}</code></small
                          >
                        </a>
                      </li>`
                  )}
                </ul>
              </details>`
          )}`
    )}
  </section>`

export const startPage = (document: ApiDocument, groups: ReadonlyArray<Group>): ReferencePage => ({
  slug: START,
  title: "Start",
  description: "The address, credentials and conventions of Peyk's API, and all of its operations.",
  content: html`<div class="text">
    <h1>Peyk API</h1>
    <p class="lead">
      Send one-time codes and messages to Iranian phones over messengers and SMS. JSON over HTTP, the same in
      curl and three client libraries.
    </p>
    ${baseUrl} ${authentication} ${client} ${firstCall(document, groups)} ${requests}
    ${headersTable(document)} ${errors(document)} ${operationList(groups)}
  </div>`
})
