import { readFileSync } from "node:fs"

interface Operation {
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

const document = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  path.startsWith("/v1/manage/")
    ? Object.entries(methods).map(([method, { requestBody, responses }]) => ({
        method: method.toUpperCase(),
        path,
        takesBody: requestBody !== undefined,
        comparesVersions: "412" in responses
      }))
    : []
)

/** Every operation of the management API. */
export const all = operations.map(({ method, path }) => [method, path] as const)

/** Every operation of the management API that changes something, whatever the version. */
export const unversioned = operations
  .filter(({ method, comparesVersions }) => !comparesVersions && method !== "GET")
  .map(({ method, path }) => [method, path] as const)

/** Every operation of the management API that takes a body. */
export const withBody = operations
  .filter(({ takesBody }) => takesBody)
  .map(({ method, path }) => [method, path] as const)

/** Every operation of the management API that changes something and takes no body. */
export const withoutBody = operations
  .filter(({ method, takesBody }) => !takesBody && method !== "GET")
  .map(({ method, path }) => [method, path] as const)
