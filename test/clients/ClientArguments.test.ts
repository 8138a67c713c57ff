import { describe, expect, it } from "vitest"
import { sent, startFarEnd } from "./FarEnd.ts"

describe("a failed call", () => {
  it("is a TypeError, and is not repeated, if the arguments cannot be sent", async () => {
    const { received, client } = await startFarEnd({ body: sent })
    const call = client.otp.send({ phone: "09121234567", idempotencyKey: "سلام" })
    await expect(call).rejects.toThrow(TypeError)
    expect(received).toHaveLength(0)
  })

  it.each([1843, null, {}, "", "  ", " a", "a ", "a\nb", "سلام", "a".repeat(256)])(
    "is a TypeError if the idempotency key is %j",
    async (idempotencyKey) => {
      const { received, client } = await startFarEnd({ body: sent })
      const given = { idempotencyKey } as never as { readonly idempotencyKey: string }
      for (const call of [
        client.otp.send({ phone: "09121234567", ...given }),
        client.sandbox.send({ phone: "09121234567", ...given }),
        client.messages.batch([], given),
        client.manage.apiKeys.create({ name: "backend", mode: "live", ...given })
      ])
        await expect(call).rejects.toThrow(TypeError)
      expect(received).toHaveLength(0)
    }
  )

  it.each([null, true, "3", "", '"a"', "*", 1.5, -1, Number.NaN, ['"3"']])(
    "is a TypeError if ifMatch is %j",
    async (ifMatch) => {
      const { received, client } = await startFarEnd({ body: {} })
      const call = client.manage.apiKeys.update({ id: 7, name: "backend", ifMatch: ifMatch as never })
      await expect(call).rejects.toThrow(TypeError)
      expect(received).toHaveLength(0)
    }
  )

  it.each([undefined, null, "", ".", "..", {}, Number.NaN])(
    "is a TypeError if an id of the path is %j",
    async (id) => {
      const { received, client } = await startFarEnd({ body: sent })
      const calls: ReadonlyArray<Promise<unknown>> = [
        client.otp.status(id as never),
        client.otp.next(id as never),
        client.otp.cancel(id as never),
        client.sandbox.cancel(id as never),
        client.messages.status(id as never),
        client.messages.cancel(id as never),
        client.manage.apiKeys.read({ id: id as never })
      ]
      const text = /^(verification_|message_)?id must be a string or a number that can be part of a path\.$/
      for (const call of calls) await expect(call).rejects.toThrow(text)
      expect(received).toHaveLength(0)
    }
  )

  it("is a TypeError if a field is misspelled: it would have no effect", async () => {
    const { received, client } = await startFarEnd({ body: sent })
    const [phone, verification_id] = ["09121234567", "v"]
    const misspelled = { chanels: ["sms"] } as object
    const calls: ReadonlyArray<readonly [field: string, call: Promise<unknown>]> = [
      ["chanels", client.otp.send({ phone, ...misspelled })],
      ["chanels", client.otp.preview({ phone, ...misspelled })],
      ["chanels", client.sandbox.send({ phone, ...misspelled })],
      ["chanels", client.messages.send({ to: phone, ...misspelled } as never)],
      ["chanels", client.sandbox.messages.send({ to: phone, ...misspelled } as never)],
      ["chanels", client.messages.batch([{ to: phone, ...misspelled } as never])],
      ["Code", client.otp.verify({ verification_id, code: "1", Code: "2" } as never)],
      ["fromSequence", client.otp.next("v", { fromSequence: 1 } as never)],
      ["statuss", client.otp.list({ statuss: "failed" } as never)],
      ["statuss", client.messages.list({ statuss: "failed" } as never)],
      ["statuss", client.sandbox.list.all({ statuss: "failed" } as never).next()]
    ]
    for (const [field, call] of calls)
      await expect(call).rejects.toThrow(new RegExp(`^There is no field ${field}\\. There are: \\w+`))
    expect(received).toHaveLength(0)
  })
})
