import { readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { dereference, objectAt, operations } from "../../http/OpenApiDocument.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"
import { exampleResources } from "./ExampleResources.ts"
import { languages } from "./ReferencePrograms.ts"
import { type FilledExample, newReader, shownExamples } from "./ReferenceReader.ts"

const document: unknown = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8"))

interface ShownRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Every example of a request in the document, in its order: users are made before they sign in. */
const shown: ReadonlyArray<ShownRequest> = [...operations(document)].flatMap(([endpoint, operation]) => {
  const [method = "", path = ""] = endpoint.split(" ")
  const { requestBody } = operation
  if (requestBody === undefined) return []
  const content = objectAt(dereference(document, requestBody), "content", "application/json")
  return Object.entries(objectAt(content, "examples")).map(([name, example]) => ({
    id: String(operation["operationId"]),
    method: method.toUpperCase(),
    path,
    name,
    body: objectAt(example, "value")
  }))
})

let server: SharedServer
beforeAll(async () => {
  server = await sharedServerWithDemo()
})

it.each(shown.map((each) => [`${each.id}: ${each.name}`, each] as const))(
  "the document's example of %s is accepted",
  async (_, example) => {
    const { send, newParts, withIds } = exampleResources(server, server.demo)
    const parts = await newParts(example.path)
    const path = example.path.replaceAll(/\{(\w+)\}/g, (_part, name: string) => String(parts[name]))
    const answer = await send(example.method, path, await withIds(example.path, example.body))
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(200)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
)

describe("the examples of the reference", () => {
  for (const [name, { isHere, run }] of Object.entries(languages)) {
    it.runIf(isHere)(`in ${name} are accepted`, async () => {
      const reader = await newReader(server, name)
      const filled: Array<FilledExample> = []
      for (const example of await shownExamples(server, document, name))
        filled.push(await reader.fill(example))
      expect(filled.length).toBeGreaterThan(70)
      expect(await run(server, reader.credentials, filled)).toEqual([])
    })
  }
})
