/** What the clients have from openapi.json. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { clientTypes, type TypedDocument } from "./ClientTypes.ts"

const root = fileURLToPath(new URL("../", import.meta.url))

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<{ readonly $ref?: string }>
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

export const readDocument = () =>
  JSON.parse(readFileSync(`${root}openapi.json`, "utf8")) as TypedDocument & {
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

/** A stream has no end that a client could wait for. */
const isStream = ({ responses }: Operation): boolean =>
  responses["200"]?.content?.["text/event-stream"] !== undefined

/** How each operation of the management API is called, by its id; without streams, which are for `peyk webhook listen`. */
export const managedOperationsOf = ({ paths }: ReturnType<typeof readDocument>) =>
  Object.fromEntries(
    Object.entries(paths)
      .filter(([path]) => path.startsWith("/v1/manage/"))
      .flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, operation]) => !isStream(operation))
          .map(([method, operation]) => [operation.operationId, describe(path, method, operation)])
      )
  )

interface FieldsDocument {
  readonly components: {
    readonly parameters: Readonly<Record<string, { readonly name: string; readonly in: string }>>
    readonly schemas: Readonly<Record<string, { readonly properties?: object }>>
  }
}

const isForKeys = (path: string) => /^\/v1\/(otp|messages|sandbox|phones)\b/.test(path)

/** The fields that each operation with a service key takes in its body, or in its query. */
export const knownFieldsOf = (document: ReturnType<typeof readDocument>) => {
  const { parameters, schemas } = (document as unknown as FieldsDocument).components
  const fieldsOf = ({ requestBody, parameters: given = [] }: Operation): ReadonlyArray<string> => {
    const body = JSON.stringify(requestBody ?? {}).match(/schemas\/(\w+)/)?.[1]
    const queries = given.map((each) => ({ ...each, ...parameters[each.$ref?.split("/").at(-1) ?? ""] }))
    return body === undefined
      ? queries.flatMap((each) => (each.in === "query" ? [String(each.name)] : []))
      : Object.keys(schemas[body]?.properties ?? {})
  }
  return Object.fromEntries(
    Object.entries(document.paths)
      .filter(([path]) => isForKeys(path))
      .flatMap(([, methods]) => Object.values(methods))
      .map((operation) => [operation.operationId, fieldsOf(operation)] as const)
      .filter(([, fields]) => fields.length > 0)
  )
}

const TYPES = `${root}packages/client/src/api.ts`

/** Writes the types of the TypeScript client, which git does not keep. Whoever compiles the client needs them. */
export const writeClientTypes = (): void => {
  const types = clientTypes(readDocument())
  // an editor that watches the file need not read it again
  if (!existsSync(TYPES) || readFileSync(TYPES, "utf8") !== types) writeFileSync(TYPES, types)
}
