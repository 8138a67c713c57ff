import { beforeAll, describe, expect, it } from "vitest"
import { messages, newPhone, ok, refused } from "../Client.ts"
import { simulated, textOf } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof messages>
beforeAll(async () => {
  server = sharedServer()
  live = messages(server, server.demo.live_key)
})

const day = 86_400_000
const now = () => Temporal.Now.instant()
const epoch = (time: string | null) => Temporal.Instant.from(time ?? "null").epochMilliseconds
/** The wall clock of Tehran, as `2026-12-01T10:00:00`. */
const tehran = (epochMilliseconds: number) =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Tehran", dateStyle: "short", timeStyle: "medium" })
    .format(epochMilliseconds)
    .replace(" ", "T")

describe("a delay", () => {
  it("keeps the message from being sent before its time, and sends it then", async () => {
    const phone = newPhone()
    const { message_id, scheduled_for, status } = await live.created({ to: phone, delay: "2s" })
    expect(status).toBe("queued")
    expect(await live.status(message_id)).toMatchObject({
      status: "queued",
      completed_at: null,
      attempts: []
    })
    expect(await simulated(server, phone)).toEqual([])
    const message = await live.completed(message_id)
    expect(message).toMatchObject({ status: "sent", scheduled_for })
    expect(epoch(message.attempts.at(0)?.attempted_at ?? null)).toBeGreaterThanOrEqual(epoch(scheduled_for))
    expect(await textOf(server, phone)).toBe("سلام")
  })

  it.each([
    ["90s", 90_000],
    ["1m", 60_000],
    ["36h", 1.5 * day],
    ["7d", 7 * day]
  ])("of %s counts from the creation", async (delay, milliseconds) => {
    const { message_id } = await live.created({ delay })
    const { created_at, scheduled_for } = await live.status(message_id)
    expect(epoch(scheduled_for) - epoch(created_at)).toBe(milliseconds)
  })

  it.each(["30d", "720h", "43200m", "2592000s"])("may be %s", async (delay) => {
    ok(await live.send({ delay }), 201)
  })

  it.each([
    "31d",
    "721h",
    "43201m",
    "2592001s",
    "9007199254740993s",
    `${"9".repeat(30)}d`,
    `1${"0".repeat(400)}s`
  ])("of %s is schedule_too_far", async (delay) => {
    refused(await live.send({ delay }), 422, "schedule_too_far")
  })

  it.each([
    "",
    " ",
    "0s",
    "00s",
    "01s",
    "10",
    "s",
    "-1s",
    "+1s",
    "1.5h",
    "1,5h",
    "1e3s",
    "0x10s",
    "1 s",
    " 1s",
    "1s ",
    "1s\n",
    "1S",
    "1D",
    "1w",
    "1y",
    "1ms",
    "1min",
    "1h30m",
    "PT1H",
    "۱s",
    "1ث",
    "s1",
    "now"
  ])("spelt %j is invalid_delay", async (delay) => {
    refused(await live.send({ delay }), 422, "invalid_delay")
  })
})

describe("send_at", () => {
  it("keeps the message from being sent before its time, and sends it then", async () => {
    const phone = newPhone()
    const send_at = now().add({ milliseconds: 1_800 }).round("millisecond").toString()
    const { message_id, scheduled_for } = await live.created({ to: phone, send_at, channels: "bale" })
    expect(epoch(scheduled_for)).toBe(epoch(send_at))
    expect(await simulated(server, phone)).toEqual([])
    const { attempts } = await live.completed(message_id)
    expect(epoch(attempts.at(0)?.attempted_at ?? null)).toBeGreaterThanOrEqual(epoch(send_at))
  })

  it.each(["Z", "+00:00", "+03:30", "-11:00", "+14:00"])(
    "with the offset %s is that instant, in UTC, in both answers",
    async (offset) => {
      const expected = now().add({ hours: 100 }).round("second")
      const zone = offset === "Z" ? "UTC" : offset
      const send_at = expected.toZonedDateTimeISO(zone).toPlainDateTime().toString() + offset
      const { message_id, scheduled_for } = await live.created({ send_at })
      expect(scheduled_for).toBe(expected.toString({ fractionalSecondDigits: 3 }))
      expect((await live.status(message_id)).scheduled_for).toBe(scheduled_for)
    }
  )

  it.each([2, 40, 300, 700])(
    "without an offset is the wall clock of Tehran, %i hours ahead",
    async (hours) => {
      const expected = now().add({ hours }).round("second")
      const { scheduled_for } = await live.created({ send_at: tehran(expected.epochMilliseconds) })
      expect(scheduled_for).toBe(expected.toString({ fractionalSecondDigits: 3 }))
      expect(tehran(epoch(scheduled_for))).toBe(tehran(expected.epochMilliseconds))
    }
  )

  it("keeps its milliseconds", async () => {
    const send_at = now().add({ hours: 5 }).round("second").toString().replace("Z", ".123Z")
    expect((await live.created({ send_at })).scheduled_for).toBe(send_at)
  })

  it.each([
    ["a second ago", () => now().subtract({ seconds: 1 }).toString()],
    ["an hour ago in Tehran", () => tehran(now().subtract({ hours: 1 }).epochMilliseconds)],
    ["years ago", () => "2020-01-01T00:00:00"],
    ["centuries ago", () => "0001-01-01T00:00:00Z"]
  ])("of %s is schedule_must_be_future", async (_, time) => {
    refused(await live.send({ send_at: time() }), 422, "schedule_must_be_future")
  })

  it("may be almost 30 days ahead", async () => {
    const send_at = now()
      .add({ minutes: 30 * 24 * 60 - 1 })
      .toString()
    ok(await live.send({ send_at }), 201)
  })

  it.each([
    [
      "more than 30 days ahead",
      () =>
        now()
          .add({ hours: 30 * 24, minutes: 1 })
          .toString()
    ],
    [
      "more than 30 days ahead in Tehran",
      () => tehran(now().add({ hours: 30 * 24, minutes: 1 }).epochMilliseconds)
    ],
    ["in many years", () => "9999-12-31T23:59:59Z"]
  ])("%s is schedule_too_far", async (_, time) => {
    refused(await live.send({ send_at: time() }), 422, "schedule_too_far")
  })
})
