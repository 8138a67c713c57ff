/** Which fields the clients for other languages take: those of openapi.json, and no misspelled one. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeCalls, php, python } from "./LanguageCalls.ts"
import { root } from "./Packed.ts"

interface Parameter {
  readonly $ref?: string
  readonly name?: string
}

const { paths, components } = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8")) as {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters: ReadonlyArray<Parameter> }>>>
  >
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: object }>>
    readonly parameters: Readonly<Record<string, { readonly name: string }>>
  }
}

const fieldsOf = (schema: string, given: string) =>
  Object.keys(components.schemas[schema]?.properties ?? {}).filter((name) => name !== given)

const filtersOf = (path: string) =>
  (paths[path]?.["get"]?.parameters ?? []).map(
    ({ $ref, name }) => name ?? components.parameters[$ref?.split("/").at(-1) ?? ""]?.name ?? ""
  )

const places = {
  otp: { fields: fieldsOf("OtpSendRequest", "phone"), filters: filtersOf("/v1/otp") },
  messages: { fields: fieldsOf("MessageSendRequest", "to"), filters: filtersOf("/v1/messages") }
}

describe.each([python, php].filter(({ isInstalled }) => isInstalled))("the client for $name", (language) => {
  for (const [place, { fields, filters }] of Object.entries(places) as Array<
    [keyof typeof places, (typeof places)["otp"]]
  >) {
    it(`sends every field of ${place}`, async () => {
      expect(fields.length).toBeGreaterThan(5)
      const { received } = await makeCalls(
        language,
        fields.map((name) => language.sendWith(place, name, "x"))
      )
      expect(received.map(({ body }) => Object.entries(JSON.parse(body) as object)[1])).toEqual(
        fields.map((name) => [name, "x"])
      )
    })

    it(`sends every filter of ${place}`, async () => {
      expect(filters.length).toBeGreaterThan(5)
      const calls = filters.map((name) => language.listWith(place, name, "x"))
      const { received } = await makeCalls(language, calls)
      expect(received.map(({ path }) => path.split("?")[1])).toEqual(filters.map((name) => `${name}=x`))
    })

    it(`refuses a misspelled field of ${place}, and sends nothing`, async () => {
      const calls = [
        language.sendWith(place, "chanels", "x"),
        language.sendWith(place, "idempotency-key", "x"),
        language.listWith(place, "statuss", "x")
      ]
      const { outcomes, received } = await makeCalls(language, calls)
      expect(received).toEqual([])
      expect(outcomes.length).toBe(calls.length)
      for (const outcome of outcomes) expect(outcome).toMatch(/^(refused: There is no field|TypeError)/)
    })
  }
})
