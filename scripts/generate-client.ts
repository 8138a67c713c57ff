/**
 * `npm run generate`: writes what the clients have from openapi.json: types, the management operations, and a collection
 * for Postman and Bruno. It needs the tools in test/generators (`npm --prefix test/generators ci`).
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type ApiDocument, makeCollection } from "./PostmanCollection.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const target = `${root}packages/client/src/`

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<{ readonly $ref?: string }>
  readonly requestBody?: unknown
}

const document = JSON.parse(readFileSync(`${root}openapi.json`, "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const describe = (path: string, method: string, operation: Operation) => {
  const parameters = (operation.parameters ?? []).map(({ $ref }) => $ref?.split("/").at(-1))
  return {
    method: method.toUpperCase(),
    path,
    ...(parameters.includes("Cursor") ? { isList: true } : {}),
    ...(parameters.includes("IdempotencyKey") ? { isIdempotent: true } : {}),
    ...(operation.requestBody === undefined ? {} : { hasBody: true })
  }
}

const managed = Object.fromEntries(
  Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/v1/manage/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        describe(path, method, operation)
      ])
    )
)

const json = `${JSON.stringify(managed, null, 2)}\n`

writeFileSync(
  `${target}managedOperations.ts`,
  `/** Made from openapi.json by \`npm run generate\`. */

export interface ManagedOperation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly isList?: true
  readonly isIdempotent?: true
  readonly hasBody?: true
}

export const managedOperations = ${json.trimEnd()} as const satisfies Readonly<Record<string, ManagedOperation>>

export type ManagedId = keyof typeof managedOperations
`
)

writeFileSync(`${root}clients/python/peyk/operations.json`, json)
writeFileSync(`${root}clients/php/src/operations.json`, json)
writeFileSync(
  `${root}clients/postman/peyk.postman_collection.json`,
  `${JSON.stringify(makeCollection(document as unknown as ApiDocument), null, 1)}\n`
)

const tools = `${root}test/generators/node_modules/.bin/`
execFileSync(`${tools}openapi-typescript`, [`${root}openapi.json`, "-o", `${target}api.ts`], {
  stdio: "inherit"
})
execFileSync(`${root}node_modules/.bin/oxfmt`, [`${target}managedOperations.ts`, `${target}api.ts`], {
  stdio: "inherit"
})
