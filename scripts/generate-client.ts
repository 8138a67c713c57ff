/**
 * `npm run generate`: writes what the clients have from openapi.json: types, the management operations, and a collection
 * for Postman and Bruno; and the one file that the login page's element is in the examples. Git keeps what the clients of
 * Python, PHP, Go and C# have of it: they are installed from the tree.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { csharpOperations, csharpTypes } from "./CSharpTypes.ts"
import { goTypes } from "./GoTypes.ts"
import { knownFieldsOf, managedOperationsOf, readDocument, writeClientTypes } from "./ClientFiles.ts"
import { bundleLogin } from "./LoginBundle.ts"
import { type ApiDocument, makeCollection } from "./PostmanCollection.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const source = `${root}packages/client/src/managedOperations.ts`

const document = readDocument()
const json = `${JSON.stringify(managedOperationsOf(document), null, 2)}\n`

writeFileSync(
  source,
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
const knownFields = `${root}packages/client/src/knownFields.ts`
writeFileSync(
  knownFields,
  `/** Made from openapi.json by \`npm run generate\`: the fields that each operation takes. */
export const knownFields = ${JSON.stringify(knownFieldsOf(document))} as const
`
)
execFileSync(`${root}node_modules/.bin/oxfmt`, [source, knownFields], { stdio: "inherit" })

writeFileSync(`${root}clients/python/peyk/operations.json`, json)
writeFileSync(`${root}clients/php/src/operations.json`, json)
writeFileSync(`${root}clients/go/operations.json`, json)
writeFileSync(`${root}clients/go/types.go`, goTypes(document))
writeFileSync(`${root}clients/csharp/src/Types.cs`, csharpTypes(document))
writeFileSync(`${root}clients/csharp/src/Operations.cs`, csharpOperations(managedOperationsOf(document)))
writeFileSync(
  `${root}clients/postman/peyk.postman_collection.json`,
  `${JSON.stringify(makeCollection(document as unknown as ApiDocument), null, 1)}\n`
)
writeFileSync(`${root}examples/login/peyk-login.js`, await bundleLogin())
writeClientTypes()
