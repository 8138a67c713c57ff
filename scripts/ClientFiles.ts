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

const TYPES = `${root}packages/client/src/api.ts`

/** Writes the types of the TypeScript client, which git does not keep. Whoever compiles the client needs them. */
export const writeClientTypes = (): void => {
  const types = clientTypes(readDocument())
  // an editor that watches the file need not read it again
  if (!existsSync(TYPES) || readFileSync(TYPES, "utf8") !== types) writeFileSync(TYPES, types)
}
