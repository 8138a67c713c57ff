import { persianDigits } from "../../../src/domain/text/PastedText.ts"
import { beforeAll, describe, expect, it } from "vitest"
import { type Created, issues, messages, newPhone, ok, otp, refused } from "../Client.ts"
import { codeOf, type Customer, newTemplate, textOf } from "../Operator.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

const greetingText = "سلام {{name}}؛ سفارش {{order_id}} آماده است.\n{{name}} عزیز، می‌بینیمت {جمعه}"

let server: SharedServer
let live: ReturnType<typeof messages>
const brokenTexts = ["سلام {{name", "سلام name}}", "سلام {{نام}}", "سلام {{1st}}"]
const ids = { greeting: 0, plain: 0, odd: 0, switched: 0, strangers: 0 }
const broken = new Map<string, number>()
beforeAll(async () => {
  server = await sharedServerWithDemo()
  live = messages(server, server.demo.live_key)
  const make = (body: string, name?: string) => newTemplate(server, server.demo.customer_id, body, name)
  const made = async (as: keyof typeof ids, body: string, name?: string) => {
    ids[as] = await make(body, name)
  }
  await Promise.all([
    made("greeting", greetingText, "خوش‌آمد"),
    made("plain", "بدون پارامتر"),
    made("odd", "{{__proto__}}|{{toString}}|{{_a1}}|{{A_b}}"),
    made("switched", "سلام"),
    ...brokenTexts.map(async (body) => broken.set(body, await make(body)))
  ])
  const other = (await server.cli("customer", "create", "--name", "Other", "--plan", "free")) as Customer
  ids.strangers = await newTemplate(server, other.id, "متن")
})

const use = (id: unknown, parameters: unknown, body: object = {}) =>
  live.send({ delay: "20d", ...body, message: undefined, template: { id, parameters } })

/** Sends a template at once and gives what arrived. */
const arrived = async (channels: string, template: string) => {
  const to = newPhone()
  const reply = await live.post(`{"to":"${to}","channels":"${channels}","template":${template}}`)
  await live.completed(ok<Created>(reply, 201).message_id)
  return textOf(server, to)
}

describe("a template", () => {
  it("is in both answers with exactly its id, its name and the parameters", async () => {
    const parameters = { order_id: "۱۲-ب", name: "علی‌رضا" }
    const template = { id: ids.greeting, name: "خوش‌آمد", parameters }
    const created = ok<Created>(await use(ids.greeting, parameters), 201)
    expect(created.template).toEqual(template)
    expect((await live.status(created.message_id)).template).toEqual(template)
  })

  it("becomes the text, with every occurrence of a placeholder filled in", async () => {
    const text = await arrived("sms", `{"id":${ids.greeting},"parameters":{"order_id":"۱۲","name":"نرگس"}}`)
    expect(text).toBe("سلام نرگس؛ سفارش ۱۲ آماده است.\nنرگس عزیز، می‌بینیمت {جمعه}")
  })

  it("takes parameters as they are: placeholders and replacement patterns in them mean nothing", async () => {
    const parameters = { name: "{{order_id}}", order_id: "$& $1 $$ $` {{name}} \\" }
    const text = await arrived("bale", JSON.stringify({ id: ids.greeting, parameters }))
    expect(text).toBe(
      "سلام {{order_id}}؛ سفارش $& $1 $$ $` {{name}} \\ آماده است.\n{{order_id}} عزیز، می‌بینیمت {جمعه}"
    )
  })

  it("takes a whole number as a parameter", async () => {
    const template = `{"id":${ids.greeting},"parameters":{"name":-25,"order_id":1250000}}`
    expect(await arrived("eitaa", template)).toContain("سلام -25؛ سفارش 1250000 آماده است.")
  })

  it.each(["12.50", "12345678901234567890", "1e400", "null", "true", '["x"]'])(
    "refuses %s as a parameter, which has no one way to be written",
    async (value) => {
      const template = `{"id":${ids.greeting},"parameters":{"name":${value},"order_id":1}}`
      const body = `{"to":"09121234567","channels":"eitaa","template":${template}}`
      expect(issues(await live.post(body))).toEqual(["body.template.parameters.name"])
    }
  )

  it("may have parameters with the names of an object's own properties", async () => {
    const parameters = '{"__proto__":"p","toString":"t","_a1":"یک","A_b":"دو"}'
    expect(await arrived("rubika", `{"id":${ids.odd},"parameters":${parameters}}`)).toBe("p|t|یک|دو")
  })

  it("may be without parameters: an empty object is valid", async () => {
    expect(await arrived("soroushplus", `{"id":${ids.plain},"parameters":{}}`)).toBe("بدون پارامتر")
  })

  it("does not make a text of more than 1000 characters", async () => {
    ok(await use(ids.greeting, { name: "x", order_id: "👍".repeat(900) }), 201)
    const reply = await use(ids.greeting, { name: "x", order_id: "x".repeat(1_000) })
    refused(reply, 422, "message_too_long")
  })
})

describe("template_not_found", () => {
  it.each([999_999, 99_999_999_999, Number.MAX_SAFE_INTEGER])("is the answer to the id %d", async (id) => {
    refused(await use(id, {}), 404, "template_not_found")
  })

  it("is the answer to another customer's template", async () => {
    refused(await use(ids.strangers, {}), 404, "template_not_found")
  })
})

describe("template_invalid", () => {
  it.each(brokenTexts)("is the answer to a template with the text %j", async (body) => {
    refused(await use(broken.get(body), {}), 422, "template_invalid")
    refused(await use(broken.get(body), { name: "x" }), 422, "template_invalid")
  })

  it("is the answer to a template that is switched off, until it is switched on again", async () => {
    const id = ids.switched
    ok(await use(id, {}), 201)
    const answers = (status: number) =>
      until(`status ${status}`, async () => {
        const reply = await use(id, {})
        return reply.status === status ? reply : undefined
      })
    await server.cli("template", "disable", "--template", String(id))
    refused(await answers(422), 422, "template_invalid")
    await server.cli("template", "enable", "--template", String(id))
    ok(await answers(201), 201)
  })
})

describe("template_parameters_mismatch", () => {
  const mismatch = async (id: number, parameters: unknown) => {
    const { details } = refused(await use(id, parameters), 422, "template_parameters_mismatch")
    const sorted = (name: string) => (details[name] as ReadonlyArray<string>).toSorted()
    expect(Object.keys(details).toSorted()).toEqual(["expected", "extra", "missing", "template_id"])
    expect(details["template_id"]).toBe(id)
    return { expected: sorted("expected"), missing: sorted("missing"), extra: sorted("extra") }
  }
  const expected = ["name", "order_id"]

  it("names the parameters that are missing", async () => {
    expect(await mismatch(ids.greeting, { name: "x" })).toEqual({
      expected,
      missing: ["order_id"],
      extra: []
    })
    expect(await mismatch(ids.greeting, {})).toEqual({ expected, missing: expected, extra: [] })
  })

  it("names the parameters that are too many", async () => {
    const parameters = { name: "x", order_id: "y", Name: "z", code: "1" }
    expect(await mismatch(ids.greeting, parameters)).toEqual({
      expected,
      missing: [],
      extra: ["Name", "code"]
    })
    expect(await mismatch(ids.plain, { name: "x" })).toEqual({ expected: [], missing: [], extra: ["name"] })
  })

  it("names both kinds together", async () => {
    const parameters = { name: "x", orderId: "y" }
    expect(await mismatch(ids.greeting, parameters)).toEqual({
      expected,
      missing: ["order_id"],
      extra: ["orderId"]
    })
  })

  it("takes every parameter as missing when there is no parameters object", async () => {
    expect(await mismatch(ids.greeting, undefined)).toEqual({ expected, missing: expected, extra: [] })
  })

  it("does not take an object's inherited properties for parameters", async () => {
    const names = ["A_b", "__proto__", "_a1", "toString"]
    expect(await mismatch(ids.odd, {})).toEqual({ expected: names, missing: names, extra: [] })
  })

  it("counts __proto__ as an extra parameter like any other", async () => {
    expect(await mismatch(ids.plain, JSON.parse('{"__proto__":"x"}'))).toMatchObject({ extra: ["__proto__"] })
  })
})

describe("validation_error", () => {
  it("is the answer to U+0000 in a parameter", async () => {
    const reply = await use(ids.greeting, { name: "a\u0000", order_id: "1" })
    expect(issues(reply)).toEqual(["body.template.parameters.name"])
  })
})

describe("the default text of a code over a messenger", () => {
  const received = async () => {
    const phone = newPhone()
    await otp(server, server.demo.live_key).sent({ phone, channels: "eitaa" })
    return { text: await textOf(server, phone), code: await codeOf(server, phone) }
  }
  const setHost = (host: string) =>
    server.cli("customer", "update", "--customer", String(server.demo.customer_id), "--webotp-host", host)

  it("has no line for WebOTP unless the customer has a site", async () => {
    expect((await received()).text).not.toMatch(/[@#]/)
  })

  it("ends with the line that WebOTP reads, once the customer has a site", async () => {
    await setHost("example.com")
    const { text = "", code } = await until("a text with the site", async () => {
      const now = await received()
      return now.text?.includes("@") === true ? now : undefined
    })
    expect(text.split("\n").at(-1)).toBe(`@example.com #${code}`)
    expect(text.split("\n").slice(0, -1).join("\n")).toContain(persianDigits(code))
  })

  it("has no such line any more when the site is empty", async () => {
    await setHost("")
    const { text = "", code } = await until("a text without the site", async () => {
      const now = await received()
      return now.text?.includes("@") === false ? now : undefined
    })
    expect(text).not.toContain("#")
    expect(text).toContain(persianDigits(code))
  })
})
